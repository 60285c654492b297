//! How the ranks' devices communicate: a device for each rank, the library that connects them, and the communicator that all join.

use std::cell::RefCell;
use std::rc::Rc;

use paw_data::cell::Library;
use paw_foreign::device::Device;
use paw_foreign::mpi::{Memory, Residence};
use paw_foreign::nccl::{Communicator, Nccl, NcclError, UniqueId};
use paw_measure::channel::Channel;
use paw_measure::fault::Fault;
use paw_measure::team::Team;

use super::message_device::{self, DevicePlace, SharedDevice};
use crate::provider::{Provider, Resolved};

/// Expected seconds until all have joined a communicator, of which the watchdog allows twenty times as much: the library opens
/// connections between all nodes.
pub const JOINING_S: f64 = 5.0;

/// Name of the provider where there is no library.
const UNKNOWN: &str = "nccl";

/// A rank's device, and the library that connects it to others.
pub struct RankDevice {
    /// The device.
    pub device: Device,
    /// The library.
    pub library: &'static Nccl,
}

/// The devices of all ranks, as one rank sees them.
pub struct DeviceCollectives {
    found: Result<RankDevice, String>,
    /// This rank of the communicator, or why there is none; nothing before all ranks have tried to join it.
    joined: RefCell<Option<Result<Rc<Communicator>, Fault>>>,
}

/// A call's error as a fault.
#[cold]
pub fn failed(error: NcclError) -> Fault {
    Fault::Broken(error.to_string())
}

impl DeviceCollectives {
    /// None: nothing between devices is in the plan.
    pub fn unasked() -> Self {
        Self::of(Err("no device was asked for when the job began".to_owned()))
    }

    fn of(found: Result<RankDevice, String>) -> Self {
        Self { found, joined: RefCell::new(None) }
    }

    /// The devices of ranks that each found one, or not; `name` is this node's. All ranks have a device of their own, or none has one.
    pub fn agreed(
        found: Result<RankDevice, String>,
        name: &str,
        team: &dyn Team,
        channel: &dyn Channel,
    ) -> Result<Self, Fault> {
        let mine = found.as_ref().map(|_| ()).map_err(|why| Fault::Missing(why.clone()));
        let found = match (team.agree(mine), found) {
            (Ok(()), Ok(found)) => refused(&found, name, channel)?.map_or(Ok(found), Err),
            (Err(Fault::Missing(why)), _) | (Ok(()), Err(why)) => Err(why),
            (Err(other), _) => return Err(other),
        };
        Ok(Self::of(found))
    }

    /// The library as a provider.
    pub fn provider(&self) -> Resolved {
        match &self.found {
            Ok(found) => Resolved::Here(Provider::library(found.library.name().to_owned(), found.library.path())),
            Err(why) => Resolved::Missing { name: UNKNOWN.to_owned(), why: why.clone() },
        }
    }

    /// The library as the run records it, if there is one.
    pub fn library(&self) -> Option<Library> {
        let RankDevice { device, library } = self.found.as_ref().ok()?;
        Some(Library {
            path: library.path().display().to_string(),
            version: library.version().to_owned(),
            core: device.facts().name.clone(),
            threads: 1,
        })
    }

    /// Memory of this rank's device.
    pub fn memory(&self, bytes: usize) -> Result<Rc<Memory>, Fault> {
        let RankDevice { device, .. } = self.found.as_ref().map_err(|why| Fault::Missing(why.clone()))?;
        let made = Memory::on_device(device, bytes, Residence::Device);
        made.map(Rc::new).map_err(|why| Fault::Missing(why.to_string()))
    }

    /// Whether all ranks have tried to join.
    pub fn is_joined(&self) -> bool {
        self.joined.borrow().is_some()
    }

    /// This rank of the communicator. All ranks ask at once, and join when they ask for the first time; what came of it is the same for all.
    pub fn communicator(&self, team: &dyn Team, channel: &dyn Channel) -> Result<Rc<Communicator>, Fault> {
        if let Some(joined) = &*self.joined.borrow() {
            return joined.clone();
        }
        let mine = self.join(channel).map(Rc::new);
        let agreed = team.agree(mine.as_ref().map(|_| ()).map_err(Clone::clone));
        let joined = agreed.and(mine);
        *self.joined.borrow_mut() = Some(joined.clone());
        joined
    }

    fn join(&self, channel: &dyn Channel) -> Result<Communicator, Fault> {
        let RankDevice { device, library } = self.found.as_ref().map_err(|why| Fault::Missing(why.clone()))?;
        let made = if channel.rank() == 0 { library.unique_id() } else { Ok(UniqueId([0; UniqueId::BYTES])) };
        // Empty where there is none: then no rank waits for the others to join.
        let bytes = made.as_ref().map_or(Vec::new(), |id| id.0.to_vec());
        let shared = channel.share(bytes, 0)?;
        // MPI may complete a broadcast in a later call only, and joining makes none.
        channel.barrier()?;
        made.map_err(failed)?;
        let id =
            shared.try_into().map_err(|_| Fault::Broken("rank 0 has no identity for a communicator".to_owned()))?;
        Communicator::join(library, device, (channel.rank(), channel.size()), UniqueId(id)).map_err(failed)
    }

    /// Leaves the communicator.
    pub fn leave(&self) {
        self.joined.take();
    }
}

/// Why the devices cannot communicate, if two ranks have the same one; the same on every rank.
fn refused(found: &RankDevice, node: &str, channel: &dyn Channel) -> Result<Option<String>, Fault> {
    let shared = message_device::shared(Some(&DevicePlace::of(found.device.facts(), node)), channel)?;
    Ok(shared.map(|SharedDevice { ranks: [first, second], place }| {
        format!(
            "ranks {first} and {second} have the same device, {place}, and {} takes one rank for each. hint: start as many ranks on a node as it has devices",
            found.library.version()
        )
    }))
}
