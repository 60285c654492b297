//! Bandwidth of memory by the mix of reads and writes: `mixed_bandwidth`.

use std::rc::Rc;
use std::sync::Mutex;

use paw_data::axis;
use paw_data::outcome::{Caveat, Check};
use paw_data::point::{AxisValue, Point};
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::{OutOfMemory, Pages};
use paw_native::load::{Loader, Mix, ROUND_STEPS, STEP_BYTES};
use paw_native::page_count::PageCount;
use paw_native::stream::StreamKernels;

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};
use crate::engine::Engine;
use crate::host::Host;
use crate::memory::granted_pages::{PAGES, caveat, pages, refuse};

/// Each thread reads and writes data of its own in a mix.
pub const MIXED_BANDWIDTH: Benchmark = Own {
    name: "mixed_bandwidth",
    purpose: "What does memory deliver to reads and writes in one mix or another?",
    timed: "each thread goes through data of its own: it reads them, adds one to some of the lines that it reads, or stores past the \
            caches what it reads elsewhere",
    formula: "49152*threads*floor(bytes/49152/threads); bytes read and bytes written, by whole rounds of every mix",
    work: |point| Work { bytes: (moved_by_each(point) * threads(point)) as f64, ..Work::default() },
    start,
}
.of(Common {
    axes: &[BYTES, EACH_MIX, PAGES],
    by_name: true,
    memory_bytes: |point| (moved_by_each(point) * threads(point)) as f64,
    ..super::BANDWIDTH
});

/// The mix of reads and writes.
pub const MIX: Axis = Axis {
    name: axis::MIX,
    meaning: "reads to writes; writes go to lines that were read, with -nt past the caches to others (2:1-nt is a triad, 1:1-nt a copy)",
    values: Values::Words(&MIXES),
};
const EACH_MIX: Axis = Axis { values: Values::Each(&MIXES), ..MIX };
const BYTES: Axis = Axis {
    name: axis::BYTES,
    meaning: "bytes that all threads together read and write in going through their data once; half of them are in memory, or more",
    values: Values::Machine(moved),
};

/// Names of the mixes.
const MIXES: [&str; Mix::NAMED.len()] = {
    let mut names = [""; Mix::NAMED.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = Mix::NAMED[at].0;
        at += 1;
    }
    names
};

/// Bytes of which every mix has whole rounds.
const GRANULE: u64 = ROUND_STEPS as u64 * STEP_BYTES;

/// Twice what STREAM's rule asks for: of data that are written in place, half as many bytes lie in memory.
fn moved(host: &Host) -> Vec<AxisValue> {
    vec![AxisValue::Int(host.memory_bytes_for(2.0 * super::CACHES * host.all_last_caches_bytes(), 1) as i64)]
}

fn threads(point: &Point) -> u64 {
    point.int(axis::THREADS).unwrap_or(1).unsigned_abs().max(1)
}

/// Bytes that each thread moves in an iteration.
fn moved_by_each(point: &Point) -> u64 {
    point.int(axis::BYTES).unwrap_or(0).max(0) as u64 / threads(point) / GRANULE * GRANULE
}

/// The mix that `point` names: reads where it names none.
pub fn mix(point: &Point) -> Result<Mix, Fault> {
    let name = point.text(axis::MIX).unwrap_or(MIXES[0]);
    let mix = Mix::named(name).ok_or_else(|| Fault::Missing(format!("`{name}` is no mix of reads and writes")))?;
    if matches!(mix, Mix::PastCaches(_)) && !StreamKernels::new().has_non_temporal() {
        return Err(Fault::Missing("this instruction set has no stores past the caches".to_owned()));
    }
    Ok(mix)
}

