//! Ranks start in step by the global clock or a barrier, and no lateness is part of an operation that is alone.

use std::rc::Rc;

use paw_data::cell::Combine;
use paw_data::outcome::{Check, Outcome, Status};
use paw_measure::channel::Channel;
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::in_step::{InStep, IssueMode, Part};
use paw_measure::measure::measure;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::ranks::Ranks;
use paw_measure::session::Session;
use paw_measure::starter::{Announcement, Start, Starter};
use paw_measure::team::Team;
use paw_measure::watch::Unwatched;
use paw_measure::watchdog::{Alarm, Overdue, Watchdog};
use paw_measure::workload::{Reading, Timed, Workload};

use crate::bench::{Bench, adaptive, cell, instrument, plan};
use crate::threads::{ThreadChannel, on_wire};

/// Two microseconds to anybody.
fn wire(_from: usize, to: usize) -> f64 {
    if to == 0 { 0.0 } else { 2e-6 }
}

/// The same both ways.
pub fn level(_from: usize, _to: usize) -> f64 {
    2e-6
}

/// One rank, whose clock is ahead by hours.
pub struct Rank {
    pub rank: usize,
    pub script: Script,
    pub ranks: Ranks<Rc<ThreadChannel>>,
    pub starter: Rc<Starter>,
}

impl Rank {
    pub fn on(channel: ThreadChannel) -> Self {
        let (rank, script, channel) = (channel.rank(), channel.script(), Rc::new(channel));
        let clock = Clock::Scripted(script.skewed(3600.0 * rank as f64, 0.0));
        let ranks = Ranks::new(Rc::clone(&channel));
        Self { rank, script, ranks, starter: Rc::new(Starter::new(channel, clock)) }
    }

    pub fn workload(&self, per_loop_s: f64) -> InStep<Bench> {
        InStep::new(Bench::costing(per_loop_s, &self.script), instrument(), Rc::clone(&self.starter))
    }

    /// One sample of all ranks.
    pub fn combined(&self, workload: &mut InStep<Bench>, loops: u64, how: Combine) -> Result<Reading, Fault> {
        let mine = workload.sample(loops);
        self.ranks.combine(mine, how)
    }
}

fn told(reading: &Reading, name: &str) -> Option<f64> {
    reading.extra.iter().find(|(key, _)| key.as_str() == name).map(|(_, value)| *value)
}

pub fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-10
}

#[test]
fn all_ranks_start_at_one_moment_whatever_their_clocks_show() {
    let starts_s = on_wire(8, level, |channel| {
        let rank = Rank::on(channel);
        let mut starts_s = Vec::new();
        for _ in 0..3 {
            rank.script.advance(1e-6 * rank.rank as f64);
            let lateness = rank.starter.start(Start::GlobalClock, || ()).expect("nobody is gone");
            assert!(
                lateness.is_some_and(|late| late.announcement == Announcement::InTime && near(late.lateness_s, 0.0))
            );
            starts_s.push(rank.script.now_s());
        }
        starts_s
    });
    for rank_s in &starts_s {
        assert!(rank_s.iter().zip(&starts_s[0]).all(|(one, root)| near(*one, *root)), "{starts_s:?}");
    }
}

#[test]
fn a_start_comes_a_few_announcements_after_its_announcement() {
    let slow: fn(usize, usize) -> f64 = |_, _| 1e-3;
    let slacks_s = on_wire(4, slow, |channel| {
        let rank = Rank::on(channel);
        rank.starter.start(Start::GlobalClock, || ()).expect("nobody is gone");
        rank.starter.slack_s()
    });
    assert!(slacks_s.iter().all(|slack_s| *slack_s >= 1e-3 && *slack_s < 10e-3), "{slacks_s:?}");
}

