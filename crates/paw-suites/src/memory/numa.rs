//! Memory of each node from processors of each node: `numa_bandwidth`, `numa_latency`.

mod place;

use std::hint::black_box;
use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::{Caveat, Check};
use paw_data::point::{AxisValue, Point};
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::{Aligned, Pages};
use paw_native::chase::{Chase, LINE_BYTES};
use paw_native::pool::ThreadPool;
use paw_native::stream::StreamKernels;

use self::place::Place;
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};
use crate::choice::Threads;
use crate::engine::Engine;
use crate::host::Host;
use crate::memory::granted_pages::{PAGES, granted, pages, refuse};

/// The sum of an array in the memory of one node, read by the processors of one node.
pub const NUMA_BANDWIDTH: Benchmark = Own {
    name: "numa_bandwidth",
    purpose: "What does the memory of each node deliver to the processors of each node?",
    timed: "the sum of an array that is bound to a node, read as four streams by each of the run's threads that are on a node",
    formula: "8*floor(bytes/8); whole doubles, read once",
    work: |point| Work { bytes: 8.0 * doubles(point) as f64, ..Work::default() },
    start: start_bandwidth,
}
.of(Common {
    axes: &[BYTES, NODES, PAGES],
    threads: &[Threads::All],
    by_name: true,
    memory_bytes: |point| 8.0 * doubles(point) as f64,
    ..super::BANDWIDTH
});

/// Seconds of one dependent load from the memory of one node by a processor of one node.
pub const NUMA_LATENCY: Benchmark = Own {
    name: "numa_latency",
    purpose: "How long does a load take from the memory of each node by a processor of each node?",
    timed: "dependent loads, on the first processor of a node, along a random cycle through memory that is bound to a node",
    formula: "1; one load",
    work: |_| Work::default(),
    start: start_latency,
}
.of(Common {
    headline: Quantity::Time,
    axes: &[WORKING_SET, NODES, PAGES],
    threads: &[Threads::Count(1)],
    by_name: true,
    memory_bytes: |point| point.float(axis::BYTES).unwrap_or(0.0),
    ..super::BANDWIDTH
});

const NODES: Axis = Axis {
    name: axis::NODES,
    meaning: "the node of the processors and the node of the memory, by the kernel's numbers: 0-1; of more than 16 nodes of a kind, 16 \
              that are spread evenly",
    values: Values::Sampled {
        some: |host| place::pairs(&host.topology, NODES_MAX),
        all: |host| place::pairs(&host.topology, usize::MAX),
    },
};
const BYTES: Axis = Axis { name: axis::BYTES, meaning: "bytes of the array", values: Values::Machine(array_bytes) };
const WORKING_SET: Axis =
    Axis { name: axis::BYTES, meaning: "working set, in bytes", values: Values::Machine(working_set) };

/// The most nodes of processors, and of memory, that are measured unless the user names some.
const NODES_MAX: usize = 16;
/// Streams that each thread reads side by side, as in `read`.
const STREAMS: usize = 4;
/// Seed of the cycle.
const SEED: u64 = 8713;

fn array_bytes(host: &Host) -> Vec<AxisValue> {
    sized(host, super::CACHES * host.all_last_caches_bytes())
}

fn working_set(host: &Host) -> Vec<AxisValue> {
    sized(host, super::CACHES * host.last_cache_bytes())
}

/// `wanted` bytes, or as much as every node has room for: all cells are of one size.
fn sized(host: &Host, wanted: f64) -> Vec<AxisValue> {
    vec![AxisValue::Int(host.memory_bytes_for(wanted.min(place::room(&host.topology)), 1) as i64)]
}

/// Doubles of the array.
fn doubles(point: &Point) -> usize {
    (point.float(axis::BYTES).unwrap_or(0.0) / 8.0) as usize
}

struct Bandwidth {
    /// Kept for the processors of the cell.
    _engine: Rc<Engine>,
    place: Place,
    pool: ThreadPool,
    kernels: StreamKernels,
    data: Aligned<f64>,
}

fn start_bandwidth(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let native = start.engine.native()?;
    let mut place = Place::named(start.point)?;
    let pool = place.pool(native.pool.cpus(), native.pool.threads())?;
    let data = zeros_and_ones(&mut place, &pool, doubles(start.point), pages(start.point))?;
    let engine = Rc::clone(start.engine);
    Ok(Box::new(Bandwidth { _engine: engine, place, pool, kernels: StreamKernels::new(), data }))
}

fn zeros_and_ones(place: &mut Place, pool: &ThreadPool, len: usize, pages: Pages) -> Result<Aligned<f64>, Fault> {
    let mut data = place.buffer(len, pages)?;
    data.fill(pool, |index| (index % 2) as f64);
    granted(Ok(data))
}

