//! The operation of a transfer: copies between host and device.

use paw_data::outcome::Check;
use paw_devices::operation::Operation;
use paw_devices::tasks::{Task, TaskContext};
use paw_foreign::device::{Device, DeviceError, DeviceMemory, HostKind, HostMemory, LinkLimit, Queue};

use super::pattern::{self, BLOCK, DeviceRange, HostRange, POISON, Patterned, Watched};
use super::transfer_spec::{Direction, MemoryLifetime, TransferSpec};
use crate::answer;

/// A transfer on one device.
pub struct Copies {
    device: Device,
    spec: TransferSpec,
    host: HostMemory,
    /// The device's memory; `None` if each transfer allocates its own.
    kept: Option<DeviceMemory>,
    opposite: Option<Opposite>,
    /// Host memory through which what arrived on the device is looked at.
    stage: HostMemory,
    watched: Watched,
}

/// Numbers of the patterns that go in, and out beside it.
const FIRST: u64 = 1;
const SECOND: u64 = 2;

/// The copy to the host in a transfer of both ways at once.
struct Opposite {
    host: HostMemory,
    memory: DeviceMemory,
    queue: Queue,
}

impl Copies {
    /// The transfer that `spec` describes.
    pub fn new(place: &TaskContext<'_>, spec: TransferSpec) -> Result<Self, DeviceError> {
        let device = place.device();
        let memory = || {
            let memory = device.memory(spec.span())?;
            // Untouched memory may be one shared page of zeros, which copies in half the time.
            place.queue.fill(&memory, POISON)?;
            place.queue.sync()?;
            Ok(memory)
        };
        let host = || device.host_memory(spec.span(), spec.host);
        let opposite = || Ok::<_, DeviceError>(Opposite { host: host()?, memory: memory()?, queue: device.queue()? });
        let copies = Self {
            device: device.clone(),
            spec,
            host: host()?,
            kept: (spec.life == MemoryLifetime::Keep).then(memory).transpose()?,
            opposite: (spec.direction == Direction::Bidir).then(opposite).transpose()?,
            stage: device.host_memory(spec.bytes.clamp(1, BLOCK), HostKind::Pageable)?,
            watched: Watched::of(spec.bytes),
        };
        copies.prepare(place.queue)?;
        Ok(copies)
    }

    /// Writes patterns where copies come from, and poison where they go.
    fn prepare(&self, queue: &Queue) -> Result<(), DeviceError> {
        let here = self.stretch(&self.host);
        here.write(FIRST)?;
        if let (Direction::Out, Some(memory)) = (self.spec.direction, &self.kept) {
            self.go_in(queue, memory)?;
            queue.sync()?;
            here.poison()?;
        }
        if let Some(opposite) = &self.opposite {
            self.fill_opposite(opposite)?;
        }
        Ok(())
    }

    /// Writes the pattern that goes out beside the one that goes in.
    fn fill_opposite(&self, opposite: &Opposite) -> Result<(), DeviceError> {
        let TransferSpec { offset, bytes, .. } = self.spec;
        let there = self.stretch(&opposite.host);
        there.write(SECOND)?;
        opposite.queue.copy_in((&opposite.memory, offset), (&opposite.host, offset), bytes)?;
        opposite.queue.sync()?;
        there.poison()
    }

    fn go_in(&self, queue: &Queue, memory: &DeviceMemory) -> Result<(), DeviceError> {
        let TransferSpec { offset, bytes, .. } = self.spec;
        queue.copy_in((memory, offset), (&self.host, offset), bytes)
    }

    fn go_out(&self, queue: &Queue, memory: &DeviceMemory) -> Result<(), DeviceError> {
        let TransferSpec { offset, bytes, .. } = self.spec;
        queue.copy_out((&self.host, offset), (memory, offset), bytes)
    }

    fn copy(&self, queue: &Queue, memory: &DeviceMemory) -> Result<(), DeviceError> {
        match self.spec.direction {
            Direction::In | Direction::Bidir => self.go_in(queue, memory),
            Direction::Out => self.go_out(queue, memory),
            Direction::Inout => {
                self.go_in(queue, memory)?;
                self.go_out(queue, memory)
            }
        }
    }

