//! Measures what the timed loops add to a library's call, with a library that returns at once.

use std::rc::Rc;

use paw_data::axis;
use paw_data::point::Point;
use paw_foreign::blas::{Blas, Language};
use paw_foreign::null;
use paw_measure::clock::Clock;

use crate::benchmark::Start;
use crate::blas::BENCHMARKS;
use crate::engine::Engine;

/// Calls in a block: a few microseconds, so that some blocks of many pass undisturbed beside any load.
const LOOPS: u64 = 1000;
/// Blocks of each kind.
const BLOCKS: u32 = 500;
/// The most that a loop may add: checks of every call would be 13 ns; a slow processor needs 3 ns for the call of the loop's own.
const ADDED_NS: f64 = 8.0;

#[test]
fn a_sample_holds_the_calls_of_the_library_alone() {
    let clock = Clock::monotonic();
    let mut bare = null::calls();
    for (language, interface) in [(Language::C, ""), (Language::Fortran, ", Fortran")] {
        let engine = Rc::new(Engine::of(Blas::null(language)));
        for benchmark in BENCHMARKS {
            let point = Point::new().with(axis::N, 8);
            let start = Start { point: &point, engine: &engine, last_cache_bytes: 1e6 };
            let mut timed = (benchmark.start)(&start).expect("it starts");
            let name = match benchmark.name {
                short @ ("bf16gemm" | "int8gemm") => format!("blas {short}"),
                gemv if gemv.ends_with("gemv") => format!("blas gemv{interface}"),
                _ => format!("blas gemm{interface}"),
            };
            let bare = &mut bare.iter_mut().find(|call| call.name == name).expect("a null call").bare;
            let (mut sample, mut pointer) = (f64::MAX, f64::MAX);
            for _ in 0..BLOCKS {
                sample = sample.min(timed.time(LOOPS, &clock).expect("it is called"));
                let start = clock.start();
                bare(LOOPS);
                pointer = pointer.min(clock.seconds(start, clock.stop()));
            }
            let [sample, pointer] = [sample, pointer].map(|seconds| seconds * 1e9 / LOOPS as f64);
            assert!(sample < pointer + ADDED_NS, "{}: {sample:.2} ns a call, bare {pointer:.2} ns", benchmark.name);
        }
    }
}
