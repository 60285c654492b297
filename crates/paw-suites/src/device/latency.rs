//! The latency of a load on a device, by working set: `device_latency`.

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::{AxisValue, Point};
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_foreign::device::{
    Argument, Builtin, Device, DeviceError, DeviceMemory, Grid, HostKind, HostMemory, Kernel, Queue,
};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_stats::split_mix;

use super::DEVICE;
use super::pattern::BLOCK;
use super::stream;
use super::transfer_spec;
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Start, Telling, Values};
use crate::device_set::DeviceGrouping;
use crate::host::Host;
use crate::ladder::doubling;

/// Seconds of one dependent load of a thread.
pub const LATENCY: Benchmark = Own {
    name: "device_latency",
    purpose: "How long does a load take on a device, by working set? (The steps are its caches.)",
    timed: "dependent loads of one thread along a random cycle through every 128 bytes of the working set, queued and waited for",
    formula: "16384; loads, one after the other",
    work: |_| Work { operations: HOPS as f64, ..Work::default() },
    start,
}
.of(Common {
    headline: Quantity::Time,
    providers: Providers::Device(DeviceGrouping::Alone),
    axes: &[BYTES],
    memory_bytes: |point| bytes(point) as f64,
    ..DEVICE
})
.answering(stream::MEMORY, Telling::None);

const BYTES: Axis = Axis { name: axis::BYTES, meaning: "working set, in bytes", values: Values::Machine(working_sets) };

/// Loads of one launch: they last milliseconds, beside which a launch is nothing.
pub const HOPS: u64 = 1 << 14;
/// Bytes from one load's place to the next: a line of a device's caches.
const LINE: usize = 128;
/// Smallest working set: it fits every device's first cache.
const LEAST: i64 = 16 << 10;
/// Seed of the cycle: the same in every run.
const SEED: u64 = 8713;

/// Working sets from a few KiB to four times the largest cache, four times as large each.
fn working_sets(host: &Host) -> Vec<AxisValue> {
    let cache = host.devices.devices().map(|facts| facts.cache_bytes).max().unwrap_or(0);
    let most = (4 * cache.max(16 << 20)).next_power_of_two();
    let grants = host.devices.devices().map(|facts| facts.allocation_bytes.min(facts.memory_bytes / 8)).min();
    let last = i64::try_from(most.min(grants.unwrap_or(most))).unwrap_or(i64::MAX).max(LEAST);
    doubling(LEAST, last).into_iter().rev().step_by(2).map(AxisValue::Int).rev().collect()
}

fn bytes(point: &Point) -> usize {
    usize::try_from(point.int(axis::BYTES).unwrap_or(0)).unwrap_or(0).max(2 * LINE)
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let (devices, bytes) = (start.engine.devices()?, bytes(start.point));
    transfer_spec::room(devices.first(), bytes, bytes)?;
    let make = move |place: &TaskContext<'_>| Chase::new(place, place.device(), bytes);
    Ok(Box::new(DeviceTasks::one(devices, 0, IssueMode::Isolated, make)?))
}

const ONE_THREAD: Grid = Grid { blocks: 1, threads: 1, shared_bytes: 0 };

/// Dependent loads of one thread along a cycle in the memory of a device, its own or another.
pub struct Chase {
    kernel: Kernel,
    /// The word that a launch begins at, and leaves.
    state: DeviceMemory,
    chain: DeviceMemory,
    host: HostMemory,
    /// The line that follows each in the cycle.
    next: Vec<u32>,
    arguments: [Argument; 3],
}

impl Chase {
    /// A cycle of `bytes` in the memory of `owner`, for a kernel on the device of `place`.
    pub fn new(place: &TaskContext<'_>, owner: &Device, bytes: usize) -> Result<Self, DeviceError> {
        let device = place.device();
        let (state, chain) = (device.memory(8)?, owner.memory(bytes)?);
        let next = cycle(bytes / LINE);
        let arguments = [state.argument(), chain.argument(), Argument::I64(HOPS as i64)];
        let host = device.host_memory(8, HostKind::Pageable)?;
        let chase = Self { kernel: device.builtin(Builtin::Chase)?, state, chain, host, next, arguments };
        chase.fill(owner)?;
        chase.begin(place.queue)?;
        Ok(chase)
    }

