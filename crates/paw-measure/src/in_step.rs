//! A workload of a team: all ranks start in step, once a sample or once an operation.
//!
//! `Streaming` times a region of many operations after one start, as a program sees that calls in a loop. `Isolated` starts every
//! operation in step and stamps it, with its lateness beside it: an operation is not slow because a rank came late to it.

use std::rc::Rc;

use paw_data::outcome::{Caveat, Check};
use paw_data::run::Instrument;
use paw_data::secondary::{MetricName, SecondaryMetric};

use crate::disturbance::Disturbance;
use crate::fault::Fault;
use crate::global_clock::GlobalClock;
use crate::local::LONG_ITERATION_S;
use crate::schedstat_probe::{self, SchedstatProbe};
use crate::starter::{Announcement, Begun, Lateness, Start, Starter};
use crate::watchdog::{Armed, Watchdog};
use crate::workload::{Reading, Timed, Workload};

/// A sample ends early once the starts of its operations have taken longer than this, and longer than so much for each operation asked
/// for. A start takes tens of microseconds, hundreds on thousands of ranks, and tens of milliseconds where a rank waits for its processor.
const STARTS_MAX_S: f64 = 1.0;
const START_MAX_S: f64 = 1e-3;

/// How often ranks start in step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IssueMode {
    /// Once a sample: operations follow each other as fast as they come, and may overlap.
    #[default]
    BackToBack,
    /// Before every operation: each is alone, and is stamped.
    Isolated,
}

/// Whether this rank takes part in the timed operation. Idle ranks receive every announcement too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    /// This rank calls and times the operation.
    #[default]
    Active,
    /// This rank is idle: it calls and times nothing.
    Idle,
}

/// A workload of a team, whose ranks start in step. Every rank samples the same loops in the same order.
pub struct InStep<T> {
    timed: T,
    instrument: Instrument,
    starter: Rc<Starter>,
    start: Start,
    issue_mode: IssueMode,
    part: Part,
    probe: Option<SchedstatProbe>,
    watchdog: Option<Rc<Watchdog>>,
    iteration_s: f64,
    /// Seconds of an iteration: a guess at first, then the last measurement.
    expected_s: f64,
}

impl<T: Timed> InStep<T> {
    /// `timed` by the starter's clock, measured as `instrument`; streaming after an announced start, and active.
    pub fn new(timed: T, instrument: Instrument, starter: Rc<Starter>) -> Self {
        Self {
            timed,
            instrument,
            starter,
            start: Start::default(),
            issue_mode: IssueMode::default(),
            part: Part::default(),
            probe: None,
            watchdog: None,
            iteration_s: 0.0,
            expected_s: 0.0,
        }
    }

    /// This workload with another start and issue mode.
    #[must_use]
    pub fn starting(mut self, start: Start, issue_mode: IssueMode) -> Self {
        (self.start, self.issue_mode) = (start, issue_mode);
        self
    }

    /// This workload with this rank's part in it.
    #[must_use]
    pub fn taking(mut self, part: Part) -> Self {
        self.part = part;
        self
    }

    /// This workload under a watchdog, which is armed while peers are waited for.
    #[must_use]
    pub fn guarded(mut self, watchdog: Rc<Watchdog>) -> Self {
        self.watchdog = Some(watchdog);
        self
    }

    /// This workload with a guess at the seconds of an iteration, for the watchdog until one is measured.
    #[must_use]
    pub fn expecting(mut self, iteration_s: f64) -> Self {
        self.expected_s = iteration_s;
        self
    }

    /// The timed operation.
    pub fn timed(&self) -> &T {
        &self.timed
    }

    /// One region after one start.
    fn back_to_back(&mut self, loops: u64) -> Result<Option<Reading>, Fault> {
        let start = self.start;
        let (starter, probe) = self.ready();
        let lateness = starter.start(start, || probe.before())?;
        let Some((elapsed_s, disturbance)) = self.region(loops)? else { return Ok(None) };
        if !self.timed.takes_part() {
            return Ok(None);
        }
        let mut extra = lateness.map(|lateness| window(lateness, elapsed_s)).unwrap_or_default();
        extra.extend(self.clock_errors());
        extra.extend(self.timed.extra());
        Ok(Some(Reading { elapsed_s, extra, disturbance, ..Reading::default() }))
    }

