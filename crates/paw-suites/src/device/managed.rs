//! Memory that moves between host and device as either uses it: `managed_memory`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::{Caveat, Check};
use paw_data::point::Point;
use paw_data::secondary::MetricName;
use paw_data::work::Work;
use paw_devices::devices::Devices;
use paw_devices::fault::broken;
use paw_devices::link;
use paw_devices::observations::Observations;
use paw_foreign::device::{DeviceError, DeviceMemory, HostKind, HostMemory, Queue, Side};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::DEVICE;
use super::pattern::{self, BLOCK, DeviceRange, HostRange, Patterned, Watched};
use super::transfer_spec;
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Start, Values};
use crate::device_set::DeviceGrouping;

/// Pages that migrate when they are used, or when they are asked to.
pub const MANAGED: Benchmark = Own {
    name: "managed_memory",
    purpose: "At what rate does managed memory move between host and device, when it is first used and when it is asked to?",
    timed: "in: a kernel reads what the host used last (fault), or cuMemPrefetchAsync to the device (prefetch); out: the host reads a byte of \
            each page that a kernel wrote (fault), or cuMemPrefetchAsync to the host; waited for; where the pages were before is not timed",
    formula: "bytes",
    work: |point| Work { bytes: bytes(point) as f64, ..Work::default() },
    start,
}
.of(Common {
    providers: Providers::Device(DeviceGrouping::Alone),
    axes: &[BYTES, DIRECTION, BY],
    by_name: true,
    memory_bytes: |point| 2.0 * bytes(point) as f64,
    ..DEVICE
});

const BYTES: Axis =
    Axis { name: axis::BYTES, meaning: "bytes that move", values: Values::Ints(&[1 << 20, 8 << 20, 64 << 20]) };
const DIRECTION: Axis = Axis {
    name: axis::DIRECTION,
    meaning: "host to device (in), device to host (out)",
    values: Values::Each(&["in", "out"]),
};
const BY: Axis = Axis {
    name: axis::BY,
    meaning: "what makes the pages move: their first use on the other side (fault), or a call (prefetch)",
    values: Values::Each(&["fault", "prefetch"]),
};

fn bytes(point: &Point) -> usize {
    usize::try_from(point.int(axis::BYTES).unwrap_or(0)).unwrap_or(0)
}

/// What makes pages move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Fault,
    Prefetch,
}

/// Number of the pattern that moves.
const SEED: u64 = 1;

struct Managed {
    devices: Rc<Devices>,
    /// Where the pages move to.
    to: Side,
    cause: Cause,
    managed: HostMemory,
    /// Memory of the device that a kernel copies to and from.
    memory: DeviceMemory,
    stage: HostMemory,
    queue: Queue,
    bytes: usize,
    watched: Watched,
    observed: Observations,
    extra: Vec<(MetricName, f64)>,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let devices = Rc::clone(start.engine.devices()?);
    let (device, bytes) = (devices.first().clone(), bytes(start.point));
    transfer_spec::room(&device, bytes, 2 * bytes)?;
    let word = |axis| start.point.text(axis).unwrap_or_default();
    let make = || {
        let managed = Managed {
            to: if word(axis::DIRECTION) == "out" { Side::Host } else { Side::Device },
            cause: if word(axis::BY) == "prefetch" { Cause::Prefetch } else { Cause::Fault },
            managed: device.managed_memory(bytes)?,
            memory: device.memory(bytes)?,
            stage: device.host_memory(bytes.clamp(1, BLOCK), HostKind::Pageable)?,
            queue: device.queue()?,
            bytes,
            watched: Watched::of(bytes),
            observed: Observations::default(),
            extra: Vec::new(),
            devices: Rc::clone(&devices),
        };
        managed.fill()?;
        Ok::<_, DeviceError>(managed)
    };
    Ok(Box::new(make().map_err(broken)?))
}

impl Managed {
    fn on_host(&self) -> HostRange<'_> {
        HostRange { host: &self.managed, offset: 0, bytes: self.bytes }
    }

    fn on_device(&self) -> DeviceRange<'_> {
        DeviceRange { memory: &self.memory, offset: 0, bytes: self.bytes, queue: &self.queue, stage: &self.stage }
    }

    /// Writes the pattern into the memory that the data come from.
    fn fill(&self) -> Result<(), DeviceError> {
        match self.to {
            Side::Device => {
                self.on_host().write(SEED)?;
                self.on_device().poison()
            }
            Side::Host => self.on_device().write(SEED),
        }
    }

    /// Brings the pages to where they move from: the host has used them last, or a kernel has written them.
    fn bring(&self) -> Result<(), DeviceError> {
        match self.to {
            Side::Device => {
                self.queue.prefetch(&self.managed, Side::Host)?;
                self.queue.sync()?;
                self.managed.touch()
            }
            Side::Host => {
                self.queue.copy_out((&self.managed, 0), (&self.memory, 0), self.bytes)?;
                self.queue.sync()
            }
        }
    }

    /// Makes the pages move, and waits until they have.
    #[inline]
    fn migrate(&self) -> Result<(), DeviceError> {
        match (self.cause, self.to) {
            (Cause::Fault, Side::Device) => {
                self.queue.copy_in((&self.memory, 0), (&self.managed, 0), self.bytes)?;
                self.queue.sync()
            }
            (Cause::Fault, Side::Host) => self.managed.touch(),
            (Cause::Prefetch, side) => {
                self.queue.prefetch(&self.managed, side)?;
                self.queue.sync()
            }
        }
    }
}

impl Timed for Managed {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let mut elapsed_s = 0.0;
        for _ in 0..loops {
            self.bring().map_err(broken)?;
            let start = clock.start();
            let migrated = self.migrate();
            let stop = clock.stop();
            migrated.map_err(broken)?;
            elapsed_s += clock.seconds(start, stop);
        }
        let device = self.devices.first().clone();
        self.observed.look(std::slice::from_ref(&device), &[]);
        self.extra = device.link_to_host().map(link::metric).into_iter().collect();
        Ok(elapsed_s)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let check = || {
            self.fill()?;
            match self.to {
                Side::Device => {
                    self.migrate()?;
                    self.queue.copy_in((&self.memory, 0), (&self.managed, 0), self.bytes)?;
                    self.queue.sync()?;
                    self.on_device().wrong(SEED)
                }
                Side::Host => {
                    self.on_host().poison()?;
                    self.bring()?;
                    self.migrate()?;
                    self.on_host().wrong(SEED)
                }
            }
        };
        Ok(answer::exact(&pattern::method(self.bytes), check().map_err(broken)?))
    }

    /// Looks at what the kernel read or the host got. What a prefetch moved to the device is looked at by no kernel of the sample.
    fn inspect(&mut self) -> Result<(), Fault> {
        let found = match (self.to, self.cause) {
            (Side::Device, Cause::Fault) => self.watched.look(&self.on_device(), SEED),
            (Side::Device, Cause::Prefetch) => Ok(None),
            (Side::Host, _) => self.watched.look(&self.on_host(), SEED),
        };
        self.watched.advance();
        found.map_err(broken)?.map_or(Ok(()), |check| Err(Fault::Spoiled(Box::new(check))))
    }

    fn extra(&self) -> Vec<(MetricName, f64)> {
        self.extra.clone()
    }

    fn caveats(&self) -> Vec<Caveat> {
        let mut caveats = self.devices.caveats();
        caveats.extend(self.observed.caveats(std::slice::from_ref(self.devices.first()), true));
        caveats
    }
}
