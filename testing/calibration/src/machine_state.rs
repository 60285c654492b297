//! On what machine, and in what state, a calibration was made.

use std::fs;
use std::process::Command;
use std::thread::available_parallelism;

/// One line: processor, number of processors, virtual or not, commit, load averages.
pub fn line() -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field =
        |name: &str| cpuinfo.lines().find(|line| line.starts_with(name)).and_then(|line| line.split(": ").nth(1));
    let model = field("model name").unwrap_or(std::env::consts::ARCH).trim().to_owned();
    let processors = available_parallelism().map_or(1, usize::from);
    let kind = if field("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor")) {
        "virtual"
    } else {
        "physical"
    };
    format!("{model}, {processors} processors, {kind}, commit {}, load average {}", commit(), load_average())
}

/// Load averages of one, five and fifteen minutes.
pub fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// The commit of the sources; a `+` marks changes.
fn commit() -> String {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short", "HEAD"]) else { return "unknown".to_owned() };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|text| !text.is_empty());
    if changed { commit + "+" } else { commit }
}
