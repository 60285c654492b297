//! Copies from one device to another: `peer_transfer`.

use paw_data::axis;
use paw_data::point::Point;
use paw_data::work::Work;
use paw_devices::operation::IssueMode;
use paw_devices::tasks::{DeviceTasks, TaskContext};
use paw_foreign::device::{Device, Mover, PeerAccess};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::DEVICE;
use super::peer_copies::{PeerCopies, PeerSpec, PeerWays};
use super::transfer::BYTES;
use super::transfer_spec;
use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Start, Telling, Values};
use crate::device_set::DeviceGrouping;

/// Copies between the memories of devices that bypass the host.
pub const PEER: Benchmark = Own {
    name: "peer_transfer",
    purpose: "What does a copy from one device to another cost, where they reach each other?",
    timed: "the first device copies from the second (one), or each from the next at the same time (ring); queued and waited for",
    formula: "bytes*copies; copies: devices in a ring, else 1",
    work: |point| Work { bytes: copying(point) * bytes(point) as f64, operations: copying(point), ..Work::default() },
    start,
}
.of(Common {
    providers: Providers::Device(DeviceGrouping::Together),
    axes: &[BYTES, DIRECTION],
    memory_bytes: |point| 3.0 * transfer_spec::devices(point) * bytes(point) as f64,
    ..DEVICE
})
.answering("copies between devices", Telling::At(&[64 << 20]));

const DIRECTION: Axis = Axis {
    name: axis::DIRECTION,
    meaning: "the first device copies from the second (one), or each from the next, the last from the first (ring)",
    values: Values::Each(&["one", "ring"]),
};

fn bytes(point: &Point) -> usize {
    usize::try_from(point.int(axis::BYTES).unwrap_or(0)).unwrap_or(0)
}

fn is_ring(point: &Point) -> bool {
    point.text(axis::DIRECTION) == Some("ring")
}

/// The number of devices that copy.
fn copying(point: &Point) -> f64 {
    if is_ring(point) { transfer_spec::devices(point) } else { 1.0 }
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let devices = start.engine.devices()?;
    let spec = PeerSpec { bytes: bytes(start.point), ways: PeerWays::One(PeerAccess::Read), mover: Mover::Engine };
    let all = devices.all();
    if all.len() < 2 {
        return Err(alone(devices.first()));
    }
    all.iter().enumerate().try_for_each(|(index, device)| spec.suits(device, next(all, index)))?;
    let make = move |place: &TaskContext<'_>| PeerCopies::new(place, next(place.devices, place.index), spec);
    Ok(Box::new(match is_ring(start.point) {
        true => DeviceTasks::begin(devices, IssueMode::Isolated, make)?,
        false => DeviceTasks::one(devices, 0, IssueMode::Isolated, make)?,
    }))
}

/// Why one device alone copies from no other.
pub(super) fn alone(device: &Device) -> Fault {
    let facts = device.facts();
    Fault::Missing(format!(
        "{} alone has no device to copy from. hint: where there is another, --provider {}0+1",
        facts.id(),
        facts.backend
    ))
}

fn next(devices: &[Device], index: usize) -> &Device {
    &devices[(index + 1) % devices.len()]
}