#[test]
fn clocks_are_synchronised_once_a_second_and_not_for_every_start() {
    let messages = on_wire(4, level, |channel| {
        let calls = channel.calls();
        let messages = || calls.lock().expect("counting does not panic").messages;
        let rank = Rank::on(channel);
        let mut seen = Vec::new();
        for pause_s in [0.0, 0.1, 0.1, 2.0] {
            rank.script.advance(pause_s);
            rank.starter.start(Start::GlobalClock, || ()).expect("nobody is gone");
            seen.push(messages());
        }
        seen
    });
    for seen in messages {
        assert_eq!([seen[1], seen[2], seen[3]], [seen[0], seen[0], 2 * seen[0]]);
    }
}

/// Notes the deadline of each of its regions.
struct Deadlines {
    watchdog: Rc<Watchdog>,
    seen_s: Vec<f64>,
}

impl Timed for Deadlines {
    fn time(&mut self, loops: u64, _clock: &Clock) -> Result<f64, Fault> {
        self.seen_s.push(self.watchdog.deadline_s().expect("a rank that waits is watched"));
        Ok(1e-6 * loops as f64)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        Err(Fault::Missing("there is no answer".to_owned()))
    }
}

struct Silent;

impl Alarm for Silent {
    fn expired(&mut self, _overdue: Overdue) {}
}

#[test]
fn every_operation_that_is_alone_has_a_deadline_of_its_own() {
    let deadlines = on_wire(2, level, |channel| {
        let rank = Rank::on(channel);
        let watchdog = Rc::new(Watchdog::start(Silent, 100.0));
        let timed = Deadlines { watchdog: Rc::clone(&watchdog), seen_s: Vec::new() };
        let workload = InStep::new(timed, instrument(), Rc::clone(&rank.starter)).guarded(watchdog);
        let mut workload = workload.starting(Start::GlobalClock, IssueMode::Isolated);
        workload.sample(5).expect("nobody is gone");
        workload.timed().seen_s.clone()
    });
    for seen_s in deadlines {
        assert!(seen_s.len() == 5 && seen_s.windows(2).all(|two| two[1] > two[0]), "{seen_s:?}");
    }
}

/// Twenty milliseconds to anybody.
fn far(_from: usize, _to: usize) -> f64 {
    20e-3
}

#[test]
fn over_a_slow_link_synchronising_takes_a_twentieth_of_the_time() {
    let shares = on_wire(2, far, |channel| {
        let (calls, script) = (channel.calls(), channel.script());
        let messages = || calls.lock().expect("counting does not panic").messages;
        let rank = Rank::on(channel);
        let start = || {
            let began_s = script.now_s();
            rank.starter.start(Start::GlobalClock, || ()).expect("nobody is gone");
            // The slack is part of every start.
            script.now_s() - began_s - rank.starter.slack_s()
        };
        start();
        let first = messages();
        // A question and an answer are two messages of each rank; twelve are asked.
        assert_eq!(first, 24);
        let mut spent_s = 0.0;
        let began_s = script.now_s();
        while script.now_s() - began_s < 60.0 {
            spent_s += start();
            script.advance(10e-3);
        }
        (messages() - first, spent_s / (script.now_s() - began_s))
    });
    for (messages, share) in shares {
        assert!(messages <= 6 * 24, "{messages} messages in a minute");
        assert!(share < 0.3, "{share} of the time, announcements included");
    }
}

#[test]
fn a_rank_that_comes_too_late_is_told() {
    let readings = on_wire(4, level, |channel| {
        let rank = Rank::on(channel);
        let hold = || rank.script.advance(if rank.rank == 2 { 1e-3 } else { 0.0 });
        let lateness = rank.starter.start(Start::GlobalClock, hold).expect("nobody is gone");
        lateness.expect("the start was announced")
    });
    for (rank, lateness) in readings.iter().enumerate() {
        assert_eq!(lateness.announcement == Announcement::TooLate, rank == 2, "rank {rank}");
    }
    assert!(readings[2].lateness_s > 0.9e-3 && near(readings[1].lateness_s, 0.0));
}

