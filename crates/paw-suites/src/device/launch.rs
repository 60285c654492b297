//! The cost of starting a kernel: `device_launch`.

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_foreign::device::{Argument, Builtin, DeviceError, DeviceMemory, Grid, HostKind, HostMemory, Kernel, Queue};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::DEVICE;
use super::transfer_spec;
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Telling, Values};

/// An empty kernel, started repeatedly.
pub const LAUNCH: Benchmark = Own {
    name: "device_launch",
    purpose: "What does it cost to start a kernel: to wait for one, and to queue many?",
    timed: "an empty kernel of one thread queued and waited for (each), or many queued and waited for together (batch)",
    formula: "devices; one launch on each",
    work: |point| Work { operations: transfer_spec::devices(point), ..Work::default() },
    start,
}
.of(Common { headline: Quantity::Time, axes: &[CADENCE], ..DEVICE })
.answering("launches", Telling::All);

const CADENCE: Axis = Axis {
    name: axis::CADENCE,
    meaning: "the host waits after each launch, or after all of them (batch)",
    values: Values::Each(&["each", "batch"]),
};

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let mode =
        if start.point.text(axis::CADENCE) == Some("batch") { IssueMode::BackToBack } else { IssueMode::Isolated };
    Ok(Box::new(DeviceTasks::begin(start.engine.devices()?, mode, Launch::new)?))
}

const ONE_THREAD: Grid = Grid { blocks: 1, threads: 1, shared_bytes: 0 };

/// An empty kernel to time, and a copying one to check.
struct Launch {
    empty: Kernel,
    copy: Kernel,
    memory: [DeviceMemory; 2],
    host: HostMemory,
    element: usize,
}

impl Launch {
    fn new(place: &TaskContext<'_>) -> Result<Self, DeviceError> {
        let device = place.device();
        let element = Builtin::element_bytes(device.facts().fp64);
        Ok(Self {
            empty: device.builtin(Builtin::Empty)?,
            copy: device.builtin(Builtin::Copy)?,
            memory: [device.memory(element)?, device.memory(element)?],
            host: device.host_memory(element, HostKind::Pageable)?,
            element,
        })
    }
}

impl Operation for Launch {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        queue.launch(&self.empty, ONE_THREAD, &[])
    }

    fn may_be_gated(&self) -> bool {
        true
    }
}

impl Task for Launch {
    /// Runs the empty kernel, which leaves no result, and checks the result of a copying kernel started in the same way.
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        let [from, to] = &self.memory;
        queue.launch(&self.empty, ONE_THREAD, &[])?;
        queue.fill(from, 0x11)?;
        queue.fill(to, 0)?;
        queue.launch(&self.copy, ONE_THREAD, &[to.argument(), from.argument(), Argument::I64(1)])?;
        self.host.write(0, &vec![0; self.element])?;
        queue.copy_out((&self.host, 0), (to, 0), self.element)?;
        queue.sync()?;
        let mut found = vec![0; self.element];
        self.host.read(0, &mut found)?;
        let wrong = found.iter().any(|byte| *byte != 0x11).then(|| "a kernel that was started did not run".to_owned());
        Ok(answer::exact("a kernel that copies an element, started in the same way", wrong))
    }
}
