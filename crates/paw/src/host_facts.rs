//! Facts about this host: what a run records, and what plans need.

use std::sync::OnceLock;
use std::time::Duration;

use paw_data::machine::Machine;
use paw_data::run::PREFERRED;
use paw_machine::identity::machine;
use paw_machine::idle::{CpuActivity, Snapshot};
use paw_machine::root::Root;
use paw_machine::state::state;
use paw_machine::topology::Topology;
use paw_suites::device_inventory::DeviceInventory;
use paw_suites::host::Host;

use crate::failure::Failure;
use crate::print;
use crate::startup;

#[derive(Debug)]
pub struct HostFacts {
    /// Identity and state, recorded in a run.
    pub machine: Machine,
    /// Topology, libraries and load, for plans.
    pub host: Host,
}

/// Reads the host's facts; neither libraries nor devices are looked for, and its load is not sampled.
pub fn read() -> Result<HostFacts, Failure> {
    let root = Root::host();
    let topology = Topology::read(&root).map_err(|error| Failure::io(error.to_string()))?;
    let machine = machine(&root, &topology);
    let host = Host::here(topology, None, machine.identity.isa.clone());
    Ok(HostFacts { machine, host })
}

/// Sampling time to find the idlest processor: one clock tick (4 ms) is two per cent of it.
const WATCH: Duration = Duration::from_millis(200);

impl HostFacts {
    /// Finds the devices and adds them to the machine.
    pub fn look_for_devices(&mut self) -> Result<(), Failure> {
        self.host.devices = devices()?;
        self.machine.devices = self.host.devices.recorded();
        Ok(())
    }

    /// Looks for BLAS libraries.
    pub fn with_libraries(mut self) -> Self {
        self.host.look_for_libraries();
        self
    }

    /// Samples the load of each processor for 0.2 s, so that a single thread can get the idlest; PAW_CPUS says without sampling.
    pub fn watch(&mut self) {
        if let Some(cpus) = preferred() {
            self.host.activity = Some(CpuActivity::preferring(&self.host.topology, &cpus));
            return;
        }
        let root = Root::host();
        let before = Snapshot::take(&root);
        std::thread::sleep(WATCH);
        self.host.activity = Some(CpuActivity::between(&before, &Snapshot::take(&root)));
    }
}

/// The processors of [`PREFERRED`], in their order; `None` where it is not set, or names none.
fn preferred() -> Option<Vec<u32>> {
    let text = std::env::var(PREFERRED).ok().filter(|text| !text.trim().is_empty())?;
    let cpus: Option<Vec<u32>> = text.split(',').map(|cpu| cpu.trim().parse().ok()).collect();
    if cpus.is_none() {
        print::warn(&format!("{PREFERRED}={text} is no list of processors such as 3,5: the idlest is looked for"));
    }
    cpus
}

/// Discovers devices through every back-end, each in its own process; the first answer is cached.
pub fn devices() -> Result<DeviceInventory, Failure> {
    static INVENTORY: OnceLock<DeviceInventory> = OnceLock::new();
    if let Some(inventory) = INVENTORY.get() {
        return Ok(inventory.clone());
    }
    let inventory = DeviceInventory::discover(&startup::worker()?);
    Ok(INVENTORY.get_or_init(|| inventory).clone())
}

/// The machine's present state.
pub fn state_now(host: &Host) -> paw_data::machine::State {
    state(&Root::host(), &host.topology)
}
