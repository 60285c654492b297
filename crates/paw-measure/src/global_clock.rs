//! One clock for all ranks: each knows how far its own is from rank 0's, and how well it knows.
//!
//! The scheme is hierarchical (Hunold & Carpen-Amarie, CLUSTER 2018): in round k the ranks below 2ᵏ, which know the global clock
//! already, answer those from 2ᵏ on. A rank asks once and answers in later rounds, so that the cost grows with log₂ P.
//! Half the round trip of the fastest of many questions bounds the error of a step (Cristian, 1989); bounds add up along the way to rank 0.

use crate::channel::{Channel, Reduce};
use crate::clock::Clock;
use crate::fault::Fault;

/// Round trips of one question to one rank.
#[derive(Debug, Clone, Copy)]
struct Questions {
    most: usize,
    least: usize,
    /// Only the least are asked where the others would take longer than this by the fastest so far.
    spent_max_s: f64,
    /// Only the least are asked once they have lasted longer than this, of which every step on the way to rank 0 has its share.
    lasted_max_s: f64,
}

/// Round trips of a synchronisation: the fastest counts, and of a hundred at least one meets no interrupt and no other message. On a link
/// whose fastest round trips would take longer than ten milliseconds together, interrupts are short beside them, and ten are enough. The
/// fastest is asked for, not the mean: ranks on busy processors wait for time slices of milliseconds, and some of their messages do not.
/// Where most do, a hundred would last longer than what is measured until the next synchronisation.
const SYNCHRONISING: Questions = Questions { most: 100, least: 10, spent_max_s: 10e-3, lasted_max_s: 0.3 };

/// Round trips of the check afterwards: at least one of ten meets no interrupt.
const CHECKING: Questions = Questions { most: 10, least: 2, spent_max_s: 1e-3, lasted_max_s: 30e-3 };

/// Words of a question: another one follows, or it is the last.
const MORE: f64 = 0.0;
const LAST: f64 = 1.0;

/// Quartz drifts by at most a hundred parts in a million, and the kernel slews by at most five hundred: more is a jump, as of a machine that was suspended.
const DRIFT_MAX: f64 = 1e-3;

/// One rank's view of rank 0's clock.
#[derive(Debug, Clone)]
pub struct GlobalClock {
    clock: Clock,
    model: Model,
    /// The first synchronisation, compared with later ones to find the drift.
    anchor: Model,
    bound_s: f64,
    error_s: f64,
    one_way_s: f64,
}

/// A linear model of the global clock's lead over the local one.
#[derive(Debug, Clone, Copy, Default)]
struct Model {
    /// Local time of the synchronisation.
    at_s: f64,
    /// Global less local time at that moment.
    offset_s: f64,
    /// Seconds a second by which the offset grows.
    drift: f64,
    /// Half the round trips on the way to rank 0.
    bound_s: f64,
    /// Half the round trip to the rank that answered.
    one_way_s: f64,
}

/// The fastest answer of a series.
#[derive(Debug, Clone, Copy)]
struct Answer {
    round_trip_s: f64,
    /// Local time halfway between question and answer.
    local_s: f64,
    /// Global time in the answer.
    global_s: f64,
    /// The error bound of the rank that answered, and the error it found.
    bound_s: f64,
    error_s: f64,
}

impl GlobalClock {
    /// Finds how far `clock` is from rank 0's. All ranks call it together.
    pub fn synchronise(channel: &dyn Channel, clock: &Clock) -> Result<Self, Fault> {
        let model = Model { at_s: clock.now_s(), ..Model::default() };
        let mut global =
            Self { clock: clock.clone(), model, anchor: model, bound_s: 0.0, error_s: 0.0, one_way_s: 0.0 };
        global.ask_all(channel, SYNCHRONISING, Self::set)?;
        global.anchor = global.model;
        global.check(channel)?;
        Ok(global)
    }

    /// Synchronises again. Where the offset has changed by more than both errors, the change is the drift from now on.
    pub fn refresh(&mut self, channel: &dyn Channel) -> Result<(), Fault> {
        if channel.rank() == 0 {
            self.model.at_s = self.clock.now_s();
        }
        self.ask_all(channel, SYNCHRONISING, |global, answer| {
            global.set(answer);
            global.learn_drift();
        })?;
        self.check(channel)
    }

    /// Global seconds at a local moment, in seconds since the clock's own zero.
    pub fn to_global_s(&self, local_s: f64) -> f64 {
        local_s + self.model.offset_s + self.model.drift * (local_s - self.model.at_s)
    }

    /// Local seconds at a global moment.
    pub fn to_local_s(&self, global_s: f64) -> f64 {
        let Model { at_s, offset_s, drift, .. } = self.model;
        at_s + (global_s - offset_s - at_s) / (1.0 + drift)
    }

