//! Runs that do not end by themselves, and those that leave something behind: nobody survives.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::place::{Place, exists, program};
use paw_apps::launch::{End, LaunchError, Sink};

#[test]
fn a_program_that_is_late_is_asked_to_end_and_may_save() {
    let mut place = Place::new();
    let mut launch = place.shell("trap 'echo saved; exit 3' TERM; sleep 100000 & wait");
    launch.timeout_s = Some(1.0);
    let ran = place.run(&launch);
    assert_eq!(ran.copies[0].end, End::TimedOut);
    assert_eq!(ran.copies[0].end.to_string(), "did not end in time and was killed");
    assert_eq!(place.read("stdout"), "saved\n");
}

#[test]
fn a_program_that_does_not_hear_is_killed_with_all_that_it_started() {
    let mut place = Place::new();
    let mut launch = place.shell("trap '' TERM; sleep 100000 & echo $$ $!; while :; do sleep 100000; done");
    launch.timeout_s = Some(1.0);
    let ran = place.run(&launch);
    assert_eq!(ran.copies[0].end, End::TimedOut);
    // A shell that ignores SIGTERM hands that down: both sleeps outlived it.
    assert_eq!(ran.leftover, 2);
    assert!(place.read("stdout").split_whitespace().all(|pid| !exists(pid)));
}

#[test]
fn a_program_that_is_stopped_is_ended_too() {
    let mut place = Place::new();
    let mut launch = place.shell("kill -STOP $$");
    launch.timeout_s = Some(0.1);
    assert_eq!(place.run(&launch).copies[0].end, End::TimedOut);
}

#[test]
fn what_a_program_leaves_behind_does_not_hold_the_run_up_and_is_ended() {
    let mut place = Place::new();
    let ran = place.run(&place.shell("sleep 100000 & echo $!"));
    assert_eq!((ran.copies[0].end, ran.leftover), (End::Exited(0), 1));
    assert!(!exists(&place.read("stdout")));
}

#[test]
fn a_daemon_that_left_its_group_and_its_parent_is_ended() {
    let mut place = Place::new();
    let pids = place.pipe("pids");
    // setsid leaves the group; both in a subshell of their own that has ended. The pipe holds the program until the daemon is one.
    let script = format!("(setsid sh -c 'echo $$ >{0}; exec sleep 100000' &); cat {0}", pids.display());
    let ran = place.run(&place.shell(&script));
    assert_eq!((ran.copies[0].end, ran.leftover), (End::Exited(0), 1));
    assert!(!exists(&place.read("stdout")));
}

#[test]
fn children_that_nobody_waited_for_are_not_left_over() {
    let mut place = Place::new();
    let pipe = place.pipe("pipe");
    // The child holds the pipe until it is about to end, and cat, which waits for no child, until then.
    let script = format!("(exec 3>{0}; exit 0) & exec cat {0}", pipe.display());
    let ran = place.run(&place.shell(&script));
    assert_eq!((ran.copies[0].end, ran.leftover), (End::Exited(0), 0));
}

#[test]
fn a_run_is_stopped_when_the_caller_says_so() {
    let mut place = Place::new();
    let launch = place.shell("trap '' TERM INT; echo $$; while :; do sleep 100000; done");
    let stdout = place.path("stdout");
    let started = || fs::read_to_string(&stdout).is_ok_and(|text| text.ends_with('\n'));
    assert_eq!(place.launcher.run_until(&launch, &started), Err(LaunchError::Interrupted));
    assert!(!exists(&place.read("stdout")));
    assert_eq!(place.run(&place.shell("exit 4")).copies[0].end, End::Exited(4));
}

/// Reads `pipe`: whether its first line has come, and its end, which comes when the last of its writers is dead.
fn breath(pipe: PathBuf) -> (Arc<AtomicBool>, thread::JoinHandle<String>) {
    let started = Arc::new(AtomicBool::new(false));
    let first = Arc::clone(&started);
    let last = thread::spawn(move || {
        let mut pipe = BufReader::new(File::open(pipe).expect("the pipe can be read"));
        let mut text = String::new();
        pipe.read_line(&mut text).expect("a line");
        first.store(true, Ordering::SeqCst);
        pipe.read_to_string(&mut text).expect("the pipe can be read");
        text
    });
    (started, last)
}

#[test]
fn a_lost_launcher_takes_along_what_its_program_started_and_is_replaced() {
    let mut place = Place::new();
    let mut launch = place.shell("sleep 100000 & setsid sleep 100000 & echo started; exec sleep 100000");
    let pipe = place.pipe("pipe");
    launch.stdout = Sink::File(pipe.clone());
    let (started, dead) = breath(pipe);
    let (first, killed) = (place.launcher.pid().expect("a launcher").to_string(), Cell::new(false));
    let kill = || {
        if started.load(Ordering::SeqCst) && !killed.replace(true) {
            assert!(Command::new("kill").args(["-KILL", &first]).status().expect("kill is a program").success());
        }
        false
    };
    match place.launcher.run_until(&launch, &kill) {
        Err(LaunchError::Lost(why)) => assert!(why.starts_with("the launcher was killed by SIGKILL"), "{why}"),
        other => panic!("the launcher was not lost: {other:?}"),
    }
    assert_eq!(dead.join().expect("it was read"), "started\n");
    assert_eq!(place.run(&place.shell("exit 5")).copies[0].end, End::Exited(5));
    assert_ne!(place.launcher.pid().expect("a launcher").to_string(), first);
}

#[test]
fn nothing_survives_a_paw_that_is_killed() {
    let place = Place::new();
    let pipe = place.pipe("pipe");
    let script = format!("exec >{}; echo started; sleep 100000 & setsid sleep 100000 & wait", pipe.display());
    let mut paw = Command::new(program());
    paw.args(["--runs", "1", "--", "sh", "-c", &script]).stdout(Stdio::null());
    let mut paw = paw.spawn().expect("it starts");
    let (started, dead) = breath(pipe);
    while !started.load(Ordering::SeqCst) {
        thread::yield_now();
    }
    paw.kill().expect("it can be killed");
    paw.wait().expect("it was started here");
    assert_eq!(dead.join().expect("it was read"), "started\n");
}

#[test]
fn a_dropped_launcher_is_gone() {
    let place = Place::new();
    let pid = place.launcher.pid().expect("a launcher").to_string();
    drop(place);
    assert!(!exists(&pid));
}
