//! The files of the machine that is examined.

use std::cell::OnceCell;
use std::io::ErrorKind;

use crate::cgroup;
use crate::cpuinfo::CpuInfo;
use crate::root::{Root, chosen};
use crate::topology::Topology;

/// Directory of the processors.
pub const CPUS: &str = "/sys/devices/system/cpu";

/// Directory of the memory nodes.
pub const NODES: &str = "/sys/devices/system/node";

/// The files of the machine that is examined, and what was read from them before.
#[derive(Debug)]
pub struct MachineFiles<'a> {
    /// The directory read in place of `/`.
    pub root: &'a Root,
    /// Processors, memory, limits.
    pub topology: &'a Topology,
    /// /proc/cpuinfo.
    pub cpuinfo: CpuInfo,
    /// Names of the programs that run, once somebody has asked for them: a large machine runs thousands.
    programs: OnceCell<Vec<String>>,
}

/// Why a check could not decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The file that would tell.
    pub path: String,
    /// Why it does not.
    pub why: String,
}

impl Unreadable {
    /// The file at `path` does not tell, for this reason.
    pub fn new(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self { path: path.into(), why: why.into() }
    }
}

impl<'a> MachineFiles<'a> {
    /// The files below `root`, whose topology has been read.
    pub fn new(root: &'a Root, topology: &'a Topology) -> Self {
        Self { root, topology, cpuinfo: CpuInfo::read(root), programs: OnceCell::new() }
    }

    /// Names of the programs that run, as the kernel names them: by 15 characters. Empty where no process is listed.
    pub fn programs(&self) -> &[String] {
        let name = |pid: &u32| self.root.word(&format!("/proc/{pid}/comm"));
        self.programs.get_or_init(|| self.root.numbered("/proc", "").iter().filter_map(name).collect())
    }

    /// Whether processors say which core they belong to; where none does, each is taken for a core of its own.
    pub fn shows_cores(&self) -> bool {
        self.topology.cores.iter().any(|core| core.id.is_some())
    }

    /// Whether the kernel lists memory nodes; where it lists none, the machine is taken for one.
    pub fn shows_nodes(&self) -> bool {
        !self.root.numbered(NODES, "node").is_empty()
    }

    /// The file of processor flags, once it is known to have some of x86: only they tell by their absence.
    ///
    /// # Errors
    /// Where it cannot be read or has none.
    pub fn with_x86_flags(&self) -> Result<&'static str, Unreadable> {
        let path = "/proc/cpuinfo";
        self.word(path)?;
        let has_flags =
            self.cpuinfo.blocks.iter().any(|block| block.get("flags").is_some_and(|flags| !flags.is_empty()));
        has_flags.then_some(path).ok_or_else(|| Unreadable::new(path, "it lists no flags of an x86 processor"))
    }

    /// The directory of this process's control group that would set a limit by `controller`.
    ///
    /// # Errors
    /// Where no such directory is shown.
    pub fn group_of(&self, controller: &str) -> Result<String, Unreadable> {
        let path = "/proc/self/cgroup";
        self.word(path)?;
        let directories = cgroup::branches(self.root, controller).into_iter().flat_map(|branch| branch.directories);
        let shown = directories.into_iter().find(|directory| self.root.path(directory).is_dir());
        shown.ok_or_else(|| Unreadable::new(path, "the directories of its control groups are not shown"))
    }

    /// The text of a file.
    ///
    /// # Errors
    /// Where it cannot be read or is empty.
    pub fn word(&self, path: &str) -> Result<String, Unreadable> {
        match self.root.read(path) {
            Ok(text) if text.is_empty() => Err(Unreadable::new(path, "the file is empty")),
            Ok(text) => Ok(text),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(Unreadable::new(path, "this machine has no such file"))
            }
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                Err(Unreadable::new(path, "the file may not be read"))
            }
            Err(error) => Err(Unreadable::new(path, format!("the file cannot be read: {error}"))),
        }
    }

    /// The number that a file holds.
    ///
    /// # Errors
    /// Where it cannot be read or holds none.
    pub fn number(&self, path: &str) -> Result<f64, Unreadable> {
        let text = self.word(path)?;
        text.parse().map_err(|_| Unreadable::new(path, format!("it holds no number: {text}")))
    }

    /// The choice in force of a file that lists all of them: `always [madvise] never`.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn choice(&self, path: &str) -> Result<String, Unreadable> {
        self.word(path).map(|text| chosen(&text).to_owned())
    }

    /// Values of a file of every processor that has it: the path of the first, and each value.
    ///
    /// # Errors
    /// Where no processor has it.
    pub fn of_processors(&self, file: &str) -> Result<(String, Vec<String>), Unreadable> {
        let path = |cpu: u32| format!("{CPUS}/cpu{cpu}/{file}");
        let numbers = || self.topology.cpus.iter().map(|cpu| cpu.number);
        let first = numbers().find(|cpu| self.root.word(&path(*cpu)).is_some());
        let Some(first) = first else {
            let any = path(numbers().next().unwrap_or(0));
            return Err(self.word(&any).err().unwrap_or_else(|| Unreadable::new(&any, "no processor has it")));
        };
        Ok((path(first), numbers().filter_map(|cpu| self.root.word(&path(cpu))).collect()))
    }
}

/// Bytes in GiB.
pub fn gibibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}
