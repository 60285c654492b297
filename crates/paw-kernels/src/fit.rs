//! Finds sizes that put a kernel's data into one level: a cache and not the smaller one, or memory.
//!
//! A size fits a level if its footprint is several times the smaller level (`3 x L1 < bytes`) and leaves room in its own for other
//! data (`bytes <= 0.9 x L2`).

mod memory;
mod rules;
pub(crate) mod search;

use paw_data::kernel::Level;
use thiserror::Error;

pub use memory::{Memory, MemoryError};
pub use rules::{Rules, RulesError};

use crate::spec::Spec;
use search::{SearchError, SizeSearch};

/// The name of main memory as a level.
pub const RAM: &str = "RAM";

/// The preferred footprint in memory as a multiple of the last cache: well outside it, and no larger, since a call's time grows with it.
const RAM_FACTOR: f64 = 4.0;

/// Why no size fits a level, in one sentence.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FitError {
    /// The rule's bounds exclude each other.
    #[error("no n fits {level}: {rule} asks for more than {low} and at most {high} bytes; set another factor")]
    Closed {
        /// The level.
        level: String,
        /// The rule.
        rule: String,
        /// The lower bound in bytes, excluded.
        low: f64,
        /// The upper bound in bytes.
        high: f64,
    },
    /// No size has a footprint within the bounds.
    #[error("no n fits {level}: {rule} asks for more than {low} and at most {high} bytes, and {nearest}")]
    Between {
        /// The level.
        level: String,
        /// The rule.
        rule: String,
        /// The lower bound in bytes, excluded.
        low: f64,
        /// The upper bound in bytes.
        high: f64,
        /// The nearest sizes on both sides, with their footprints.
        nearest: String,
    },
    /// The footprint cannot be searched.
    #[error("no n fits {level}: {why}")]
    Search {
        /// The level.
        level: String,
        /// Why.
        why: String,
    },
}

/// The size for each level of a memory, from the nearest cache to memory.
///
/// In the first and second level it is the largest that the rule allows. From the third on, where calls take long, it is the one whose
/// footprint is nearest to the geometric mean of the bounds, and in memory the one nearest to four times the last cache.
pub fn fit(spec: &Spec, memory: &Memory, rules: &Rules) -> Vec<Result<Level, FitError>> {
    let search = SizeSearch::new(spec);
    let mut above: Option<&(String, u64)> = None;
    let mut found = Vec::new();
    for (depth, cache) in memory.caches.iter().enumerate() {
        let level = Bounds::new(rules, above, cache, rules.of_cache(depth));
        let aim = if depth < 2 { level.high } else { (level.low * level.high).sqrt() };
        found.push(level.fit(&search, aim));
        above = Some(cache);
    }
    if let Some(bytes) = memory.ram_bytes {
        let level = Bounds::new(rules, above, &(RAM.to_owned(), bytes), rules.ram);
        let aim = above.map_or(level.high, |(_, last)| RAM_FACTOR * *last as f64);
        found.push(level.fit(&search, aim));
    }
    found
}

/// The bounds of a footprint in a level: more than `low` bytes, at most `high`.
struct Bounds {
    name: String,
    capacity: u64,
    low: f64,
    high: f64,
    rule: String,
}

impl Bounds {
    fn new(rules: &Rules, above: Option<&(String, u64)>, level: &(String, u64), share: f64) -> Self {
        let (name, capacity) = level;
        let upper = format!("bytes <= {share} x {name}");
        let (low, rule) = match above {
            Some((smaller, bytes)) => (rules.above * *bytes as f64, format!("{} x {smaller} < {upper}", rules.above)),
            None => (0.0, upper),
        };
        Self { name: name.clone(), capacity: *capacity, low, high: share * *capacity as f64, rule }
    }

    /// The size whose footprint is nearest to `aim` bytes, and the smallest and largest within the bounds.
    fn fit(self, search: &SizeSearch<'_>, aim: f64) -> Result<Level, FitError> {
        let Self { name, capacity, low, high, rule } = self;
        if low >= high {
            return Err(FitError::Closed { level: name, rule, low, high });
        }
        match search.within(low, high, aim.clamp(low, high)) {
            Ok((n_min, n, n_max)) => Ok(Level {
                name,
                n,
                footprint_bytes: search.bytes(n).unwrap_or_default(),
                capacity_bytes: capacity,
                n_min,
                n_max,
                rule,
            }),
            Err(SearchError::Between(nearest)) => Err(FitError::Between { level: name, rule, low, high, nearest }),
            Err(SearchError::Formula(why)) => Err(FitError::Search { level: name, why }),
        }
    }
}

#[cfg(test)]
mod tests;
