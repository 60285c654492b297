//! STREAM on a device: `device_copy`, `device_scale`, `device_add`, `device_triad`.

use paw_data::axis;
use paw_data::headline::Pick;
use paw_data::outcome::Check;
use paw_data::point::{AxisValue, Point};
use paw_data::work::Work;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_foreign::device::{Argument, Builtin, DeviceError, DeviceMemory, Grid, HostKind, HostMemory, Kernel, Queue};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::DEVICE;
use super::element::Element;
use super::transfer_spec;
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Start, Telling, Values};
use crate::host::Host;
use crate::memory::CACHES;

/// c = a.
pub const COPY: Benchmark = Own {
    name: "device_copy",
    purpose: "What does a device's memory deliver to a copy (STREAM)?",
    timed: "c = a over arrays of at least four times the device's cache, queued and waited for",
    formula: "2*bytes*devices; two arrays",
    work: |point| work(point, Op::Copy),
    start: |start| begin(start, Op::Copy),
}
.of(Common {
    axes: &[BYTES],
    memory_bytes: |point| f64::from(ARRAYS) * transfer_spec::devices(point) * array_bytes(point),
    ..DEVICE
})
.answering(MEMORY, Telling::None);

/// b = s c.
pub const SCALE: Benchmark = Own {
    name: "device_scale",
    purpose: "What does a device's memory deliver to a scaled copy (STREAM)?",
    timed: "b = s c over arrays of at least four times the device's cache, queued and waited for",
    formula: "2*bytes*devices; two arrays",
    work: |point| work(point, Op::Scale),
    start: |start| begin(start, Op::Scale),
}
.of(COPY.common)
.answering(MEMORY, Telling::None);

/// c = a + b.
pub const ADD: Benchmark = Own {
    name: "device_add",
    purpose: "What does a device's memory deliver to a sum of two arrays (STREAM)?",
    timed: "c = a + b over arrays of at least four times the device's cache, queued and waited for",
    formula: "3*bytes*devices; three arrays",
    work: |point| work(point, Op::Add),
    start: |start| begin(start, Op::Add),
}
.of(COPY.common)
.answering(MEMORY, Telling::None);

/// a = b + s c.
pub const TRIAD: Benchmark = Own {
    name: "device_triad",
    purpose: "What does a device's memory deliver to the triad (STREAM), the figure most often quoted?",
    timed: "a = b + s c over arrays of at least four times the device's cache, queued and waited for",
    formula: "3*bytes*devices; three arrays",
    work: |point| work(point, Op::Triad),
    start: |start| begin(start, Op::Triad),
}
.of(COPY.common)
.answering(MEMORY, Telling::All)
.quick(&[])
.figures(&[Figure { line: 52, preference: 0, label: "device_triad", pick: Pick::Best }]);

const BYTES: Axis = Axis { name: axis::BYTES, meaning: "bytes of each array", values: Values::Machine(array_sizes) };

/// The question of these benchmarks.
pub(super) const MEMORY: &str = "memory";
/// Arrays of a device.
const ARRAYS: u32 = 3;
/// Smallest array in bytes: copying it takes long beside the launch of a kernel.
const LEAST: f64 = 64.0 * 1024.0 * 1024.0;
/// Threads of a block: a multiple of every device's vector width, and within every device's limit.
const BLOCK: u32 = 256;
/// The scale factor: products of small whole numbers are exact.
const SCALAR: f64 = 3.0;

/// One array size for all devices of a machine, so that they compare: from the largest cache, limited by the smallest memory.
pub(super) fn array_sizes(host: &Host) -> Vec<AxisValue> {
    vec![AxisValue::Int(array_bytes_of(host, ARRAYS) as i64)]
}

/// Bytes of each array, where a device holds `arrays` of them.
pub(super) fn array_bytes_of(host: &Host, arrays: u32) -> u64 {
    let caches = host.devices.devices().map(|facts| CACHES * facts.cache_bytes as f64);
    let grants = host.devices.devices().map(|facts| (facts.allocation_bytes.min(facts.memory_bytes / 8)) as f64);
    let wanted = caches.fold(LEAST, f64::max).min(grants.fold(f64::MAX, f64::min));
    host.memory_bytes_for(wanted, arrays)
}

fn array_bytes(point: &Point) -> f64 {
    point.float(axis::BYTES).unwrap_or(0.0)
}

/// An operation of STREAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Copy,
    Scale,
    Add,
    Triad,
}

impl Op {
    /// How many arrays it reads and writes.
    fn arrays(self) -> f64 {
        match self {
            Op::Copy | Op::Scale => 2.0,
            Op::Add | Op::Triad => 3.0,
        }
    }

    fn builtin(self) -> Builtin {
        match self {
            Op::Copy => Builtin::Copy,
            Op::Scale => Builtin::Scale,
            Op::Add => Builtin::Add,
            Op::Triad => Builtin::Triad,
        }
    }

    /// The index of the array written, and its element after one operation on `[a, b, c]`.
    fn answer(self, [a, b, c]: [f64; 3]) -> (usize, f64) {
        match self {
            Op::Copy => (2, a),
            Op::Scale => (1, SCALAR * c),
            Op::Add => (2, a + b),
            Op::Triad => (0, b + SCALAR * c),
        }
    }
}

