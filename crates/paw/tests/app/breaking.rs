//! Programs that fail, break, hang or say too much: the cell has its end and its reason, and all else is measured.

use paw_data::outcome::{CheckVerdict, Status};

use crate::workplace::{Ran, Workplace, ended, is_alive, only};

/// A program that fails: the run says why, and paw exits with `code`.
fn check(line: &str, code: i32, why: &str) -> (Workplace, Ran) {
    let workplace = Workplace::new();
    let ran = workplace.app(line);
    assert_eq!(ran.code, code, "{line}: {}", ran.err);
    assert!(ran.err.contains(why), "{line}: {}", ran.err);
    let run = workplace.run();
    let (status, said) = ended(only(&run));
    assert_eq!(status, Status::Failed, "{line}");
    assert!(said.contains(why), "{line}: {said}");
    assert_eq!(run.end.as_ref().map(|end| (end.exit, end.state.as_str())), Some((code, "done")), "{line}");
    (workplace, ran)
}

#[test]
fn a_program_that_cannot_be_started_is_reported_with_the_way_out() {
    check("--reps 2 -- nosuchprogram", 3, "nosuchprogram is not in PATH (/usr/bin:/bin): check the spelling");
    check("--reps 2 -- ./nosuch", 3, "./nosuch is not there, seen from ");
    check("--reps 2 -- /etc/passwd", 3, "/etc/passwd is not executable (chmod +x /etc/passwd");
    check("--reps 2 -- /tmp", 3, "/tmp is a directory");
}

#[test]
fn a_program_that_a_signal_ends_has_failed() {
    check("--reps 2 -- sh -c 'kill -SEGV $$'", 3, "sh, run 1: was killed by SIGSEGV");
}

#[test]
fn a_program_that_never_ends_is_ended_in_time_with_all_it_started() {
    let (workplace, _) = check(
        "--reps 2 --timeout 300ms --output pipe -- sh -c 'sleep 100000 & echo $!; wait'",
        3,
        "did not end in time and was killed",
    );
    assert!(!is_alive(&workplace.read("r/logs/0000.out")));
}

#[test]
fn of_a_sweep_only_the_cells_that_fail_have_failed() {
    let workplace = Workplace::new();
    let ran =
        workplace.app("--reps 6 --set n=0,1,2,0.5 --exclude 'n == 0.5' -- sh -c 'echo trouble {n} >&2; exit {n}'");
    assert_eq!(ran.code, 3);
    let run = workplace.run();
    let statuses: Vec<_> = run.records.iter().map(|record| ended(record).0).collect();
    assert_eq!(statuses, [Status::Measured, Status::Failed, Status::Failed]);
    assert_eq!(run.records[0].samples.len(), 6);
    assert!(ended(&run.records[2]).1.contains("sh, run 1: exit code 2, not 0; stderr ends with `trouble 2`"));
    // The last lines of what it said stand below the reason.
    assert!(ran.err.contains("\n  | trouble 2\n") && !ran.err.contains("| trouble 0"), "{}", ran.err);
}

#[test]
fn a_program_that_fails_late_keeps_the_runs_before() {
    let workplace = Workplace::new();
    let ran = workplace.app("--reps 9 --warmup 0 -- sh -c 'echo x >>runs; test $(wc -l <runs) -lt 5'");
    assert_eq!(ran.code, 3);
    let run = workplace.run();
    assert_eq!(only(&run).samples.len(), 4);
    assert!(ended(only(&run)).1.contains("sh, run 5: exit code 1, not 0"), "{}", ended(only(&run)).1);
}

#[test]
fn a_number_that_is_not_printed_is_a_failure() {
    let why = "metric ms: neither stdout nor stderr has a line that `took ([0-9]+) ms` fits";
    check("--reps 2 --metric 'ms=took ([0-9]+) ms' -- echo nothing", 3, why);
}

#[test]
fn a_wrong_answer_is_a_finding() {
    let (workplace, ran) = check(
        "--reps 2 --verify 'stdout contains 42' -- echo 41",
        1,
        "wrong answer: echo, run 1: stdout does not contain `42`",
    );
    assert!(ran.err.contains("it ends with `41`"), "{}", ran.err);
    assert!(ran.err.contains("r/logs/0000.out and 0000.err\n"), "{}", ran.err);
    let run = workplace.run();
    let check = only(&run).outcome.as_ref().and_then(|outcome| outcome.check.as_ref()).expect("it was checked");
    assert_eq!((check.verdict, check.method.as_str()), (CheckVerdict::Fail, "stdout contains 42"));
    assert!(workplace.read("r/logs/0000.out") == "41\n", "the answer is kept");
}

#[test]
fn a_program_that_fails_has_no_answer_that_could_be_wrong() {
    check("--reps 2 --verify 'stdout contains 42' -- sh -c 'exit 7'", 3, "exit code 7, not 0");
    check("--reps 2 --verify 'stdout contains 42' --verify 'exit 3' -- sh -c 'exit 7'", 3, "exit code 7, not 3");
}

#[test]
fn a_process_that_is_left_behind_is_ended_and_reported() {
    let workplace = Workplace::new();
    let ran = workplace.app("--reps 3 --output pipe -- $SPIN --fork-daemon");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let said = workplace.read("r/logs/0000.out");
    let daemon = said.lines().find_map(|line| line.strip_prefix("daemon: ")).expect("spin names its daemon");
    assert!(!is_alive(daemon), "{daemon} lives on");
    let run = workplace.run();
    let caveats = &only(&run).outcome.as_ref().unwrap().caveats;
    let caveat = caveats.iter().find(|caveat| caveat.id == "left-behind").expect("a caveat");
    assert!(caveat.cause.contains("4 processes outlived the program, in 4 of 4 runs"), "{}", caveat.cause);
}

#[test]
fn a_base_that_fails_costs_the_speed_up_alone() {
    let workplace = Workplace::new();
    let ran = workplace.app("--reps 6 --threads 1 --base false -- true");
    assert_eq!(ran.code, 3);
    let run = workplace.run();
    let of = |provider: &str| run.records.iter().find(|record| record.cell.provider == provider).unwrap();
    assert!(ended(of("base")).1.contains("false, run 1: exit code 1, not 0"));
    assert_eq!((ended(of("command")).0, of("command").samples.len()), (Status::Measured, 6));
    assert!(ran.out.contains("the original program has no time there"), "{}", ran.out);
}

#[test]
fn what_fails_before_or_after_a_run_is_named() {
    check("--reps 2 --prepare 'sh -c \"exit 4\"' -- true", 3, "--prepare: sh -c exit 4 exited with code 4");
    check("--reps 2 --conclude false -- true", 3, "--conclude: false exited with code 1");
}