impl Timed for Bandwidth {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let (kernels, data, pool) = (self.kernels, &self.data, &self.pool);
        let workers = pool.threads();
        pool.wake();
        let start = clock.start();
        for _ in 0..loops {
            pool.run(|worker| {
                black_box(kernels.read(STREAMS, &data[data.part(workers, worker)]));
            });
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// Checks the sum, which is exact, and that the array's pages are on the node.
    fn verify(&mut self) -> Result<Check, Fault> {
        let (data, pool, kernels) = (&self.data, &self.pool, self.kernels);
        let workers = pool.threads();
        let parts = pool.map(|worker| kernels.read(STREAMS, &data[data.part(workers, worker)]));
        let (found, expected) = (parts.iter().sum::<f64>(), (data.len() / 2) as f64);
        let wrong = (found != expected).then(|| format!("the sum is {found}, not {expected}"));
        Ok(answer::exact(self.place.method("sum"), wrong.or(self.place.elsewhere(data)?)))
    }

    fn threads(&self) -> Vec<i32> {
        self.pool.tids()
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.place.caveats(&self.data)
    }
}

struct Latency {
    /// Kept for the processors of the cell.
    _engine: Rc<Engine>,
    place: Place,
    pool: ThreadPool,
    chase: Chase,
    at: usize,
}

fn start_latency(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let mut place = Place::named(start.point)?;
    let pool = place.pool(&[], 1)?;
    pool.wake();
    let nodes = (start.point.int(axis::BYTES).unwrap_or(0).max(0) as usize / LINE_BYTES).max(2);
    let links = place.buffer::<usize>(nodes * LINE_BYTES / size_of::<usize>(), pages(start.point))?;
    let chase = Chase::through(links, LINE_BYTES, SEED);
    refuse(chase.links().pages(), chase.links().page_count())?;
    // Samples find the caches as walking leaves them, not as writing does.
    black_box(chase.walk(0, chase.nodes() as u64));
    Ok(Box::new(Latency { _engine: Rc::clone(start.engine), place, pool, chase, at: 0 }))
}

impl Timed for Latency {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.pool.wake();
        let start = clock.start();
        let end = self.chase.walk(self.at, loops);
        let stop = clock.stop();
        self.at = end;
        Ok(clock.seconds(start, stop))
    }

    /// Checks that there is one cycle, and that its pages are on the node.
    fn verify(&mut self) -> Result<Check, Fault> {
        let wrong = (!self.chase.is_one_cycle()).then(|| "the cycle does not visit every node once".to_owned());
        let elsewhere = self.place.elsewhere(self.chase.links())?;
        Ok(answer::exact(self.place.method("one cycle through every node"), wrong.or(elsewhere)))
    }

    fn threads(&self) -> Vec<i32> {
        self.pool.tids()
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.place.caveats(self.chase.links())
    }
}

#[cfg(test)]
mod tests {
    use paw_data::outcome::CheckVerdict::{Fail, Pass};

    use super::*;
    use crate::engine::local;

    /// The first cell of this machine, started by `start`.
    fn first() -> Point {
        let topology = paw_machine::topology::Topology::read(&paw_machine::root::Root::host()).expect("it is listed");
        Point::new().with(axis::NODES, place::pairs(&topology, 1)[0].clone()).with(axis::BYTES, 1_i64 << 20)
    }

    #[test]
    fn a_wrong_answer_is_found_and_so_is_memory_of_another_node() {
        let engine = local(&[]).expect("our own code runs everywhere");
        let mut place = Place::named(&first()).expect("it is planned");
        let pool = place.pool(&[], 1).expect("a processor is there");
        let data = zeros_and_ones(&mut place, &pool, 100_000, Pages::Plain).expect("room");
        let mut own = Bandwidth { _engine: engine, place, pool, kernels: StreamKernels::new(), data };
        assert_eq!(own.verify().expect("it runs").verdict, Pass);
        if own.place.is_bound() {
            own.place.expect_on(1000);
            let check = own.verify().expect("it runs");
            assert_eq!(check.verdict, Fail);
            assert!(check.note.contains("not on node 1000"), "{}", check.note);
        }
        own.data[17] = 3.0;
        assert_eq!(own.verify().expect("it runs").verdict, Fail);
    }

    #[test]
    fn a_cell_without_two_nodes_is_refused_by_name() {
        for text in ["", "0", "a-b", "0-99999"] {
            let point = first().with(axis::NODES, text);
            let engine = local(&[]).expect("our own code runs everywhere");
            let error = start_latency(&Start { point: &point, engine: &engine, last_cache_bytes: 1e6 }).err();
            assert!(error.is_some(), "{text}");
        }
    }
}
