//! The latency of a load while others load the memory: `loaded_latency`.

use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use paw_data::axis;
use paw_data::outcome::{Caveat, Check};
use paw_data::point::{AxisValue, Point};
use paw_data::quantity::Quantity;
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::Pages;
use paw_native::chase::{Chase, LINE_BYTES};
use paw_native::load::{Loader, Mix, Moved};

use super::latency;
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};
use crate::choice::Threads;
use crate::engine::Engine;
use crate::host::Host;
use crate::memory::granted_pages::{PAGES, caveat, pages};
use crate::memory::mixed_bandwidth;

/// Seconds of one dependent load while all other threads move memory at a throttled rate.
pub const LOADED_LATENCY: Benchmark = Own {
    name: "loaded_latency",
    purpose: "How long does a load from memory take while the other cores load the memory?",
    timed: "dependent loads on one thread, while each other thread reads an array, or reads and writes it, with a pause every 4 KiB",
    formula: "1; one load",
    work: |_| Work::default(),
    start,
}
.of(Common {
    headline: Quantity::Time,
    axes: &[DELAY, mixed_bandwidth::MIX, BYTES, PAGES],
    threads: &[Threads::All],
    by_name: true,
    memory_bytes: |point| 2.0 * bytes(point) as f64,
    ..super::BANDWIDTH
});

const DELAY: Axis = Axis {
    name: axis::DELAY,
    meaning: "pause of a loading thread after every 4 KiB, in ns; a millisecond leaves the memory idle",
    values: Values::Ints(&[0, 100, 200, 400, 800, 1600, 6400, 1_000_000]),
};
const BYTES: Axis = Axis {
    name: axis::BYTES,
    meaning: "working set of the loads, and of all loading threads together, in bytes",
    values: Values::Machine(working_set),
};

/// Twice the last caches: the loading threads, which share them, leave the loads little of them.
fn working_set(host: &Host) -> Vec<AxisValue> {
    vec![AxisValue::Int(host.memory_bytes_for(2.0 * host.all_last_caches_bytes(), 2) as i64)]
}

fn bytes(point: &Point) -> usize {
    point.int(axis::BYTES).unwrap_or(0).max(0) as usize
}

/// Loads before a sample begins, while the others load already.
const LEAD: u64 = 1000;

struct LoadedLatency {
    engine: Rc<Engine>,
    chase: Chase,
    at: usize,
    /// One for each thread but the first.
    loaders: Vec<Mutex<Loader>>,
    moved: Vec<Moved>,
    delay: Duration,
    /// Bytes a second that the loaders moved in the last sample.
    rate: f64,
    bytes: usize,
    mix: Mix,
    pages: Pages,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let bytes = match start.point.int(axis::BYTES) {
        Some(_) => bytes(start.point),
        None => 2 * start.last_cache_bytes as usize,
    };
    let mix = mixed_bandwidth::mix(start.point)?;
    let delay = Duration::from_nanos(start.point.int(axis::DELAY).unwrap_or(0).max(0) as u64);
    let pages = pages(start.point);
    let (chase, loaders) = operands(start.engine, bytes, mix, pages)?;
    let moved = loaders.iter().map(|_| Moved::default()).collect();
    let engine = Rc::clone(start.engine);
    Ok(Box::new(LoadedLatency { engine, chase, at: 0, loaders, moved, delay, rate: 0.0, bytes, mix, pages }))
}

/// The cycle of the first thread, and the arrays of the others, each touched first by its thread.
fn operands(engine: &Engine, bytes: usize, mix: Mix, pages: Pages) -> Result<(Chase, Vec<Mutex<Loader>>), Fault> {
    let pool = &engine.native()?.pool;
    pool.wake();
    let chase = latency::walked(bytes, LINE_BYTES, pages)?;
    let share = mix.moved((bytes / (pool.threads() - 1).max(1)) as u64);
    let made = pool.map(|worker| (worker > 0).then(|| Loader::try_new(share, mix, pages)));
    Ok((chase, mixed_bandwidth::granted_loaders(made.into_iter().flatten())?))
}

/// Bytes that all loaders have moved.
fn total(moved: &[Moved]) -> u64 {
    moved.iter().map(Moved::bytes).sum()
}

