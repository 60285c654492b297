//! Events by the names that perf gives them, resolved to numbers that the kernel understands.

mod unit;

use std::path::Path;

use paw_data::spelling::closest;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::core_kind;

/// An event, ready to be opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its name in formulas.
    pub name: String,
    /// The event as typed: `instructions`, `cpu/event=0x51,umask=0x1/`.
    pub text: String,
    /// `PERF_TYPE_…`, or the number of a unit.
    pub kind: u32,
    /// Three words that name it.
    pub config: [u64; 3],
    /// What it counts.
    pub domain: Domain,
    /// The factor from its counts to its unit.
    pub scale: f64,
    /// The event that leads its group, by its name; the processor counts both at once or neither.
    #[serde(default)]
    pub leader: Option<String>,
}

/// What an event counts, which decides how it is opened and what rights it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// The processor's events of one task, in user space alone.
    Processor,
    /// The kernel's events that happen in user space, or are no events of code: time, page faults.
    Software,
    /// The kernel's events that happen within the kernel: context switches, migrations.
    Kernel,
    /// Events of a unit that the processors of a package share, whoever causes them; counted on these processors.
    Package(Vec<u32>),
}

/// Why an event has no number.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EventError {
    /// No event has this name.
    #[error("there is no event `{0}`{1}")]
    Unknown(String, String),
    /// The unit does not exist on this machine.
    #[error("this machine has no unit `{0}`")]
    NoUnit(String),
    /// The unit does not know a term.
    #[error("the unit `{unit}` of this machine knows no `{term}`{hint}")]
    NoTerm {
        /// The unit.
        unit: String,
        /// The term.
        term: String,
        /// Similar ones.
        hint: String,
    },
    /// The processors are cores of several kinds, each with counters of its own.
    #[error("{0}")]
    Mixed(String),
    /// A number that is none, or too large for its field.
    #[error("`{0}` is no number that fits: write `event=0x51,umask=0x1`")]
    Number(String),
}

/// The unit of the processor's cores, of whatever kind.
const PROCESSOR: &str = "cpu";
const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const CACHE: u32 = 3;
const RAW: u32 = 4;

/// Events that every processor may have, by their numbers in linux/perf_event.h.
const GENERIC: &[(&str, u64)] = &[
    ("cycles", 0),
    ("cpu-cycles", 0),
    ("instructions", 1),
    ("cache-references", 2),
    ("cache-misses", 3),
    ("branches", 4),
    ("branch-instructions", 4),
    ("branch-misses", 5),
    ("bus-cycles", 6),
    ("stalled-cycles-frontend", 7),
    ("stalled-cycles-backend", 8),
    ("ref-cycles", 9),
];

/// The kernel's events, by their numbers in linux/perf_event.h, and whether they happen within the kernel.
const OF_KERNEL: &[(&str, u64, bool)] = &[
    ("cpu-clock", 0, false),
    ("task-clock", 1, false),
    ("page-faults", 2, false),
    ("faults", 2, false),
    ("context-switches", 3, true),
    ("cs", 3, true),
    ("cpu-migrations", 4, true),
    ("migrations", 4, true),
    ("minor-faults", 5, false),
    ("major-faults", 6, false),
    ("alignment-faults", 7, false),
    ("emulation-faults", 8, false),
];

const CACHES: &[&str] = &["L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"];
const OPERATIONS: &[(&str, u64)] = &[("load", 0), ("store", 1), ("prefetch", 2)];

