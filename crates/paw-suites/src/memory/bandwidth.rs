//! Bandwidth of one level of the memory hierarchy to cores that work on their own data: `cache_bandwidth`, the slopes of a roofline.

use std::hint::black_box;
use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::{AxisValue, Point};
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::{Aligned, Pages};
use paw_native::stream::{Stores, StreamKernels};

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};
use crate::engine::Engine;
use crate::host::Host;

/// Each thread's own data, gone through again and again without a pause.
pub const CACHE_BANDWIDTH: Benchmark = Own {
    name: "cache_bandwidth",
    purpose: "What does each cache deliver to a core that works on data of its own?",
    timed: "each thread goes through its own data again and again: the sum of an array, or a = b + s c over three",
    formula: "12288*floor(bytes/12288)*threads; three arrays of whole pages a thread",
    work: |point| Work { bytes: (8 * len(point)) as f64 * threads(point) as f64, ..Work::default() },
    start,
}
.of(Common {
    axes: &[BYTES, PATTERN],
    by_name: true,
    memory_bytes: |point| (8 * len(point)) as f64 * threads(point) as f64,
    ..super::BANDWIDTH
});

const BYTES: Axis = Axis {
    name: axis::BYTES,
    meaning: "bytes that each thread works on: half of its first cache, and a size inside each further one",
    values: Values::Machine(sizes),
};
const PATTERN: Axis = Axis {
    name: axis::PATTERN,
    meaning: "loads alone (read), or two loads and a store (triad)",
    values: Values::Each(&[READ, TRIAD]),
};

const READ: &str = "read";
const TRIAD: &str = "triad";
/// Elements on the pages of three arrays, of which a thread's data are whole multiples.
const GRANULE: usize = 3 * Aligned::<f64>::PAGE_LEN;
/// Streams that a sum reads side by side; the benchmark `read` has the reason.
const STREAMS: usize = 4;

/// A size for each cache that has room for one: half of the first, and four times the cache before, if half of a core's part of the cache
/// holds that.
fn sizes(host: &Host) -> Vec<AxisValue> {
    let sharing = f64::from(host.topology.allowed().len().max(1) as u32);
    let caches = host.data_caches_bytes();
    let last = caches.len().saturating_sub(1);
    let mut before = 0.0_f64;
    let mut sizes = Vec::new();
    for (level, bytes) in caches.into_iter().enumerate() {
        // The last cache is shared; the ones before belong to a core.
        let own = if level == last && level > 0 { bytes / sharing } else { bytes };
        let size = if level == 0 { own / 2.0 } else { (4.0 * before).min(own / 2.0) };
        if size > 1.5 * before {
            sizes.push(AxisValue::Int(size as i64));
        }
        before = bytes;
    }
    sizes
}

fn threads(point: &Point) -> u64 {
    point.int(axis::THREADS).unwrap_or(1).unsigned_abs()
}

/// Elements that each thread works on.
fn len(point: &Point) -> usize {
    (point.float(axis::BYTES).unwrap_or(0.0) / 8.0) as usize / GRANULE * GRANULE
}

/// The scalar of the triad.
const S: f64 = 0.5;

struct CacheBandwidth {
    engine: Rc<Engine>,
    kernels: StreamKernels,
    /// The data of all threads, one after the other: zeros and ones in turn.
    data: Aligned<f64>,
    pattern: &'static str,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let pattern = if start.point.text(axis::PATTERN) == Some(TRIAD) { TRIAD } else { READ };
    let each = len(start.point);
    if each == 0 {
        return Err(Fault::Missing("a thread works on 12288 bytes at least: three arrays of a page".to_owned()));
    }
    let data = filled(start.engine, each * start.engine.native()?.pool.threads())?;
    Ok(Box::new(CacheBandwidth { engine: Rc::clone(start.engine), kernels: StreamKernels::new(), data, pattern }))
}

fn filled(engine: &Engine, len: usize) -> Result<Aligned<f64>, Fault> {
    let data = Aligned::try_filled(len, Pages::Plain, &engine.native()?.pool, |index| (index % 2) as f64);
    data.map_err(|error| Fault::Missing(error.to_string()))
}

