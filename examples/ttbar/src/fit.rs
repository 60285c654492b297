//! The fit: for every event the likeliest neutrinos among all combinations and variations.

use std::io;

use crate::combination::{self, Combination};
use crate::event::Event;
use crate::neutrino::solve;
use crate::rng::{Stream, mix};
use crate::schedule::{Schedule, share};
use crate::smear::Measured;
use crate::weight;

/// What was found, over any set of events. Whole numbers only: sums do not depend on their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Found {
    /// Combinations of jets.
    pub combinations: u64,
    /// Calls of the kernel: combinations times variations.
    pub calls: u64,
    /// Calls that had a solution.
    pub solvable: u64,
    /// Solutions, up to four a call.
    pub solutions: u64,
    /// Events with a solution.
    pub reconstructed: u64,
    /// Sum of the hashes of every event's best solution: the same numbers, bit for bit, give the same checksum.
    pub checksum: u64,
}

impl Found {
    /// Both together.
    pub fn with(self, other: Self) -> Self {
        Self {
            combinations: self.combinations + other.combinations,
            calls: self.calls + other.calls,
            solvable: self.solvable + other.solvable,
            solutions: self.solutions + other.solutions,
            reconstructed: self.reconstructed + other.reconstructed,
            checksum: self.checksum.wrapping_add(other.checksum),
        }
    }
}

/// The likeliest solution of an event, the first of equals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Best {
    pub(crate) weight: f64,
    pub(crate) combination: u64,
    pub(crate) variation: u64,
}

impl Best {
    /// No solution.
    pub(crate) const NONE: Self = Self { weight: 0.0, combination: 0, variation: 0 };

    /// The other one, if that is likelier.
    pub(crate) fn take(&mut self, other: Self) {
        if other.weight > self.weight {
            *self = other;
        }
    }

    /// What was counted of the event of this number, with this as its best solution.
    pub(crate) fn settle(self, event: u64, mut found: Found) -> Found {
        if self.weight > 0.0 {
            found.reconstructed = 1;
            let parts = [event, self.combination, self.variation, self.weight.to_bits()];
            found.checksum = parts.into_iter().fold(0, |hash, part| mix(hash ^ mix(part)));
        }
        found
    }
}

/// Fits all events.
///
/// # Errors
/// A thread cannot be started.
pub fn fit(events: &[Event], variations: u64, threads: usize, schedule: Schedule) -> io::Result<Found> {
    let parts = share(events.len(), threads, schedule, |item, found: &mut Found| {
        *found = found.with(fit_event(&events[item], variations));
    })?;
    Ok(parts.into_iter().fold(Found::default(), Found::with))
}

/// Fits one event.
fn fit_event(event: &Event, variations: u64) -> Found {
    let mut found = Found::default();
    let mut best = Best::NONE;
    for (place, combination) in (0..).zip(combination::all(event.jets.len())) {
        found.combinations += 1;
        let higgs = combination.higgs_jets.map(|jet| event.jets[jet].vector);
        let factor = weight::of_higgs(&higgs[0], &higgs[1]);
        for variation in 0..variations {
            let measured = variation_of(event, place, &combination, variation);
            let solutions = solve(&measured);
            let pairs = solutions.as_slice();
            found.calls += 1;
            found.solvable += u64::from(!pairs.is_empty());
            found.solutions += pairs.len() as u64;
            for pair in pairs {
                let weight = factor * weight::of_neutrinos(pair);
                best.take(Best { weight, combination: place, variation });
            }
        }
    }
    best.settle(event.number, found)
}

/// Variation 0 is what was measured; every other one is drawn for itself, whoever asks first.
fn variation_of(event: &Event, place: u64, combination: &Combination, variation: u64) -> Measured {
    let measured = combination.measured(event);
    if variation == 0 { measured } else { measured.varied(&mut Stream::of(event.number, place, variation)) }
}
