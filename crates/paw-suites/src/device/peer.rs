//! Copies from one device to another: `peer_transfer`.

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::work::Work;
use paw_devices::devices::Devices;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_foreign::device::{Device, DeviceError, DeviceMemory, HostKind, HostMemory, Queue};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::DEVICE;
use super::pattern::{self, HostRange, POISON};
use super::transfer::BYTES;
use super::transfer_spec;
use crate::answer;
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
    let bytes = bytes(start.point);
    suit(devices, bytes)?;
    let make = move |place: &TaskContext<'_>| FromPeer::new(place, bytes);
    Ok(Box::new(match is_ring(start.point) {
        true => DeviceTasks::begin(devices, IssueMode::Isolated, make)?,
        false => DeviceTasks::first(devices, IssueMode::Isolated, make)?,
    }))
}

/// Refuses sizes and devices with which a device cannot copy from the next one.
fn suit(devices: &Devices, bytes: usize) -> Result<(), Fault> {
    let all = devices.all();
    if all.len() < 2 {
        let facts = devices.first().facts();
        return Err(Fault::Missing(format!(
            "{} alone has no device to copy from. hint: --provider {}0+1",
            facts.id(),
            facts.backend
        )));
    }
    for (index, device) in all.iter().enumerate() {
        let peer = next(all, index);
        if !device.can_reach(peer) {
            return Err(Fault::Missing(format!(
                "{} cannot copy from {} without the host",
                device.facts().id(),
                peer.facts().id()
            )));
        }
        transfer_spec::room(device, bytes, 2 * bytes)?;
    }
    Ok(())
}

fn next(devices: &[Device], index: usize) -> &Device {
    &devices[(index + 1) % devices.len()]
}

/// A device's copy from the next device.
struct FromPeer {
    peer: Device,
    here: DeviceMemory,
    there: DeviceMemory,
    /// Host memory to read this device's memory, and to fill the peer's.
    host: [HostMemory; 2],
    peer_queue: Queue,
    bytes: usize,
}

impl FromPeer {
    fn new(place: &TaskContext<'_>, bytes: usize) -> Result<Self, DeviceError> {
        let (device, peer) = (place.device(), next(place.devices, place.index));
        Ok(Self {
            peer: peer.clone(),
            here: device.memory(bytes)?,
            there: peer.memory(bytes)?,
            host: [device.host_memory(bytes, HostKind::Pageable)?, peer.host_memory(bytes, HostKind::Pageable)?],
            peer_queue: peer.queue()?,
            bytes,
        })
    }
}

impl Operation for FromPeer {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        queue.copy_from_peer(&self.here, &self.peer, &self.there, self.bytes)
    }

    fn may_be_gated(&self) -> bool {
        true
    }
}

impl Task for FromPeer {
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        let [mine, theirs] = &self.host;
        let stretch = |host| HostRange { host, offset: 0, bytes: self.bytes };
        stretch(theirs).write(3)?;
        self.peer_queue.copy_in((&self.there, 0), (theirs, 0), self.bytes)?;
        self.peer_queue.sync()?;
        queue.fill(&self.here, POISON)?;
        queue.copy_from_peer(&self.here, &self.peer, &self.there, self.bytes)?;
        queue.sync()?;
        stretch(mine).poison()?;
        queue.copy_out((mine, 0), (&self.here, 0), self.bytes)?;
        queue.sync()?;
        Ok(answer::exact(&pattern::method(self.bytes), stretch(mine).wrong(3)?))
    }
}
