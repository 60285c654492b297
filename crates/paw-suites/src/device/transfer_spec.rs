//! The description of a transfer: bytes, direction, and both memories.

use paw_data::axis;
use paw_data::point::Point;
use paw_data::work::Work;
use paw_foreign::device::{Device, HostKind};
use paw_measure::fault::Fault;

/// The direction of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Host to device.
    In,
    /// Device to host.
    Out,
    /// Host to device, then back.
    Inout,
    /// Both ways at once, in two queues.
    Bidir,
}

/// When the device's memory is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryLifetime {
    /// Before all transfers.
    Keep,
    /// For each transfer, and freed after it.
    Alloc,
    /// For each transfer, from the device's pool, in queue order.
    Pool,
}

/// Direction, memory and size rule of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferSpec {
    /// Bytes one way.
    pub bytes: usize,
    /// Bytes by which both sides are off a page.
    pub offset: usize,
    /// Its direction.
    pub direction: Direction,
    /// Kind of the host's memory.
    pub host: HostKind,
    /// Lifetime of the device's memory.
    pub life: MemoryLifetime,
}

impl Direction {
    /// Names on the axis.
    pub const NAMES: &[&str] = &["in", "out", "inout", "bidir"];

    fn named(name: &str) -> Self {
        match name {
            "out" => Direction::Out,
            "inout" => Direction::Inout,
            "bidir" => Direction::Bidir,
            _ => Direction::In,
        }
    }

    /// Copies in one operation: 2 for there and back, and for both ways at once.
    pub const fn ways(self) -> f64 {
        match self {
            Direction::In | Direction::Out => 1.0,
            Direction::Inout | Direction::Bidir => 2.0,
        }
    }

    /// Copies that follow each other in one operation; PAW divides its time by this.
    const fn in_turn(self) -> f64 {
        match self {
            Direction::Inout => 2.0,
            Direction::In | Direction::Out | Direction::Bidir => 1.0,
        }
    }
}

impl MemoryLifetime {
    /// Names on the axis.
    pub const NAMES: &[&str] = &["keep", "alloc", "pool"];

    fn named(name: &str) -> Self {
        match name {
            "alloc" => MemoryLifetime::Alloc,
            "pool" => MemoryLifetime::Pool,
            _ => MemoryLifetime::Keep,
        }
    }
}

impl TransferSpec {
    /// Names of offsets from a page on the axis.
    pub const OFFSETS: &[&str] = &["aligned", "+4", "+8", "+64"];

    /// The transfer at a point of `transfer`.
    pub fn of(point: &Point) -> Self {
        let text = |axis: &str| point.text(axis).unwrap_or_default();
        Self {
            bytes: usize::try_from(point.int(axis::BYTES).unwrap_or(0)).unwrap_or(0),
            offset: text(axis::ALIGN).trim_start_matches('+').parse().unwrap_or(0),
            direction: Direction::named(text(axis::DIRECTION)),
            host: HostKind::named(text(axis::HOST)).unwrap_or(HostKind::Pageable),
            life: MemoryLifetime::named(text(axis::LIFE)),
        }
    }

    /// The work of one operation on every device of the point. The time of one copy is PAW's: half of a round trip, divided by the
    /// number of devices that work at once.
    pub fn work(&self, point: &Point) -> Work {
        let devices = devices(point);
        Work {
            bytes: devices * self.direction.ways() * self.bytes as f64,
            operations: devices * self.direction.in_turn(),
            ..Work::default()
        }
    }

    /// Bytes of host and devices together: a device's memory may be the host's.
    pub fn memory_bytes(&self, point: &Point) -> f64 {
        2.0 * devices(point) * self.each_side() as f64
    }

    /// Bytes of one memory with its offset.
    pub fn span(&self) -> usize {
        self.bytes + self.offset
    }

    fn each_side(&self) -> usize {
        if self.direction == Direction::Bidir { 2 * self.span() } else { self.span() }
    }

    /// Refuses what `device` cannot do, with the reason.
    pub fn suits(&self, device: &Device) -> Result<(), Fault> {
        let (caps, facts) = (device.caps(), device.facts());
        let id = facts.id();
        let missing = |why: String| Err(Fault::Missing(why));
        if self.direction == Direction::Bidir && self.life != MemoryLifetime::Keep {
            return missing("both ways at once need memory that is kept. hint: --set life=keep".to_owned());
        }
        if self.host == HostKind::Mapped && self.life != MemoryLifetime::Keep {
            return missing(
                "mapped memory is copied by a kernel, between memories that are kept. hint: --set life=keep".to_owned(),
            );
        }
        if self.host == HostKind::Mapped && !caps.mapped {
            return missing(format!("{id} does not map memory of the host"));
        }
        if self.life == MemoryLifetime::Pool && !caps.pool {
            return missing(format!("{id} has no pool that allocates in the order of a queue"));
        }
        room(device, self.span(), self.each_side())
    }
}

/// Refuses an allocation of `whole` bytes in parts of at most `part` that `device` cannot hold.
pub fn room(device: &Device, part: usize, whole: usize) -> Result<(), Fault> {
    let facts = device.facts();
    let (most, what) = match part as u64 > facts.allocation_bytes {
        true => (facts.allocation_bytes, "grants at once"),
        false => (facts.memory_bytes, "has"),
    };
    let needed = if part as u64 > facts.allocation_bytes { part } else { whole };
    if needed as u64 <= most {
        return Ok(());
    }
    Err(Fault::Missing(format!(
        "{needed} bytes are needed, more than the {most} that {} {what}; choose a smaller size",
        facts.id()
    )))
}

/// The number of devices that work together at a point.
pub fn devices(point: &Point) -> f64 {
    point.int(axis::DEVICES).unwrap_or(1).max(1) as f64
}