impl Event {
    /// The event `text`, called `name` in formulas. Units are read below `root`, which is `/` but for tests.
    ///
    /// # Errors
    /// There is no such event, unit or term on this machine.
    pub fn parse(name: &str, text: &str, root: &Path) -> Result<Self, EventError> {
        let text = text.trim();
        let event = |kind, config, domain| Self {
            name: name.to_owned(),
            text: text.to_owned(),
            kind,
            config: [config, 0, 0],
            domain,
            scale: 1.0,
            leader: None,
        };
        // Of a hybrid processor the upper half of the number names the kind of cores (linux/perf_event.h, PERF_PMU_TYPE_SHIFT).
        let of_cores = |kind, config| -> Result<Self, EventError> {
            let cores = core_kind::allowed(root).map_err(EventError::Mixed)?;
            let upper = cores.map_or(0, |cores| u64::from(cores.number) << 32);
            Ok(event(kind, config | upper, Domain::Processor))
        };
        if let Some((_, config)) = GENERIC.iter().find(|(known, _)| *known == text) {
            return of_cores(HARDWARE, *config);
        }
        if let Some((_, config, within)) = OF_KERNEL.iter().find(|(known, ..)| *known == text) {
            return Ok(event(SOFTWARE, *config, if *within { Domain::Kernel } else { Domain::Software }));
        }
        if let Some(config) = cache(text) {
            return of_cores(CACHE, config);
        }
        if let Some(config) = text.strip_prefix('r').and_then(|hex| u64::from_str_radix(hex, 16).ok()) {
            let cores = core_kind::allowed(root).map_err(EventError::Mixed)?;
            return Ok(event(cores.map_or(RAW, |cores| cores.number), config, Domain::Processor));
        }
        match text.strip_suffix('/').and_then(|text| text.split_once('/')) {
            Some((PROCESSOR, terms)) => {
                let cores = core_kind::allowed(root).map_err(EventError::Mixed)?;
                let unit = cores.map_or_else(|| PROCESSOR.to_owned(), |cores| cores.unit);
                unit::resolve(event(0, 0, Domain::Processor), &unit, terms, root)
            }
            Some((unit, terms)) => unit::resolve(event(0, 0, Domain::Processor), unit, terms, root),
            None => Err(EventError::Unknown(text.to_owned(), hint(text, root))),
        }
    }

    /// The counts of a reading in the event's unit.
    pub fn scaled(&self, count: u64) -> f64 {
        count as f64 * self.scale
    }

    /// Whether the processor counts it, so that a machine without counters cannot.
    pub fn is_of_processor(&self) -> bool {
        self.domain == Domain::Processor
    }
}

/// The names of events that need no unit.
pub fn names() -> Vec<String> {
    let caches = CACHES.iter().flat_map(|cache| {
        OPERATIONS
            .iter()
            .flat_map(move |(operation, _)| [format!("{cache}-{operation}s"), format!("{cache}-{operation}-misses")])
    });
    let plain = GENERIC.iter().map(|(name, _)| name).chain(OF_KERNEL.iter().map(|(name, ..)| name));
    plain.map(|name| (*name).to_owned()).chain(caches).collect()
}

fn hint(text: &str, root: &Path) -> String {
    let mut known = names();
    known.extend(unit::events(root));
    match closest(text, known.iter().map(String::as_str)) {
        Some(near) => format!(": did you mean `{near}`?"),
        None => ": write a name of `perf list`, or a raw event as `cpu/event=0x51,umask=0x1/`".to_owned(),
    }
}

/// The number of `L1-dcache-load-misses`: cache, operation, and whether misses are meant, a byte each.
fn cache(text: &str) -> Option<u64> {
    let (number, rest) = CACHES.iter().enumerate().find_map(|(i, cache)| {
        let rest = text.strip_prefix(cache)?.strip_prefix('-')?;
        Some((i as u64, rest))
    })?;
    let (operation, misses) = match rest.strip_suffix("-misses") {
        Some(operation) => (operation, 1),
        None => (rest.strip_suffix('s')?, 0),
    };
    // The plural of `prefetch`.
    let operation = operation.strip_suffix('e').filter(|word| *word == "prefetch").unwrap_or(operation);
    let (_, operation) = OPERATIONS.iter().find(|(known, _)| *known == operation)?;
    Some(number | operation << 8 | misses << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<(u32, u64), String> {
        let event = Event::parse("A", text, Path::new("/nonexistent"));
        event.map(|event| (event.kind, event.config[0])).map_err(|error| error.to_string())
    }

    #[test]
    fn names_have_the_numbers_of_the_kernel() {
        assert_eq!(number("instructions"), Ok((0, 1)));
        assert_eq!(number("page-faults"), Ok((1, 2)));
        assert_eq!(number("L1-dcache-load-misses"), Ok((3, 0x10000)));
        assert_eq!(number("dTLB-stores"), Ok((3, 0x103)));
        assert_eq!(number("r1D1"), Ok((4, 0x1d1)));
        for name in names() {
            assert!(number(&name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_mistyped_name_is_recognised() {
        assert!(number("instrctions").unwrap_err().contains("did you mean `instructions`?"));
        assert!(number("xyzzy").unwrap_err().contains("cpu/event="));
        assert_eq!(number("cpu/event=1/").unwrap_err(), "this machine has no unit `cpu`");
    }
}
