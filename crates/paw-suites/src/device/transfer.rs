//! Any transfer between host and device: `transfer`.

use paw_data::axis;
use paw_devices::operation::IssueMode;
use paw_devices::tasks::DeviceTasks;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::DEVICE;
use super::copies::Copies;
use super::transfer_spec::{Direction, MemoryLifetime, TransferSpec};
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};

/// The sizes of a transfer; all together take seconds.
pub const BYTES: Axis = Axis {
    name: axis::BYTES,
    meaning: "bytes one way",
    values: Values::Ints(&[2 << 10, 16 << 10, 128 << 10, 1 << 20, 8 << 20, 64 << 20]),
};

/// A transfer with axes for direction, memory, lifetime and alignment.
pub const TRANSFER: Benchmark = Own {
    name: "transfer",
    purpose: "What does a copy between host and device cost, by direction, kind of memory, its life and its alignment?",
    timed: "the copies of one operation, queued and waited for; with life=alloc or pool, allocation and freeing too",
    formula: "bytes*ways*devices; ways: 2 for inout and bidir, else 1",
    work: |point| TransferSpec::of(point).work(point),
    start: |start| begin(start, TransferSpec::of(start.point)),
}
.of(Common {
    axes: &[BYTES, DIRECTION, HOST, LIFE, ALIGN],
    by_name: true,
    memory_bytes: |point| TransferSpec::of(point).memory_bytes(point),
    ..DEVICE
});

const DIRECTION: Axis = Axis {
    name: axis::DIRECTION,
    meaning: "host to device (in), device to host (out), there and back (inout), both at once in two queues (bidir)",
    values: Values::Each(Direction::NAMES),
};
const HOST: Axis = Axis {
    name: axis::HOST,
    meaning: "memory of the host: as any program has it (pageable), page-locked by the driver (pinned), page-locked afterwards (registered), or in the device's address space and copied by a kernel (mapped)",
    values: Values::Words(&["pageable", "pinned", "registered", "mapped"]),
};
const LIFE: Axis = Axis {
    name: axis::LIFE,
    meaning: "memory of the device: kept, allocated for each transfer (alloc), or taken from its pool (pool)",
    values: Values::Words(MemoryLifetime::NAMES),
};
const ALIGN: Axis = Axis {
    name: axis::ALIGN,
    meaning: "where both sides begin: with a page, or a number of bytes after one",
    values: Values::Words(TransferSpec::OFFSETS),
};

/// Starts a transfer on every device of the worker.
pub fn begin(start: &Start<'_>, spec: TransferSpec) -> Result<Box<dyn Timed>, Fault> {
    let devices = start.engine.devices()?;
    devices.all().iter().try_for_each(|device| spec.suits(device))?;
    Ok(Box::new(DeviceTasks::begin(devices, IssueMode::Isolated, move |place| Copies::new(place, spec))?))
}