/// What the first thread saw: where its walk ended, its seconds, and the bytes that the others moved meanwhile.
struct Seen {
    at: usize,
    seconds: f64,
    bytes: u64,
}

impl Timed for LoadedLatency {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let (is_over, seen) = (AtomicBool::new(false), Mutex::new(None));
        let (chase, at, loaders, moved, delay) = (&self.chase, self.at, &self.loaders, &self.moved[..], self.delay);
        let before: Vec<u64> = moved.iter().map(Moved::bytes).collect();
        let have_begun = || moved.iter().zip(&before).all(|(moved, before)| moved.bytes() > *before);
        self.engine.native()?.pool.run(|worker| {
            if let Some(index) = worker.checked_sub(1) {
                return loaders[index].lock().expect("no loader panics").run(delay, &is_over, &moved[index]);
            }
            while !have_begun() {
                // A loader may share this processor.
                std::thread::yield_now();
            }
            let lead = chase.walk(at, LEAD);
            let first = total(moved);
            let start = clock.start();
            let at = chase.walk(lead, loops);
            let stop = clock.stop();
            let bytes = total(moved) - first;
            is_over.store(true, Ordering::Relaxed);
            *seen.lock().expect("one thread writes it") = Some(Seen { at, seconds: clock.seconds(start, stop), bytes });
        });
        let seen = seen.into_inner().ok().flatten().ok_or_else(|| Fault::Broken("the loads never ran".to_owned()))?;
        self.at = seen.at;
        self.rate = if seen.seconds > 0.0 { seen.bytes as f64 / seen.seconds } else { 0.0 };
        Ok(seen.seconds)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let wrong = (!self.chase.is_one_cycle()).then(|| "the cycle does not visit every node once".to_owned());
        let is_right = |loader: &Mutex<Loader>| loader.lock().expect("no loader panics").is_right();
        let lost =
            (!self.loaders.iter().all(is_right)).then(|| "a loading thread's writes are not all there".to_owned());
        Ok(answer::exact("one cycle, and every write of the loading threads", wrong.or(lost)))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        (self.chase, self.loaders) = operands(&self.engine, self.bytes, self.mix, self.pages)?;
        self.at = 0;
        Ok(())
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }

    fn extra(&self) -> Vec<(MetricName, f64)> {
        vec![(SecondaryMetric::LoadRate.into(), self.rate)]
    }

    fn caveats(&self) -> Vec<Caveat> {
        let alone =
            || Caveat::new("no-load", "one thread: no other loads the memory".to_owned(), "use --threads 2 or more");
        let chase = [self.chase.links().page_count()];
        let counts = chase.into_iter().chain(self.loaders.iter().map(mixed_bandwidth::page_count));
        self.loaders.is_empty().then(alone).into_iter().chain(caveat(self.pages, counts)).collect()
    }
}

#[cfg(test)]
mod tests {
    use paw_data::outcome::CheckVerdict::{Fail, Pass};

    use super::*;
    use crate::engine::local;

    #[test]
    fn what_the_others_moved_is_told_with_the_latency_and_a_lost_write_is_found() {
        let engine = local(&[0, 0]).expect("our own code runs everywhere");
        let point = Point::new().with(axis::BYTES, 1_i64 << 16);
        let (chase, loaders) = operands(&engine, bytes(&point), Mix::InPlace(1), Pages::Plain).expect("there is room");
        let moved = vec![Moved::default()];
        let delay = Duration::ZERO;
        let mut own = LoadedLatency {
            engine,
            chase,
            at: 0,
            loaders,
            moved,
            delay,
            rate: 0.0,
            bytes: 1 << 16,
            mix: Mix::InPlace(1),
            pages: Pages::Plain,
        };
        assert!(own.time(1000, &Clock::monotonic()).expect("it runs") > 0.0);
        assert!(total(&own.moved) > 0, "the loader has worked");
        assert_eq!(own.verify().expect("it runs").verdict, Pass);
        own.loaders[0].lock().expect("no loader panics").forget();
        assert_eq!(own.verify().expect("it runs").verdict, Fail);
    }
}
