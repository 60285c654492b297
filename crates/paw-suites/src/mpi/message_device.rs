//! The device whose memory a rank's messages use.

use std::rc::Rc;

use paw_data::outcome::Caveat;
use paw_foreign::device::{Device, DeviceFacts};
use paw_foreign::mpi::{DeviceSupport, Memory, Mpi, Residence};
use paw_measure::channel::Channel;
use paw_measure::fault::Fault;
use paw_measure::team::Team;

/// A rank's device, and whether another rank has the same.
pub struct MessageDevice {
    found: Result<Device, String>,
    /// Whether windows in its memory may be updated, or why not; the same on every rank.
    updates: Result<(), Fault>,
    shared: Option<SharedDevice>,
}

/// A device that two ranks have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedDevice {
    /// The two, of all such the first.
    pub ranks: [usize; 2],
    /// The device's name, its node and its place on the bus.
    pub place: String,
}

impl MessageDevice {
    /// None: no memory of devices is in the plan.
    pub fn unasked() -> Self {
        let why = "no memory of devices was asked for when the job began".to_owned();
        Self { updates: Err(Fault::Missing(why.clone())), found: Err(why), shared: None }
    }

    /// The devices of ranks, where each found one, and whether windows there may be updated; `node` is this rank's. All ranks ask at once.
    pub fn agreed(
        found: Result<Device, String>,
        updates: Result<(), String>,
        node: &str,
        (team, channel): (&dyn Team, &dyn Channel),
    ) -> Result<Self, Fault> {
        let place = found.as_ref().ok().map(|device| DevicePlace::of(device.facts(), node));
        // A rank without a device would leave the others in calls that all make.
        let found = match (team.agree(found.as_ref().map(|_| ()).map_err(|why| Fault::Missing(why.clone()))), found) {
            (Ok(()), found) => found,
            (Err(Fault::Missing(why)), _) => Err(why),
            (Err(other), _) => return Err(other),
        };
        let updates = match team.agree(updates.map_err(Fault::Missing)) {
            agreed @ (Ok(()) | Err(Fault::Missing(_))) => agreed,
            Err(other) => return Err(other),
        };
        Ok(Self { shared: shared(place.as_ref(), channel)?, updates, found })
    }

    /// Whether windows in the device's memory may be updated: sums and swaps there; the same on every rank.
    pub fn updates(&self) -> Result<(), Fault> {
        self.updates.clone()
    }

    /// Memory of the device for messages by `mpi`, where `residence` says, every page touched.
    pub fn memory(&self, mpi: &Mpi, bytes: usize, residence: Residence) -> Result<Rc<Memory>, Fault> {
        let device = self.found.as_ref().map_err(|why| Fault::Missing(why.clone()))?;
        let backend = device.facts().backend;
        if mpi.device_support(backend) == DeviceSupport::No {
            return Err(Fault::Missing(format!(
                "{} says that it takes no memory of {} devices. hint: a library built for them, and its variable or flag that switches it on",
                mpi.version(),
                backend.name()
            )));
        }
        let made = Memory::on_device(device, bytes, residence);
        made.map(Rc::new).map_err(|why| Fault::Missing(why.to_string()))
    }

    /// `shared-device`: ranks have the same device, so that what they exchange crosses no link between devices.
    pub fn caveat(&self) -> Option<Caveat> {
        self.shared.as_ref().map(shared_device)
    }
}

fn shared_device(SharedDevice { ranks: [first, second], place }: &SharedDevice) -> Caveat {
    Caveat::new(
        "shared-device",
        format!(
            "ranks {first} and {second} have the same device, {place}: their messages cross no link between devices, and without MPS or its like \
             the two take turns on it"
        ),
        "start as many ranks on a node as it has devices",
    )
}

/// Which device a rank has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DevicePlace {
    /// What no other device has, nor another part of a split one.
    identity: String,
    /// Its name, node and place on the bus.
    title: String,
}

impl DevicePlace {
    /// The place of a device on that node.
    pub fn of(facts: &DeviceFacts, node: &str) -> Self {
        let place = facts.bus_id.clone().unwrap_or_else(|| facts.id());
        let title = format!("{} on {node} (at {place})", facts.name);
        // Level Zero's say where on its node a device is, and nothing of the node.
        let identity = facts.uuid.as_ref().map_or_else(|| title.clone(), |uuid| format!("{uuid} on {node}"));
        Self { identity, title }
    }
}

/// The first device that two ranks have, the same on every rank; `mine` is this rank's, where it has one. All ranks ask at once.
pub fn shared(mine: Option<&DevicePlace>, channel: &dyn Channel) -> Result<Option<SharedDevice>, Fault> {
    let bytes = |of: fn(&DevicePlace) -> &String| mine.map_or(Vec::new(), |mine| of(mine).clone().into_bytes());
    let mut all: Vec<Vec<u8>> = Vec::new();
    let mut found = None;
    for rank in 0..channel.size() {
        let theirs = channel.share(bytes(|mine| &mine.identity), rank)?;
        let first = all.iter().position(|earlier| !theirs.is_empty() && *earlier == theirs);
        found = found.or(first.map(|first| [first, rank]));
        all.push(theirs);
    }
    let Some(ranks) = found else { return Ok(None) };
    let title = channel.share(bytes(|mine| &mine.title), ranks[0])?;
    Ok(Some(SharedDevice { ranks, place: String::from_utf8_lossy(&title).into_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ranks_on_one_device_are_named() {
        let said = shared_device(&SharedDevice { ranks: [0, 2], place: "H on a (at 0000:06:00.0)".to_owned() });
        assert_eq!(said.id, "shared-device");
        assert!(said.cause.contains("ranks 0 and 2 have the same device, H on a (at 0000:06:00.0)"), "{}", said.cause);
    }
}
