//! Processes that a command has left: whoever has its mark in the environment.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The variable that marks a command and all that it starts.
pub const MARK: &str = "PAW_FAULTS_MARK";

/// Guards and launchers see that paw is gone, and end what it started: this is ample, also where a rank waits for its deadline.
const GONE_WITHIN: Duration = Duration::from_secs(20);

/// Waits until no process has `mark`; returns what is left when that takes too long, and ends it.
pub fn left(mark: &str) -> Vec<String> {
    let began = Instant::now();
    loop {
        let left = marked(mark, None);
        if left.is_empty() {
            return Vec::new();
        }
        if began.elapsed() > GONE_WITHIN {
            for pid in &left {
                // It may have just ended.
                let _ = kill_process(*pid, Signal::KILL);
            }
            return left.iter().map(|pid| format!("{pid:?}: {}", words(*pid))).collect();
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// The process of paw that is rank `rank` of a job with `mark`.
pub fn rank(mark: &str, rank: &str) -> Option<Pid> {
    let variables = [format!("OMPI_COMM_WORLD_RANK={rank}"), format!("PMI_RANK={rank}")];
    marked(mark, Some(&variables)).first().copied()
}

/// Processes whose environment has `mark`, and one of `variables` where there are some. Dead ones have no environment.
fn marked(mark: &str, variables: Option<&[String]>) -> Vec<Pid> {
    let mark = format!("{MARK}={mark}");
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_marked = |number: &i32| {
        let bytes = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        let has = |wanted: &str| bytes.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes());
        has(&mark) && variables.is_none_or(|variables| variables.iter().any(|variable| has(variable)))
    };
    numbers.filter(is_marked).filter_map(Pid::from_raw).collect()
}

fn words(pid: Pid) -> String {
    let bytes = fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}
