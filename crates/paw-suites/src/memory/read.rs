//! Reading alone, as several streams: `read`, the roof of matrix-vector products.

use std::hint::black_box;
use std::rc::Rc;

use paw_data::axis;
use paw_data::headline::Pick;
use paw_data::outcome::{Caveat, Check};
use paw_data::point::{AxisValue, Point};
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::{Aligned, Pages};
use paw_native::stream::StreamKernels;

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Start, Values};
use crate::engine::Engine;
use crate::host::Host;
use crate::memory::granted_pages::{PAGES, caveat, granted, pages};

/// The sum of an array, read as several contiguous streams.
pub const READ: Benchmark = Own {
    name: "read",
    purpose: "What do caches and memory deliver to reading alone?",
    timed: "the sum of an array, each thread reading its part as several streams",
    formula: "8*floor(bytes/8); whole doubles, read once",
    work: |point| Work { bytes: 8.0 * len(point) as f64, ..Work::default() },
    start,
}
.of(Common { axes: &[BYTES, STREAMS, PAGES], memory_bytes: |point| 8.0 * len(point) as f64, ..super::BANDWIDTH })
.figures(&[Figure { line: 20, preference: 1, label: "read", pick: Pick::Best }]);

const BYTES: Axis = Axis { name: axis::BYTES, meaning: "bytes of the array", values: Values::Machine(array_sizes) };
const STREAMS: Axis = Axis {
    name: axis::STREAMS,
    meaning: "streams each thread reads side by side (1 to 8)",
    values: Values::Ints(&[4]),
};

/// Streams per thread: one does not fill a core's miss buffers; four did on every machine tried.
const STREAMS_DEFAULT: i64 = 4;

fn array_sizes(host: &Host) -> Vec<AxisValue> {
    vec![AxisValue::Int(host.memory_bytes_for(super::CACHES * host.all_last_caches_bytes(), 1) as i64)]
}

fn len(point: &Point) -> usize {
    (point.float(axis::BYTES).unwrap_or(0.0) / 8.0) as usize
}

fn zeros_and_ones(engine: &Engine, len: usize, pages: Pages) -> Result<Aligned<f64>, Fault> {
    granted(Aligned::try_filled(len, pages, &engine.native()?.pool, |index| (index % 2) as f64))
}

struct Read {
    engine: Rc<Engine>,
    kernels: StreamKernels,
    data: Aligned<f64>,
    streams: usize,
    pages: Pages,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let pages = pages(start.point);
    let streams = start.point.int(axis::STREAMS).unwrap_or(STREAMS_DEFAULT).clamp(1, 8) as usize;
    let data = zeros_and_ones(start.engine, len(start.point), pages)?;
    Ok(Box::new(Read { engine: Rc::clone(start.engine), kernels: StreamKernels::new(), data, streams, pages }))
}

impl Timed for Read {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let (kernels, data, streams) = (self.kernels, &self.data, self.streams);
        let pool = &self.engine.native()?.pool;
        let workers = pool.threads();
        let start = clock.start();
        for _ in 0..loops {
            pool.run(|worker| {
                black_box(kernels.read(streams, &data[data.part(workers, worker)]));
            });
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// Checks the sum, which is exact: the array holds zeros and ones in turn.
    fn verify(&mut self) -> Result<Check, Fault> {
        let (data, pool) = (&self.data, &self.engine.native()?.pool);
        let workers = pool.threads();
        let parts = pool.map(|worker| self.kernels.read(self.streams, &data[data.part(workers, worker)]));
        let (found, expected) = (parts.iter().sum::<f64>(), (data.len() / 2) as f64);
        Ok(answer::exact("sum", (found != expected).then(|| format!("the sum is {found}, not {expected}"))))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.data = zeros_and_ones(&self.engine, self.data.len(), self.pages)?;
        Ok(())
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }

    fn caveats(&self) -> Vec<Caveat> {
        caveat(self.pages, [self.data.page_count()]).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use paw_data::outcome::CheckVerdict::{Fail, Pass};

    use super::*;
    use crate::engine::local;

    #[test]
    fn a_changed_element_is_found_wherever_it_is() {
        let engine = local(&[]).expect("our own code runs everywhere");
        for (at, value) in [(0, 1.0), (500, 2.0), (999, f64::NAN)] {
            let pages = Pages::Plain;
            let data = zeros_and_ones(&engine, 1000, pages).expect("there is room");
            let mut read = Read { engine: Rc::clone(&engine), kernels: StreamKernels::new(), data, streams: 4, pages };
            assert_eq!(read.verify().expect("it runs").verdict, Pass);
            read.data[at] = value;
            assert_eq!(read.verify().expect("it runs").verdict, Fail, "element {at} is {value}");
        }
    }
}
