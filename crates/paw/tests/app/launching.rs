//! How a program is started: where, with which variables and input, how often, and what is read from it.

use paw_data::method::EndRule;
use paw_data::secondary::MetricName;

use crate::workplace::{Workplace, ended, only};

/// The processors that this test may use.
fn allowed() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    line.trim().to_owned()
}

/// How many processors a list such as `0-3,8` names.
fn count(list: &str) -> usize {
    let number = |text: &str| text.trim().parse::<usize>().unwrap();
    let part = |part: &str| part.split_once('-').map_or(1, |(from, to)| number(to) - number(from) + 1);
    list.split(',').map(part).sum()
}

const WHERE: &str = "sh -c 'grep Cpus_allowed_list /proc/self/status | cut -f2'";

#[test]
fn a_program_is_bound_to_as_many_processors_as_it_has_threads() {
    let processors = count(&allowed());
    for (place, one, all) in [("cores", 1, processors), ("compact", 1, processors), ("none", processors, processors)] {
        let workplace = Workplace::new();
        let line = format!("--threads 1,{processors} --place {place} --reps 1 --keep-output -- {WHERE}");
        assert_eq!(workplace.app(&line).code, 0);
        assert_eq!(count(&workplace.read("r/logs/0000.out")), one, "{place}");
        if processors > 1 {
            assert_eq!(count(&workplace.read("r/logs/0001.out")), all, "{place}");
        }
    }
}

#[test]
fn instances_share_the_processors() {
    let workplace = Workplace::new();
    let ran = workplace.app(&format!("--threads 1 --copies 1,2 --reps 2 --keep-output -- {WHERE}"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let seats = [workplace.read("r/logs/0001.out"), workplace.read("r/logs/0001.out.1")];
    assert!(seats.iter().all(|seat| count(seat) == 1), "{seats:?}");
    assert!(seats[0] != seats[1] || count(&allowed()) == 1, "{seats:?}");
    assert!(!workplace.path("r/logs/0000.out.1").exists(), "one instance is one");
    let run = workplace.run();
    let copies: Vec<_> = run.records.iter().map(|record| record.cell.point.int("copies")).collect();
    assert_eq!(copies, [Some(1), Some(2)]);
    // Two copies of one thread are too many for one processor alone.
    assert_eq!(ran.out.contains("2*"), count(&allowed()) == 1, "{}", ran.out);
}

#[test]
fn every_run_time_gets_the_thread_count() {
    let workplace = Workplace::new();
    let ran = workplace.app("--threads 2 --reps 1 --keep-output -- env");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let said = workplace.read("r/logs/0000.out");
    for name in ["OMP_NUM_THREADS", "RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "GOMAXPROCS"] {
        assert!(said.contains(&format!("{name}=2\n")), "{name}: {said}");
    }
    assert!(said.contains("OMP_PROC_BIND=close\n") && said.contains("OMP_PLACES={"), "{said}");
    let free = Workplace::new();
    free.app("--reps 1 --keep-output -- env");
    assert!(!free.read("r/logs/0000.out").contains("NUM_THREADS"), "where nobody asks, nothing is set");
}

#[test]
fn each_run_reads_the_input_from_its_beginning() {
    let workplace = Workplace::new();
    workplace.write("in", "one\ntwo\n");
    let ran = workplace.app("--input in --reps 3 --verify 'stdout equals in' -- cat");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let nothing = Workplace::new();
    assert_eq!(nothing.app("--reps 2 --verify 'stdout matches ^0$' -- wc -c").code, 0);
}

#[test]
fn what_is_done_around_a_run_is_done_each_time_and_not_timed() {
    let workplace = Workplace::new();
    let line = "--reps 3 --warmup 1 --shell --prepare 'echo p{n} >>log; sleep 0.2' --conclude 'echo c >>log; sleep 0.2' \
         --set n=5 -- 'echo r >>log'";
    assert_eq!(workplace.app(line).code, 0);
    assert_eq!(workplace.read("log"), "p5\nr\nc\n".repeat(4));
    let run = workplace.run();
    let times = &only(&run).samples.elapsed_s;
    assert!(times.iter().copied().fold(f64::INFINITY, f64::min) < 0.2, "{times:?}");
}

#[test]
fn the_method_is_the_one_asked_for() {
    for (flags, k, min, max, counts) in [
        ("", 4, 16, 32, true),
        ("--kbest-exclusive", 4, 16, 32, false),
        ("--method csapp", 3, 1, 20, true),
        ("--method csapp --k 2 --max 5", 2, 1, 5, true),
        ("--min 40", 4, 40, 40, true),
        ("--versus false", 4, 32, 32, true),
        ("--versus false --max 20", 4, 16, 20, true),
        ("--versus false --min 8", 4, 8, 32, true),
    ] {
        let workplace = Workplace::new();
        let ran = workplace.app(&format!("{flags} --budget 100ms -- true"));
        assert_eq!(ran.code, i32::from(flags.contains("false")) * 3, "{}", ran.err);
        let run = workplace.run();
        let EndRule::KBest { k: agreeing, min: least, max: most, best_counts, .. } = run.header.plan.method.ending
        else {
            panic!("{flags}: {:?}", run.header.plan.method.ending)
        };
        assert_eq!((agreeing, least, most, best_counts), (k, min, max, counts), "{flags}");
    }
}

#[test]
fn a_printed_number_can_decide_when_runs_suffice() {
    let workplace = Workplace::new();
    // The number doubles with every run: wall times may agree, the numbers never do.
    let script = "echo x >>runs; echo rate $((1 << $(wc -l <runs)))";
    let line = format!("--metric 'rate[1/s,higher]=rate ([0-9]+)' --drive rate --min 4 --max 8 -- sh -c '{script}'");
    let ran = workplace.app(&line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = workplace.run();
    let record = only(&run);
    assert_eq!(record.samples.len(), 8);
    assert_eq!(
        record.samples.extra[&MetricName::of_program("rate")],
        [4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0]
    );
    assert!(ended(record).1.is_empty());
    assert!(ran.out.contains("rate"), "{}", ran.out);
}

#[test]
fn nothing_is_coloured_where_colours_are_not_wanted() {
    let workplace = Workplace::new();
    let plain = workplace.shell("NO_COLOR=1 CLICOLOR_FORCE=0 $PAW app --out r --reps 2 -- true");
    assert_eq!(plain.code, 0);
    assert!(!plain.out.contains('\u{1b}') && !plain.err.contains('\u{1b}'), "{}", plain.out);
    let forced = workplace.shell("CLICOLOR_FORCE=1 $PAW app --out q --reps 2 -- true");
    assert!(forced.out.contains('\u{1b}'), "{}", forced.out);
}