    /// Writes the cycle: the word at the beginning of each line is the number of the word at the beginning of the next.
    fn fill(&self, owner: &Device) -> Result<(), DeviceError> {
        let lines = self.next.len().min(BLOCK / LINE);
        let (stage, queue) = (owner.host_memory(lines * LINE, HostKind::Pageable)?, owner.queue()?);
        for (block, next) in self.next.chunks(lines).enumerate() {
            let mut bytes = vec![0; next.len() * LINE];
            for (line, next) in bytes.as_chunks_mut::<LINE>().0.iter_mut().zip(next) {
                line[..8].copy_from_slice(&word(*next).to_ne_bytes());
            }
            stage.write(0, &bytes)?;
            queue.copy_in((&self.chain, block * lines * LINE), (&stage, 0), bytes.len())?;
            queue.sync()?;
        }
        Ok(())
    }

    /// The next launch begins at word 0.
    fn begin(&self, queue: &Queue) -> Result<(), DeviceError> {
        queue.fill(&self.state, 0)?;
        queue.sync()
    }

    fn ended_at(&self, queue: &Queue) -> Result<u64, DeviceError> {
        let mut word = [0; 8];
        queue.copy_out((&self.host, 0), (&self.state, 0), 8)?;
        queue.sync()?;
        self.host.read(0, &mut word)?;
        Ok(u64::from_ne_bytes(word))
    }

    /// The word that `hops` loads from line 0 on lead to.
    fn word_after(&self, hops: u64) -> u64 {
        word((0..hops).fold(0, |line, _| self.next[line as usize]))
    }
}

/// The number of the word at the beginning of a line.
fn word(line: u32) -> u64 {
    u64::from(line) * (LINE / 8) as u64
}

/// A random cycle through `lines` lines: the line that follows each.
fn cycle(lines: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..lines as u32).collect();
    split_mix::shuffle(&mut order, SEED);
    let mut next = vec![0; lines];
    for (at, line) in order.iter().enumerate() {
        next[*line as usize] = order[(at + 1) % order.len()];
    }
    next
}

impl Operation for Chase {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        queue.launch(&self.kernel, ONE_THREAD, &self.arguments)
    }

    fn may_be_gated(&self) -> bool {
        true
    }
}

impl Task for Chase {
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        self.begin(queue)?;
        self.enqueue(queue)?;
        queue.sync()?;
        let (found, expected) = (self.ended_at(queue)?, self.word_after(HOPS));
        let wrong = (found != expected).then(|| format!("{HOPS} loads ended at word {found} and should at {expected}"));
        Ok(answer::exact("the end of the way along the cycle", wrong))
    }

    /// Where the last launch ended must be a place of the cycle.
    fn inspect(&mut self, queue: &Queue) -> Result<Option<Check>, DeviceError> {
        let found = self.ended_at(queue)?;
        let is_place = found.is_multiple_of(word(1)) && found / word(1) < self.next.len() as u64;
        let wrong = (!is_place).then(|| format!("the loads ended at word {found}, which is no place of the cycle"));
        Ok(wrong.map(|wrong| answer::exact("the end of the way along the cycle", Some(wrong))))
    }
}

#[cfg(test)]
mod tests {
    use super::cycle;

    #[test]
    fn a_cycle_leads_through_every_line_and_back() {
        let next = cycle(1000);
        let mut seen = vec![false; 1000];
        let end = (0..1000).fold(0_u32, |line, _| {
            seen[line as usize] = true;
            next[line as usize]
        });
        assert!(end == 0 && seen.iter().all(|seen| *seen));
        assert_ne!(next[..3], [1, 2, 3]);
    }
}
