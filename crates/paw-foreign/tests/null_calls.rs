//! What paw adds to a call through each wall.

use std::time::Instant;

use paw_foreign::null::{self, Repeat};

/// Calls in a block: a few microseconds, so that some blocks of many pass undisturbed beside any load.
const LOOPS: u64 = 1000;
/// Blocks of each kind.
const BLOCKS: u32 = 500;

fn ns_per_call(calls: &mut Repeat) -> f64 {
    let start = Instant::now();
    calls(LOOPS);
    start.elapsed().as_secs_f64() * 1e9 / LOOPS as f64
}

/// The fastest of interleaved blocks through the wall and by the bare pointer, in nanoseconds a call.
fn fastest(call: &mut null::NullCall) -> (f64, f64) {
    (0..BLOCKS).fold((f64::MAX, f64::MAX), |(through, bare), _| {
        (through.min(ns_per_call(&mut call.through)), bare.min(ns_per_call(&mut call.bare)))
    })
}

#[test]
fn a_call_through_a_wall_costs_what_the_bare_function_costs() {
    for mut call in null::calls() {
        let (through, bare) = fastest(&mut call);
        println!("{:20} {through:6.2} ns, bare {bare:6.2} ns", call.name);
        let added = through - bare;
        let limit = if call.name.starts_with("device") { 200.0 } else { 8.0 };
        assert!(added < limit, "{}: {through:.2} ns through the wall, {bare:.2} ns bare", call.name);
    }
}
