//! Random updates of a device's memory: `device_random`, the GUPS of HPC Challenge on a device.

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::{AxisValue, Point};
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_foreign::device::{Argument, Builtin, DeviceError, DeviceMemory, Grid, HostKind, HostMemory, Kernel, Queue};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_stats::split_mix;

use super::DEVICE;
use super::pattern::BLOCK;
use super::stream;
use super::transfer_spec;
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Telling, Values};
use crate::host::Host;

/// Random words of a table changed by atomic operations.
pub const RANDOM: Benchmark = Own {
    name: "device_random",
    purpose: "How many random words does a device's memory change in a second? (A thousand million of them are one GUPS.)",
    timed: "an exclusive or of a random number with a random word of a table, atomic, as often as the table has words; queued and waited for",
    formula: "floor(bytes/8)*devices; updates: a word is read, changed and written",
    work: |point| Work { updates: updates(point) as f64 * transfer_spec::devices(point), ..Work::default() },
    start,
}
.of(Common {
    headline: Quantity::Updates,
    axes: &[BYTES],
    memory_bytes: |point| transfer_spec::devices(point) * 8.0 * updates(point) as f64,
    ..DEVICE
})
.answering(stream::MEMORY, Telling::None);

const BYTES: Axis = Axis {
    name: axis::BYTES,
    meaning: "bytes of the table, of which the largest power of two is used",
    values: Values::Machine(table_sizes),
};

/// Words of the smallest table.
const LEAST: u64 = 512;
/// Threads of a block.
const BLOCK_THREADS: u64 = 256;
/// Updates of a thread, so that threads begin seldom beside what they do.
const UPDATES_EACH: u64 = 16;

/// The power of two that is at least four times the largest cache, as far as the smallest memory holds it.
fn table_sizes(host: &Host) -> Vec<AxisValue> {
    let wanted = stream::array_bytes_of(host, 1);
    vec![AxisValue::Int(1 << wanted.max(LEAST * 8).ilog2())]
}

fn updates(point: &Point) -> u64 {
    u64::try_from(point.int(axis::BYTES).unwrap_or(0)).unwrap_or(0) / 8
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let (devices, updates) = (start.engine.devices()?, updates(start.point));
    if updates < LEAST {
        return Err(Fault::Missing(format!("a table has {} bytes at least", 8 * LEAST)));
    }
    let bytes = 8 << updates.ilog2();
    devices.all().iter().try_for_each(|device| transfer_spec::room(device, bytes, bytes))?;
    Ok(Box::new(DeviceTasks::begin(devices, IssueMode::Isolated, move |place| Updates::new(place, updates))?))
}

/// The updates of one device.
struct Updates {
    kernel: Kernel,
    table: DeviceMemory,
    stage: HostMemory,
    /// Updates of a launch.
    count: u64,
    /// Seed of the next launch: each changes other words.
    seed: u64,
    grid: Grid,
}

/// What every byte of a fresh table holds.
const FRESH: u8 = 0x5a;

impl Updates {
    fn new(place: &TaskContext<'_>, count: u64) -> Result<Self, DeviceError> {
        let device = place.device();
        let table = device.memory(8 << count.ilog2())?;
        let blocks = count.div_ceil(BLOCK_THREADS * UPDATES_EACH).max(1);
        let updates = Self {
            kernel: device.builtin(Builtin::Update)?,
            stage: device.host_memory(table.bytes().min(BLOCK), HostKind::Pinned)?,
            table,
            count,
            seed: 0,
            grid: Grid { blocks, threads: BLOCK_THREADS as u32, shared_bytes: 0 },
        };
        place.queue.fill(&updates.table, FRESH)?;
        place.queue.sync()?;
        Ok(updates)
    }

    fn shift(&self) -> u32 {
        64 - self.count.ilog2()
    }

    fn launch(&self, queue: &Queue, seed: u64) -> Result<(), DeviceError> {
        let numbers = [i64::from(self.shift()), seed.cast_signed(), self.count.cast_signed()].map(Argument::I64);
        let [shift, seed, count] = numbers;
        queue.launch(&self.kernel, self.grid, &[self.table.argument(), shift, seed, count])
    }

    /// The words of the table that differ from a fresh one, and all words combined by exclusive or.
    fn counted(&self, queue: &Queue) -> Result<(u64, u64), DeviceError> {
        let (mut changed, mut all) = (0, 0);
        let mut bytes = vec![0; self.stage.bytes()];
        for from in (0..self.table.bytes()).step_by(bytes.len()) {
            queue.copy_out((&self.stage, 0), (&self.table, from), bytes.len())?;
            queue.sync()?;
            self.stage.read(0, &mut bytes)?;
            for word in bytes.as_chunks::<8>().0 {
                changed += u64::from(*word != [FRESH; 8]);
                all ^= u64::from_ne_bytes(*word);
            }
        }
        Ok((changed, all))
    }

    /// The same of the table that the updates of `seed` make of a fresh one.
    fn expected(&self, seed: u64) -> (u64, u64) {
        let mut touched = vec![0_u64; self.table.bytes().div_ceil(8 * 64)];
        let mut all = 0;
        for update in 0..self.count {
            let bits = split_mix::at(seed, update);
            let word = bits >> self.shift();
            touched[(word / 64) as usize] |= 1 << (word % 64);
            all ^= bits;
        }
        // The table has an even number of words: fresh ones cancel each other. Two numbers that are alike do not occur in one stream.
        (touched.iter().map(|words| u64::from(words.count_ones())).sum(), all)
    }
}

impl Operation for Updates {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        self.seed = self.seed.wrapping_add(split_mix::STEP >> 7);
        self.launch(queue, self.seed)
    }

    fn may_be_gated(&self) -> bool {
        true
    }
}

impl Task for Updates {
    /// Changes a fresh table, compares how many words changed and what all of them make together with the same updates on the host, and
    /// makes the same changes again: every word is fresh then.
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        let seed = self.seed;
        queue.fill(&self.table, FRESH)?;
        self.launch(queue, seed)?;
        queue.sync()?;
        let (found, expected) = (self.counted(queue)?, self.expected(seed));
        self.launch(queue, seed)?;
        queue.sync()?;
        let (left, _) = self.counted(queue)?;
        let wrong = if found.0 != expected.0 {
            Some(format!("{} words were changed and should have been {}", found.0, expected.0))
        } else if found.1 != expected.1 {
            Some(format!("all words together are {:#x} and should be {:#x}", found.1, expected.1))
        } else {
            (left > 0).then(|| format!("{left} words are not restored by the same updates"))
        };
        Ok(answer::exact(
            "the words that change, all words together, and every word restored by the same updates",
            wrong,
        ))
    }
}
