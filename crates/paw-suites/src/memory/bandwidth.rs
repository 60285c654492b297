//! Bandwidth of one level of the memory hierarchy to cores that work on their own data: `cache_bandwidth`, the slopes of a roofline.

use std::hint::black_box;
use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::{Caveat, Check};
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
use crate::memory::granted_pages::{PAGES, caveat, granted, pages};

/// Each thread's own data, gone through again and again without a pause.
pub const CACHE_BANDWIDTH: Benchmark = Own {
    name: "cache_bandwidth",
    purpose: "What does each cache deliver to a core that works on data of its own?",
    timed: "each thread goes through its own data again and again: the sum of an array, stores to it, c = a over two, or a = b + s c over three",
    formula: "12288*floor(bytes/12288)*threads; whole pages for one, two or three arrays a thread",
    work: |point| Work { bytes: (8 * len(point)) as f64 * threads(point) as f64, ..Work::default() },
    start,
}
.of(Common {
    axes: &[BYTES, PATTERN, PAGES],
    by_name: true,
    memory_bytes: |point| (8 * len(point)) as f64 * threads(point) as f64,
    ..super::BANDWIDTH
});

const BYTES: Axis = Axis {
    name: axis::BYTES,
    meaning: "bytes that each thread works on: half of its first cache, a size inside each further one, and four times the last one",
    values: Values::Machine(all_sizes),
};
const PATTERN: Axis = Axis {
    name: axis::PATTERN,
    meaning: "loads alone (read), stores alone (write), a load and a store (copy), or two loads and a store (triad)",
    values: Values::Each(&["read", "write", "copy", "triad"]),
};

/// What a thread does with its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Read,
    Write,
    Copy,
    Triad,
}

impl Pattern {
    fn of(point: &Point) -> Self {
        match point.text(axis::PATTERN) {
            Some("write") => Self::Write,
            Some("copy") => Self::Copy,
            Some("triad") => Self::Triad,
            _ => Self::Read,
        }
    }

    /// Goes through a thread's data as often as `kernels` do.
    fn pass(self, kernels: StreamKernels, part: &mut [f64]) {
        let half = part.len() / 2;
        match self {
            Self::Read => {
                black_box(kernels.read(STREAMS, &*part));
            }
            Self::Write => kernels.write(Stores::Normal, S, black_box(part)),
            Self::Copy => {
                let (a, c) = black_box(&mut *part).split_at_mut(half);
                kernels.copy(Stores::Normal, a, c);
            }
            Self::Triad => {
                let (a, b, c) = thirds(black_box(part));
                kernels.triad(Stores::Normal, S, b, c, a);
            }
        }
    }

    /// What is wrong after a pass over `part`, whose first element has the number `first`.
    fn fault(self, kernels: StreamKernels, first: usize, part: &mut [f64]) -> Option<String> {
        let initial = |at: usize| ((first + at) % 2) as f64;
        let len = part.len();
        let (changed, expected): (_, Box<dyn Fn(usize) -> f64>) = match self {
            Self::Read => {
                let (found, expected) = (kernels.read(STREAMS, part), (len / 2) as f64);
                return (found != expected).then(|| format!("the sum is {found}, not {expected}"));
            }
            Self::Write => (0..len, Box::new(|_| S)),
            Self::Copy => (len / 2..len, Box::new(move |at| initial(at - len / 2))),
            Self::Triad => (0..len / 3, Box::new(move |at| initial(len / 3 + at) + S * initial(2 * (len / 3) + at))),
        };
        part[changed.clone()].fill(f64::NAN);
        self.pass(kernels, part);
        let wrong = changed.clone().find(|at| part[*at] != expected(*at))?;
        Some(format!("element {wrong} is {}, not {}", part[wrong], expected(wrong)))
    }
}

/// Elements on the pages of three arrays, of which a thread's data are whole multiples.
const GRANULE: usize = 3 * Aligned::<f64>::PAGE_LEN;
/// Streams that a sum reads side by side; the benchmark `read` has the reason.
const STREAMS: usize = 4;

/// A size for each cache, and one that no cache holds.
fn all_sizes(host: &Host) -> Vec<AxisValue> {
    let mut sizes = sizes(host);
    let threads = host.topology.allowed().len().max(1) as u32;
    let most = host.memory_bytes_for(super::CACHES * host.last_cache_bytes(), threads);
    sizes.extend((most as f64 > host.last_cache_bytes()).then_some(AxisValue::Int(most as i64)));
    sizes
}

/// A size for each cache that has room for one: half of the first, and four times the cache before, if half of a core's part of the cache
/// holds that.
pub fn sizes(host: &Host) -> Vec<AxisValue> {
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
    pattern: Pattern,
    pages: Pages,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let each = len(start.point);
    if each == 0 {
        return Err(Fault::Missing("a thread works on 12288 bytes at least: three arrays of a page".to_owned()));
    }
    let (pattern, pages) = (Pattern::of(start.point), pages(start.point));
    let data = filled(start.engine, each * start.engine.native()?.pool.threads(), pages)?;
    Ok(Box::new(CacheBandwidth {
        engine: Rc::clone(start.engine),
        kernels: StreamKernels::new(),
        data,
        pattern,
        pages,
    }))
}

fn filled(engine: &Engine, len: usize, pages: Pages) -> Result<Aligned<f64>, Fault> {
    granted(Aligned::try_filled(len, pages, &engine.native()?.pool, |index| (index % 2) as f64))
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
            pattern.pass(kernels.repeated(loops), part);
        });
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// Checks the sum, or every element that a pass stores, on the data as the timed passes left them; both are exact.
    fn verify(&mut self) -> Result<Check, Fault> {
        let (kernels, pattern, pool) = (self.kernels, self.pattern, &self.engine.native()?.pool);
        let wrong = std::sync::Mutex::new(None);
        pool.run_parts(&mut self.data, GRANULE, |_, range, part| {
            if let Some(fault) = pattern.fault(kernels, range.start, part) {
                *wrong.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(fault);
            }
        });
        let wrong = wrong.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(answer::exact(if pattern == Pattern::Read { "sum" } else { "every element" }, wrong))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.data = filled(&self.engine, self.data.len(), self.pages)?;
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
    fn a_changed_element_is_found_by_every_pattern_that_reads() {
        let engine = local(&[]).expect("our own code runs everywhere");
        let places = [
            (Pattern::Read, 5),
            (Pattern::Read, GRANULE - 1),
            (Pattern::Copy, 0),
            (Pattern::Copy, GRANULE / 2 - 1),
            (Pattern::Triad, GRANULE / 3 + 7),
            (Pattern::Triad, GRANULE - 1),
        ];
        for (pattern, at) in places {
            let pages = Pages::Plain;
            let data = filled(&engine, GRANULE, pages).expect("there is room");
            let (engine, kernels) = (Rc::clone(&engine), StreamKernels::new());
            let mut bandwidth = CacheBandwidth { engine, kernels, data, pattern, pages };
            assert_eq!(bandwidth.verify().expect("it runs").verdict, Pass, "{pattern:?}");
            bandwidth.data[at] = 2.0;
            assert_eq!(bandwidth.verify().expect("it runs").verdict, Fail, "{pattern:?}: element {at}");
        }
    }

    #[test]
    fn bytes_are_whole_pages_of_three_arrays_for_each_thread() {
        let point = Point::new().with(axis::BYTES, 30_000_i64).with(axis::THREADS, 2_i64);
        assert_eq!((CACHE_BANDWIDTH.work)(&point).bytes, 2.0 * 24_576.0);
    }
}
