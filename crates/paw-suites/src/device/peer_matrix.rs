//! Every ordered pair of devices: the bandwidth of copies between them, `peer_matrix`, and their latency, `peer_latency`.

use paw_data::axis;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_devices::operation::IssueMode;
use paw_devices::tasks::{DeviceTasks, TaskContext};
use paw_foreign::device::{Mover, PeerAccess};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::DEVICE;
use super::latency::{Chase, HOPS};
use super::peer_copies::{PeerCopies, PeerSpec, PeerWays};
use super::peer_pairs::{self, PAIRS};
use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Start, Values};
use crate::device_set::DeviceGrouping;

/// Copies between the devices of each pair.
pub const MATRIX: Benchmark = Own {
    name: "peer_matrix",
    purpose: "What bandwidth has a copy between each two devices: read, written and both at once, by a copy engine and by a kernel?",
    timed: "the first device of a pair reads 64 MiB (or bytes) of the second's memory, writes it, or both at once in two queues; queued and waited for",
    formula: "bytes*ways; ways: 2 for both, else 1",
    work: |point| {
        let ways = ways(point).count();
        Work { bytes: ways * bytes(point) as f64, operations: 1.0, ..Work::default() }
    },
    start: start_copies,
}
.of(Common {
    providers: Providers::Device(DeviceGrouping::Whole),
    axes: &[PAIRS, BYTES, ACCESS, BY],
    by_name: true,
    memory_bytes: |point| 2.0 * ways(point).count() * bytes(point) as f64,
    ..DEVICE
});

/// The time from one device to another.
pub const LATENCY: Benchmark = Own {
    name: "peer_latency",
    purpose: "How long does it take one device to get a word of another's memory: by a copy engine, and by a load of a kernel?",
    timed: "a copy of 8 bytes, queued and waited for (engine), or dependent loads of one thread along a random cycle (kernel)",
    formula: "loads; loads: 16384 by a kernel, else 1 copy",
    work: |point| Work { operations: if mover(point) == Mover::Kernel { HOPS as f64 } else { 1.0 }, ..Work::default() },
    start: start_latency,
}
.of(Common { headline: Quantity::Time, axes: &[PAIRS, BY], memory_bytes: |_| CHAIN_BYTES as f64, ..MATRIX.common });

/// Who may move bytes, as words.
const MOVERS: &[&str] = &["engine", "kernel"];
const BYTES: Axis = Axis { name: axis::BYTES, meaning: "bytes one way", values: Values::Ints(&[64 << 20]) };
const ACCESS: Axis = Axis {
    name: axis::ACCESS,
    meaning: "what the first device does with the second's memory: read, write, or both at once in two queues",
    values: Values::Each(PeerWays::NAMES),
};
const BY: Axis = Axis {
    name: axis::BY,
    meaning: "who moves the bytes: a copy engine of the first device, or a kernel on it",
    values: Values::Each(MOVERS),
};

/// Bytes of a word that is copied to show the latency.
const WORD: usize = 8;
/// Bytes of the cycle in a peer's memory: many times what a device's first-level caches hold, the only ones that may keep it.
const CHAIN_BYTES: usize = 16 << 20;

fn bytes(point: &Point) -> usize {
    usize::try_from(point.int(axis::BYTES).unwrap_or(64 << 20)).unwrap_or(0)
}

fn ways(point: &Point) -> PeerWays {
    PeerWays::named(point.text(axis::ACCESS).unwrap_or_default())
}

fn mover(point: &Point) -> Mover {
    if point.text(axis::BY) == Some(MOVERS[1]) { Mover::Kernel } else { Mover::Engine }
}

fn start_copies(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let spec = PeerSpec { bytes: bytes(start.point), ways: ways(start.point), mover: mover(start.point) };
    copies(start, spec)
}

fn start_latency(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let spec = PeerSpec { bytes: WORD, ways: PeerWays::One(PeerAccess::Read), mover: mover(start.point) };
    if spec.mover == Mover::Engine {
        return copies(start, spec);
    }
    let devices = start.engine.devices()?;
    let (first, second) = peer_pairs::indexes(devices, start.point)?;
    PeerSpec { bytes: CHAIN_BYTES, ..spec }.suits(&devices.all()[first], &devices.all()[second])?;
    let make = move |place: &TaskContext<'_>| Chase::new(place, &place.devices[second], CHAIN_BYTES);
    Ok(Box::new(DeviceTasks::one(devices, first, IssueMode::Isolated, make)?))
}

fn copies(start: &Start<'_>, spec: PeerSpec) -> Result<Box<dyn Timed>, Fault> {
    let devices = start.engine.devices()?;
    let (first, second) = peer_pairs::indexes(devices, start.point)?;
    spec.suits(&devices.all()[first], &devices.all()[second])?;
    let make = move |place: &TaskContext<'_>| PeerCopies::new(place, &place.devices[second], spec);
    Ok(Box::new(DeviceTasks::one(devices, first, IssueMode::Isolated, make)?))
}
