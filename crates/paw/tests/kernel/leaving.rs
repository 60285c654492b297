//! What a matrix looks like where it is read: in a pipe, without colours, in a narrow window, on a full disk.

use crate::place::{QUICK, examples, run};

const DOT: &str = "$PAW kernel matrix dot.toml --n 1000 --compilers gcc --flags -O2 --out r";

#[test]
fn a_reader_that_leaves_costs_nothing() {
    let place = examples();
    let ran = place.run(&format!("{DOT} {QUICK} | head -1"));
    assert_eq!((ran.code, ran.out.lines().count()), (0, 1), "{}", ran.out);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    assert_eq!(run(&place).end.map(|end| end.state), Some("done".to_owned()));
    assert!(place.path("r/report.html").is_file());
}

#[test]
fn a_narrow_window_without_colours_is_kept() {
    let place = examples();
    let ran = place.run(&format!("COLUMNS=40 NO_COLOR=1 {DOT} {QUICK}"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let widest = ran.out.lines().map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|width| width <= 40), "{}", ran.out);
    assert!(!ran.out.contains('\x1b') && !ran.err.contains('\x1b'));
    assert!(ran.out.contains("gcc -O2 [sums]"), "{}", ran.out);
}

#[test]
fn a_full_disk_is_reported_and_what_was_measured_is_shown() {
    let place = examples();
    // A limit on the size of files is a full disk for everybody who writes them: libraries fit, the run's lines do not.
    let ran = place.run(&format!("ulimit -f 80; trap '' XFSZ; {DOT} --quiet --metas 5000 --reps 20"));
    assert_eq!(ran.code, 7, "{}{}", ran.err, ran.out);
    assert!(ran.err.contains("r/run.jsonl") && ran.err.contains("large"), "{}", ran.err);
    assert!(ran.out.contains("gcc -O2 [sums]"), "{}", ran.out);
}
