//! The child's side: loads one build, calls it on data of its own, times it and checks its answers.
//!
//! A build has a process to itself, because loading it may change the process (code linked with fast mathematics switches subnormal
//! numbers off), calling it may end it, and its libraries may start threads in it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use paw_data::kernel::Float;
use paw_data::run::{ClockKind, Instrument};
use paw_measure::clock::Clock;
use paw_measure::clock::tsc::Tsc;
use paw_measure::fault::Fault;
use paw_measure::workload::Workload;
use paw_worker::protocol::Opened;
use paw_worker::serve::{self, Channel};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::device::child::Cabinet;
use crate::device::order::DeviceOrder;
use crate::device::workload::DEVICE;
use crate::load::environment::Environment;
use crate::load::library::Loaded;
use crate::load::{call, signal};
use crate::order::Order;

mod kernel;
pub(crate) mod operands;
mod turns;
pub(crate) mod verify;

use kernel::Kernel;
use turns::Turns;

/// What a child tells when a build is loaded: the note of [`Opened`], in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Told {
    /// The floating-point environment that calls run in: `ieee` or `ftz`, and what made it so where it was not asked for.
    pub float: String,
}

/// Serves the parent that started this process, until it says enough or is gone. What it is asked to open is an
/// [`Order`], and its note a [`Told`]; or, under the key `device`, a [`DeviceOrder`], and its note a
/// [`DeviceTold`](crate::device::order::DeviceTold).
///
/// The workload makes its arrays when it is renewed, or else before its first region, and warms up then; it gives them up when it is paused.
/// A region right after a renewal is one that counts, and is refused where it is too short to be read. All others may be as short as they are:
/// a parent lets the order's warm-up calls suffice, and asks for no warm-up samples of its own after a renewal.
///
/// # Errors
/// Where this process was not started by a parent, or cannot speak to it.
pub fn child_main() -> Result<(), Fault> {
    let channel = Channel::inherited()?;
    let mut devices = Cabinet::default();
    // Start-up code of a shared object runs once in a process, however often it is opened.
    let mut loaded: BTreeMap<PathBuf, Rc<Loaded>> = BTreeMap::new();
    let mut open = |value: &Value| -> Result<(Box<dyn Workload>, Opened), Fault> {
        if let Some(order) = value.get(DEVICE) {
            return devices.open(understood::<DeviceOrder>(order)?);
        }
        let order: Order = understood(value)?;
        // A driver has handlers and threads of its own: what watches a call is put in place for calls alone.
        signal::install()?;
        call::known_here()?;
        let library = match loaded.get(&order.library) {
            Some(library) => Rc::clone(library),
            None => Rc::clone(loaded.entry(order.library.clone()).or_insert(Loaded::open(&order.library)?)),
        };
        let (environment, float) = environment(order.float, library.linked());
        let note = serde_json::to_value(Told { float }).expect("a note is plain data");
        let (clock, instrument) = (clock(&order.instrument), order.instrument.clone());
        let opened = Opened { instrument: instrument.clone(), library: None, note };
        let kernel = Kernel::new(order, library, environment)?;
        Ok((Box::new(Turns::new(kernel, clock, instrument)), opened))
    };
    serve::serve(channel, &mut open)
}

fn understood<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T, Fault> {
    serde_json::from_value(value.clone())
        .map_err(|error| Fault::Broken(format!("the child does not understand its parent: {error}")))
}

/// The parent's clock.
fn clock(instrument: &Instrument) -> Clock {
    match (instrument.clock, instrument.hz) {
        (ClockKind::Tsc, Some(hz)) => Clock::Tsc(Tsc::known(hz)),
        _ => Clock::monotonic(),
    }
}

/// The environment that calls run in, and in words; `linked` is what loading left.
fn environment(wanted: Float, linked: Environment) -> (Environment, String) {
    let (environment, words) = match (wanted, linked.flushes()) {
        (Float::AsLinked, true) => (linked, "ftz (set when it was loaded)"),
        (Float::AsLinked, false) => (linked, "ieee"),
        (Float::Ieee, true) => (Environment::IEEE, "ieee (ftz was set when it was loaded, and taken back)"),
        (Float::Ieee, false) => (Environment::IEEE, "ieee"),
        (Float::Ftz, _) => (Environment::FTZ, "ftz"),
    };
    (environment, words.to_owned())
}
