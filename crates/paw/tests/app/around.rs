//! What runs once around a series, and runs that fail and count.

use paw_data::outcome::Status;
use paw_data::secondary::SecondaryMetric;

use crate::workplace::{Workplace, ended, only};

const NOTE: &str = "sh -c 'echo setup {n} >> log'";

#[test]
fn one_setup_stands_before_all_runs_that_share_it() {
    let workplace = Workplace::new();
    let ran = workplace.app(
        "-r 3 -w 1 -s 'sh -c \"echo setup >> log\"' --cleanup 'sh -c \"echo cleanup >> log\"' -p 'sh -c \"echo run >> log\"' true 'true 2'",
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let log = workplace.read("log");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!((lines[0], lines[lines.len() - 1], lines.len()), ("setup", "cleanup", 10), "{log}");
    assert_eq!(lines.iter().filter(|line| **line == "run").count(), 8, "{log}");
}

#[test]
fn cells_with_another_setup_are_measured_apart() {
    let workplace = Workplace::new();
    let ran = workplace.shell(&format!(
        "exec $PAW app --out r --quiet -r 3 -w 0 -L n 1,2 --cleanup 'sh -c \"echo cleanup >> log\"' -s \"{NOTE}\" -- true {{n}}"
    ));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(workplace.read("log"), "setup 1\ncleanup\nsetup 2\ncleanup\n");
    let groups: Vec<u32> = workplace.run().records.iter().map(|record| record.cell.group).collect();
    assert_eq!(groups, [0, 1]);
    assert!(ran.out.contains("not measured in the same rounds"), "{}", ran.out);
}

#[test]
fn a_setup_that_fails_costs_its_cells_and_a_cleanup_that_fails_is_told() {
    let workplace = Workplace::new();
    let ran = workplace.app("-r 3 -s false --cleanup 'touch cleaned' true 'true 2'");
    assert_eq!(ran.code, 3, "{}", ran.err);
    let run = workplace.run();
    for record in &run.records {
        assert_eq!(ended(record), (Status::Failed, "--setup: false exited with code 1"));
    }
    assert!(!workplace.path("cleaned").exists());
    let other = Workplace::new();
    let ran = other.app("-r 3 --cleanup false -- true");
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("--cleanup: false exited with code 1"), "{}", ran.err);
    assert_eq!(ended(only(&other.run())).0, Status::Measured);
}

#[test]
fn failures_that_are_ignored_count_and_are_counted() {
    let workplace = Workplace::new();
    let ran = workplace.app("-r 4 -w 1 -i -- sh -c 'exit 3'");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = workplace.run();
    let record = only(&run);
    let outcome = record.outcome.as_ref().unwrap();
    let caveat = outcome.caveats.iter().find(|caveat| caveat.id == "failing-runs").expect("a caveat");
    assert!(caveat.cause.starts_with("4 of 4 runs failed (code 3 in 4)"), "{}", caveat.cause);
    assert_eq!(record.samples.secondary(SecondaryMetric::ExitCode), Some(&[3.0; 4][..]));
    let check = outcome.check.as_ref().expect("a check");
    assert!(check.method.contains("failed, which is ignored"), "{}", check.method);
}

#[test]
fn other_codes_and_signals_are_never_ignored() {
    for (flags, program, why) in [
        ("--ignore-failure=1,2", "exit 3", "exit code 3, not 0"),
        ("-i", "kill -9 $$", "was killed by SIGKILL"),
        ("-i --timeout 50ms", "sleep 60", "did not end in time and was killed after 0.05 s (--timeout)"),
    ] {
        let workplace = Workplace::new();
        let ran = workplace.app(&format!("-r 3 {flags} -- sh -c '{program}'"));
        assert_eq!(ran.code, 3, "{program}: {}", ran.err);
        let run = workplace.run();
        let (status, found) = ended(only(&run));
        assert!(status == Status::Failed && found.contains(why), "{program}: {found}");
    }
    let refused = Workplace::new().app("-r 3 --ignore-failure=zero -- true");
    assert_eq!(refused.code, 2);
    assert!(refused.sentence().contains("--ignore-failure: `zero` is no exit code of a failure"), "{}", refused.err);
}

#[test]
fn hyperfine_s_words_are_the_same_plan_and_are_saved() {
    let workplace = Workplace::new();
    let rest = "--seed 1 -- true {n} {mode}";
    let own = workplace.app(&format!("--dry-run --set mode=fast,safe --set n=1,3,5 {rest}"));
    let theirs = workplace.app(&format!("-N --dry-run -L mode fast,safe -P n 1 5 -D 2 {rest}"));
    assert_eq!((theirs.code, &theirs.out), (0, &own.out), "{}", theirs.err);
    let own = workplace.app("--dry-run --set o=-l,-a --set n=-3,-1,1 --seed 1 -- true {o} {n}");
    let theirs = workplace.app("--dry-run -L o -l,-a -P n -3 1 -D 2 --seed 1 -- true {o} {n}");
    assert_eq!((theirs.code, &theirs.out), (0, &own.out), "{}", theirs.err);
    workplace.app(&format!(
        "--save c.toml -P n 1 5 -D 2 -L mode fast,safe -s 'touch {{n}}' --cleanup true --ignore-failure=2 {rest}"
    ));
    let saved = workplace.read("c.toml");
    for line in ["setup = \"touch {n}\"", "cleanup = \"true\"", "ignore_failure = \"2\"", "n = \"1,3,5\""] {
        assert!(saved.contains(line), "{line}: {saved}");
    }
    workplace.app("-c c.toml --save again.toml");
    assert_eq!(workplace.read("again.toml"), saved);
    for (line, why) in [
        ("-P n 9 1 -- true {n}", "runs backwards"),
        ("-P n 1 9 -D 0 -- true {n}", "leads nowhere"),
        ("-N --shell -- true", "cannot be used with"),
        ("-D 2 -- true", "required"),
    ] {
        let refused = workplace.app(&format!("--dry-run {line}"));
        assert_eq!(refused.code, 2, "{line}");
        assert!(refused.err.contains(why), "{line}: {}", refused.err);
    }
}
