//! The devices that are measured together.

use std::cell::OnceCell;

use paw_data::outcome::Caveat;
use paw_foreign::device::{self, Backend, Device};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_native::pool::ThreadPool;

use crate::caveat;
use crate::operation::IssueMode;
use crate::placement::HostPlacement;
use crate::timing::Timing;
use crate::trust::Trust;

/// The devices of one worker: one, or several that work at once.
pub struct Devices {
    list: Vec<Device>,
    trust: Vec<Trust>,
    placements: Vec<HostPlacement>,
    pool: OnceCell<ThreadPool>,
}

impl Devices {
    /// Opens the devices of these numbers, moves the threads that drive them near them, and tests their clocks and gates.
    ///
    /// # Errors
    /// Where a device is missing, or returns other bytes than were copied to it.
    pub fn open(backend: Backend, indexes: &[u32]) -> Result<Self, Fault> {
        let mut devices = device::open(backend, indexes).map(Self::of).map_err(Fault::Missing)?;
        let list = &devices.list;
        devices.placements = devices.each(|index| HostPlacement::take(list[index].facts()))?;
        devices.examined(&Clock::monotonic())
    }

    /// These devices without a self-test, driven from where the calling thread runs.
    pub fn of(list: Vec<Device>) -> Self {
        let trust = list.iter().map(Trust::as_claimed).collect();
        let placements = vec![HostPlacement::Unknown; list.len()];
        Self { list, trust, placements, pool: OnceCell::new() }
    }

    /// These devices after a self-test by `clock`.
    ///
    /// # Errors
    /// As [`Trust::examine`].
    pub fn examined(mut self, clock: &Clock) -> Result<Self, Fault> {
        self.trust = self.list.iter().map(|device| Trust::examine(device, clock)).collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// All devices, in the order asked for.
    pub fn all(&self) -> &[Device] {
        &self.list
    }

    /// The first device.
    pub fn first(&self) -> &Device {
        self.list.first().expect("no worker is started for no device")
    }

    /// The placement of the thread that drives each device.
    pub fn placements(&self) -> &[HostPlacement] {
        &self.placements
    }

    /// Which of its clocks and gates can be trusted, device by device.
    pub fn trust(&self) -> &[Trust] {
        &self.trust
    }

    /// How samples of the device at `index` are taken in this mode.
    pub fn timing(&self, index: usize, mode: IssueMode) -> Timing {
        let trust = &self.trust[index];
        Timing { mode, trusts_marks: trust.marks == Ok(true), has_gate: trust.gate == Ok(true) }
    }

    /// Caveats of everything that is measured on them.
    pub fn caveats(&self) -> Vec<Caveat> {
        let mut remarks: Vec<String> = self.list.iter().flat_map(Device::remarks).collect();
        remarks.dedup();
        let mut caveats: Vec<Caveat> = caveat::environment(&remarks).into_iter().collect();
        for ((device, trust), placement) in self.list.iter().zip(&self.trust).zip(&self.placements) {
            caveats.extend(caveat::distrust(device.facts(), trust));
            caveats.extend(caveat::far(device.facts(), placement));
        }
        caveats
    }

    /// The threads that drive the devices, one each; the calling thread drives the first.
    pub(crate) fn pool(&self) -> Result<&ThreadPool, Fault> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        let pool = ThreadPool::unpinned(self.list.len()).map_err(|error| Fault::Broken(error.to_string()))?;
        Ok(self.pool.get_or_init(|| pool))
    }

    /// Calls `task` with the number of each device, on the thread that drives it, and returns the results.
    pub(crate) fn each<R: Send>(&self, task: impl Fn(usize) -> R + Sync) -> Result<Vec<R>, Fault> {
        Ok(self.pool()?.map(task))
    }
}
