//! Rounds: samples of several cells that were taken one after another, and share what the machine did then.

use paw_sort::OrderBy;

use crate::sample::Samples;
use crate::summary::Basis;

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
        Self::shared(&by_round(a, Basis::Clean), &by_round(b, Basis::Clean))
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
        let (mut found, mut last) = (CleanRounds::default(), None);
        for ((invocation, _), first, other) in in_both(&a, &b) {
            found.of += 1;
            let (Some((first, loops)), Some((other, others))) = (first, other) else { continue };
            if !are_paired(*loops, *others) {
                found.unequal += 1;
                continue;
            }
            if last.replace(invocation) != Some(invocation) {
                found.invocations.push(Rounds::default());
            }
            let rounds = found.invocations.last_mut().expect("one was pushed for this invocation");
            rounds.a_s.push(*first);
            rounds.b_s.push(*other);
        }
        found
    }

    /// As [`Rounds::of`], with disturbed samples, which count for applications.
    pub fn all(a: &Samples, b: &Samples) -> Self {
        Self::shared(&by_round(a, Basis::All), &by_round(b, Basis::All))
    }

    fn shared(a: &[(u32, f64)], b: &[(u32, f64)]) -> Self {
        let (a_s, b_s) = in_both(a, b).map(|(_, a, b)| (*a, *b)).unzip();
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

/// An invocation and a round, and seconds of one iteration and iterations of its last undisturbed sample; `None` where all were disturbed.
type InvocationRound = ((u32, u32), Option<(f64, u64)>);

/// The last undisturbed sample of each invocation and round, by ascending keys.
fn by_invocation(samples: &Samples) -> Vec<InvocationRound> {
    let own = |(i, time): (usize, f64)| {
        let invocation = samples.invocation.get(i).copied().unwrap_or_default();
        ((invocation, samples.round[i]), (!samples.disturbed[i]).then_some((time, samples.loops[i])))
    };
    let all = samples.per_loop_s().into_iter().enumerate().map(own).collect();
    last_of_each(all, |last, own| *last = own.or(*last))
}

/// Seconds of one iteration of several cells, a list for each, in the rounds where all have an undisturbed sample.
pub fn complete(all: &[&Samples]) -> Vec<Vec<f64>> {
    let times: Vec<Vec<(u32, f64)>> = all.iter().map(|samples| by_round(samples, Basis::Clean)).collect();
    let Some(first) = times.first() else { return Vec::new() };
    let of_round =
        |own: &[(u32, f64)], round: u32| Some(own[own.binary_search_by_key(&round, |(own, _)| *own).ok()?].1);
    let rounds = first.iter().map(|(round, _)| *round);
    let rounds: Vec<u32> = rounds.filter(|round| times.iter().all(|own| of_round(own, *round).is_some())).collect();
    times.iter().map(|own| rounds.iter().filter_map(|round| of_round(own, *round)).collect()).collect()
}

/// The last sample of each round that counts for `basis`, by ascending rounds.
fn by_round(samples: &Samples, basis: Basis) -> Vec<(u32, f64)> {
    let rounds = samples.round.iter().zip(samples.per_loop_s()).zip(&samples.disturbed);
    let counted = rounds.filter(|(_, disturbed)| basis.counts(**disturbed)).map(|((round, time), _)| (*round, time));
    last_of_each(counted.collect(), |last, own| *last = own)
}

/// One value for each key, by ascending keys: what `renew` makes of the first, given those behind it.
fn last_of_each<K: Ord + Copy, T: Copy>(mut all: Vec<(K, T)>, renew: impl Fn(&mut T, T)) -> Vec<(K, T)> {
    if !all.is_sorted_by_key(|(key, _)| *key) {
        all.order_by_key(|(key, _)| *key);
    }
    all.dedup_by(|(key, own), (kept, last)| {
        let is_same = key == kept;
        if is_same {
            renew(last, *own);
        }
        is_same
    });
    all
}

/// The keys that both lists have, with the values of both; either list is by ascending keys.
fn in_both<'l, K: Ord + Copy, T>(a: &'l [(K, T)], b: &'l [(K, T)]) -> impl Iterator<Item = (K, &'l T, &'l T)> {
    let mut rest = b.iter().peekable();
    a.iter().filter_map(move |(key, own)| {
        while rest.next_if(|(other, _)| other < key).is_some() {}
        let (_, other) = rest.next_if(|(other, _)| other == key)?;
        Some((*key, own, other))
    })
}
