//! The kinds of cores of a hybrid processor: each has counters of its own, and a count of one says nothing about the other.

use std::fs;
use std::path::Path;

use crate::cpu_list;

const UNITS: &str = "sys/bus/event_source/devices";
/// Units of the kinds of cores, by the names that Linux gives them.
const KINDS: &[&str] = &["cpu_core", "cpu_atom", "cpu_lowpower"];

/// A kind of cores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreKind {
    /// Its unit: `cpu_core`.
    pub unit: String,
    /// The unit's number in the kernel.
    pub number: u32,
    /// Its processors, as the kernel writes them: `0-15`.
    pub list: String,
}

/// The kinds of cores of the machine whose files are below `root`; empty if there is only one.
pub fn kinds(root: &Path) -> Vec<CoreKind> {
    let kind = |unit: &&str| {
        let word = |file: &str| fs::read_to_string(root.join(UNITS).join(unit).join(file)).ok();
        let (number, list) = (word("type")?.trim().parse().ok()?, word("cpus")?.trim().to_owned());
        Some(CoreKind { unit: (*unit).to_owned(), number, list })
    };
    let kinds: Vec<CoreKind> = KINDS.iter().filter_map(kind).collect();
    if kinds.len() > 1 { kinds } else { Vec::new() }
}

/// The kind that all processors belong to which this process may use; `None` where there is only one kind.
///
/// # Errors
/// They are of several kinds: which, and how to keep to one.
pub fn allowed(root: &Path) -> Result<Option<CoreKind>, String> {
    let kinds = kinds(root);
    let Some(first) = kinds.first() else { return Ok(None) };
    let status = fs::read_to_string(root.join("proc/self/status")).unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or_default();
    let own = cpu_list::cpus(list.trim());
    let holds = |kind: &&CoreKind| {
        let cpus = cpu_list::cpus(&kind.list);
        !own.is_empty() && own.iter().all(|cpu| cpus.contains(cpu))
    };
    if let Some(kind) = kinds.iter().find(holds) {
        return Ok(Some(kind.clone()));
    }
    let all: Vec<String> = kinds.iter().map(|kind| format!("{} ({})", kind.unit, kind.list)).collect();
    Err(format!(
        "this processor has cores of several kinds, {}, whose counts cannot be added: keep to one, with `taskset -c {} paw …`",
        all.join(" and "),
        first.list
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A processor with two kinds of cores, of which this process may use `allowed`.
    fn hybrid(allowed: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for (unit, number, cpus) in [("cpu_core", "4", "0-15"), ("cpu_atom", "10", "16-23")] {
            write(&format!("{UNITS}/{unit}/type"), number);
            write(&format!("{UNITS}/{unit}/cpus"), cpus);
            write(&format!("{UNITS}/{unit}/format/event"), "config:0-7\n");
        }
        write("proc/self/status", &format!("Name:\tpaw\nCpus_allowed_list:\t{allowed}\n"));
        root
    }

    fn unit(allowed_cpus: &str) -> Result<String, String> {
        allowed(hybrid(allowed_cpus).path()).map(|kind| kind.map_or(String::new(), |kind| kind.unit))
    }

    #[test]
    fn processors_of_one_kind_are_counted_by_its_unit_and_a_mixture_is_refused() {
        assert_eq!(unit("2"), Ok("cpu_core".to_owned()));
        assert_eq!(unit("16-19,23"), Ok("cpu_atom".to_owned()));
        let why = unit("0-23").unwrap_err();
        assert!(why.contains("cpu_core (0-15) and cpu_atom (16-23)") && why.contains("taskset -c 0-15"), "{why}");
    }

    #[test]
    fn a_processor_with_one_kind_of_cores_needs_no_choice() {
        assert_eq!(allowed(tempfile::tempdir().unwrap().path()), Ok(None));
    }

    #[test]
    fn events_name_the_kind_that_counts_them() {
        use crate::event::{Event, EventError};
        let event = |allowed: &str, text: &str| Event::parse("A", text, hybrid(allowed).path());
        let number = |allowed: &str, text: &str| event(allowed, text).map(|event| (event.kind, event.config[0]));
        assert_eq!(number("3", "instructions"), Ok((0, 4 << 32 | 1)));
        assert_eq!(number("16", "instructions"), Ok((0, 10 << 32 | 1)));
        assert_eq!(number("16", "L1-dcache-loads"), Ok((3, 10 << 32)));
        assert_eq!(number("16", "cpu/event=0x3c/"), Ok((10, 0x3c)));
        assert_eq!(number("16", "r3c"), Ok((10, 0x3c)));
        // A unit that is named is meant, and the kernel's own events are of no core.
        assert_eq!(number("0-23", "cpu_atom/event=0x3c/"), Ok((10, 0x3c)));
        assert_eq!(number("0-23", "page-faults"), Ok((1, 2)));
        assert!(matches!(event("0-23", "instructions"), Err(EventError::Mixed(_))));
    }
}