    /// Global seconds now.
    pub fn now_s(&self) -> f64 {
        self.to_global_s(self.clock.now_s())
    }

    /// Seconds since this rank synchronised.
    pub fn age_s(&self) -> f64 {
        self.clock.now_s() - self.model.at_s
    }

    /// Seconds that the clock is off at most, on the worst of all ranks, if it does not drift: half the round trips on its way to rank 0.
    pub fn bound_s(&self) -> f64 {
        self.bound_s
    }

    /// Seconds that the clock was off on the worst of all ranks when it was checked after synchronising: an estimate of what to expect.
    pub fn error_s(&self) -> f64 {
        self.error_s
    }

    /// Half the fastest round trip between the two ranks, of those that asked each other, that are furthest apart: what a message takes one
    /// way there, where both ways take the same.
    pub fn one_way_s(&self) -> f64 {
        self.one_way_s
    }

    /// Drift of the global clock against this rank's, in seconds per second; 0 where it is within the errors.
    pub fn drift(&self) -> f64 {
        self.model.drift
    }

    fn set(&mut self, answer: Answer) {
        self.model.at_s = answer.local_s;
        self.model.offset_s = answer.global_s - answer.local_s;
        self.model.one_way_s = answer.round_trip_s / 2.0;
        self.model.bound_s = self.model.one_way_s + answer.bound_s;
    }

    fn learn_drift(&mut self) {
        let (now, then) = (self.model, self.anchor);
        let change_s = now.offset_s - then.offset_s;
        if change_s.abs() > now.bound_s + then.bound_s {
            let drift = change_s / (now.at_s - then.at_s);
            self.model.drift = if drift.abs() <= DRIFT_MAX { drift } else { 0.0 };
            self.anchor = self.model;
        }
    }

    /// Asks again and keeps the largest error of all ranks, on every rank.
    fn check(&mut self, channel: &dyn Channel) -> Result<(), Fault> {
        self.error_s = 0.0;
        self.ask_all(channel, CHECKING, |global, answer| {
            global.error_s = (global.to_global_s(answer.local_s) - answer.global_s).abs() + answer.error_s;
        })?;
        let mut worst = [self.model.bound_s, self.error_s, self.model.one_way_s];
        channel.reduce(&mut worst, Reduce::Max)?;
        [self.bound_s, self.error_s, self.one_way_s] = worst;
        Ok(())
    }

    /// Every rank but 0 asks the rank that lacks its highest bit, once that one knows.
    fn ask_all(
        &mut self,
        channel: &dyn Channel,
        questions: Questions,
        mut learn: impl FnMut(&mut Self, Answer),
    ) -> Result<(), Fault> {
        let (rank, size) = (channel.rank(), channel.size());
        let mut known = 1;
        while known < size {
            if rank < known && rank + known < size {
                self.answer(channel, rank + known)?;
            } else if (known..2 * known).contains(&rank) {
                let answer = self.ask(channel, rank - known, questions)?;
                learn(self, answer);
            }
            known *= 2;
        }
        Ok(())
    }

    /// Answers until the asker has asked its last.
    fn answer(&self, channel: &dyn Channel, asker: usize) -> Result<(), Fault> {
        let mut word = [MORE];
        while word[0] == MORE {
            channel.receive(asker, &mut word)?;
            channel.send(asker, &[self.now_s(), self.model.bound_s, self.error_s])?;
        }
        Ok(())
    }

    fn ask(&self, channel: &dyn Channel, of: usize, questions: Questions) -> Result<Answer, Fault> {
        let Questions { most, least, spent_max_s, lasted_max_s } = questions;
        let began_s = self.clock.now_s();
        let share_s = lasted_max_s / f64::from(channel.size().next_power_of_two().trailing_zeros().max(1));
        let mut fastest: Option<Answer> = None;
        for asked in 1.. {
            let asked_s = self.clock.now_s();
            let is_spent = asked_s - began_s > share_s
                || fastest.is_some_and(|fastest| asked as f64 * fastest.round_trip_s > spent_max_s);
            let is_last = asked >= most || (asked >= least && is_spent);
            let mut answer = [0.0; 3];
            channel.send(of, &[if is_last { LAST } else { MORE }])?;
            channel.receive(of, &mut answer)?;
            let round_trip_s = self.clock.now_s() - asked_s;
            let [global_s, bound_s, error_s] = answer;
            if fastest.is_none_or(|fastest| round_trip_s < fastest.round_trip_s) {
                let local_s = asked_s + round_trip_s / 2.0;
                fastest = Some(Answer { round_trip_s, local_s, global_s, bound_s, error_s });
            }
            if is_last {
                break;
            }
        }
        fastest.ok_or_else(|| Fault::Broken("a clock cannot be synchronised by no question".to_owned()))
    }
}
