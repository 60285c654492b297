//! The timed region of a kernel on a device: launches with cold caches, each alone, or with warm ones, queued; and the time of transfers.

use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_devices::operation::Operation;
use paw_devices::region::Region as Seen;
use paw_devices::timing::Measured;
use paw_devices::unit_clock::UnitClock;
use paw_foreign::device::{DeviceError, DeviceMemory, Grid, Kernel, Queue};
use paw_measure::clock::Clock;

use super::OpenDevice;
use super::memory::Operands;
use crate::spec::device::Include;

type DeviceResult<T = ()> = Result<T, DeviceError>;

/// The byte that is written to empty the caches; any would do.
const FLUSH: u8 = 0x5a;

/// The launches of a sample, with the work around each.
pub(super) struct LaunchRegion<'a> {
    pub open: &'a OpenDevice,
    pub kernel: &'a Kernel,
    pub grid: Grid,
    pub operands: &'a Operands,
    pub include: Include,
    /// The buffer that is written before each launch to empty the caches; `None` if they stay warm.
    pub flush: Option<&'a DeviceMemory>,
    /// Where the device's units count.
    pub units: Option<&'a UnitClock>,
}

/// The times of a sample.
pub(super) struct LaunchTimes {
    /// The launches.
    pub measured: Measured,
    /// The clock of the device's units meanwhile, where they counted for long enough.
    pub counted_hz: Option<f64>,
    /// Seconds of one transfer in, and of one out.
    transfers_s: [f64; 2],
}

impl LaunchTimes {
    /// Seconds of all launches by the device's clock, behind a gate if there is one; by the host's clock if the device's is not trusted.
    pub fn headline_s(&self) -> f64 {
        self.measured.gated_s.or(self.measured.event_s).unwrap_or(self.measured.host_s)
    }

    /// The secondary metrics of the sample. Transfers are timed once and multiplied by the launches.
    pub fn extra(&self, loops: u64) -> Vec<(MetricName, f64)> {
        let [in_s, out_s] = self.transfers_s.map(|once_s| once_s * loops as f64);
        let metrics = [
            (SecondaryMetric::Host, self.measured.host_s),
            (SecondaryMetric::TransferIn, in_s),
            (SecondaryMetric::TransferOut, out_s),
        ];
        let counted = self.counted_hz.map(|hz| (SecondaryMetric::DeviceClock.into(), hz));
        let metrics = metrics.into_iter().map(|(metric, value)| (metric.into(), value));
        metrics.chain(self.measured.extra()).chain(counted).collect()
    }
}

impl Operation for LaunchRegion<'_> {
    fn enqueue(&mut self, queue: &Queue) -> DeviceResult {
        if self.include == Include::Transfer {
            self.operands.copy_in(queue)?;
        }
        queue.launch(self.kernel, self.grid, self.operands.arguments())?;
        if self.include == Include::Transfer {
            self.operands.copy_out(queue)?;
        }
        Ok(())
    }

    fn may_be_gated(&self) -> bool {
        // A copy of pageable memory waits for the queue, which waits for the gate.
        self.include == Include::Kernel || self.operands.are_locked()
    }

    fn commands(&self) -> u64 {
        match self.include {
            Include::Kernel => 1,
            Include::Transfer => 1 + self.operands.copies(),
        }
    }
}

impl LaunchRegion<'_> {
    /// Times `loops` launches. Arrays that the kernel reads and writes are restored before the first launch, with cold caches before each.
    pub fn sample(mut self, loops: u64, clock: &Clock) -> DeviceResult<LaunchTimes> {
        let measured = match self.flush {
            Some(flush) => self.cold(flush, loops, clock)?,
            None => self.warm(loops, clock)?,
        };
        let counted_hz = self.units.map_or(Ok(None), |units| units.end(&self.open.queue))?;
        let transfers_s = [self.once(clock, Operands::copy_in)?, self.once(clock, Operands::copy_out)?];
        Ok(LaunchTimes { measured, counted_hz, transfers_s })
    }

    fn warm(&mut self, loops: u64, clock: &Clock) -> DeviceResult<Measured> {
        let OpenDevice { queue, timing, .. } = self.open;
        self.operands.restore(queue)?;
        queue.sync()?;
        self.units.map_or(Ok(()), |units| units.begin(queue))?;
        timing.sample(self, queue, loops, clock)
    }

    /// Times each launch twice: by the host's clock, alone in its queue; and by the device's, right behind the flush, which like a gate keeps
    /// the device busy until the launch is queued.
    fn cold(&mut self, flush: &DeviceMemory, loops: u64, clock: &Clock) -> DeviceResult<Measured> {
        let OpenDevice { queue, timing, .. } = self.open;
        let (mut measured, mut event_s) = (Measured::default(), 0.0);
        self.units.map_or(Ok(()), |units| units.begin(queue))?;
        for _ in 0..loops {
            self.empty(flush)?;
            queue.sync()?;
            let start = clock.start();
            self.enqueue(queue)?;
            queue.sync()?;
            measured.host_s += clock.seconds(start, clock.stop());
            if !timing.trusts_marks {
                continue;
            }
            let start = clock.start();
            self.empty(flush)?;
            let begin = queue.mark()?;
            self.enqueue(queue)?;
            let end = queue.mark()?;
            queue.sync()?;
            let seen = Seen { device_s: end.since_s(&begin)?, host_s: clock.seconds(start, clock.stop()) };
            event_s += seen.device_s;
            measured.absurd = measured.absurd.or((!seen.can_be()).then_some(seen));
        }
        measured.event_s = (timing.trusts_marks && measured.absurd.is_none()).then_some(event_s);
        Ok(measured)
    }

    /// Queues the restoration of the arrays and the emptying of the caches.
    fn empty(&self, flush: &DeviceMemory) -> DeviceResult {
        self.operands.restore(&self.open.queue)?;
        self.open.queue.fill(flush, FLUSH)
    }

    /// Seconds of one synchronised transfer by the host's clock.
    fn once(&self, clock: &Clock, copies: fn(&Operands, &Queue) -> DeviceResult) -> DeviceResult<f64> {
        let queue = &self.open.queue;
        queue.sync()?;
        let start = clock.start();
        copies(self.operands, queue)?;
        queue.sync()?;
        Ok(clock.seconds(start, clock.stop()))
    }
}
