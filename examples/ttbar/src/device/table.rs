//! Combinations as rows of words for a device, and what comes back of each.

use crate::combination;
use crate::event::Event;
use crate::fit::{Best, Found};
use crate::weight;

/// Words of a row: x, y, z, energy and mass of two leptons and two jets, the missing momentum, the factor of the
/// weight that no variation changes, and the numbers of the event and of the combination in it.
pub const COLUMNS: usize = 25;
/// Words that come back: the largest weight, its variation, calls that had a solution, and solutions.
pub const OUTCOMES: usize = 4;

/// All combinations of some events, in their order.
pub struct Table {
    /// The rows, doubles as their bits.
    pub words: Vec<u64>,
}

impl Table {
    /// The combinations of these events.
    pub fn of(events: &[Event]) -> Self {
        let mut words = Vec::new();
        for event in events {
            for (place, combination) in (0..).zip(combination::all(event.jets.len())) {
                let measured = combination.measured(event);
                for particle in measured.leptons.iter().chain(&measured.b_jets) {
                    let vector = particle.vector;
                    words.extend([vector.x, vector.y, vector.z, vector.e, particle.mass].map(f64::to_bits));
                }
                let higgs = combination.higgs_jets.map(|jet| event.jets[jet].vector);
                let factor = weight::of_higgs(&higgs[0], &higgs[1]);
                words.extend([measured.missing[0], measured.missing[1], factor].map(f64::to_bits));
                words.extend([event.number, place]);
            }
        }
        Self { words }
    }
}

/// What all events have come to.
pub fn settled(events: &[Event], outcomes: &[u64], variations: u64) -> Found {
    let mut rows = outcomes.as_chunks::<OUTCOMES>().0.iter();
    let settled = events.iter().map(|event| {
        let (mut found, mut best) = (Found::default(), Best::NONE);
        let combinations = combination::all(event.jets.len()).count();
        for (combination, &[weight, variation, solvable, solutions]) in (0..).zip(rows.by_ref().take(combinations)) {
            found.combinations += 1;
            found.calls += variations;
            found.solvable += solvable;
            found.solutions += solutions;
            best.take(Best { weight: f64::from_bits(weight), combination, variation });
        }
        best.settle(event.number, found)
    });
    settled.fold(Found::default(), Found::with)
}