/// The arrays a, b and c of a triad: thirds of a thread's data.
fn thirds(part: &mut [f64]) -> (&mut [f64], &[f64], &[f64]) {
    let third = part.len() / 3;
    let (a, rest) = part.split_at_mut(third);
    let (b, c) = rest.split_at(third);
    (a, b, c)
}

impl Timed for CacheBandwidth {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let (kernels, pattern, pool) = (self.kernels, self.pattern, &self.engine.native()?.pool);
        let start = clock.start();
        pool.run_parts(&mut self.data, GRANULE, |_, _, part| {
            for _ in 0..loops {
                if pattern == READ {
                    black_box(kernels.read(STREAMS, &*part));
                } else {
                    let (a, b, c) = thirds(black_box(&mut *part));
                    kernels.triad(Stores::Normal, S, b, c, a);
                }
            }
        });
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// Checks the sum, or every element of a triad, on the data as the timed passes left them; both are exact.
    fn verify(&mut self) -> Result<Check, Fault> {
        let (kernels, pattern, pool) = (self.kernels, self.pattern, &self.engine.native()?.pool);
        let wrong = std::sync::Mutex::new(None);
        pool.run_parts(&mut self.data, GRANULE, |_, range, part| {
            let fault =
                if pattern == READ { sum_fault(kernels, part) } else { triad_fault(kernels, range.start, part) };
            if let Some(fault) = fault {
                *wrong.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(fault);
            }
        });
        let wrong = wrong.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(answer::exact(if pattern == READ { "sum" } else { "every element" }, wrong))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.data = filled(&self.engine, self.data.len())?;
        Ok(())
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }
}

fn sum_fault(kernels: StreamKernels, part: &[f64]) -> Option<String> {
    let (found, expected) = (kernels.read(STREAMS, part), (part.len() / 2) as f64);
    (found != expected).then(|| format!("the sum is {found}, not {expected}"))
}

/// What is wrong after a triad over thirds of `part`, whose first element has the number `first`.
fn triad_fault(kernels: StreamKernels, first: usize, part: &mut [f64]) -> Option<String> {
    let third = part.len() / 3;
    let (a, b, c) = thirds(part);
    a.fill(f64::NAN);
    kernels.triad(Stores::Normal, S, b, c, a);
    let initial = |offset: usize| ((first + offset) % 2) as f64;
    let expected = |at: usize| initial(third + at) + S * initial(2 * third + at);
    let wrong = (0..third).find(|&at| a[at] != expected(at))?;
    Some(format!("element {wrong} is {}, not {}", a[wrong], expected(wrong)))
}

#[cfg(test)]
mod tests {
    use paw_data::outcome::CheckVerdict::{Fail, Pass};

    use super::*;
    use crate::engine::local;

    #[test]
    fn a_changed_element_is_found_by_both_patterns() {
        let engine = local(&[]).expect("our own code runs everywhere");
        for (pattern, at) in [(READ, 5), (READ, GRANULE - 1), (TRIAD, GRANULE / 3 + 7), (TRIAD, GRANULE - 1)] {
            let data = filled(&engine, GRANULE).expect("there is room");
            let mut bandwidth =
                CacheBandwidth { engine: Rc::clone(&engine), kernels: StreamKernels::new(), data, pattern };
            assert_eq!(bandwidth.verify().expect("it runs").verdict, Pass, "{pattern}");
            bandwidth.data[at] = 2.0;
            assert_eq!(bandwidth.verify().expect("it runs").verdict, Fail, "{pattern}: element {at}");
        }
    }

    #[test]
    fn bytes_are_whole_pages_of_three_arrays_for_each_thread() {
        let point = Point::new().with(axis::BYTES, 30_000_i64).with(axis::THREADS, 2_i64);
        assert_eq!((CACHE_BANDWIDTH.work)(&point).bytes, 2.0 * 24_576.0);
    }
}
