//! This machine: its facts, and what plans need of it.

use std::sync::OnceLock;
use std::time::Duration;

use paw_data::machine::Machine;
use paw_machine::identity::machine;
use paw_machine::idle::{CpuActivity, Snapshot};
use paw_machine::root::Root;
use paw_machine::state::state;
use paw_machine::topology::Topology;
use paw_suites::device_inventory::DeviceInventory;
use paw_suites::host::Host;

use crate::failure::Failure;
use crate::startup;

/// This machine.
#[derive(Debug)]
pub struct HostFacts {
    /// Identity and state, as a run records them.
    pub machine: Machine,
    /// What plans need.
    pub host: Host,
}

/// Looks at this machine; takes no time to watch how busy it is.
pub fn read() -> Result<HostFacts, Failure> {
    let root = Root::host();
    let topology = Topology::read(&root).map_err(|error| Failure::io(error.to_string()))?;
    let machine = machine(&root, &topology);
    let host = Host::here(topology, None, machine.identity.isa.clone());
    Ok(HostFacts { machine, host })
}

/// How long processors are watched to find the idlest: long enough that one clock tick (4 ms) is two per cent.
const WATCH: Duration = Duration::from_millis(200);

impl HostFacts {
    /// Looks for devices; the run will remember them.
    pub fn look_for_devices(&mut self) -> Result<(), Failure> {
        self.host.devices = devices()?;
        self.machine.devices = self.host.devices.recorded();
        Ok(())
    }

    /// Watches for a fifth of a second how busy each processor is, so that one thread can go where nothing else runs.
    pub fn watch(&mut self) {
        let root = Root::host();
        let before = Snapshot::take(&root);
        std::thread::sleep(WATCH);
        self.host.activity = Some(CpuActivity::between(&before, &Snapshot::take(&root)));
    }
}

/// Looks for devices through every back-end, each in a process of its own, once: whoever asks again hears the same.
pub fn devices() -> Result<DeviceInventory, Failure> {
    static INVENTORY: OnceLock<DeviceInventory> = OnceLock::new();
    if let Some(inventory) = INVENTORY.get() {
        return Ok(inventory.clone());
    }
    let inventory = DeviceInventory::discover(&startup::worker()?);
    Ok(INVENTORY.get_or_init(|| inventory).clone())
}

/// The state of the machine now.
pub fn state_now(host: &Host) -> paw_data::machine::State {
    state(&Root::host(), &host.topology)
}
