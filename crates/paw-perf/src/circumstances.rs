//! What of this machine decides which events can be counted.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

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

    /// What it is, as far as counters are concerned.
    pub(crate) fn kind(&self) -> &'static str {
        if self.virtual_machine { "a virtual machine" } else { "its kernel found none in this processor" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
