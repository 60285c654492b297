//! The processes of a job, as the kernel shows them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::job::PAW;

/// A process that is a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    /// Its number among all processes.
    pub pid: u32,
    /// Its number among the ranks.
    pub rank: u32,
}

/// The ranks that work in `home`, or whose command line names it.
pub fn ranks(home: &Path) -> Vec<Process> {
    let home = home.canonicalize().unwrap();
    let works = |pid: u32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == home);
    let names = |pid: u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(home.to_str().unwrap())
    };
    let is_paw = |pid: u32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == Path::new(PAW));
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let ours = pids.filter(|pid| is_paw(*pid) && (works(*pid) || names(*pid)));
    ours.filter_map(|pid| Some(Process { pid, rank: rank(pid)? })).collect()
}

/// The process of that rank.
pub fn of_rank(home: &Path, rank: u32) -> u32 {
    let ranks = ranks(home);
    ranks.iter().find(|process| process.rank == rank).unwrap_or_else(|| panic!("rank {rank} is not in {ranks:?}")).pid
}

fn rank(pid: u32) -> Option<u32> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let variables = environment.split(|byte| *byte == 0).filter_map(|text| std::str::from_utf8(text).ok());
    let value =
        |name: &str| variables.clone().find_map(|text| text.strip_prefix(name)?.strip_prefix('=')?.parse().ok());
    value("OMPI_COMM_WORLD_RANK").or_else(|| value("PMI_RANK"))
}

/// Sends a signal by its name.
pub fn send(signal: &str, pid: u32) {
    assert!(Command::new("/bin/sh").args(["-c", &format!("kill -{signal} {pid}")]).status().unwrap().success());
}

/// Waits until `holds`; a test that waits in vain fails.
pub fn until(what: &str, holds: impl Fn() -> bool) {
    let began = std::time::Instant::now();
    while !holds() {
        assert!(began.elapsed() < crate::mock::LIMIT, "{what}: not within {:?}", crate::mock::LIMIT);
        std::thread::yield_now();
    }
}
