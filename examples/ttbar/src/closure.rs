//! The closure test: from unvaried momenta and the right jets, the true neutrinos come back.

use crate::combination::Combination;
use crate::event::Event;
use crate::neutrino::{Pair, solve};

/// A solution is the truth when it is as near as this, relative to the momenta.
///
/// Two solutions that nearly fall together carry the square root of the rounding error.
const TOLERANCE: f64 = 1e-3;

/// How many events came back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closure {
    /// Events whose true neutrinos are among the solutions.
    pub closed: usize,
    /// Largest relative distance of a true pair from its nearest solution.
    pub worst: f64,
}

/// Solves every event with its true combination.
pub fn closure(events: &[Event]) -> Closure {
    let mut closure = Closure { closed: 0, worst: 0.0 };
    for event in events {
        let solutions = solve(&Combination::TRUE.measured(event));
        let distances = solutions.as_slice().iter().map(|pair| distance(pair, &event.neutrinos));
        let nearest = distances.fold(f64::INFINITY, f64::min);
        closure.closed += usize::from(nearest <= TOLERANCE);
        closure.worst = closure.worst.max(nearest);
    }
    closure
}

fn distance(found: &Pair, truth: &Pair) -> f64 {
    let relative = |i: usize| (found[i] - truth[i]).momentum() / truth[i].momentum();
    relative(0).max(relative(1))
}
