//! Operations per byte, swept: `device_intensity`, the roofline of a device by one kernel.

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_foreign::device::{
    Argument, Builtin, DeviceError, DeviceFacts, DeviceMemory, FmaKind, Grid, HostKind, HostMemory, Kernel, Queue,
};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::DEVICE;
use super::element::Element;
use super::fma::{ARITHMETIC, BLOCK};
use super::stream::array_sizes;
use super::transfer_spec;
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Telling, Values};

/// Each element read, stepped by x = x a + b as often as `intensity` says, and written to another array.
pub const INTENSITY: Benchmark = Own {
    name: "device_intensity",
    purpose: "From how many operations per byte on does a device's arithmetic limit it, and not its memory (roofline)?",
    timed: "each element read, `intensity` operations per byte of x = x a + b, and written to another array, queued and waited for",
    formula: "2*intensity*bytes*devices; each byte is read from one array and written to the other",
    work: |point| Work {
        flops: 2.0 * intensity(point) * transfer_spec::devices(point) * array_bytes(point),
        bytes: 2.0 * transfer_spec::devices(point) * array_bytes(point),
        ..Work::default()
    },
    start,
}
.of(Common {
    headline: Quantity::Flops,
    axes: &[STEPS, TYPE, BYTES],
    memory_bytes: |point| 2.0 * transfer_spec::devices(point) * array_bytes(point),
    ..DEVICE
})
.precision(Precision::Double)
.answering(ARITHMETIC, Telling::None);

const STEPS: Axis = Axis {
    name: axis::INTENSITY,
    meaning: "operations per byte",
    values: Values::Floats(&[0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]),
};
const TYPE: Axis = Axis {
    name: axis::TYPE,
    meaning: "numbers of 64 bits where the device computes with them, or of 32",
    values: Values::Words(&["f64", "f32"]),
};
const BYTES: Axis =
    Axis { name: axis::BYTES, meaning: "bytes of each of two arrays", values: Values::Told(array_sizes) };

fn intensity(point: &Point) -> f64 {
    point.float(axis::INTENSITY).unwrap_or(0.0)
}

fn array_bytes(point: &Point) -> f64 {
    point.float(axis::BYTES).unwrap_or(0.0)
}

/// The type of a device's elements at a point.
fn element(point: &Point, facts: &DeviceFacts) -> Element {
    if point.text(axis::TYPE) == Some("f32") { Element::Float } else { Element::of(facts) }
}

/// Steps of an element: each has two operations, and an element is read and written.
fn steps(intensity: f64, element: Element) -> Option<i32> {
    let steps = intensity * element.bytes() as f64;
    (steps >= 1.0 && steps.fract() == 0.0 && steps <= f64::from(i32::MAX)).then_some(steps as i32)
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let devices = start.engine.devices()?;
    let (point, bytes) = (start.point.clone(), array_bytes(start.point) as usize);
    devices.all().iter().try_for_each(|device| transfer_spec::room(device, bytes, 2 * bytes))?;
    let make = move |place: &TaskContext<'_>| Steps::new(place, &point, bytes);
    Ok(Box::new(DeviceTasks::begin(devices, IssueMode::Isolated, make)?))
}

/// Two arrays on a device, and the kernel from one to the other.
struct Steps {
    kernel: Kernel,
    grid: Grid,
    arguments: Vec<Argument>,
    from: DeviceMemory,
    to: DeviceMemory,
    element: Element,
    n: usize,
    steps: i32,
    stage: HostMemory,
}

/// Bytes that are filled and read at once.
const STAGE: usize = 4 << 20;
/// All bits set: no result is that.
const POISON: u8 = 0xff;
/// Elements after which the array repeats itself: a prime, so that no block of a device repeats with them.
const PERIOD: usize = 1021;

/// Element `at` of the array that is read: a whole number so small that a float counts the most steps from it exactly.
fn initial(at: usize) -> f64 {
    (at % PERIOD) as f64
}

