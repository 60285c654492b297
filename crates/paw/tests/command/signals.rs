//! SIGINT, SIGTERM and SIGHUP: the first saves and shows, the second kills.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::workplace::Workplace;

/// A run that nobody waits for, and its talk.
fn started(workplace: &Workplace, loops: &str) -> (Child, BufReader<ChildStderr>) {
    let args = format!("run dgemm --set n=8 --provider embedded --threads 1 --reps 4000000000 --loops {loops} --out r");
    let mut process = workplace.process(&args);
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

fn send(child: &Child, signal: &str) {
    let sent = Command::new("/bin/sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap();
    assert!(sent.success());
}

/// Waits until `part` is on disk.
fn wait_until_saved(workplace: &Workplace, part: &str) {
    let path = workplace.path("r/run.jsonl");
    while !std::fs::read_to_string(&path).unwrap().contains(part) {
        std::thread::yield_now();
    }
}

#[test]
fn the_first_signal_saves_and_shows() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let workplace = Workplace::new();
        let (mut child, mut talk) = started(&workplace, "10");
        wait_until_saved(&workplace, "\"measure\"");
        send(&child, signal);
        wait_for(&mut talk, "finishing the sample and saving");
        let mut shown = String::new();
        child.stdout.take().unwrap().read_to_string(&mut shown).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert!(shown.contains("dgemm"), "{shown}");
        let text = std::fs::read_to_string(workplace.path("r/run.jsonl")).unwrap();
        let end: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!((&end["state"], &end["exit"]), (&"interrupted".into(), &code.into()));
        assert!(workplace.path("r/report.html").is_file());
        let opened = workplace.paw("export r --format csv");
        assert_eq!((opened.code, opened.err.as_str()), (0, ""));
    }
}

#[test]
fn the_second_signal_kills_and_what_was_saved_opens() {
    let workplace = Workplace::new();
    // One sample of this many loops outlasts any test: only the second signal can end it.
    let (mut child, mut talk) = started(&workplace, "4000000000");
    wait_until_saved(&workplace, "\"cell\"");
    send(&child, "INT");
    wait_for(&mut talk, "once more to stop at once");
    send(&child, "INT");
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    let opened = workplace.paw("export r --format csv");
    assert_eq!(opened.code, 0, "{}", opened.err);
    assert!(opened.err.contains("r/run.jsonl") || opened.err.contains("r:"), "{}", opened.err);
}

#[test]
fn a_run_under_nohup_does_not_hear_a_hangup() {
    let workplace = Workplace::new();
    let run = "run dgemm --set n=8 --provider embedded --threads 1 --reps 200 --loops 10 --out r";
    let script =
        format!("trap '' HUP; $PAW {run} 2>talk & until grep -q measuring talk; do :; done; kill -HUP $!; wait $!");
    let ran = workplace.shell(&script);
    assert_eq!(ran.code, 0, "{}", workplace.read("talk"));
}
