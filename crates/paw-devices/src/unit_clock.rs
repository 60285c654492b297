//! The clock of a device's units while a sample is taken: cycles that they count, by the device's own timer.
//!
//! What a driver says of a clock is renewed some ten times a second at most: a clock that is read behind a sample of a few milliseconds is
//! that of an idle device, whatever power or heat made of it before.

use paw_foreign::device::{
    Argument, Builtin, Device, DeviceError, DeviceMemory, Grid, HostKind, HostMemory, Kernel, Queue,
};
use paw_sort::SortNumbers;

/// Most units that are looked at: more than any device has.
const UNITS_MAX: usize = 512;
/// Bytes of a unit's place: its cycles, and the timer in nanoseconds.
const PLACE_BYTES: usize = 16;
/// Blocks for each unit, so that every unit has one.
const BLOCKS_OF_A_UNIT: u64 = 2;
/// Shortest time of which a clock is told: timers that move on once a microsecond are right to a hundredth.
const LEAST_NS: u64 = 100_000;

/// The counters of a device's units, read before a sample and after it.
pub struct UnitClock {
    kernel: Kernel,
    grid: Grid,
    before: DeviceMemory,
    after: DeviceMemory,
    stage: HostMemory,
}

impl UnitClock {
    /// `None` where the device's units do not count.
    pub fn of(device: &Device) -> Option<Self> {
        let kernel = device.builtin(Builtin::Cycles).ok()?;
        let bytes = UNITS_MAX * PLACE_BYTES;
        let grid =
            Grid { blocks: BLOCKS_OF_A_UNIT * u64::from(device.facts().units.max(1)), threads: 1, shared_bytes: 0 };
        let stage = device.host_memory(bytes, HostKind::Pinned).ok()?;
        Some(Self { kernel, grid, before: device.memory(bytes).ok()?, after: device.memory(bytes).ok()?, stage })
    }

    /// Reads the counters for the first time, and waits for it.
    ///
    /// # Errors
    /// What the device refuses.
    pub fn begin(&self, queue: &Queue) -> Result<(), DeviceError> {
        self.read(queue, &self.before)
    }

    /// Hertz since [`UnitClock::begin`], the mean of a unit in the middle; `None` where too little time has passed.
    ///
    /// # Errors
    /// What the device refuses.
    pub fn end(&self, queue: &Queue) -> Result<Option<f64>, DeviceError> {
        self.read(queue, &self.after)?;
        let (before, after) = (self.contents(queue, &self.before)?, self.contents(queue, &self.after)?);
        Ok(hertz(&before, &after))
    }

    fn read(&self, queue: &Queue, into: &DeviceMemory) -> Result<(), DeviceError> {
        queue.fill(into, 0)?;
        queue.launch(&self.kernel, self.grid, &[into.argument(), Argument::I64(UNITS_MAX as i64)])?;
        queue.sync()
    }

    fn contents(&self, queue: &Queue, memory: &DeviceMemory) -> Result<Vec<Counted>, DeviceError> {
        let mut bytes = vec![0; memory.bytes()];
        queue.copy_out((&self.stage, 0), (memory, 0), bytes.len())?;
        queue.sync()?;
        self.stage.read(0, &mut bytes)?;
        let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
        Ok(words.as_chunks::<2>().0.iter().map(|[cycles, ns]| Counted { cycles: *cycles, ns: *ns }).collect())
    }
}

/// Share of the highest clock below which units are slowed down: less is the clock's own step.
const SLOWED_BELOW: f64 = 0.98;

/// Units that ran below their highest clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowedUnits {
    /// Their clock in a sample, as they counted it.
    pub ran_hz: f64,
    /// The highest clock of the device.
    pub most_hz: f64,
}

impl SlowedUnits {
    /// `None` where a device's units ran at its highest clock, or nothing was counted.
    pub fn of(counted_hz: Option<f64>, most_hz: Option<f64>) -> Option<Self> {
        let (ran_hz, most_hz) = (counted_hz?, most_hz?);
        (ran_hz < SLOWED_BELOW * most_hz).then_some(Self { ran_hz, most_hz })
    }
}

/// What a unit has counted; zeros where no block ran on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counted {
    cycles: u64,
    ns: u64,
}

/// The clock of the unit in the middle, of those that were read twice.
fn hertz(before: &[Counted], after: &[Counted]) -> Option<f64> {
    let of = |(before, after): (&Counted, &Counted)| {
        let ns = after.ns.checked_sub(before.ns).filter(|ns| before.ns != 0 && *ns >= LEAST_NS)?;
        Some(after.cycles.checked_sub(before.cycles)? as f64 / (ns as f64 * 1e-9))
    };
    let mut all: Vec<f64> = before.iter().zip(after).filter_map(of).collect();
    all.sort_numbers();
    all.get(all.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Counted = Counted { cycles: 0, ns: 0 };

    fn at(cycles: u64, ns: u64) -> Counted {
        Counted { cycles, ns }
    }

    #[test]
    fn the_unit_in_the_middle_of_those_that_were_read_twice_counts() {
        // Units do not begin to count at the same time.
        let before = [at(5_000_000, 1_000_000), at(9_000, 1_000_000), at(7, 1_000_100), NONE, at(1, 1_000_000)];
        let after =
            [at(7_000_000, 2_000_000), at(1_509_000, 2_000_000), at(1_500_007, 2_000_100), at(9, 9_000_000), NONE];
        assert_eq!(hertz(&before, &after), Some(1.5e9));
    }

    #[test]
    fn units_are_slowed_down_where_they_counted_less_than_they_can() {
        let slowed = SlowedUnits::of(Some(1.64e9), Some(1.98e9));
        assert_eq!(slowed, Some(SlowedUnits { ran_hz: 1.64e9, most_hz: 1.98e9 }));
        let none = [(Some(1.97e9), Some(1.98e9)), (None, Some(1.98e9)), (Some(1.0e9), None)];
        assert!(none.iter().all(|(counted, most)| SlowedUnits::of(*counted, *most).is_none()));
    }

    #[test]
    fn of_a_moment_no_clock_is_told() {
        assert_eq!(hertz(&[at(10, 1_000)], &[at(20_010, 11_000)]), None);
        assert_eq!(hertz(&[at(10, 500_000)], &[at(20_010, 11_000)]), None);
        assert_eq!(hertz(&[], &[]), None);
    }
}