/// The loaders that were made, unless the system refused the memory or gave one of them no huge page though asked.
pub fn granted_loaders(made: impl Iterator<Item = Result<Loader, OutOfMemory>>) -> Result<Vec<Mutex<Loader>>, Fault> {
    let granted = |loader: Result<Loader, OutOfMemory>| {
        let loader = loader.map_err(|error| Fault::Missing(error.to_string()))?;
        refuse(loader.data().pages(), loader.data().page_count())?;
        Ok(Mutex::new(loader))
    };
    made.map(granted).collect()
}

/// What the kernel says of a loader's pages.
pub fn page_count(loader: &Mutex<Loader>) -> Option<PageCount> {
    loader.lock().expect("no loader panics").data().page_count()
}

struct MixedBandwidth {
    engine: Rc<Engine>,
    /// One for each thread.
    loaders: Vec<Mutex<Loader>>,
    bytes: u64,
    mix: Mix,
    pages: Pages,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let (bytes, mix, pages) = (moved_by_each(start.point), mix(start.point)?, pages(start.point));
    if bytes == 0 {
        return Err(Fault::Missing(format!("a thread moves {GRANULE} bytes at least, whole rounds of every mix")));
    }
    let loaders = loaders(start.engine, bytes, mix, pages)?;
    Ok(Box::new(MixedBandwidth { engine: Rc::clone(start.engine), loaders, bytes, mix, pages }))
}

/// Data of each thread, which touches them first.
fn loaders(engine: &Engine, bytes: u64, mix: Mix, pages: Pages) -> Result<Vec<Mutex<Loader>>, Fault> {
    granted_loaders(engine.native()?.pool.map(|_| Loader::try_new(bytes, mix, pages)).into_iter())
}

impl Timed for MixedBandwidth {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let (loaders, pool) = (&self.loaders, &self.engine.native()?.pool);
        let start = clock.start();
        pool.run(|worker| {
            loaders[worker].lock().expect("no loader panics").pass(loops);
        });
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// Goes through the data once more: it moves the bytes that are counted, and every write there ever was is found.
    fn verify(&mut self) -> Result<Check, Fault> {
        let loaders = &self.loaders;
        let moved = self.engine.native()?.pool.map(|worker| loaders[worker].lock().expect("no loader panics").pass(1));
        let short = moved.iter().find(|moved| **moved != self.bytes);
        let short = short.map(|moved| format!("a thread moved {moved} bytes, not {}", self.bytes));
        let is_right = |loader: &Mutex<Loader>| loader.lock().expect("no loader panics").is_right();
        let lost = (!loaders.iter().all(is_right)).then(|| "a thread's writes are not all there".to_owned());
        Ok(answer::exact("every write, and the bytes moved", short.or(lost)))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        // The old data are freed first: memory may not hold both.
        self.loaders.clear();
        self.loaders = loaders(&self.engine, self.bytes, self.mix, self.pages)?;
        Ok(())
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }

    fn caveats(&self) -> Vec<Caveat> {
        caveat(self.pages, self.loaders.iter().map(page_count)).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use paw_data::outcome::CheckVerdict::{Fail, Pass};

    use super::*;
    use crate::engine::local;

    #[test]
    fn a_lost_write_and_a_short_way_are_found_in_every_mix() {
        let engine = local(&[]).expect("our own code runs everywhere");
        for (name, mix) in Mix::NAMED {
            let loaders = loaders(&engine, GRANULE, mix, Pages::Plain).expect("there is room");
            let mut own =
                MixedBandwidth { engine: Rc::clone(&engine), loaders, bytes: GRANULE, mix, pages: Pages::Plain };
            own.time(2, &Clock::monotonic()).expect("it runs");
            assert_eq!(own.verify().expect("it runs").verdict, Pass, "{name}");
            own.bytes += 1;
            assert_eq!(own.verify().expect("it runs").verdict, Fail, "{name}");
            own.bytes -= 1;
            own.loaders[0].lock().expect("no loader panics").forget();
            assert_eq!(own.verify().expect("it runs").verdict, Fail, "{name}");
        }
    }
}
