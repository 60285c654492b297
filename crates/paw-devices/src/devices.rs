//! The devices that are measured together.

use paw_foreign::device::{self, Backend, Device};
use paw_measure::fault::Fault;

/// The devices of one worker: one, or several that work at once.
pub struct Devices {
    list: Vec<Device>,
}

impl Devices {
    /// Opens the devices of these numbers.
    pub fn open(backend: Backend, indexes: &[u32]) -> Result<Self, Fault> {
        device::open(backend, indexes).map(Self::of).map_err(Fault::Missing)
    }

    /// These devices.
    pub fn of(list: Vec<Device>) -> Self {
        Self { list }
    }

    /// All of them, in the order asked for.
    pub fn all(&self) -> &[Device] {
        &self.list
    }

    /// The first.
    pub fn first(&self) -> &Device {
        self.list.first().expect("no worker is started for no device")
    }
}
