//! Three times per sample: by the host's clock around synchronised operations, by the device's clock, and by the device's clock
//! behind a gate.

use paw_foreign::device::{DeviceError, Queue};
use paw_measure::clock::Clock;

use crate::operation::{IssueMode, Operation, most_at_once, settle};
use crate::region::{self, Region};
use paw_data::secondary::{MetricName, SecondaryMetric};

/// The time of a sample by each clock; all three are for the same number of loops.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measured {
    /// Seconds by the host's clock.
    pub host_s: f64,
    /// Seconds by the device's clock, if it can be trusted.
    pub event_s: Option<f64>,
    /// Seconds by the device's clock behind a gate, if the operation may be gated.
    pub gated_s: Option<f64>,
    /// An impossible time of the device, which was dropped.
    pub absurd: Option<Region>,
    /// Whether a gate opened by itself, so that nothing was measured behind it.
    pub gate_timed_out: bool,
}

impl Measured {
    /// Secondary metrics.
    pub fn extra(&self) -> Vec<(MetricName, f64)> {
        let metrics = [(SecondaryMetric::Event, self.event_s), (SecondaryMetric::Gated, self.gated_s)];
        metrics.into_iter().filter_map(|(metric, value)| Some((metric.into(), value?))).collect()
    }
}

/// How samples of one operation are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// When the host waits.
    pub mode: IssueMode,
    /// Whether the device's clock can be trusted.
    pub trusts_marks: bool,
    /// Whether the device has a gate that works.
    pub has_gate: bool,
}

impl Timing {
    /// Times `operation`, `loops` times, by every available clock: the host's, then the device's, then the device's behind a gate. The
    /// latter two take about as long again each, at most; if they stop before `loops`, their time is scaled to it.
    ///
    /// # Errors
    /// What the device refuses. A gate that times out is no error, but part of the result.
    pub fn sample(
        &self,
        operation: &mut dyn Operation,
        queue: &Queue,
        loops: u64,
        clock: &Clock,
    ) -> Result<Measured, DeviceError> {
        let start = clock.start();
        for _ in 0..loops {
            operation.enqueue(queue)?;
            if self.mode == IssueMode::Isolated {
                settle(operation, queue)?;
            }
        }
        settle(operation, queue)?;
        let host_s = clock.seconds(start, clock.stop());
        let mut measured = Measured { host_s, ..Measured::default() };
        if self.trusts_marks && operation.may_be_marked() {
            let mut series = RegionSeries { operation, queue, loops, limit_s: host_s, clock };
            measured.keep_event(series.take(region::marked)?);
            if self.has_gate && series.operation.may_be_gated() {
                match series.take(region::gated) {
                    Ok(time) => measured.keep_gated(time),
                    Err(DeviceError::GateTimedOut) => {
                        measured.gate_timed_out = true;
                        region::clear(series.operation, queue)?;
                    }
                    Err(other) => return Err(other),
                }
            }
        }
        Ok(measured)
    }
}

impl Measured {
    fn keep_event(&mut self, time: DeviceTime) {
        match time {
            DeviceTime::Seconds(seconds) => self.event_s = Some(seconds),
            DeviceTime::Absurd(region) => self.absurd = Some(region),
        }
    }

    fn keep_gated(&mut self, time: DeviceTime) {
        match time {
            DeviceTime::Seconds(seconds) => self.gated_s = Some(seconds),
            DeviceTime::Absurd(region) => self.absurd = self.absurd.or(Some(region)),
        }
    }
}

/// The time of all loops by the device's clock.
enum DeviceTime {
    Seconds(f64),
    Absurd(Region),
}

/// Regions of at most as many operations as may be queued at once, until all loops are done or the time is up.
struct RegionSeries<'a> {
    operation: &'a mut dyn Operation,
    queue: &'a Queue,
    loops: u64,
    limit_s: f64,
    clock: &'a Clock,
}

type TakeRegion = fn(&mut dyn Operation, &Queue, u64, &Clock) -> Result<Region, DeviceError>;

impl RegionSeries<'_> {
    fn take(&mut self, region: TakeRegion) -> Result<DeviceTime, DeviceError> {
        let most = most_at_once(self.operation);
        let (mut done, mut device_s) = (0, 0.0);
        let start = self.clock.start();
        while done < self.loops {
            let count = most.min(self.loops - done);
            let seen = region(self.operation, self.queue, count, self.clock)?;
            if !seen.can_be() {
                return Ok(DeviceTime::Absurd(seen));
            }
            device_s += seen.device_s;
            done += count;
            if self.clock.seconds(start, self.clock.stop()) > self.limit_s {
                break;
            }
        }
        Ok(DeviceTime::Seconds(device_s * self.loops as f64 / done as f64))
    }
}
