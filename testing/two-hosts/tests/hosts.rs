//! Hosts have names, processes and networks of their own, and nothing of them stays.

use std::path::Path;
use std::process::Stdio;

use two_hosts::hosts::{self, Hosts};
use two_hosts::link::FREE;

const TOOL: &str = env!("CARGO_BIN_EXE_two-hosts");

/// Two hosts, where this machine can have some.
fn two() -> Option<Hosts> {
    match hosts::obstacle() {
        Some(why) => {
            eprintln!("left out: {why}");
            None
        }
        None => Some(Hosts::start(Path::new(TOOL), 2, FREE).expect("hosts can be made here")),
    }
}

fn said(hosts: &Hosts, host: usize, line: &str) -> String {
    let output = hosts.command(host, line).output().expect("the host is there");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn a_host_has_a_name_and_processes_of_its_own() {
    let Some(hosts) = two() else { return };
    for (host, name) in [(0, "node-a"), (1, "node-b")] {
        assert_eq!(said(&hosts, host, "hostname"), name);
        let own = said(&hosts, host, "echo $$").parse::<u32>().expect("a number");
        assert!(own < 100, "numbers begin anew: {own}");
        assert_eq!(said(&hosts, host, "ls -d /sys/class/net/data0"), "/sys/class/net/data0");
    }
    assert!(!Path::new("/sys/class/net/data0").exists(), "it is theirs alone");
}

#[test]
fn a_line_ends_with_its_own_code() {
    let Some(hosts) = two() else { return };
    assert_eq!(hosts.command(1, "exit 7").status().expect("the host is there").code(), Some(7));
}

#[test]
fn nothing_stays_even_after_a_panic() {
    let Some(hosts) = two() else { return };
    let (home, mut child) = (hosts.home().to_owned(), {
        let mut command = hosts.command(1, "exec sleep 1000");
        command.stdout(Stdio::null()).spawn().expect("the host is there")
    });
    let sleeps = |hosts: &Hosts| hosts.processes().into_iter().find(|process| process.program.ends_with("sleep"));
    let sleeper = loop {
        if let Some(found) = sleeps(&hosts) {
            break found;
        }
        std::thread::yield_now();
    };
    assert_eq!(sleeper.host, 1);
    let broken = std::thread::spawn(move || {
        let _hosts = hosts;
        std::panic::resume_unwind(Box::new("a test fails"));
    });
    assert!(broken.join().is_err());
    assert_eq!(child.wait().expect("it is ours").code(), Some(255), "the remote shell says that its host is gone");
    assert!(!Path::new(&format!("/proc/{}/exe", sleeper.pid)).exists() && !home.exists());
}
