//! How a group's samples are spread over invocations: fresh processes, because layout, page placement and clock differ from process to
//! process (Kalibera and Jones, ISMM 2013).

use paw_data::method::{EndRule, LoopRule, Method};
use paw_data::summary::CONFIDENCE;
use paw_stats::hierarchical::plan::{Effort, plan};
use paw_stats::hierarchical::{INVOCATIONS_MIN, Variances};

use crate::fault::Fault;
use crate::workload::Workload;

/// Seconds of a sample from which a rule's minimum number of samples is lowered.
pub(crate) const LONG_S: f64 = 1.0;

/// Fewest invocations that have an interval.
const LEAST: u32 = INVOCATIONS_MIN as u32;

/// Most invocations of an interval rule: with twelve the interval is 0.6 of the deviation between processes, and twice as many would
/// leave 0.4.
pub const MOST: u32 = 12;

/// Samples per invocation, and most invocations, of a method with a fixed number of samples: six invocations have an
/// interval without an assumption.
const FIXED_EACH: u32 = 5;
const FIXED_MOST: u32 = 6;

/// Fewest samples of a method that are spread over processes: two in each of three processes.
const SPREAD_MIN: u32 = 6;

/// Fewest rounds of an invocation: one alone does not show how samples of a process differ.
pub const ROUNDS_MIN: u32 = 2;

/// Which processes the samples of a group's cells come from.
pub enum Source<'r> {
    /// All samples come from one process, or from one job of ranks.
    One,
    /// Every sample is a process of its own.
    EachSample,
    /// The cells can be started again in fresh processes.
    Processes(&'r mut dyn Restart),
}

/// Starts the cells of a group again.
pub trait Restart {
    /// Ends the processes of all cells.
    fn end(&mut self);

    /// Starts the cell at index `cell` of the group in a fresh process.
    fn start(&mut self, cell: usize) -> Result<Box<dyn Workload>, Fault>;
}

/// How samples are to be spread over invocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// Fewest invocations: before them a rule ends only at its maximum of samples.
    pub least: u32,
    /// Most invocations.
    pub most: u32,
    /// Rounds of each invocation.
    pub rounds: u32,
}

impl Spread {
    /// Spreads the samples of `method`, `region_s` seconds each, over `asked` invocations or over a number that suits the rule.
    /// `None` where the method prescribes one process (PAW's, CS:APP's) or takes too few samples.
    pub fn of(method: &Method, asked: Option<u32>, region_s: f64) -> Option<Self> {
        let is_long = region_s > LONG_S;
        let (samples, most) = match method.ending {
            EndRule::Fixed { samples } => (samples, u32::MAX),
            EndRule::KBest { min, .. } => (min, u32::MAX),
            EndRule::Interval { min, min_long, .. } => {
                (if is_long { min_long.min(min) } else { min }, asked.unwrap_or(MOST))
            }
        };
        let is_paws = matches!(method.loops, LoopRule::Guide { .. } | LoopRule::Code { .. });
        let suits = match method.ending {
            EndRule::Fixed { .. } => (samples / FIXED_EACH).clamp(LEAST, FIXED_MOST),
            EndRule::KBest { .. } | EndRule::Interval { .. } => LEAST,
        };
        let least = asked.unwrap_or(if is_paws || samples < SPREAD_MIN { 1 } else { suits });
        (least > 1).then(|| Self { least, most, rounds: samples.div_ceil(least) })
    }

    /// The larger of both in every field: what the cells of a group need together.
    pub fn joined(self, other: Self) -> Self {
        let (least, most) = (self.least.max(other.least), self.most.max(other.most));
        Self { least, most, rounds: self.rounds.max(other.rounds) }
    }

    /// This spread with as many rounds an invocation as fit, or over three invocations where more do not fit; `None` where three have no
    /// room. The first invocation has had `done` rounds.
    pub fn fitted(self, done: u32, costs: &Costs) -> Option<Self> {
        [self.least, self.least.min(LEAST)].into_iter().find_map(|least| {
            let rounds = (costs.left_s - f64::from(least - 1) * costs.start_s) / costs.round_s + f64::from(done);
            // A round of 0 seconds makes this NaN: 0 ÷ 0.
            let each = if rounds.is_nan() { self.rounds } else { (rounds / f64::from(least)) as u32 };
            (each >= ROUNDS_MIN.min(self.rounds)).then_some(Self { least, rounds: self.rounds.min(each), ..self })
        })
    }

