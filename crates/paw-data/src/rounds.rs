//! Rounds: samples of several cells that were taken one after another, and share what the machine did then.

use std::collections::BTreeMap;

use crate::sample::Samples;

/// Fewest complete rounds from which a paired ratio has an interval.
pub const ROUNDS_MIN: usize = 6;

/// Seconds of one iteration of two cells, round by round.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rounds {
    /// Times of the first cell.
    pub a_s: Vec<f64>,
    /// Times of the second cell, in the same rounds.
    pub b_s: Vec<f64>,
}

impl Rounds {
    /// The rounds in which both cells have a sample that nothing disturbed, in order. Of several in a round the last counts:
    /// it is the one that was taken again.
    pub fn of(a: &Samples, b: &Samples) -> Self {
        Self::shared(&by_round(a), &by_round(b))
    }

    /// As [`Rounds::of`], with disturbed samples: of applications none is left out.
    pub fn all(a: &Samples, b: &Samples) -> Self {
        let all = |samples: &Samples| samples.round.iter().copied().zip(samples.per_loop_s()).collect();
        Self::shared(&all(a), &all(b))
    }

    fn shared(a: &BTreeMap<u32, f64>, b: &BTreeMap<u32, f64>) -> Self {
        let both = a.iter().filter_map(|(round, a)| Some((*a, *b.get(round)?)));
        let (a_s, b_s) = both.unzip();
        Self { a_s, b_s }
    }

    /// Number of rounds.
    pub fn len(&self) -> usize {
        self.a_s.len()
    }

    /// Whether there is no round.
    pub fn is_empty(&self) -> bool {
        self.a_s.is_empty()
    }
}

/// Seconds of one iteration of several cells, a list for each, in the rounds where all have an undisturbed sample.
pub fn complete(all: &[&Samples]) -> Vec<Vec<f64>> {
    let times: Vec<BTreeMap<u32, f64>> = all.iter().map(|samples| by_round(samples)).collect();
    let Some(first) = times.first() else { return Vec::new() };
    let rounds: Vec<&u32> = first.keys().filter(|round| times.iter().all(|t| t.contains_key(round))).collect();
    times.iter().map(|own| rounds.iter().map(|round| own[round]).collect()).collect()
}

fn by_round(samples: &Samples) -> BTreeMap<u32, f64> {
    let rounds = samples.round.iter().zip(samples.per_loop_s()).zip(&samples.disturbed);
    rounds.filter(|(_, disturbed)| !**disturbed).map(|((round, time), _)| (*round, time)).collect()
}
