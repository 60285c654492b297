//! The factors of the rules: how full a level may be, and how far a footprint exceeds the smaller one.

use thiserror::Error;

/// Factors of the rules, all adjustable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// The least footprint ÷ capacity of the smaller level: at three times little of the data stays in it.
    pub above: f64,
    /// The largest footprint ÷ capacity of the first cache, which also holds stack and code.
    pub l1: f64,
    /// The largest footprint ÷ capacity of the second cache.
    pub l2: f64,
    /// The largest footprint ÷ capacity of further caches, which other cores share.
    pub l3: f64,
    /// The largest footprint ÷ capacity of memory.
    pub ram: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { above: 3.0, l1: 0.9, l2: 0.9, l3: 0.5, ram: 0.5 }
    }
}

/// Why a text sets no factor, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is no rule: write factors above 0 as `above=3,l1=0.9,l2=0.9,l3=0.5,ram=0.5`")]
pub struct RulesError(pub String);

type Factor = fn(&mut Rules) -> &mut f64;

const FACTORS: &[(&str, Factor)] = &[
    ("above", |rules| &mut rules.above),
    ("l1", |rules| &mut rules.l1),
    ("l2", |rules| &mut rules.l2),
    ("l3", |rules| &mut rules.l3),
    ("ram", |rules| &mut rules.ram),
];

impl Rules {
    /// The rules with the factors that a text sets: `l1=1,ram=0.25`.
    ///
    /// # Errors
    /// The part of the text that is no rule.
    pub fn with(mut self, text: &str) -> Result<Self, RulesError> {
        for part in text.split(',') {
            let error = || RulesError(part.trim().to_owned());
            let (name, value) = part.split_once('=').ok_or_else(error)?;
            let name = name.trim().to_ascii_lowercase();
            let (_, factor) = FACTORS.iter().find(|(known, _)| *known == name).ok_or_else(error)?;
            let value: f64 = value.trim().parse().map_err(|_| error())?;
            if !(value.is_finite() && value > 0.0) {
                return Err(error());
            }
            *factor(&mut self) = value;
        }
        Ok(self)
    }

    /// The factor of a cache, by the number of smaller caches.
    pub(super) fn of_cache(&self, depth: usize) -> f64 {
        match depth {
            0 => self.l1,
            1 => self.l2,
            _ => self.l3,
        }
    }
}
