//! The load as a runner's tests start it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn spin(flags: &[&str]) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::cargo_bin("spin").expect("the binary is built");
    command.args(flags);
    command
}

fn output(flags: &[&str]) -> String {
    String::from_utf8(spin(flags).assert().success().stderr("").get_output().stdout.clone()).expect("text")
}

/// A process that ends with its test.
struct Running(Child);

impl Running {
    fn start(flags: &[&str], stdout: Stdio) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("spin"));
        Self(command.args(flags).stdout(stdout).spawn().expect("spin starts"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_plan_is_said() {
    assert_eq!(output(&["--work-ms", "8", "--serial", "0.5", "--threads", "4"]), "spin: 5.000 ms\n");
    assert_eq!(output(&["--work-ms", "16", "--threads", "16", "--mode", "sleep"]), "spin: 1.000 ms\n");
}

#[test]
fn a_counter_makes_runs_differ_and_repeat() {
    let folder = tempfile::tempdir().expect("a folder");
    let series = |name: &str| -> Vec<String> {
        let file = folder.path().join(name);
        let file = file.to_str().expect("a path in UTF-8");
        let flags = ["--mode", "sleep", "--pauses", "0.5", "--pause-ms", "1", "--seed", "7", "--counter", file];
        (0..8).map(|_| output(&flags)).collect()
    };
    let first = series("first");
    assert_eq!(first, series("second"));
    assert!(first.iter().any(|run| run == "spin: 0.000 ms\n") && first.iter().any(|run| run != "spin: 0.000 ms\n"));
    let third = ["--mode", "sleep", "--pauses", "0.5", "--pause-ms", "1", "--seed", "7", "--run", "3"];
    assert_eq!(first[3], output(&third));
}

#[test]
fn it_ends_as_it_is_told() {
    spin(&["--exit", "3"]).assert().code(3);
    let printed = output(&["--print-mb", "2"]);
    assert_eq!(printed.len(), "spin: 0.000 ms\n".len() + (2 << 20));
    for flags in [["--serial", "1.5"], ["--threads", "0"], ["--work-ms", "-1"], ["--pauses", "often"]] {
        spin(&flags).assert().code(2).stdout("");
    }
}

#[test]
fn a_counter_that_cannot_be_written_is_an_error() {
    let assert = spin(&["--counter", "/proc/spin/runs"]).assert().code(1);
    assert!(String::from_utf8_lossy(&assert.get_output().stderr).starts_with("spin: /proc/spin/runs: "));
}

#[test]
fn sigterm_is_caught_where_it_is_to_be_ignored() {
    let caught = |flags: &[&str]| {
        let mut running = Running::start(flags, Stdio::piped());
        // What is said is said once the signal is settled.
        let mut line = String::new();
        BufReader::new(running.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let status = fs::read_to_string(format!("/proc/{}/status", running.0.id())).expect("it is alive");
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask of signals");
        u64::from_str_radix(mask.trim(), 16).expect("a mask is hexadecimal") >> 14 & 1 == 1
    };
    assert!(caught(&["--mode", "sleep", "--forever", "--ignore-term"]));
    assert!(!caught(&["--mode", "sleep", "--forever"]));
}

#[test]
fn a_daemon_stays_in_a_session_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("output");
    // A pipe would not end before the daemon does.
    let file = fs::File::create(&path).expect("a file");
    let mut running = Running::start(&["--fork-daemon"], file.into());
    assert!(running.0.wait().expect("it ends").success());
    let said = fs::read_to_string(&path).expect("a file");
    let daemon = said.lines().find_map(|line| line.strip_prefix("daemon: ")).expect("a daemon is named");
    let stat = fs::read_to_string(Path::new("/proc").join(daemon).join("stat"));
    assert!(Command::new("kill").arg(daemon).status().expect("kill runs").success());
    let stat = stat.expect("the daemon is alive");
    // After the name in brackets: state, parent, process group, session.
    let session = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(3)).expect("a session");
    assert_eq!(session, daemon);
}