#[test]
fn a_streamed_region_tells_its_window_and_its_skew() {
    let readings = on_wire(3, level, |channel| {
        let rank = Rank::on(channel);
        let mut workload = rank.workload(1e-6 * (1.0 + rank.rank as f64));
        rank.combined(&mut workload, 100, Combine::Window)
    });
    for reading in readings {
        let reading = reading.expect("nobody broke");
        assert!(near(reading.elapsed_s, 300e-6), "{}", reading.elapsed_s);
        assert!(told(&reading, "skew_s").is_some_and(|skew_s| near(skew_s, 0.0)));
        assert_eq!(told(&reading, "late"), Some(0.0));
        assert!(told(&reading, "clock_bound_s").is_some_and(|bound_s| near(bound_s, 2e-6)));
        assert!(told(&reading, "one_way_s").is_some_and(|one_way_s| near(one_way_s, 2e-6)));
        assert_eq!(told(&reading, "slowest"), Some(2.0));
        assert!(reading.ops_s.is_empty());
    }
}

#[test]
fn isolated_operations_are_stamped_one_by_one() {
    let readings = on_wire(4, level, |channel| {
        let rank = Rank::on(channel);
        let mut workload = rank.workload(1e-6 * (1.0 + rank.rank as f64));
        workload = workload.starting(Start::GlobalClock, IssueMode::Isolated);
        rank.combined(&mut workload, 5, Combine::Slowest).expect("nobody broke")
    });
    for reading in readings {
        assert_eq!(reading.ops_s.len(), 5);
        assert!(reading.ops_s.iter().all(|op_s| near(*op_s, 4e-6)), "{:?}", reading.ops_s);
        assert!(near(reading.elapsed_s, 20e-6));
        assert_eq!(told(&reading, "late"), Some(0.0));
    }
}

#[test]
fn what_a_barrier_lets_go_has_no_known_skew() {
    let readings = on_wire(2, wire, |channel| {
        let rank = Rank::on(channel);
        let mut workload = rank.workload(1e-6).starting(Start::Barrier, IssueMode::Isolated);
        let slowest = rank.combined(&mut workload, 3, Combine::Slowest);
        let mut workload = rank.workload(1e-6).starting(Start::Barrier, IssueMode::BackToBack);
        let window = rank.combined(&mut workload, 3, Combine::Window);
        (slowest.expect("nobody broke"), window)
    });
    for (slowest, window) in readings {
        assert_eq!(told(&slowest, "skew_s"), None);
        assert_eq!(slowest.ops_s.len(), 3);
        assert!(window.unwrap_err().to_string().contains("by the global clock"));
    }
}

#[test]
fn idle_ranks_hear_of_every_start_and_time_nothing() {
    for issue_mode in [IssueMode::BackToBack, IssueMode::Isolated] {
        let readings = on_wire(4, level, |channel| {
            let rank = Rank::on(channel);
            let part = if rank.rank < 2 { Part::Active } else { Part::Idle };
            let mut workload = rank.workload(1e-6).starting(Start::GlobalClock, issue_mode).taking(part);
            workload.resume().expect("nobody is gone");
            let reading = rank.combined(&mut workload, 4, Combine::Mean).expect("nobody broke");
            (reading, workload.timed().calls)
        });
        for (rank, (reading, calls)) in readings.into_iter().enumerate() {
            assert!(near(reading.elapsed_s, 4e-6));
            assert_eq!(calls == 0, rank >= 2);
        }
    }
}

#[test]
fn a_rank_that_breaks_between_operations_leaves_nobody_waiting() {
    let readings = on_wire(4, level, |channel| {
        let rank = Rank::on(channel);
        let breaks_at = (rank.rank == 1).then_some(2);
        let bench = Bench { breaks_at, ..Bench::costing(1e-6, &rank.script) };
        let workload = InStep::new(bench, instrument(), Rc::clone(&rank.starter));
        let mut workload = workload.starting(Start::GlobalClock, IssueMode::Isolated);
        let broken = rank.combined(&mut workload, 5, Combine::Slowest);
        (broken, rank.combined(&mut workload, 5, Combine::Slowest).is_ok())
    });
    let broken = Err(Fault::Broken("rank 1: it fell over".to_owned()));
    assert!(readings.iter().all(|reading| *reading == (broken.clone(), true)), "{readings:?}");
}

