//! What breaks under a job on two hosts, and what comes of the job.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process};

use crate::hosts::Hosts;
use crate::job::{HostJob, Library};
use crate::link::FREE;

/// A job that measures nothing within this time does not run.
const BEGINS_WITHIN: Duration = Duration::from_secs(120);
/// A job that has not ended this long after a fault hangs.
const HANGS_AFTER: Duration = Duration::from_secs(40);
/// Time that processes of a job have after its launcher.
const GONE_WITHIN: Duration = Duration::from_secs(2);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// What breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The rank of the second host gets this signal.
    Far(Signal),
    /// The rank of the first host, where the launcher runs, gets this signal: rank 0.
    Near(Signal),
    /// The link carries nothing any more, and nobody is told.
    LinkFrozen,
    /// The link's interfaces are gone.
    LinkCut,
    /// No host reaches another, not even its launcher.
    AllCut,
}

/// Everything after which a launcher can end its job.
pub const ALL: [Fault; 6] = [
    Fault::Far(Signal::KILL),
    Fault::Far(Signal::STOP),
    Fault::Near(Signal::KILL),
    Fault::Near(Signal::STOP),
    Fault::LinkFrozen,
    Fault::LinkCut,
];

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signal = |signal: Signal| if signal == Signal::KILL { "SIGKILL" } else { "SIGSTOP" };
        match self {
            Self::Far(sent) => write!(f, "{} to rank 1, on the far host", signal(*sent)),
            Self::Near(sent) => write!(f, "{} to rank 0, on the launcher's host", signal(*sent)),
            Self::LinkFrozen => f.write_str("link frozen"),
            Self::LinkCut => f.write_str("link cut"),
            Self::AllCut => f.write_str("link and the launcher's network cut"),
        }
    }
}

/// What came of a job under which something broke.
#[derive(Debug)]
pub struct Ended {
    /// From the fault to the end of the launcher; `None` where it had to be killed.
    pub seconds: Option<f64>,
    /// The text of its run.
    pub run: String,
    /// Lines of samples that count when the fault came.
    pub before: usize,
    /// What the job wrote to standard error.
    pub said: String,
    /// Processes of the job that did not end with it.
    pub left: usize,
}

impl Ended {
    /// Lines of the run that hold `part`.
    pub fn lines(&self, part: &str) -> Vec<&str> {
        self.run.lines().filter(|line| line.contains(part)).collect()
    }
}

/// Lets `fault` befall two ranks of `paw`, of which each waits `deadline_s` seconds for the other.
///
/// # Errors
/// Hosts cannot be made, or the job does not begin.
pub fn befall(tool: &Path, paw: &Path, library: Library, fault: Fault, deadline_s: u32) -> io::Result<Ended> {
    let hosts = Hosts::start(tool, 2, FREE)?;
    let (run, said) = (hosts.home().join("r"), hosts.home().join("said"));
    let deadline = deadline_s.to_string();
    let job = HostJob { variables: &[("PAW_DEADLINE", &deadline)], ..HostJob::of(library) };
    let line = format!(
        "{} run p2p_send barrier --set n=1,2 --sync barrier --reps 4000000000 --quiet --out {}",
        paw.display(),
        run.display()
    );
    let mut command = job.command(&hosts, &line);
    let mut child = command.stdout(Stdio::null()).stderr(fs::File::create(&said)?).spawn()?;
    let text = || fs::read_to_string(run.join("run.jsonl")).unwrap_or_default();
    let counted = || text().matches("\"measure\"").count();
    if !within(BEGINS_WITHIN, || counted() > 0) {
        let _ = child.kill();
        return Err(io::Error::other(format!("the job does not begin: {}", fs::read_to_string(&said)?)));
    }
    let before = counted();
    let began = Instant::now();
    strike(&hosts, fault)?;
    let seconds = ended(&mut child)?.then(|| began.elapsed().as_secs_f64());
    within(GONE_WITHIN, || hosts.processes().is_empty());
    let left = hosts.processes().len();
    Ok(Ended { seconds, run: text(), before, said: fs::read_to_string(&said)?, left })
}

fn strike(hosts: &Hosts, fault: Fault) -> io::Result<()> {
    let (host, signal) = match fault {
        Fault::LinkFrozen => {
            hosts.freeze_link();
            return Ok(());
        }
        Fault::LinkCut => {
            hosts.cut_link();
            return Ok(());
        }
        Fault::AllCut => {
            hosts.cut_all();
            return Ok(());
        }
        Fault::Far(signal) => (1, signal),
        Fault::Near(signal) => (0, signal),
    };
    let processes = hosts.processes();
    let ranks = processes.iter().filter(|process| process.host == host && process.program.ends_with("paw"));
    let pid = ranks.filter_map(|process| Pid::from_raw(i32::try_from(process.pid).ok()?)).next();
    let pid = pid.ok_or_else(|| io::Error::other(format!("host {host} runs no rank: {processes:?}")))?;
    Ok(kill_process(pid, signal)?)
}

/// Waits for the end; kills what hangs.
fn ended(child: &mut Child) -> io::Result<bool> {
    let has_ended = within(HANGS_AFTER, || child.try_wait().is_ok_and(|status| status.is_some()));
    if !has_ended {
        child.kill()?;
    }
    child.wait()?;
    Ok(has_ended)
}

/// Whether `holds` becomes true in that time.
fn within(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while !holds() {
        if began.elapsed() > limit {
            return false;
        }
        thread::sleep(LOOK);
    }
    true
}