    /// `loops` operations, each after its own start; fewer where starts take long. A rank that breaks still takes part in the remaining
    /// starts: the others wait for it.
    fn isolated(&mut self, loops: u64) -> Result<Option<Reading>, Fault> {
        let mut operations = Operations::default();
        let mut broken = Ok(());
        let passed_s = |starter: &Starter| starter.clock().now_s() - starter.synchronised_s();
        let (began_s, starts_max_s) = (passed_s(&self.starter), STARTS_MAX_S.max(START_MAX_S * loops as f64));
        for nth in 0..loops {
            // On a busy machine a start may be announced a tenth of a second ahead: some together outlast any deadline.
            let _armed = self.armed(1);
            // What else passed on this rank: the root's counts, and on one that is idle the operations of others are part of it.
            let starts_s = passed_s(&self.starter) - began_s - operations.elapsed_s;
            let is_over = nth > 0 && starts_s > starts_max_s;
            let start = self.start;
            let (starter, probe) = self.ready();
            let Begun::InStep(lateness) = starter.start_unless(is_over, start, || probe.before())? else { break };
            if broken.is_ok() {
                broken = self.region(1).map(|timed| operations.push(lateness, timed));
            }
        }
        broken?;
        let takes_part = self.part == Part::Active && self.timed.takes_part();
        Ok(takes_part.then(|| operations.reading(self.clock_errors())))
    }

    /// What the common clock says of itself, where there is one.
    fn clock_errors(&self) -> Vec<(MetricName, f64)> {
        let global = (self.start == Start::GlobalClock).then(|| self.starter.global_clock()).flatten();
        let of = |global: GlobalClock| {
            vec![
                (SecondaryMetric::ClockBound.into(), global.bound_s()),
                (SecondaryMetric::OneWay.into(), global.one_way_s()),
            ]
        };
        global.map(of).unwrap_or_default()
    }

    /// What starts in step, and the probe, which reads its counters last, in the time before the announced moment.
    fn ready(&mut self) -> (&Starter, &mut SchedstatProbe) {
        let (timed, clock) = (&self.timed, self.starter.clock());
        let probe = self.probe.get_or_insert_with(|| SchedstatProbe::under(clock, &timed.threads()));
        (&self.starter, probe)
    }

    /// Seconds of one region, and what disturbed it; `None` on an idle rank.
    fn region(&mut self, loops: u64) -> Result<Option<(f64, Disturbance)>, Fault> {
        if self.part == Part::Idle {
            return Ok(None);
        }
        let timed = self.timed.time(loops, self.starter.clock());
        let elapsed_s = self.noted(timed)?;
        let disturbance = self.probe.as_mut().map(SchedstatProbe::after).unwrap_or_default();
        Ok(Some((elapsed_s, disturbance)))
    }

    /// Returns `done`. A fault also goes to the watchdog, because other ranks may wait for this one without knowing of it.
    fn noted<R>(&self, done: Result<R, Fault>) -> Result<R, Fault> {
        match &self.watchdog {
            Some(watchdog) => watchdog.noted(done),
            None => done,
        }
    }

    /// Arms the watchdog for `loops` iterations of the length last measured. The messages that follow may take as long: the first rank
    /// waits for the last.
    fn armed(&self, loops: u64) -> Option<Armed> {
        self.watchdog.as_ref().map(|watchdog| {
            watchdog.expect(loops as f64 * self.iteration_s.max(self.expected_s));
            watchdog.arm()
        })
    }
}

impl<T: Timed> Workload for InStep<T> {
    /// One untimed call on all ranks together; none where an iteration is long enough to refill its own caches. All ranks decide
    /// alike.
    fn resume(&mut self) -> Result<(), Fault> {
        let _armed = self.armed(1);
        self.starter.channel().barrier()?;
        if self.part == Part::Active && self.iteration_s < LONG_ITERATION_S {
            let timed = self.timed.time(1, self.starter.clock());
            self.noted(timed)?;
        }
        Ok(())
    }