    /// This spread with the rounds per invocation that costs and variances suggest: more where a start costs much and processes differ
    /// little.
    pub fn replanned(self, variances: Variances, within: f64, costs: &Costs) -> Self {
        let effort = Effort {
            start: costs.start_s,
            sample: costs.round_s.max(f64::MIN_POSITIVE),
            budget: f64::MAX,
            half_width: within,
            confidence: CONFIDENCE,
            samples: ROUNDS_MIN as usize..=2 * self.rounds.max(ROUNDS_MIN) as usize,
            invocations_max: self.most.max(LEAST) as usize,
        };
        Self { rounds: plan(variances, &effort).samples as u32, ..self }
    }
}

/// The cost of invocations and the remaining budget, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Seconds to start and warm up all cells of the group.
    pub start_s: f64,
    /// Seconds of a round.
    pub round_s: f64,
    /// Seconds left of the group's budget; infinite without a budget.
    pub left_s: f64,
}

impl Costs {
    /// Whether one more invocation fits.
    pub fn have_room(&self) -> bool {
        self.start_s + f64::from(ROUNDS_MIN) * self.round_s <= self.left_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Overrides, default, preset};

    fn spread(name: &str, reps: Option<u32>, asked: Option<u32>) -> Option<(u32, u32)> {
        let method = Overrides { reps, ..Overrides::default() }.over(preset(name).unwrap());
        Spread::of(&method, asked, 1e-3).map(|spread| (spread.least, spread.rounds))
    }

    #[test]
    fn samples_are_spread_by_their_rule() {
        assert_eq!(spread("adaptive", None, None), Some((3, 6)));
        assert_eq!(spread("kbest", None, None), Some((3, 6)));
        assert_eq!(spread("meta31", None, None), Some((6, 6)));
        assert_eq!(spread("adaptive", Some(10), None), Some((3, 4)));
        assert_eq!(spread("adaptive", Some(6), None), Some((3, 2)));
        assert_eq!(spread("adaptive", Some(5), None), None, "five samples have one process");
    }

    #[test]
    fn methods_of_one_process_stay_in_it_unless_asked() {
        assert_eq!([spread("paw", None, None), spread("paw16", None, None), spread("csapp", None, None)], [None; 3]);
        assert_eq!(spread("paw", None, Some(5)), Some((5, 2)));
        assert_eq!(spread("adaptive", None, Some(1)), None);
        assert_eq!(spread("adaptive", Some(3), Some(8)), Some((8, 1)));
    }

    #[test]
    fn long_samples_take_two_in_each_of_three() {
        let spread = Spread::of(&default(), None, 1.5).unwrap();
        assert_eq!((spread.least, spread.rounds), (3, 2));
    }

    #[test]
    fn what_does_not_fit_has_fewer_rounds_then_fewer_invocations_then_one() {
        let asked = Spread { least: 6, most: u32::MAX, rounds: 6 };
        let fitted = |left_s| {
            let found = asked.fitted(2, &Costs { start_s: 1.0, round_s: 0.1, left_s });
            found.map(|found| (found.least, found.rounds))
        };
        assert_eq!(fitted(f64::INFINITY), Some((6, 6)));
        assert_eq!(fitted(8.4), Some((6, 6)));
        assert_eq!(fitted(6.3), Some((6, 2)));
        assert_eq!(fitted(5.9), Some((3, 6)));
        assert_eq!(fitted(2.41), Some((3, 2)));
        assert_eq!(fitted(2.3), None);
        assert_eq!(asked.fitted(2, &Costs { start_s: 0.0, round_s: 0.0, left_s: 0.0 }), Some(asked));
    }

    #[test]
    fn costly_starts_have_more_rounds_and_noisy_processes_fewer() {
        let spread = Spread { least: 3, most: MOST, rounds: 6 };
        let rounds = |start_s, between| {
            let costs = Costs { start_s, round_s: 0.01, left_s: f64::INFINITY };
            spread.replanned(Variances { within: 1e-4, between }, 0.01, &costs).rounds
        };
        assert_eq!(rounds(1.0, 1e-4), 12);
        assert_eq!(rounds(0.1, 1e-4), 4);
        assert_eq!(rounds(0.1, 1e-2), 2);
    }
}
