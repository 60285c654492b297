//! The reach of address translation: `tlb_latency`.

use paw_data::axis;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;

use super::granted_pages::{SMALL, SMALL_AND_HUGE};
use super::latency;
use crate::benchmark::{Axis, Benchmark, Common, Own, Values};
use crate::choice::Threads;

/// Seconds of one dependent load, a line in each of many pages.
pub const TLB_LATENCY: Benchmark = Own {
    name: "tlb_latency",
    purpose: "How many pages does the core translate quickly? (The same lines on huge pages show what is the caches' part.)",
    timed: "dependent loads along a random cycle through one cache line of each page",
    formula: "1; one load",
    work: |_| Work::default(),
    start: |start| latency::begin(start, bytes(start.point) as usize, STRIDE_BYTES),
}
.of(Common {
    headline: Quantity::Time,
    axes: &[PAGES_TOUCHED, SMALL_AND_HUGE],
    threads: &[Threads::Count(1)],
    memory_bytes: bytes,
    ..super::BANDWIDTH
})
.alternatives(axis::PAGES, SMALL);

const PAGES_TOUCHED: Axis = Axis {
    name: axis::N,
    meaning: "pages of 4 KiB, in each of which a line is loaded",
    values: Values::Ints(&[16, 32, 64, 128, 256, 512, 1024, 1536, 2048, 3072, 4096, 8192, 16384, 32768, 65536]),
};

/// Bytes from a line to the next: a page and a line, so that the lines do not share one set of the first cache.
const STRIDE_BYTES: usize = 4096 + 64;

fn bytes(point: &Point) -> f64 {
    point.float(axis::N).unwrap_or(0.0).max(1.0) * STRIDE_BYTES as f64
}
