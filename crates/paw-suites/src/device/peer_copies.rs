//! The operation of copies between two devices: one way, or both at once in two queues.

use paw_data::outcome::Check;
use paw_devices::operation::Operation;
use paw_devices::tasks::{Task, TaskContext};
use paw_foreign::device::{
    Device, DeviceError, DeviceMemory, HostKind, HostMemory, LinkLimit, Mover, PeerAccess, Queue,
};
use paw_measure::fault::Fault;

use super::pattern::{self, BLOCK, DeviceRange, POISON, Patterned, Watched};
use super::transfer_spec;
use crate::answer;

/// What a device does with a peer's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerWays {
    /// It reads it, or writes it.
    One(PeerAccess),
    /// Both at once, in two queues.
    Both,
}

impl PeerWays {
    /// Names on the axis.
    pub const NAMES: &[&str] = &["read", "write", "both"];

    /// The ways of that name.
    pub fn named(name: &str) -> Self {
        match name {
            "write" => PeerWays::One(PeerAccess::Write),
            "both" => PeerWays::Both,
            _ => PeerWays::One(PeerAccess::Read),
        }
    }

    /// How many copies run at once.
    pub const fn count(self) -> f64 {
        match self {
            PeerWays::One(_) => 1.0,
            PeerWays::Both => 2.0,
        }
    }
}

/// Copies between a device and a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerSpec {
    /// Bytes one way.
    pub bytes: usize,
    /// Which ways.
    pub ways: PeerWays,
    /// Who moves the bytes.
    pub mover: Mover,
}

impl PeerSpec {
    /// Refuses devices and sizes with which `device` cannot do this with `peer`, with the reason.
    pub fn suits(self, device: &Device, peer: &Device) -> Result<(), Fault> {
        let (id, other) = (device.facts().id(), peer.facts().id());
        if !device.can_reach(peer) {
            return Err(Fault::Missing(format!("{id} cannot copy from {other} without the host")));
        }
        if self.mover == Mover::Kernel && !device.kernels_reach(peer) {
            return Err(Fault::Missing(format!(
                "kernels of {id} cannot use the memory of {other}. hint: --set by=engine"
            )));
        }
        let each = self.bytes.saturating_mul(self.ways.count() as usize);
        [device, peer].into_iter().try_for_each(|device| transfer_spec::room(device, self.bytes, each))
    }
}

/// Copies between a device and a peer, queued by the device.
pub struct PeerCopies {
    peer: Device,
    spec: PeerSpec,
    lanes: Vec<Lane>,
    /// The queue of the second lane.
    second: Option<Queue>,
    peer_queue: Queue,
    /// Host memory through which the device's memory is filled and checked, and the peer's.
    stages: [HostMemory; 2],
    watched: Watched,
}

/// A copy one way.
struct Lane {
    access: PeerAccess,
    own: DeviceMemory,
    theirs: DeviceMemory,
}

impl PeerCopies {
    /// Copies of the device of `place` with `peer`.
    pub fn new(place: &TaskContext<'_>, peer: &Device, spec: PeerSpec) -> Result<Self, DeviceError> {
        let device = place.device();
        let accesses = match spec.ways {
            PeerWays::One(access) => vec![access],
            PeerWays::Both => vec![PeerAccess::Read, PeerAccess::Write],
        };
        let lane = |access| Ok(Lane { access, own: device.memory(spec.bytes)?, theirs: peer.memory(spec.bytes)? });
        let stage = |device: &Device| device.host_memory(spec.bytes.clamp(1, BLOCK), HostKind::Pageable);
        let copies = Self {
            peer: peer.clone(),
            spec,
            lanes: accesses.into_iter().map(lane).collect::<Result<_, DeviceError>>()?,
            second: (spec.ways == PeerWays::Both).then(|| device.queue()).transpose()?,
            peer_queue: peer.queue()?,
            stages: [stage(device)?, stage(peer)?],
            watched: Watched::of(spec.bytes),
        };
        copies.prepare(place.queue)?;
        Ok(copies)
    }

    /// Where a copy comes from and where it goes, as memory for patterns.
    fn ends<'a>(&'a self, lane: &'a Lane, queue: &'a Queue) -> [DeviceRange<'a>; 2] {
        let [stage, peers_stage] = &self.stages;
        let bytes = self.spec.bytes;
        let own = DeviceRange { memory: &lane.own, offset: 0, bytes, queue, stage };
        let theirs =
            DeviceRange { memory: &lane.theirs, offset: 0, bytes, queue: &self.peer_queue, stage: peers_stage };
        match lane.access {
            PeerAccess::Read => [theirs, own],
            PeerAccess::Write => [own, theirs],
        }
    }

    /// Writes patterns where copies come from, and poison where they go.
    fn prepare(&self, queue: &Queue) -> Result<(), DeviceError> {
        for (seed, lane) in (1..).zip(&self.lanes) {
            let [from, to] = self.ends(lane, queue);
            from.write(seed)?;
            to.queue.fill(to.memory, POISON)?;
            to.queue.sync()?;
        }
        Ok(())
    }

    /// The first thing that `look` finds at the ends of all copies.
    fn any<R>(
        &self,
        queue: &Queue,
        look: impl Fn(&DeviceRange<'_>, u64) -> Result<Option<R>, DeviceError>,
    ) -> Result<Option<R>, DeviceError> {
        let mut found = None;
        for (seed, lane) in (1..).zip(&self.lanes) {
            let [_, to] = self.ends(lane, queue);
            found = found.or(look(&to, seed)?);
        }
        Ok(found)
    }
}

impl Operation for PeerCopies {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        let queues = [Some(queue), self.second.as_ref()].into_iter().flatten();
        for (lane, queue) in self.lanes.iter().zip(queues) {
            let way = (lane.access, self.spec.mover);
            queue.copy_with_peer(&lane.own, (&self.peer, &lane.theirs), self.spec.bytes, way)?;
        }
        Ok(())
    }

    fn may_be_gated(&self) -> bool {
        true
    }

    fn commands(&self) -> u64 {
        self.lanes.len() as u64
    }

    fn other_queue(&self) -> Option<&Queue> {
        self.second.as_ref()
    }
}

impl Task for PeerCopies {
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        self.prepare(queue)?;
        self.enqueue(queue)?;
        queue.sync()?;
        self.second.as_ref().map_or(Ok(()), Queue::sync)?;
        let wrong = self.any(queue, |to, seed| to.wrong(seed))?;
        Ok(answer::exact(&pattern::method(self.spec.bytes), wrong))
    }

    fn inspect(&mut self, queue: &Queue) -> Result<Option<Check>, DeviceError> {
        let found = self.any(queue, |to, seed| self.watched.look(to, seed))?;
        self.watched.advance();
        Ok(found)
    }

    /// The link to the peer; twice what it carries one way for both ways at once.
    fn link(&self, device: &Device) -> Option<LinkLimit> {
        let link = device.link_to_peer(&self.peer)?;
        Some(LinkLimit { bytes_s: self.spec.ways.count() * link.bytes_s, ..link })
    }
}