fn work(point: &Point, op: Op) -> Work {
    Work { bytes: transfer_spec::devices(point) * op.arrays() * array_bytes(point), ..Work::default() }
}

fn begin(start: &Start<'_>, op: Op) -> Result<Box<dyn Timed>, Fault> {
    let devices = start.engine.devices()?;
    let bytes = array_bytes(start.point) as usize;
    devices.all().iter().try_for_each(|device| transfer_spec::room(device, bytes, ARRAYS as usize * bytes))?;
    Ok(Box::new(DeviceTasks::begin(devices, IssueMode::Isolated, move |place| Stream::new(place, op, bytes))?))
}

/// Three arrays on a device, and a kernel over them.
struct Stream {
    op: Op,
    kernel: Kernel,
    arrays: [DeviceMemory; 3],
    element: Element,
    n: usize,
    grid: Grid,
    arguments: Vec<Argument>,
    stage: HostMemory,
}

/// Bytes copied at once when arrays are filled and checked.
const STAGE: usize = 4 << 20;

impl Stream {
    fn new(place: &TaskContext<'_>, op: Op, bytes: usize) -> Result<Self, DeviceError> {
        let device = place.device();
        let element = Element::of(device.facts());
        let n = bytes / element.bytes();
        let arrays = [device.memory(bytes)?, device.memory(bytes)?, device.memory(bytes)?];
        let [a, b, c] = [0, 1, 2].map(|array: usize| arrays[array].argument());
        let (s, count) = (element.argument(SCALAR), Argument::I64(n as i64));
        let arguments = match op {
            Op::Copy => vec![c, a, count],
            Op::Scale => vec![b, c, s, count],
            Op::Add => vec![c, a, b, count],
            Op::Triad => vec![a, b, c, s, count],
        };
        let stage = device.host_memory(STAGE.min(bytes.max(1)), HostKind::Pinned)?;
        let grid = device.grid_over(op.builtin(), n, BLOCK);
        let stream = Self { op, kernel: device.builtin(op.builtin())?, arrays, element, n, grid, arguments, stage };
        stream.fill(place.queue)?;
        Ok(stream)
    }

    /// Parts of an array that fit the stage: first element and length.
    fn stretches(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (n, most) = (self.n, (STAGE / self.element.bytes()).max(1));
        (0..n).step_by(most).map(move |first| (first, most.min(n - first)))
    }

    /// The bytes of a stretch of any first element, from that element's place in the period on.
    fn table(&self, value: impl Fn(usize) -> f64) -> Vec<u8> {
        let most = (STAGE / self.element.bytes()).max(1).min(self.n);
        self.element.encoded((0..most + PERIOD).map(value))
    }

    /// Sets every element of every array; the array to be written gets -1, which is never a result.
    fn fill(&self, queue: &Queue) -> Result<(), DeviceError> {
        let size = self.element.bytes();
        let (written, _) = self.op.answer([0.0; 3]);
        for (array, memory) in self.arrays.iter().enumerate() {
            let values = self.table(|at| if array == written { -1.0 } else { initial(array, at) });
            for (first, count) in self.stretches() {
                self.stage.write(0, &values[first % PERIOD * size..][..count * size])?;
                queue.copy_in((memory, first * size), (&self.stage, 0), count * size)?;
                queue.sync()?;
            }
        }
        Ok(())
    }

    /// A sentence on the first element that differs from the result of one operation.
    fn wrong(&self, queue: &Queue) -> Result<Option<String>, DeviceError> {
        let size = self.element.bytes();
        let (written, _) = self.op.answer([0.0; 3]);
        let expected = |at: usize| self.op.answer([0, 1, 2].map(|array| initial(array, at))).1;
        let right = self.table(expected);
        for (first, count) in self.stretches() {
            let mut bytes = vec![0; count * size];
            queue.copy_out((&self.stage, 0), (&self.arrays[written], first * size), bytes.len())?;
            queue.sync()?;
            self.stage.read(0, &mut bytes)?;
            if bytes == right[first % PERIOD * size..][..bytes.len()] {
                continue;
            }
            for (at, found) in (first..).zip(self.element.decoded(&bytes)) {
                if found != expected(at) {
                    return Ok(Some(format!("element {at} is {found} and should be {}", expected(at))));
                }
            }
        }
        Ok(None)
    }
}

/// Elements after which the arrays repeat themselves: a prime, so that no block of a device repeats with them.
const PERIOD: usize = 1021;

/// Element `at` of an input array: whole numbers, small enough for exact sums, different in neighbours and in other arrays.
fn initial(array: usize, at: usize) -> f64 {
    ((at + 313 * array) % PERIOD) as f64 + 1.0
}

impl Operation for Stream {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        queue.launch(&self.kernel, self.grid, &self.arguments)
    }

    fn may_be_gated(&self) -> bool {
        true
    }
}

impl Task for Stream {
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        self.fill(queue)?;
        self.enqueue(queue)?;
        queue.sync()?;
        Ok(answer::exact("every element", self.wrong(queue)?))
    }
}
