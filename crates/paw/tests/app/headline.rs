//! Programs by a number that they print: of it are the answer, the plots and the files.

use crate::workplace::Workplace;

/// The measured times of a thesis: an original program, and its parallel version with 16 and 32 threads, at ten sizes.
const KINFIT: &str = include_str!("../../../paw-data/tests/fixtures/kinfit_runtimes.csv");

/// Prints the time that the thesis has for a version, a thread count and a size, and takes none itself.
const FIT: &str = r#"awk -F, -v version="$1" -v threads="$2" -v v="v$3" '
    $1 == "version" { for (i = 1; i <= NF; i++) at[$i] = i }
    $1 == version && $2 == threads { print "KinFit: " $at[v] " us" }' kinfit_runtimes.csv"#;

const METRIC: &str = "--metric 'KinFit[us]=KinFit: ([0-9]+) us'";

fn thesis() -> Workplace {
    let workplace = Workplace::new();
    workplace.write("kinfit_runtimes.csv", KINFIT);
    workplace.write("fit.sh", FIT);
    workplace
}

/// The fields of the row of a file that has `quantity` at `point`.
fn row(csv: &str, point: &str, quantity: &str) -> Vec<String> {
    let wanted = format!(",{point},{quantity},");
    let line = csv.lines().find(|line| line.contains(&wanted)).unwrap_or_else(|| panic!("{quantity} in {csv}"));
    line.split(',').map(str::to_owned).collect()
}

#[test]
fn the_printed_times_of_the_thesis_have_its_speed_ups() {
    let workplace = thesis();
    let ran = workplace.app(&format!(
        "{METRIC} --headline KinFit --threads 1,16,32 --place none --set v=1,64,512 --ladder v --reps 6 --warmup 0 \
         --exclude 'threads < 16' --work '5738 + 1867*v events' --base 'sh fit.sh original 1 {{v}}' \
         -- sh fit.sh runtime {{threads}} {{v}}"
    ));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("by KinFit at v=512: 32 threads: 137.7 s"), "{}", ran.out);
    assert!(words.contains("the same in all 6 runs), 7.12 times as fast as the original program."), "{}", ran.out);
    assert!(words.contains("The same in all runs of a point: KinFit."), "{}", ran.out);
    assert!(words.contains("KinFit is no share of the wall time"), "{}", ran.out);
    let csv = workplace.shell("exec $PAW export r --format csv").out;
    let speedup = row(&csv, "v=512 threads=32", "speedup.KinFit");
    assert!((speedup[6].parse::<f64>().unwrap() - 980.596632 / 137.736146).abs() < 1e-9, "{speedup:?}");
    assert_eq!((speedup[7].as_str(), speedup[8].as_str()), ("", ""), "numbers that never vary have no interval");
    assert_eq!(row(&csv, "v=512 threads=32", "metric.KinFit")[4..7], ["us", "best", "137736146.0"]);
    assert_eq!(row(&csv, "v=512 threads=32", "throughput.KinFit")[6].split('.').next(), Some("6981"));
    assert!(!row(&csv, "v=512 threads=32", "speedup").is_empty(), "wall time has its own");
    assert_eq!(workplace.shell("exec $PAW report r --out r.html").code, 0);
    let page = workplace.read("r.html");
    assert!(page.contains("Speed-up by KinFit over threads"), "a plot of the headline");
    assert!(page.contains("v=512, 32 threads: 137.7 s (") && page.contains("), speed-up 7.12"), "its last point");
}

#[test]
fn runs_with_different_headlines_are_compared_by_wall_time() {
    let workplace = thesis();
    for (out, headline) in [("a", "--headline KinFit"), ("b", "--headline KinFit"), ("c", "")] {
        let line = format!("{METRIC} {headline} --reps 3 -- sh fit.sh original 1 1");
        let ran = workplace.shell(&format!("exec $PAW app --out {out} --quiet {line}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let compared = |sides: &str| workplace.shell(&format!("exec $PAW compare {sides}")).out;
    let same = compared("a b");
    assert!(same.contains("times are KinFit, the printed number") && same.contains("1.000"), "{same}");
    assert!(same.contains("4.03"), "seconds of the fit: {same}");
    let other = compared("a c");
    assert!(other.contains("headline: KinFit") && other.contains("times are wall times"), "{other}");
}

#[test]
fn the_share_of_a_printed_time_is_shown_by_size() {
    let workplace = Workplace::new();
    // A program that sleeps at least as long as it says.
    let ran = workplace.app(
        "--metric 'fit_ms=fit ([0-9]+) ms' --set n=1,2 --ladder n --reps 6 --warmup 0 -- sh -c 'sleep 0.0{n} && echo fit {n}0 ms'",
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("share of fit_ms in the wall time"), "{}", ran.out);
    let csv = workplace.shell("exec $PAW export r --format csv").out;
    for (point, fit_s) in [("n=1", 0.01), ("n=2", 0.02)] {
        let share = row(&csv, point, "share.fit_ms");
        let of = |field: usize| share[field].parse::<f64>().unwrap();
        let wall: f64 = row(&csv, point, "time")[6].parse().unwrap();
        assert!(of(6) > 0.0 && of(6) <= fit_s / wall + 1e-9, "at most that of the fastest run: {share:?}");
        assert!(of(7) <= of(6) && of(6) <= of(8), "{share:?}");
    }
}
