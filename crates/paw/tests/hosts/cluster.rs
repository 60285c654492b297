//! Hosts for one test, and jobs of paw on them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use two_hosts::hosts::{self, Hosts};
use two_hosts::job::{HostJob, Library};
use two_hosts::link::Link;
use workplace::programs;
use workplace::requirement::{IPROUTE, MPICH, OPENMPI};
use workplace::schema::judge_runs;

/// The program under test.
pub const PAW: &str = env!("CARGO_BIN_EXE_paw");

/// The program that hosts run.
static TOOL: LazyLock<PathBuf> = LazyLock::new(|| programs::beside(Path::new(PAW), &["two-hosts"]).join("two-hosts"));

/// One cluster at a time: ranks wait busily, and those of two jobs would take each other's processors.
static TURN: Mutex<()> = Mutex::new(());

/// For jobs that end by themselves: ranks and a relay on two processors that do other work, too, may wait long for each other.
pub const PATIENCE: &[(&str, &str)] = &[("PAW_DEADLINE", "30")];

/// Two hosts.
pub struct Cluster {
    /// They.
    pub hosts: Hosts,
    _alone: MutexGuard<'static, ()>,
}

/// What came of a job.
#[derive(Debug)]
pub struct Ran {
    /// Exit code of the launcher.
    pub code: i32,
    /// What all ranks wrote to standard output.
    pub out: String,
    /// What all ranks and the launcher wrote to standard error.
    pub err: String,
}

impl Ran {
    /// That all was measured. Libraries may hang in `MPI_Finalize` after that: MPICH 4.0 over the TCP of UCX does, in plain C as well.
    ///
    /// # Panics
    /// If not.
    pub fn assert_whole(&self, library: Library) {
        let is_hung = library == Library::Mpich && self.err.contains("MPI_Finalize does not return");
        assert!(self.code == 0 || is_hung, "{library:?}: {}{}", self.out, self.err);
    }
}

/// The libraries that are installed, where hosts can be made at all; elsewhere says which test is left out.
pub fn libraries() -> Vec<Library> {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    if let Some(why) = hosts::obstacle() {
        let _ = writeln!(std::io::stderr(), "left out: {test}: {why}");
        return Vec::new();
    }
    let both = [(Library::OpenMpi, OPENMPI), (Library::Mpich, MPICH)];
    let installed = both.into_iter().filter(|(_, requirement)| IPROUTE.is_met() && requirement.is_met());
    installed.map(|(library, _)| library).collect()
}

/// The program that hosts run.
pub fn tool() -> &'static Path {
    &TOOL
}

/// Until it is dropped no other test has hosts.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cluster {
    /// Two hosts joined by `link`.
    pub fn joined_by(link: Link) -> Self {
        let alone = turn();
        Self { hosts: Hosts::start(&TOOL, 2, link).expect("hosts can be made here"), _alone: alone }
    }

    /// Runs `paw` with these arguments as every rank of `job`; its run lies in `r`.
    pub fn paw(&self, job: &HostJob<'_>, arguments: &str) -> Ran {
        let line = format!("{PAW} {arguments} --quiet --out {}", self.run().display());
        let output = job.command(&self.hosts, &line).output().expect("the hosts are there");
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The directory of the run.
    pub fn run(&self) -> PathBuf {
        self.hosts.home().join("r")
    }

    /// The lines of that kind of the run.
    pub fn lines(&self, kind: &str) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(self.run().join("run.jsonl")).expect("there is a run");
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("it is JSON"));
        lines.filter(|line| line["line"] == kind).collect()
    }

    /// Seconds an iteration of the fastest sample of the only cell: a busy machine makes samples later, and none earlier.
    pub fn fastest_s(&self) -> f64 {
        let numbers = |part: &serde_json::Value, name: &str| -> Vec<f64> {
            part[name].as_array().expect("it is a column").iter().filter_map(serde_json::Value::as_f64).collect()
        };
        let counted = self.lines("samples").into_iter().filter(|part| part["phase"] == "measure");
        let times = counted.flat_map(|part| {
            let both = numbers(&part, "elapsed_s").into_iter().zip(numbers(&part, "loops"));
            both.map(|(elapsed_s, loops)| elapsed_s / loops).collect::<Vec<_>>()
        });
        times.reduce(f64::min).expect("there are samples")
    }
}

/// Every run must obey the schema.
impl Drop for Cluster {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            judge_runs(self.hosts.home());
        }
    }
}
