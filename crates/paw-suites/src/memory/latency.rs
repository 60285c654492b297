//! The latency of a load, by working set: `memory_latency`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::headline::{Family, Pick};
use paw_data::outcome::{Caveat, Check};
use paw_data::point::AxisValue;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::Pages;
use paw_native::chase::{Chase, LINE_BYTES};

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Providers, Start, Values};
use crate::choice::Threads;
use crate::engine::Engine;
use crate::host::Host;
use crate::ladder::doubling;
use crate::memory::granted_pages::{PAGES, caveat, pages, refuse};

/// Seconds of one dependent load.
pub const LATENCY: Benchmark = Own {
    name: "memory_latency",
    purpose: "How long does a load take, by working set? (The steps are the cache levels.)",
    timed: "dependent loads along a random cycle through every cache line of the working set",
    formula: "1; one load",
    work: |_| Work::default(),
    start,
}
.of(Common {
    suite: super::SUITE,
    family: Family::Memory,
    headline: Quantity::Time,
    providers: Providers::Native,
    axes: &[BYTES, PAGES],
    references: &[],
    variables: &[],
    threads: &[Threads::Count(1)],
    by_name: false,
    counts_waits: false,
    memory_bytes: |point| point.float(axis::BYTES).unwrap_or(0.0),
})
.quick(&[(axis::BYTES, Values::Machine(levels))])
.figures(&[Figure { line: 40, preference: 0, label: "latency", pick: Pick::Levels }]);

const BYTES: Axis = Axis { name: axis::BYTES, meaning: "working set, in bytes", values: Values::Machine(working_sets) };

/// Seed of the cycle: the same in every run, so that all runs walk the same cycle.
const SEED: u64 = 8713;

/// Working sets from a quarter of a first-level cache to four times the last, by doubling.
fn working_sets(host: &Host) -> Vec<AxisValue> {
    let last = host.memory_bytes_for(4.0 * host.last_cache_bytes(), 1);
    doubling(8 << 10, (last as i64).max(16 << 10)).into_iter().map(AxisValue::Int).collect()
}

/// The largest working set of the quick assessment, unless twice the last cache is larger: its cycle is made in seconds.
const QUICK_MAX: f64 = 1024.0 * 1024.0 * 1024.0;

/// One working set for each level of the memory hierarchy: half of each cache, and several times the last one for memory.
fn levels(host: &Host) -> Vec<AxisValue> {
    let mut sizes: Vec<f64> = host.data_caches_bytes().into_iter().map(|bytes| bytes / 2.0).collect();
    let last = host.last_cache_bytes();
    sizes.push(host.memory_bytes_for((super::CACHES * last).min(QUICK_MAX.max(2.0 * last)), 1) as f64);
    sizes.into_iter().map(|bytes| AxisValue::Int(bytes as i64)).collect()
}

struct Latency {
    engine: Rc<Engine>,
    chase: Chase,
    at: usize,
    bytes: usize,
    stride_bytes: usize,
    pages: Pages,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let bytes = start.point.int(axis::BYTES).unwrap_or(0).max(2 * LINE_BYTES as i64) as usize;
    begin(start, bytes, LINE_BYTES)
}

/// A chase through `bytes`, one load every `stride_bytes`.
pub(super) fn begin(start: &Start<'_>, bytes: usize, stride_bytes: usize) -> Result<Box<dyn Timed>, Fault> {
    let pages = pages(start.point);
    start.engine.native()?.sit();
    let (engine, chase) = (Rc::clone(start.engine), walked(bytes, stride_bytes, pages)?);
    Ok(Box::new(Latency { engine, chase, at: 0, bytes, stride_bytes, pages }))
}

/// A cycle, walked once: a sample of a large cycle covers a part of it, and must find the caches as walking leaves them, not as
/// writing does.
pub(super) fn walked(bytes: usize, stride_bytes: usize, pages: Pages) -> Result<Chase, Fault> {
    let chase = Chase::try_new(bytes, stride_bytes, SEED, pages).map_err(|e| Fault::Missing(e.to_string()))?;
    refuse(pages, chase.links().page_count())?;
    std::hint::black_box(chase.walk(0, chase.nodes() as u64));
    Ok(chase)
}

impl Timed for Latency {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        let end = self.chase.walk(self.at, loops);
        let stop = clock.stop();
        self.at = end;
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let wrong = (!self.chase.is_one_cycle()).then(|| "the cycle does not visit every node once".to_owned());
        Ok(answer::exact("one cycle through every node", wrong))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        (self.chase, self.at) = (walked(self.bytes, self.stride_bytes, self.pages)?, 0);
        Ok(())
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }

    fn caveats(&self) -> Vec<Caveat> {
        caveat(self.pages, [self.chase.links().page_count()]).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use paw_data::outcome::CheckVerdict::{Fail, Pass};

    use super::*;
    use crate::engine::local;

    #[test]
    fn a_cycle_that_leaves_lines_out_is_found() {
        let engine = local(&[]).expect("our own code runs everywhere");
        let chase = walked(4096, LINE_BYTES, Pages::Plain).expect("there is room");
        let mut latency = Latency { engine, chase, at: 0, bytes: 4096, stride_bytes: LINE_BYTES, pages: Pages::Plain };
        assert_eq!(latency.verify().expect("it runs").verdict, Pass);
        latency.chase.trap(17);
        assert_eq!(latency.verify().expect("it runs").verdict, Fail);
    }
}
