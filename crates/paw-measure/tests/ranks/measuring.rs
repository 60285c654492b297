//! The whole measuring loop over a team: every rank takes the same samples and comes to the same outcome.

use paw_data::cell::Combine;
use paw_data::method::Plan;
use paw_data::outcome::{Ending, Outcome, Status};
use paw_data::sample::Sample;
use paw_data::secondary::SecondaryMetric;
use paw_measure::channel::Channel;
use paw_measure::clock::Clock;
use paw_measure::local::Local;
use paw_measure::measure::measure;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::ranks::Ranks;
use paw_measure::session::Session;
use paw_measure::team::Team;
use paw_measure::watch::{Control, Event, Watch};

use crate::bench::{Bench, Fixed, adaptive, cell, instrument, plan};
use crate::threads::{ThreadChannel, on_ranks};

/// Keeps every sample.
#[derive(Default)]
struct Samples(Vec<(u32, Sample)>);

impl Watch for Samples {
    fn on(&mut self, event: Event<'_>) -> Control {
        if let Event::Sampled { cell, sample, .. } = event {
            self.0.push((cell, sample.clone()));
        }
        Control::Go
    }
}

/// Two cells, of which one costs more the higher the rank; the other may break.
fn measured(channel: ThreadChannel, breaks_at: impl Fn(usize) -> Option<u32>) -> (Vec<(u32, Sample)>, Vec<Outcome>) {
    let script = channel.script();
    let clock = Clock::Scripted(script.clone());
    let ranks = Ranks::new(channel);
    let rank = ranks.rank();
    let entry = |id, bench: Bench| {
        let local = Local::new(bench, clock.clone(), instrument());
        PreparedCell::new(cell(id, Combine::Slowest), adaptive(), Box::new(local))
    };
    let uneven = Bench::costing(1e-6 * (1.0 + rank as f64), &script);
    let fragile = Bench { breaks_at: breaks_at(rank), ..Bench::costing(2e-6, &script) };
    let mut entries = [entry(1, uneven), entry(2, fragile)];
    let mut samples = Samples::default();
    let session = Session::with_team(clock.clone(), &ranks);
    let outcomes = measure(&mut entries, &plan(), &session, &mut samples);
    (samples.0, outcomes)
}

#[test]
fn four_ranks_take_the_same_samples_and_come_to_the_same_outcomes() {
    let all = on_ranks(4, |channel| measured(channel, |_| None));
    for (samples, outcomes) in &all {
        assert_eq!(samples, &all[0].0);
        assert_eq!(outcomes, &all[0].1);
        assert!(outcomes.iter().all(|outcome| outcome.status == Status::Measured), "{outcomes:?}");
    }
    let uneven: Vec<&Sample> = all[0].0.iter().filter(|(cell, _)| *cell == 1).map(|(_, sample)| sample).collect();
    assert!(uneven.len() >= 16);
    for sample in uneven {
        let per_loop_s = sample.elapsed_s / sample.loops as f64;
        assert!((per_loop_s - 4e-6).abs() < 1e-12, "the slowest rank counts: {per_loop_s}");
        assert_eq!(sample.extra[&SecondaryMetric::SlowestRank.into()], 3.0);
    }
}

/// A cell whose regions have a fixed cost, so that its loops are doubled until the calibration is late, on a clock that is ahead of the
/// root's by seconds and goes faster.
fn measured_by_skewed_clocks(channel: ThreadChannel, budget_s: f64) -> (Vec<(u32, Sample)>, Vec<Outcome>) {
    let script = channel.script();
    let ranks = Ranks::new(channel);
    let ahead = ranks.rank() as f64;
    let clock = Clock::Scripted(script.skewed(3.0 * ahead, 0.1 * ahead));
    let entry = |id| {
        let bench = Bench { afterwards_s: 0.02, ..Bench::costing(10e-6, &script) };
        let timed = Local::new(Fixed { bench, fixed_s: 2e-3 }, Clock::Scripted(script.clone()), instrument());
        PreparedCell::new(cell(id, Combine::Slowest), adaptive(), Box::new(timed))
    };
    let mut entries = [entry(1), entry(2)];
    let mut samples = Samples::default();
    let session = Session::with_team(clock, &ranks);
    let plan = Plan { budget_s: Some(budget_s), ..plan() };
    let outcomes = measure(&mut entries, &plan, &session, &mut samples);
    (samples.0, outcomes)
}

#[test]
fn ranks_go_by_the_roots_clock_wherever_time_decides() {
    for tenths in 1..40 {
        let all = on_ranks(3, |channel| measured_by_skewed_clocks(channel, f64::from(tenths) * 0.1));
        for ranks in &all {
            assert_eq!(ranks, &all[0], "a budget of {tenths} tenths of a second");
        }
    }
}

#[test]
fn a_rank_that_breaks_ends_the_cell_for_all_with_its_name() {
    let all = on_ranks(4, |channel| measured(channel, |rank| (rank == 3).then_some(30)));
    for (samples, outcomes) in &all {
        assert_eq!(samples, &all[0].0, "what was measured is kept alike");
        assert_eq!(outcomes[1].status, Status::Failed);
        assert_eq!(outcomes[1].why.as_deref(), Some("rank 3: it fell over"));
        assert_eq!(outcomes[0].ending, Some(Ending::Interrupted));
    }
}

#[test]
fn a_rank_that_is_gone_ends_the_measurement_of_all_others() {
    let all = on_ranks(4, |channel| {
        let stays = channel.rank() != 1;
        stays.then(|| measured(channel, |_| None).1)
    });
    for outcomes in all.into_iter().flatten() {
        let why: Vec<&str> = outcomes.iter().filter_map(|outcome| outcome.why.as_deref()).collect();
        assert!(why[0].contains("gone"), "{why:?}");
        assert_eq!(outcomes[1].status, Status::Skipped, "{outcomes:?}");
    }
}