#[test]
fn a_start_costs_one_call_whatever_the_team() {
    for size in [1, 4, 64] {
        let calls = on_wire(size, level, |channel| {
            let calls = channel.calls();
            let rank = Rank::on(channel);
            rank.starter.start(Start::GlobalClock, || ()).expect("nobody is gone");
            let before = *calls.lock().expect("counting does not panic");
            rank.starter.start(Start::GlobalClock, || ()).expect("nobody is gone");
            let after = *calls.lock().expect("counting does not panic");
            (after.collective - before.collective, after.messages - before.messages)
        });
        assert!(calls.iter().all(|calls| *calls == (1, 0)), "{size} ranks: {calls:?}");
    }
}

/// A region that a rank begins too late, and the same operation alone.
#[test]
fn a_late_rank_is_late_in_a_stream_and_not_slow_in_an_operation_alone() {
    for issue_mode in [IssueMode::BackToBack, IssueMode::Isolated] {
        let readings = on_wire(2, level, |channel| {
            let rank = Rank::on(channel);
            let mut workload = rank.workload(1e-6).starting(Start::GlobalClock, issue_mode);
            rank.combined(&mut workload, 1, Combine::Slowest).expect("nobody broke");
            // Rank 1 sleeps through the next start: the root's clock does not wait for it.
            rank.script.advance(if rank.rank == 1 { 1e-3 } else { 0.0 });
            rank.combined(&mut workload, 1, Combine::Slowest).expect("nobody broke")
        });
        for reading in readings {
            let skew_s = told(&reading, "skew_s").expect("the start was announced");
            assert!(skew_s > 0.9e-3, "{skew_s}");
            assert_eq!(told(&reading, "late"), Some(1.0));
            if issue_mode == IssueMode::Isolated {
                assert!(near(reading.ops_s[0], 1e-6), "{:?}", reading.ops_s);
            } else {
                let completion_s = told(&reading, "end_global_s").expect("it ended");
                assert!(near(completion_s, skew_s + 1e-6), "{completion_s}");
            }
        }
    }
}

/// A whole measurement, streaming and isolated; rank 1 dawdles after every region.
fn outcomes(channel: ThreadChannel, dawdles_s: f64) -> Vec<Outcome> {
    let rank = Rank::on(channel);
    let entry = |id, issue_mode, combine| {
        let afterwards_s = if rank.rank == 1 { dawdles_s } else { 0.0 };
        let bench = Bench { afterwards_s, ..Bench::costing(50e-6, &rank.script) };
        let workload =
            InStep::new(bench, instrument(), Rc::clone(&rank.starter)).starting(Start::GlobalClock, issue_mode);
        PreparedCell::new(cell(id, combine), adaptive(), Box::new(workload))
    };
    let mut entries =
        [entry(1, IssueMode::BackToBack, Combine::Window), entry(2, IssueMode::Isolated, Combine::Slowest)];
    let session = Session::with_team(rank.starter.clock().clone(), &rank.ranks);
    measure(&mut entries, &plan(), &session, &mut Unwatched)
}

#[test]
fn a_team_measures_in_step_from_the_first_sample_to_the_outcome() {
    let all = on_wire(4, level, |channel| outcomes(channel, 0.0));
    for outcomes in &all {
        assert_eq!(outcomes, &all[0]);
        assert!(outcomes.iter().all(|outcome| outcome.status == Status::Measured), "{outcomes:?}");
        let mut caveats = outcomes.iter().flat_map(|outcome| &outcome.caveats);
        assert!(caveats.all(|caveat| caveat.id != "late-starts"), "{outcomes:?}");
    }
}

#[test]
fn ranks_that_keep_coming_late_are_a_caveat() {
    let all = on_wire(4, level, |channel| outcomes(channel, 1e-3));
    for outcome in &all[3] {
        // In the stream every sample ends with a reduction, which waits for the rank that dawdles.
        let late = outcome.caveats.iter().any(|caveat| caveat.id == "late-starts");
        assert_eq!(late, outcome.cell == 2, "{outcome:?}");
    }
}
