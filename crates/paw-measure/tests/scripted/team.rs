//! Two ranks in two threads stay in step: the root decides, and a fault of one is everyone's.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use paw_data::cell::Combine;
use paw_data::outcome::{Check, Ending, Outcome, Status};
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;
use paw_measure::disturbance::{Disturbance, Sight};
use paw_measure::fault::Fault;
use paw_measure::measure::measure;
use paw_measure::session::Session;
use paw_measure::team::{Decision, Team};
use paw_measure::workload::Reading;

use crate::bench::{Bench, entry, plan, preset};
use crate::diary::Diary;

/// What ranks tell each other.
#[derive(Debug, Clone)]
enum Message {
    Decided(Decision),
    Read(Result<Option<Reading>, Fault>),
    Agreed(Result<(), Fault>),
    Judged(Result<Check, Fault>),
}

/// One of two ranks; a peer that is gone or out of step is a fault, never a wait.
pub struct Rank {
    rank: usize,
    to: Sender<Message>,
    from: Receiver<Message>,
    /// Whether one broke where the other went on.
    is_lost: Cell<bool>,
}

impl Rank {
    /// Both ranks.
    pub fn pair() -> [Self; 2] {
        let ((to_one, from_zero), (to_zero, from_one)) = (channel(), channel());
        [
            Rank { rank: 0, to: to_one, from: from_one, is_lost: Cell::default() },
            Rank { rank: 1, to: to_zero, from: from_zero, is_lost: Cell::default() },
        ]
    }

    /// This rank after a fault of one alone.
    pub fn out_of_step(self) -> Self {
        self.is_lost.set(true);
        self
    }

    /// Both messages, the root's first.
    fn exchange(&self, mine: Message) -> Result<[Message; 2], Fault> {
        let gone = || Fault::Broken("the other rank is gone".to_owned());
        self.to.send(mine.clone()).map_err(|_| gone())?;
        let other = self.from.recv().map_err(|_| gone())?;
        Ok(if self.rank == 0 { [mine, other] } else { [other, mine] })
    }
}

fn out_of_step<T>() -> Result<T, Fault> {
    Err(Fault::Broken("the ranks are out of step".to_owned()))
}

impl Team for Rank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        2
    }

    fn decide(&self, root: Decision) -> Result<Decision, Fault> {
        match self.exchange(Message::Decided(root))? {
            [Message::Decided(root), Message::Decided(_)] => Ok(root),
            _ => out_of_step(),
        }
    }

    fn combine(&self, mine: Result<Option<Reading>, Fault>, _how: Combine) -> Result<Reading, Fault> {
        let [Message::Read(zero), Message::Read(one)] = self.exchange(Message::Read(mine))? else {
            return out_of_step();
        };
        self.is_lost.set(self.is_lost.get() || [&zero, &one].iter().any(|mine| matches!(mine, Err(Fault::Broken(_)))));
        let readings = [zero?.unwrap_or_default(), one?.unwrap_or_default()];
        Ok(Reading {
            elapsed_s: readings[0].elapsed_s.max(readings[1].elapsed_s),
            disturbance: Disturbance { sight: Sight::Seen, ..Disturbance::default() },
            ..Reading::default()
        })
    }

    fn agree(&self, mine: Result<(), Fault>) -> Result<(), Fault> {
        match self.exchange(Message::Agreed(mine))? {
            [Message::Agreed(zero), Message::Agreed(one)] => {
                self.is_lost.set(self.is_lost.get() || zero.is_err() != one.is_err());
                zero.and(one)
            }
            _ => out_of_step(),
        }
    }

    fn judge(&self, mine: Result<Check, Fault>) -> Result<Check, Fault> {
        match self.exchange(Message::Judged(mine))? {
            [Message::Judged(zero), Message::Judged(one)] => zero.and(one),
            _ => out_of_step(),
        }
    }

    fn is_in_step(&self) -> bool {
        !self.is_lost.get()
    }
}

/// What one rank does: its clock's cost, its iterations' costs, its watcher, the call at which its second cell breaks.
struct Part {
    read_s: f64,
    per_loop_s: f64,
    diary: Diary,
    breaks_at: u32,
}

fn part(read_s: f64, per_loop_s: f64) -> Part {
    Part { read_s, per_loop_s, diary: Diary::default(), breaks_at: u32::MAX }
}

/// Measures two cells on two ranks; what each rank saw.
fn on_two_ranks(parts: [Part; 2]) -> Vec<(Diary, Vec<Outcome>)> {
    let threads: Vec<_> =
        parts.into_iter().zip(Rank::pair()).map(|(part, rank)| thread::spawn(|| played(part, rank))).collect();
    threads.into_iter().map(|thread| thread.join().expect("a rank panicked")).collect()
}

fn played(part: Part, rank: Rank) -> (Diary, Vec<Outcome>) {
    let Part { read_s, per_loop_s, mut diary, breaks_at } = part;
    let script = Script::new(1e-12, read_s);
    let region = |breaks_at: u32| {
        let mut calls = 0;
        move |script: &Script, loops: u64| {
            calls += 1;
            script.advance(loops as f64 * per_loop_s);
            if calls == breaks_at { Err(Fault::Broken("a rank fell over".to_owned())) } else { Ok(()) }
        }
    };
    let mut group = [
        entry(1, preset("paw"), &script, Bench::new(&script, region(u32::MAX))),
        entry(2, preset("adaptive"), &script, Bench::new(&script, region(breaks_at))),
    ];
    let session = Session::with_team(Clock::Scripted(script.clone()), &rank);
    let outcomes = measure(&mut group, &plan(1), &session, &mut diary);
    (diary, outcomes)
}

#[test]
fn ranks_with_different_clocks_time_the_same_regions() {
    let seen = on_two_ranks([part(20e-9, 30e-9), part(900e-9, 31e-9)]);
    assert_eq!(seen[0].0.events, seen[1].0.events);
    for id in 1..=2 {
        let [zero, one] = [&seen[0].0.samples[&id], &seen[1].0.samples[&id]];
        assert_eq!((&zero.loops, &zero.elapsed_s), (&one.loops, &one.elapsed_s));
        assert!(zero.per_loop_s()[0] >= 31e-9, "the slowest rank counts");
    }
    assert!(seen.iter().all(|(_, outcomes)| outcomes.iter().all(|outcome| outcome.status == Status::Measured)));
}

#[test]
fn the_roots_user_stops_all_ranks_at_the_same_sample() {
    let mut root = part(20e-9, 30e-9);
    root.diary = Diary::stopping_at("round 2");
    let seen = on_two_ranks([root, part(20e-9, 30e-9)]);
    for (diary, outcomes) in &seen {
        assert_eq!(diary.samples[&1].len(), 3);
        assert!(outcomes.iter().all(|outcome| outcome.ending == Some(Ending::Interrupted)), "{outcomes:?}");
    }
}

#[test]
fn a_rank_that_breaks_ends_all_ranks_with_what_was_measured() {
    let mut broken = part(20e-9, 30e-9);
    broken.breaks_at = 25;
    let seen = on_two_ranks([part(20e-9, 30e-9), broken]);
    for (diary, outcomes) in &seen {
        assert_eq!(outcomes[1].why.as_deref(), Some("a rank fell over"));
        assert_eq!(outcomes[0].ending, Some(Ending::Interrupted));
        assert!(diary.samples[&1].len() >= 2, "{}", diary.samples[&1].len());
    }
    assert_eq!(seen[0].0.order(), seen[1].0.order());
}
