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

    /// As [`Rounds::of`], for each invocation, from samples with equal numbers of iterations; with the number of rounds that both
    /// have.
    pub fn by_invocation(a: &Samples, b: &Samples) -> CleanRounds {
        Self::within_invocations(a, b, |one, other| one == other)
    }

    /// As [`Rounds::by_invocation`], of samples with any numbers of iterations: cells of different sizes choose their own.
    pub fn of_any_loops(a: &Samples, b: &Samples) -> CleanRounds {
        Self::within_invocations(a, b, |_, _| true)
    }

    fn within_invocations(a: &Samples, b: &Samples, are_paired: fn(u64, u64) -> bool) -> CleanRounds {
        let (a, b) = (by_invocation(a), by_invocation(b));
        let mut found = CleanRounds::default();
        let mut groups = BTreeMap::<u32, Rounds>::new();
        for (key, first) in &a {
            let Some(other) = b.get(key) else { continue };
            found.of += 1;
            if let (Some((first, loops)), Some((other, others))) = (first, other) {
                if are_paired(*loops, *others) {
                    let group = groups.entry(key.0).or_default();
                    group.a_s.push(*first);
                    group.b_s.push(*other);
                } else {
                    found.unequal += 1;
                }
            }
        }
        found.invocations = groups.into_values().collect();
        found
    }

    /// As [`Rounds::of`], with disturbed samples, which count for applications.
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

/// Undisturbed rounds that two cells have in common.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CleanRounds {
    /// The rounds of each invocation that has one.
    pub invocations: Vec<Rounds>,
    /// Rounds in which both have a sample, disturbed or not.
    pub of: usize,
    /// Undisturbed rounds left out because the samples held different numbers of iterations.
    pub unequal: usize,
}

impl CleanRounds {
    /// Number of undisturbed rounds.
    pub fn len(&self) -> usize {
        self.invocations.iter().map(Rounds::len).sum()
    }

    /// Whether no round is undisturbed.
    pub fn is_empty(&self) -> bool {
        self.invocations.is_empty()
    }
}

/// The last undisturbed sample of each invocation and round, with its iterations; `None` where all were disturbed.
fn by_invocation(samples: &Samples) -> BTreeMap<(u32, u32), Option<(f64, u64)>> {
    let mut found = BTreeMap::new();
    for (i, time) in samples.per_loop_s().into_iter().enumerate() {
        let invocation = samples.invocation.get(i).copied().unwrap_or_default();
        let last = found.entry((invocation, samples.round[i])).or_default();
        if !samples.disturbed[i] {
            *last = Some((time, samples.loops[i]));
        }
    }
    found
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
