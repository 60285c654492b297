//! Capacities of caches and memory, of this machine or as typed.

use paw_machine::topology::Topology;
use thiserror::Error;

/// The levels of a memory hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Memory {
    /// Name and bytes of each cache that a core reads data through, the nearest first.
    pub caches: Vec<(String, u64)>,
    /// Bytes of main memory, if it is a level.
    pub ram_bytes: Option<u64>,
}

/// Why a text is not a list of caches, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MemoryError {
    /// A size cannot be read.
    #[error("`{0}` is no size of a cache: write sizes from the nearest cache on, as in `32K,256K,4M`")]
    Size(String),
    /// A cache is not larger than the one before it.
    #[error("L{level} has {bytes} bytes, no more than the cache before it: write sizes from the nearest cache on")]
    NotLarger {
        /// Its level.
        level: usize,
        /// Its bytes.
        bytes: u64,
    },
}

const UNITS: &[(&str, u64)] = &[
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("K", 1 << 10),
    ("k", 1 << 10),
    ("M", 1 << 20),
    ("G", 1 << 30),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("B", 1),
    ("", 1),
];

impl Memory {
    /// The caches of this machine as its first allowed processor sees them.
    pub fn here(topology: &Topology, ram_bytes: Option<u64>) -> Self {
        let cpu = topology.allowed().first().or_else(|| topology.cpus.first().map(|cpu| cpu.number));
        Self::of_cpu(topology, cpu.unwrap_or_default(), ram_bytes)
    }

    /// The caches of this machine as processor `cpu` sees them.
    pub fn of_cpu(topology: &Topology, cpu: u32, ram_bytes: Option<u64>) -> Self {
        let caches = topology.data_caches(cpu);
        Self { caches: caches.iter().map(|cache| (level(cache.level), cache.size_bytes)).collect(), ram_bytes }
    }

    /// The caches of a text, from the nearest on: `32K,256K,4M`. K, M and G are binary, as on a data sheet.
    ///
    /// # Errors
    /// A size cannot be read, or is not larger than the one before it.
    pub fn typed(text: &str) -> Result<Self, MemoryError> {
        let mut caches: Vec<(String, u64)> = Vec::new();
        for part in text.split(',') {
            let bytes = bytes(part).ok_or_else(|| MemoryError::Size(part.trim().to_owned()))?;
            let number = caches.len() + 1;
            if caches.last().is_some_and(|(_, before)| bytes <= *before) {
                return Err(MemoryError::NotLarger { level: number, bytes });
            }
            caches.push((level(number), bytes));
        }
        Ok(Self { caches, ram_bytes: None })
    }
}

fn level(number: impl std::fmt::Display) -> String {
    format!("L{number}")
}

/// Bytes of `32K`, `1.5 MiB`; at least 1.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let (_, factor) = UNITS.iter().find(|(known, _)| *known == unit)?;
    let bytes = number.trim().parse::<f64>().ok()? * *factor as f64;
    // Below 2⁵³ every whole number of bytes is itself.
    (bytes.fract() == 0.0 && (1.0..9.0e15).contains(&bytes)).then_some(bytes as u64)
}