    fn stretch<'a>(&self, host: &'a HostMemory) -> HostRange<'a> {
        HostRange { host, offset: self.spec.offset, bytes: self.spec.bytes }
    }

    /// Copies a pattern in and out by the timed calls, and checks it.
    fn there_and_back(&self, queue: &Queue, memory: &DeviceMemory) -> Result<Option<String>, DeviceError> {
        let here = self.stretch(&self.host);
        here.write(FIRST)?;
        queue.fill(memory, POISON)?;
        self.go_in(queue, memory)?;
        queue.sync()?;
        here.poison()?;
        self.go_out(queue, memory)?;
        queue.sync()?;
        here.wrong(FIRST)
    }

    /// Copies patterns both ways at once by the timed calls, fetches the one that went in, and checks both.
    fn both_ways(
        &self,
        queue: &Queue,
        (memory, opposite): (&DeviceMemory, &Opposite),
    ) -> Result<Option<String>, DeviceError> {
        let (here, there) = (self.stretch(&self.host), self.stretch(&opposite.host));
        here.write(FIRST)?;
        self.fill_opposite(opposite)?;
        queue.fill(memory, POISON)?;
        queue.sync()?;
        self.go_in(queue, memory)?;
        opposite.go_out(self.spec)?;
        queue.sync()?;
        opposite.queue.sync()?;
        if let Some(wrong) = there.wrong(SECOND)? {
            return Ok(Some(wrong));
        }
        here.poison()?;
        self.go_out(queue, memory)?;
        queue.sync()?;
        here.wrong(FIRST)
    }
}

impl Opposite {
    fn go_out(&self, TransferSpec { offset, bytes, .. }: TransferSpec) -> Result<(), DeviceError> {
        self.queue.copy_out((&self.host, offset), (&self.memory, offset), bytes)
    }
}

impl Operation for Copies {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        if let Some(memory) = &self.kept {
            self.copy(queue, memory)?;
            return self.opposite.as_ref().map_or(Ok(()), |opposite| opposite.go_out(self.spec));
        }
        let bytes = self.spec.span();
        match self.spec.life {
            MemoryLifetime::Pool => {
                let memory = self.device.pool_memory(queue, bytes)?;
                self.copy(queue, &memory)?;
                memory.free()
            }
            MemoryLifetime::Keep | MemoryLifetime::Alloc => {
                let memory = self.device.memory(bytes)?;
                self.copy(queue, &memory)?;
                queue.sync()?;
                memory.free()
            }
        }
    }

    fn may_be_gated(&self) -> bool {
        self.spec.host.is_locked() && self.kept.is_some()
    }

    fn may_be_marked(&self) -> bool {
        self.kept.is_some()
    }

    fn commands(&self) -> u64 {
        self.spec.direction.ways() as u64
    }

    fn other_queue(&self) -> Option<&Queue> {
        self.opposite.as_ref().map(|opposite| &opposite.queue)
    }
}

impl Task for Copies {
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        let wrong = match (&self.kept, &self.opposite) {
            (Some(memory), Some(opposite)) => self.both_ways(queue, (memory, opposite)),
            (Some(memory), None) => self.there_and_back(queue, memory),
            (None, _) if self.spec.life == MemoryLifetime::Pool => {
                self.there_and_back(queue, &self.device.pool_memory(queue, self.spec.span())?)
            }
            (None, _) => self.there_and_back(queue, &self.device.memory(self.spec.span())?),
        };
        Ok(answer::exact(&pattern::method(self.spec.bytes), wrong?))
    }

    /// Looks at what the last copy of the sample left where it ended. Memory that each transfer frees holds nothing any more, and what a
    /// transfer takes out of fresh memory is nothing that anybody wrote.
    fn inspect(&mut self, queue: &Queue) -> Result<Option<Check>, DeviceError> {
        let TransferSpec { offset, bytes, direction, .. } = self.spec;
        let here = HostRange { host: &self.host, offset, bytes };
        let arrived = self.kept.as_ref().map(|memory| DeviceRange { memory, offset, bytes, queue, stage: &self.stage });
        let found = match (direction, &arrived, &self.opposite) {
            (Direction::In, Some(arrived), _) => self.watched.look(arrived, FIRST),
            (Direction::Out, Some(_), _) => self.watched.look(&here, FIRST),
            (Direction::Bidir, Some(arrived), Some(opposite)) => {
                let outward = self.watched.look(&self.stretch(&opposite.host), SECOND)?;
                self.watched.look(arrived, FIRST).map(|inward| inward.or(outward))
            }
            // The host's memory is where the next sample begins: nothing may be poisoned.
            (Direction::Inout, ..) => self.watched.glance(&here, FIRST),
            _ => Ok(None),
        }?;
        self.watched.advance();
        Ok(found)
    }

    fn crosses_link(&self) -> bool {
        true
    }

    /// The link to the host; twice what it carries one way for both ways at once.
    fn link(&self, device: &Device) -> Option<LinkLimit> {
        let link = device.link_to_host()?;
        let both = if self.spec.direction == Direction::Bidir { 2.0 } else { 1.0 };
        Some(LinkLimit { bytes_s: both * link.bytes_s, ..link })
    }
}
