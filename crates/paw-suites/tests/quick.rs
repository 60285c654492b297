//! The quick assessment ends in time on a machine with a gigabyte of cache, by simulated costs, and each of its cells has samples.

use std::collections::BTreeMap;

use paw_data::headline::Family;
use paw_data::method::Plan;
use paw_data::outcome::{Check, CheckVerdict, Outcome, Status};
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, Instrument};
use paw_data::sample::Phase;
use paw_machine::root::Root;
use paw_machine::topology::{CacheKind, Topology};
use paw_measure::campaign::{self, Producer};
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::local::Local;
use paw_measure::method;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::session::Session;
use paw_measure::watch::{Control, Event, Watch};
use paw_measure::workload::Timed;
use paw_suites::benchmark::Providers;
use paw_suites::catalogue;
use paw_suites::host::Host;
use paw_suites::plan::{Assignment, PlannedBenchmark, plan};
use paw_suites::request::RunRequest;

/// The budget of the quick assessment, and the longest it may take in all.
const BUDGET_S: f64 = 100.0;
const LIMIT_S: f64 = 130.0;

/// This machine with a last-level cache of 1.1 GiB and memory for its arrays.
fn host() -> Host {
    let mut topology = Topology::read(&Root::host()).expect("this machine has processors");
    let last = topology.last_level_cache().map_or(0, |cache| cache.level);
    let mut outermost = topology.caches.iter_mut().filter(|c| c.level == last && c.kind != CacheKind::Instruction);
    if let Some(cache) = outermost.next() {
        cache.size_bytes = 1126 << 20;
    }
    let mut host = Host { free_bytes: 128e9, ..Host::here(topology, None, Vec::new()) };
    host.look_for_libraries();
    host
}

fn request() -> RunRequest {
    let here = |providers: Providers| matches!(providers, Providers::Native | Providers::Blas(_));
    let quick = catalogue().iter().copied().filter(|b| b.quick.is_some() && here(b.common.providers));
    let plan = Plan::new(method::default(), 1, Some(BUDGET_S));
    RunRequest { quick: true, ..RunRequest::new(quick.collect(), plan, Default::default()) }
}

/// A machine of these speeds, on a scripted clock.
struct Mock {
    script: Script,
    /// FLOP/s and bytes per second of a thread, bytes per second of memory, and bytes per second of its first touch.
    speeds: [f64; 4],
    /// Threads and bytes of the arrays that the worker holds.
    arrays: (u32, u64),
}

/// A benchmark whose iteration takes `seconds`, give or take a quarter of a per cent.
struct Costly {
    script: Script,
    seconds: f64,
    calls: u32,
}

impl Timed for Costly {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.calls += 1;
        let start = clock.start();
        self.script.advance(self.seconds * loops as f64 * (1.0 + 0.0005 * f64::from(self.calls * 7 % 6)));
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.script.advance(2.0 * self.seconds);
        let verdict = CheckVerdict::Pass;
        Ok(Check { method: String::new(), error: 0.0, bound: 0.0, verdict, note: String::new(), accuracy: None })
    }
}

impl Producer for Mock {
    type Job = Assignment;

    fn start(&mut self, planned: &PlannedBenchmark) -> Result<PreparedCell, Fault> {
        let [flops, bytes_each, bytes_all, touch] = self.speeds;
        let (cell, common) = (&planned.cell, &planned.job.benchmark.common);
        let (threads, operands) = (planned.job.placement.threads, (common.memory_bytes)(&cell.point));
        let is_chase = common.family == Family::Memory && common.headline == Quantity::Time;
        if self.arrays != (threads, operands as u64) || is_chase {
            self.script.advance(0.1 + operands / (touch * f64::from(threads.min(4))));
        }
        if is_chase {
            self.script.advance(2.0 * operands / 64.0 * 150e-9);
        }
        self.arrays = (threads, operands as u64);
        let traffic_s = cell.work.bytes / (bytes_each * f64::from(threads)).min(bytes_all);
        let seconds = (cell.work.flops / (flops * f64::from(threads))).max(traffic_s).max(150e-9);
        let timed = Costly { script: self.script.clone(), seconds, calls: 0 };
        let local = Local::new(timed, Clock::Scripted(self.script.clone()), self.instrument());
        Ok(PreparedCell::new(cell.clone(), method::default(), Box::new(local)))
    }

    fn instrument(&self) -> Instrument {
        Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s: 25e-9, hz: None }
    }
}

/// Samples by cell, and the outcomes.
#[derive(Default)]
struct Seen {
    samples: BTreeMap<u32, u32>,
    outcomes: Vec<Outcome>,
}

impl Watch for Seen {
    fn on(&mut self, event: Event<'_>) -> Control {
        match event {
            Event::Sampled { cell, phase: Phase::Measure, .. } => *self.samples.entry(cell).or_default() += 1,
            Event::Ended { outcome } => self.outcomes.push(outcome.clone()),
            _ => {}
        }
        Control::Go
    }
}

/// Seconds that the quick assessment takes at these speeds, and what was seen of it.
fn assess(speeds: [f64; 4]) -> (f64, Seen) {
    let (request, script) = (request(), Script::new(1e-9, 25e-9));
    let campaign = plan(&request, &host()).expect("it can be planned");
    let clock = Clock::Scripted(script.clone());
    let session = Session::alone(clock);
    let (mut mock, mut seen) = (Mock { script, speeds, arrays: (0, 0) }, Seen::default());
    campaign::run(campaign, &request.plan, &session, &mut mock, &mut seen);
    (session.at_s(), seen)
}

#[test]
fn a_quiet_machine_with_a_gigabyte_of_cache_is_assessed_in_time_with_six_samples_a_cell() {
    let (seconds, seen) = assess([20e9, 12e9, 30e9, 1.5e9]);
    assert!(seconds <= LIMIT_S, "{seconds} s");
    for outcome in &seen.outcomes {
        assert_eq!(outcome.status, Status::Measured, "{outcome:?}");
        let samples = seen.samples.get(&outcome.cell).copied().unwrap_or(0);
        assert!(samples >= 6, "{samples} samples of {outcome:?}");
    }
}

#[test]
fn a_loaded_machine_ends_in_time_too() {
    let (seconds, seen) = assess([5e9, 3e9, 6e9, 0.4e9]);
    assert!(seconds <= LIMIT_S, "{seconds} s");
    assert!(seen.outcomes.iter().all(|outcome| outcome.status != Status::Failed));
}
