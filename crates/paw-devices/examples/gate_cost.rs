//! The cost of timing behind a gate: host time of a copy queued through the harness, and of one queued by the driver's calls alone.
//!
//! `gate_cost [cuda|opencl]` prints nanoseconds of a copy, the least of many rounds. `PAW_CUDA_LIBRARY` may name a driver without a
//! device.

use std::time::Instant;

use paw_devices::operation::Operation;
use paw_devices::region;
use paw_foreign::device::{Backend, Device, DeviceError, DeviceMemory, HostKind, HostMemory, Queue, open};
use paw_measure::clock::Clock;

const BYTES: usize = 64;
const LOOPS: u64 = 500;
const ROUNDS: usize = 200;

struct CopyIn {
    host: HostMemory,
    memory: DeviceMemory,
}

impl Operation for CopyIn {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        queue.copy_in((&self.memory, 0), (&self.host, 0), BYTES)
    }

    fn may_be_gated(&self) -> bool {
        true
    }
}

fn main() -> Result<(), String> {
    let backend = if std::env::args().any(|word| word == "opencl") { Backend::OpenCl } else { Backend::Cuda };
    let device = open(backend, &[0])?.remove(0);
    let (driver_ns, harness_ns) = measure(&device).map_err(|error| error.to_string())?;
    println!("a copy of {BYTES} bytes behind a gate, {LOOPS} at once, least of {ROUNDS} rounds, from gate to end:");
    println!("driver alone  {driver_ns:8.1} ns");
    println!("by the harness {harness_ns:7.1} ns");
    println!("the harness   {:8.1} ns", harness_ns - driver_ns);
    Ok(())
}

/// Nanoseconds of a copy by the driver's calls alone, and through the harness; the device's own time is the same in both.
fn measure(device: &Device) -> Result<(f64, f64), DeviceError> {
    let queue = device.queue()?;
    let mut copy = CopyIn { host: device.host_memory(BYTES, HostKind::Pinned)?, memory: device.memory(BYTES)? };
    let clock = Clock::monotonic();
    let (mut driver_ns, mut harness_ns) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        by_hand(&queue, &copy)?;
        driver_ns = driver_ns.min(nanoseconds(start));
        let start = Instant::now();
        region::gated(&mut copy, &queue, LOOPS, &clock)?;
        harness_ns = harness_ns.min(nanoseconds(start));
    }
    Ok((driver_ns, harness_ns))
}

fn by_hand(queue: &Queue, CopyIn { host, memory }: &CopyIn) -> Result<f64, DeviceError> {
    let gate = queue.gate()?;
    let begin = queue.mark()?;
    for _ in 0..LOOPS {
        queue.copy_in((memory, 0), (host, 0), BYTES)?;
    }
    let end = queue.mark()?;
    queue.flush()?;
    gate.open()?;
    queue.sync()?;
    end.since_s(&begin)
}

fn nanoseconds(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64 / LOOPS as f64
}
