//! A run that is cut off: by a signal, by the death of paw, by a reader that leaves, by a disk that is full.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, Stdio};

use paw_data::outcome::Status;

use crate::workplace::{Workplace, ended, is_alive, only};

/// `paw app` on its way, and its talk.
fn started(workplace: &Workplace, line: &str) -> (Child, BufReader<ChildStderr>) {
    let mut process = workplace.process(&format!("exec $PAW app --verbose --out r {line}"));
    let mut child = process.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    wait_for(&mut talk, "measuring");
    (child, talk)
}

fn wait_for(talk: &mut impl BufRead, part: &str) {
    let mut line = String::new();
    while !line.contains(part) {
        line.clear();
        assert_ne!(talk.read_line(&mut line).unwrap(), 0, "paw ended before it said `{part}`");
    }
}

/// Waits until a file holds that many lines, and reads it.
fn lines(workplace: &Workplace, name: &str, count: usize) -> String {
    loop {
        let text = std::fs::read_to_string(workplace.path(name)).unwrap_or_default();
        if text.lines().count() >= count && text.ends_with('\n') {
            return text;
        }
        std::thread::yield_now();
    }
}

fn send(child: &Child, signal: &str) {
    let sent = std::process::Command::new("/bin/sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status();
    assert!(sent.unwrap().success());
}

/// The process that starts programs for `paw`.
fn launcher(paw: &Child) -> String {
    let id = paw.id();
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    children.split_whitespace().next().expect("paw has a launcher").to_owned()
}

fn wait_for_death(pid: &str) {
    while is_alive(pid) {
        std::thread::yield_now();
    }
}

#[test]
fn the_first_interrupt_saves_and_shows_what_there_is() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let workplace = Workplace::new();
        let (mut child, mut talk) =
            started(&workplace, "--set n=1,2 --ladder n --reps 1000000 -- sh -c 'echo {n} >>runs'");
        lines(&workplace, "runs", 4);
        send(&child, signal);
        wait_for(&mut talk, "once more to stop at once");
        let mut shown = String::new();
        child.stdout.take().unwrap().read_to_string(&mut shown).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code));
        let run = workplace.run();
        assert_eq!(run.end.as_ref().map(|end| (end.exit, end.state.as_str())), Some((code, "interrupted")));
        assert_eq!(ended(&run.records[0]).0, Status::Measured);
        assert!(run.records[0].samples.len() >= 2);
        assert!(!workplace.read("runs").contains('2'), "nothing is begun any more");
        assert!(shown.contains("sh") && workplace.path("r/report.html").is_file(), "{shown}");
    }
}

#[test]
fn signals_of_a_terminal_reach_all_of_paw_and_no_program() {
    for (signal, code) in [("INT", 130), ("HUP", 129), ("TERM", 143)] {
        let workplace = Workplace::new();
        let mut process =
            workplace.process("exec $PAW app --out r --reps 1000000 -- sh -c 'echo begun >>runs; exec sleep 0.1'");
        let mut child = process.process_group(0).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        lines(&workplace, "runs", 3);
        // A terminal's signal goes to every process of the group, and paw's launcher is one.
        let sent =
            std::process::Command::new("/bin/sh").args(["-c", &format!("kill -{signal} -{}", child.id())]).status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(code));
        let run = workplace.run();
        let outcome = only(&run).outcome.as_ref().expect("it has its end");
        assert_eq!((outcome.status, outcome.why.as_ref()), (Status::Measured, None), "{signal}");
        assert_eq!(only(&run).samples.len() + 1, workplace.read("runs").lines().count(), "the last run was finished");
    }
}

#[test]
fn the_second_interrupt_kills_and_leaves_no_process() {
    let workplace = Workplace::new();
    let (mut child, mut talk) =
        started(&workplace, "-- sh -c 'trap \"\" INT TERM; echo $$ >pid; while :; do sleep 100000; done'");
    let program = lines(&workplace, "pid", 1);
    let launcher = launcher(&child);
    send(&child, "INT");
    wait_for(&mut talk, "once more to stop at once");
    send(&child, "INT");
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    wait_for_death(&launcher);
    assert!(!is_alive(&program));
    assert!(workplace.run().end.is_none(), "what was saved opens, and has no end");
}

#[test]
fn what_runs_dies_with_paw() {
    let workplace = Workplace::new();
    let (mut child, _talk) = started(&workplace, "-- sh -c 'sleep 100000 & echo $$ >pids; echo $! >>pids; wait'");
    let pids = lines(&workplace, "pids", 2);
    let launcher = launcher(&child);
    send(&child, "KILL");
    child.wait().unwrap();
    wait_for_death(&launcher);
    pids.lines().for_each(wait_for_death);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let workplace = Workplace::new();
    let ran =
        workplace.shell("{ $PAW app --out r --quiet --reps 6 --set n=1,2,3 -- true {n}; echo $? >code; } | head -c 1");
    assert_eq!(workplace.read("code"), "0\n", "{}", ran.err);
    assert_eq!(ran.err, "");
    assert_eq!(workplace.run().end.map(|end| end.exit), Some(0));
}

#[test]
fn a_directory_that_cannot_be_written_is_refused_before_anything_runs() {
    let workplace = Workplace::new();
    workplace.write("file", "");
    for (out, why) in [("/dev/full", "/dev/full"), ("file", "file"), ("/proc/run", "/proc/run")] {
        let ran = workplace.shell(&format!("$PAW app --out {out} --reps 2 -- touch ran"));
        assert_eq!(ran.code, 7, "{}", ran.err);
        assert!(ran.sentence().contains(why), "{}", ran.err);
    }
    assert!(!workplace.path("ran").exists());
    workplace.app("--reps 2 -- true");
    let again = workplace.app("--reps 2 -- touch ran");
    assert_eq!(again.code, 7);
    assert!(again.sentence().contains("already holds a run"), "{}", again.err);
}

#[test]
fn a_disk_that_fills_up_is_reported_and_ends_the_run() {
    let workplace = Workplace::new();
    // A limit on the size of files is a full disk for everybody who writes them: the run's lines no longer fit.
    let ran = workplace.shell("ulimit -f 16; $PAW app --out r --quiet --reps 100000 -- true");
    assert_eq!(ran.code, 7, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("r/run.jsonl") && ran.err.contains("large"), "{}", ran.err);
    assert!(ran.out.contains("true"), "what was measured is shown: {}", ran.out);
}