    fn sample(&mut self, loops: u64) -> Result<Option<Reading>, Fault> {
        let _armed = self.armed(loops);
        let reading = match self.issue_mode {
            IssueMode::BackToBack => self.back_to_back(loops),
            IssueMode::Isolated => self.isolated(loops),
        }?;
        let inspected = self.timed.inspect();
        self.noted(inspected)?;
        Ok(reading)
    }

    fn learn(&mut self, loops: u64, combined: &Reading) {
        let slowest_s = combined.secondary(SecondaryMetric::RankMax);
        self.iteration_s = slowest_s.unwrap_or(combined.elapsed_s) / loops as f64;
    }

    fn pause(&mut self) {}

    fn renew(&mut self) -> Result<(), Fault> {
        let renewed = self.timed.renew();
        self.noted(renewed)
    }

    fn instrument(&self) -> Instrument {
        self.instrument.clone()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let _armed = self.armed(1);
        let verified = self.timed.verify();
        self.noted(verified)
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.timed.caveats()
    }
}

/// Metrics of a rank's region on the common clock: start and end from the announced start on, and lateness.
fn window(lateness: Lateness, elapsed_s: f64) -> Vec<(MetricName, f64)> {
    let Lateness { lateness_s, .. } = lateness;
    let metrics = [
        (SecondaryMetric::StartGlobal, lateness_s),
        (SecondaryMetric::EndGlobal, lateness_s + elapsed_s),
        (SecondaryMetric::Skew, lateness_s),
        (SecondaryMetric::Late, late(lateness, elapsed_s)),
    ];
    metrics.map(|(metric, value)| (metric.into(), value)).to_vec()
}

/// Share of what follows a start from which its delay counts: less changes no number by more than what a median of samples resolves.
const LATE_FROM: f64 = 0.01;

/// 1 where the announcement of a start came too late by so much that it shows in what took `elapsed_s`.
fn late(lateness: Lateness, elapsed_s: f64) -> f64 {
    match lateness.announcement {
        Announcement::TooLate if lateness.lateness_s > LATE_FROM * elapsed_s => 1.0,
        Announcement::TooLate | Announcement::InTime => 0.0,
    }
}

/// Times of operations that each began with a synchronised start.
#[derive(Default)]
struct Operations {
    ops_s: Vec<f64>,
    /// Their sum.
    elapsed_s: f64,
    /// By how much the rank began each too late, where starts are announced.
    starts_s: Vec<f64>,
    disturbance: Option<Disturbance>,
    /// Starts missed, where starts are announced.
    missed: Option<f64>,
}

impl Operations {
    fn push(&mut self, lateness: Option<Lateness>, timed: Option<(f64, Disturbance)>) {
        let Some((elapsed_s, disturbance)) = timed else { return };
        self.ops_s.push(elapsed_s);
        self.elapsed_s += elapsed_s;
        self.disturbance =
            Some(self.disturbance.map_or(disturbance, |before| schedstat_probe::sum(&before, &disturbance)));
        if let Some(lateness) = lateness {
            self.starts_s.push(lateness.lateness_s);
            self.missed = Some(self.missed.unwrap_or_default() + late(lateness, elapsed_s));
        }
    }

    fn reading(self, clock_errors: Vec<(MetricName, f64)>) -> Reading {
        let mut extra = clock_errors;
        if let Some(missed) = self.missed {
            let skew_s = self.starts_s.iter().copied().fold(0.0, f64::max);
            extra.extend([(SecondaryMetric::Skew.into(), skew_s), (SecondaryMetric::Late.into(), missed)]);
        }
        Reading {
            elapsed_s: self.elapsed_s,
            ops_s: self.ops_s,
            starts_s: self.starts_s,
            extra,
            disturbance: self.disturbance.unwrap_or_default(),
        }
    }
}