impl Steps {
    fn new(place: &TaskContext<'_>, point: &Point, bytes: usize) -> Result<Self, DeviceError> {
        let device = place.device();
        let element = element(point, device.facts());
        let steps = steps(intensity(point), element).ok_or_else(|| {
            let least = 1.0 / element.bytes() as f64;
            DeviceError::Unsupported(format!(
                "{} operations per byte on numbers of {} bytes; take a multiple of {least}",
                intensity(point),
                element.bytes()
            ))
        })?;
        let which = Builtin::Intensity(if element == Element::Double { FmaKind::F64 } else { FmaKind::F32 });
        let (from, to, n) = (device.memory(bytes)?, device.memory(bytes)?, bytes / element.bytes());
        let one = element.argument(1.0);
        let arguments = vec![to.argument(), from.argument(), one, one, Argument::I32(steps), Argument::I64(n as i64)];
        let (kernel, grid) = (device.builtin(which)?, device.grid_over(which, n, BLOCK));
        let stage = device.host_memory(STAGE.min(bytes.max(1)), HostKind::Pinned)?;
        let made = Self { kernel, grid, arguments, from, to, element, n, steps, stage };
        made.fill(place.queue)?;
        Ok(made)
    }

    /// Parts of an array that fit the stage: first element, and bytes.
    fn stretches(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (n, size) = (self.n, self.element.bytes());
        let most = (self.stage.bytes() / size).max(1);
        (0..n).step_by(most).map(move |first| (first, most.min(n - first) * size))
    }

    /// The bytes of a stretch from `first` on, of these values.
    fn encoded(&self, first: usize, bytes: usize, value: impl Fn(usize) -> f64) -> Vec<u8> {
        self.element.encoded((first..first + bytes / self.element.bytes()).map(value))
    }

    fn fill(&self, queue: &Queue) -> Result<(), DeviceError> {
        for (first, bytes) in self.stretches() {
            self.stage.write(0, &self.encoded(first, bytes, initial))?;
            queue.copy_in((&self.from, first * self.element.bytes()), (&self.stage, 0), bytes)?;
            queue.sync()?;
        }
        Ok(())
    }

    /// A sentence on the first element that had not all its steps.
    fn wrong(&self, queue: &Queue) -> Result<Option<String>, DeviceError> {
        let expected = |at: usize| initial(at) + f64::from(self.steps);
        for (first, bytes) in self.stretches() {
            let mut found = vec![0; bytes];
            queue.copy_out((&self.stage, 0), (&self.to, first * self.element.bytes()), bytes)?;
            queue.sync()?;
            self.stage.read(0, &mut found)?;
            if found == self.encoded(first, bytes, expected) {
                continue;
            }
            let mut elements = (first..).zip(self.element.decoded(&found));
            if let Some((at, found)) = elements.find(|(at, found)| *found != expected(*at)) {
                return Ok(Some(format!("element {at} is {found} and should be {}", expected(at))));
            }
        }
        Ok(None)
    }
}

impl Operation for Steps {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        queue.launch(&self.kernel, self.grid, &self.arguments)
    }

    fn may_be_gated(&self) -> bool {
        true
    }
}

impl Task for Steps {
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        queue.fill(&self.to, POISON)?;
        self.enqueue(queue)?;
        queue.sync()?;
        Ok(answer::exact("every element, which counts its steps", self.wrong(queue)?))
    }

    fn computes(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intensity_is_a_whole_number_of_steps() {
        assert_eq!(steps(0.125, Element::Double), Some(1));
        assert_eq!(steps(128.0, Element::Double), Some(1024));
        assert_eq!(steps(128.0, Element::Float), Some(512));
        assert_eq!(steps(0.125, Element::Float), None);
        assert_eq!(steps(0.3, Element::Double), None);
        assert_eq!(steps(f64::NAN, Element::Double), None);
    }

    #[test]
    fn the_operations_of_a_point_are_those_of_its_steps() {
        let point = Point::new().with(axis::INTENSITY, 4.0).with(axis::BYTES, 8000_i64).with(axis::DEVICES, 1_i64);
        let work = (INTENSITY.work)(&point);
        let of_elements =
            |element: Element| 8000.0 / element.bytes() as f64 * 2.0 * f64::from(steps(4.0, element).unwrap());
        assert_eq!((work.flops, work.bytes), (of_elements(Element::Double), 16000.0));
        assert_eq!(work.flops, of_elements(Element::Float));
    }
}
