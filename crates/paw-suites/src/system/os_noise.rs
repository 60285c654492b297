//! What is taken from a program that computes: `os_noise`.

use std::rc::Rc;
use std::sync::Mutex;
use std::time::Duration;

use paw_data::outcome::Check;
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::clock_chain;
use paw_native::noise::Detours;

use crate::answer;
use crate::benchmark::{Benchmark, Common, Own, Start};
use crate::choice::Threads;
use crate::engine::Engine;

/// Seconds of a fixed piece of work, and how often and how long it is interrupted.
pub const OS_NOISE: Benchmark = Own {
    name: "os_noise",
    purpose: "How much of its time is taken from a program that only computes, in detours of which length?",
    timed: "pieces of work of a fixed length (4096 dependent additions), one after the other on every thread at once, each with a stamp; \
            a detour is what a piece takes more than the shortest of its thread, from 1 µs on, whoever took it: the system, its other \
            programs, a hypervisor, the firmware, or a clock that fell",
    formula: "200000; pieces of work of a thread",
    work: |_| Work { operations: QUANTA as f64, ..Work::default() },
    start: |start: &Start<'_>| {
        start.engine.native()?;
        Ok(Box::new(OsNoise { engine: Rc::clone(start.engine), found: Detours::default() }))
    },
}
.of(Common { threads: &[Threads::All], counts_waits: true, memory_bytes: |_| (8 * QUANTA) as f64, ..super::COST });

/// Pieces of work in an iteration: a quarter of a second or so, so that the samples of a cell are seconds.
const QUANTA: usize = 200_000;
/// Additions of a piece of work, each of which waits for the one before.
const STEPS: u64 = 4096;

/// The detour that a check makes.
const PLANTED: Duration = Duration::from_millis(10);

struct OsNoise {
    engine: Rc<Engine>,
    /// Of all threads, in the last sample.
    found: Detours,
}

/// The detours of one thread in an iteration; `detour` is called after the first piece of work.
fn quanta(clock: &Clock, quanta_s: &mut [f64], detour: impl Fn()) -> Detours {
    let mut last = clock.start();
    for (index, quantum_s) in quanta_s.iter_mut().enumerate() {
        if index == 1 {
            detour();
        }
        std::hint::black_box(clock_chain::adds(STEPS));
        let now = clock.stop();
        *quantum_s = clock.seconds(last, now);
        last = now;
    }
    Detours::of(quanta_s)
}

/// Room for the times of an iteration, each page of it touched before.
fn touched() -> Vec<f64> {
    vec![f64::INFINITY; QUANTA]
}

impl Timed for OsNoise {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let pool = &self.engine.native()?.pool;
        pool.wake();
        let found = Mutex::new(Detours::default());
        let start = clock.start();
        pool.run(|_| {
            let mut quanta_s = touched();
            let own = (0..loops).fold(Detours::default(), |all, _| all.with(&quanta(clock, &mut quanta_s, || ())));
            let mut found = found.lock().expect("no thread panics");
            *found = std::mem::take(&mut *found).with(&own);
        });
        let stop = clock.stop();
        self.found = found.into_inner().map_err(|_| Fault::Broken("a thread broke off".to_owned()))?;
        Ok(clock.seconds(start, stop))
    }

    /// Sleeps for ten milliseconds between two pieces of work: a detour at least so long must be found.
    fn verify(&mut self) -> Result<Check, Fault> {
        let (clock, mut quanta_s) = (Clock::monotonic(), touched());
        let found = quanta(&clock, &mut quanta_s, || std::thread::sleep(PLANTED));
        let is_found =
            found.longest_s() >= PLANTED.as_secs_f64() && found.counts.last().is_some_and(|count| *count > 0);
        let wrong =
            (!is_found).then(|| format!("a detour of 10 ms was not found; the longest was {} s", found.longest_s()));
        Ok(answer::exact("a detour of 10 ms is found", wrong))
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }

    fn extra(&self) -> Vec<(MetricName, f64)> {
        let counts =
            SecondaryMetric::DETOURS.iter().zip(self.found.counts).map(|(metric, count)| (*metric, count as f64));
        let times = [
            (SecondaryMetric::DetourTime, self.found.seconds),
            (SecondaryMetric::QuantaTime, self.found.elapsed_s),
            (SecondaryMetric::LongestDetour, self.found.longest_s()),
        ];
        let median = self.found.median_s().map(|median_s| (SecondaryMetric::MedianDetour, median_s));
        counts.chain(times).chain(median).map(|(metric, value)| (metric.into(), value)).collect()
    }
}
