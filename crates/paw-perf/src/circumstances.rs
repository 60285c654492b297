//! What this machine lets perf_event count, and the sentence about what it refuses.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::event::{Domain, Event, EventError};

/// What decides whether an event can be counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Circumstances {
    /// `kernel.perf_event_paranoid`; `None` if the kernel has no perf_event.
    pub paranoid: Option<i32>,
    /// Whether this is a virtual machine.
    pub virtual_machine: bool,
    /// Whether the kernel found counters of the processor.
    pub counters: bool,
}

impl Circumstances {
    /// Those of the machine whose files are below `root`, which is `/` but for tests.
    pub fn read(root: &Path) -> Self {
        let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
        let cpuinfo = text("proc/cpuinfo");
        let flags = cpuinfo.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
        let units = fs::read_dir(root.join("sys/bus/event_source/devices")).into_iter().flatten().flatten();
        let is_processor = |name: &str| name == "cpu" || name == "cpu_core" || name.starts_with("armv");
        Self {
            paranoid: text("proc/sys/kernel/perf_event_paranoid").trim().parse().ok(),
            virtual_machine: flags.split_whitespace().any(|flag| flag == "hypervisor"),
            counters: units.into_iter().any(|unit| is_processor(&unit.file_name().to_string_lossy())),
        }
    }

    /// The sentence about an event that the kernel refused with `error`.
    pub fn refusal(&self, event: &Event, error: &io::Error) -> String {
        match error.raw_os_error() {
            Some(libc::EACCES | libc::EPERM) => self.forbidden(&event.domain),
            Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) if event.is_of_processor() && !self.counters => {
                self.no_counters()
            }
            Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) => {
                format!(
                    "this processor does not count `{}`: choose another group, or a raw event of its manual",
                    event.text
                )
            }
            Some(libc::EINVAL) => {
                format!("the processor refuses `{}`: look its fields up in the processor's manual", event.text)
            }
            Some(libc::EBUSY) => {
                "another program holds the counter: `sudo sysctl kernel.nmi_watchdog=0` frees one that \
                                  the kernel itself may hold"
                    .to_owned()
            }
            Some(libc::EMFILE | libc::ENFILE) => "too many files are open: raise the limit with `ulimit -n`".to_owned(),
            Some(libc::ENOSYS) => no_perf_event(),
            _ => format!("the kernel refused it: {error}"),
        }
    }

    /// The sentence about an event that has no number here.
    pub fn unresolved(&self, error: &EventError) -> String {
        match error {
            EventError::NoUnit(unit) if unit.starts_with("cpu") && !self.counters => self.no_counters(),
            EventError::NoUnit(unit) => {
                format!("this machine has no unit `{unit}`, or its kernel shows none to {}", self.kind())
            }
            other => other.to_string(),
        }
    }

    /// The sentence about a processor without counters.
    pub fn no_counters(&self) -> String {
        if self.paranoid.is_none() {
            return no_perf_event();
        }
        format!(
            "this machine has no hardware counters ({}): group SW works, and --simulate counts by cachegrind",
            self.kind()
        )
    }

    fn kind(&self) -> &'static str {
        if self.virtual_machine { "a virtual machine" } else { "its kernel found none in this processor" }
    }

    fn forbidden(&self, domain: &Domain) -> String {
        let (what, most) = match domain {
            Domain::Processor | Domain::Software => ("counting your own programs in user space", 2),
            Domain::Kernel => ("counting what happens in the kernel", 1),
            Domain::Package(_) => ("counting a whole package", 0),
        };
        match self.paranoid {
            Some(level) if level > most => format!(
                "kernel.perf_event_paranoid is {level}, and {what} needs at most {most}: `sudo sysctl \
                 kernel.perf_event_paranoid={most}`, or the capability CAP_PERFMON"
            ),
            Some(level) => format!(
                "the system call is forbidden here although kernel.perf_event_paranoid is {level}: a container often forbids \
                 it; start it with `--cap-add PERFMON` or `--security-opt seccomp=unconfined`"
            ),
            None => no_perf_event(),
        }
    }
}

fn no_perf_event() -> String {
    "this kernel has no perf_event: cachegrind simulates (--simulate), and time and memory are measured without it"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paranoid: i32, domain: Domain, errno: i32, expected: &str) {
        let here = Circumstances { paranoid: Some(paranoid), virtual_machine: true, counters: false };
        let event = Event {
            name: "A".to_owned(),
            text: "instructions".to_owned(),
            kind: 0,
            config: [0; 3],
            domain,
            scale: 1.0,
            leader: None,
        };
        let said = here.refusal(&event, &io::Error::from_raw_os_error(errno));
        assert!(said.contains(expected), "{said}");
    }

    #[test]
    fn a_refusal_names_the_smallest_setting_that_suffices() {
        check(3, Domain::Processor, libc::EACCES, "is 3, and counting your own programs in user space needs at most 2");
        check(3, Domain::Software, libc::EACCES, "kernel.perf_event_paranoid=2`");
        check(2, Domain::Kernel, libc::EACCES, "needs at most 1: `sudo sysctl kernel.perf_event_paranoid=1`");
        check(1, Domain::Package(vec![0]), libc::EPERM, "needs at most 0");
        check(-1, Domain::Processor, libc::EACCES, "--cap-add PERFMON");
    }

    #[test]
    fn a_virtual_machine_without_counters_names_what_works() {
        check(2, Domain::Processor, libc::ENOENT, "no hardware counters (a virtual machine): group SW works");
        check(2, Domain::Software, libc::ENOENT, "does not count `instructions`");
    }

    #[test]
    fn a_machine_is_read_from_its_files() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(Circumstances::read(root.path()).paranoid, None);
        write("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor\n");
        write("proc/sys/kernel/perf_event_paranoid", "4\n");
        write("sys/bus/event_source/devices/cpu/type", "4\n");
        let here = Circumstances::read(root.path());
        assert_eq!(here, Circumstances { paranoid: Some(4), virtual_machine: true, counters: true });
    }
}
