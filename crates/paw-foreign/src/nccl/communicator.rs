//! Devices of several ranks that communicate, and the calls they make together.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;

use super::{Nccl, NcclError, Raw, UniqueId};
use crate::device::{Device, Queue};
use crate::mpi::{Datatype, Memory, Part};

/// `ncclSum`.
const SUM: c_int = 0;

/// A part of a memory, and the rank that it goes to or comes from.
pub type Transfer = (Part, usize);

/// This rank of a communicator, with a queue of its device in which its calls run one after the other.
///
/// Every rank makes the same calls in the same order. Memory that a call uses must live until [`Communicator::wait`] has returned; memory
/// that is freed earlier is waited for by the driver, which frees nothing that a kernel still uses.
pub struct Communicator {
    library: &'static Nccl,
    raw: Raw,
    queue: Queue,
    stream: Raw,
    size: usize,
    /// A call has failed: what was queued may never end.
    is_broken: Cell<bool>,
}

impl Communicator {
    /// Joins as `rank` of `size` with this device, and waits for all others to join. No two ranks may have the same device.
    pub fn join(
        library: &'static Nccl,
        device: &Device,
        (rank, size): (usize, usize),
        id: UniqueId,
    ) -> Result<Self, NcclError> {
        if device.facts().backend != library.backend() {
            let (version, id) = (library.version(), device.facts().id());
            return Err(NcclError::Unfit(format!("{version} does not serve {id}, a device of another interface")));
        }
        let queue = device.queue()?;
        // The device is current from here on: the library takes the one that is.
        let stream = ptr::with_exposed_provenance_mut(queue.stream()?);
        let mut raw = ptr::null_mut();
        // SAFETY: the handle is written before the call returns, and the identity is copied.
        let code = unsafe { (library.calls.init)(&raw mut raw, int(size), id, int(rank)) };
        library.done("ncclCommInitRank", code, ptr::null_mut())?;
        Ok(Self { library, raw, queue, stream, size, is_broken: Cell::new(false) })
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The library that carries the data.
    pub fn library(&self) -> &'static Nccl {
        self.library
    }

    /// Queues the sum of every rank's `from` into every rank's `into`.
    pub fn all_reduce(&self, memory: &Memory, from: Part, into: Part) -> Result<(), NcclError> {
        equal("ncclAllReduce", from.len(), into.len())?;
        let (send, recv) = (self.place(memory, from)?, self.place(memory, into)?);
        let (count, kind) = (from.len(), kind(from));
        // SAFETY: both parts hold that many elements on the device; communicator and stream live.
        let code = unsafe {
            (self.library.calls.all_reduce)(send.cast_const(), recv, count, kind, SUM, self.raw, self.stream)
        };
        self.done("ncclAllReduce", code)
    }

    /// Queues a copy of the root's `from` into every rank's `into`.
    pub fn broadcast(&self, memory: &Memory, from: Part, into: Part, root: usize) -> Result<(), NcclError> {
        equal("ncclBroadcast", from.len(), into.len())?;
        let (send, recv) = (self.place(memory, from)?, self.place(memory, into)?);
        let (count, kind) = (from.len(), kind(from));
        // SAFETY: as in `all_reduce`.
        let code = unsafe {
            (self.library.calls.broadcast)(send.cast_const(), recv, count, kind, int(root), self.raw, self.stream)
        };
        self.done("ncclBroadcast", code)
    }

    /// Queues the sum of every rank's `from` into the root's `into`.
    pub fn reduce(&self, memory: &Memory, from: Part, into: Part, root: usize) -> Result<(), NcclError> {
        equal("ncclReduce", from.len(), into.len())?;
        let (send, recv) = (self.place(memory, from)?, self.place(memory, into)?);
        let (count, kind, root) = (from.len(), kind(from), int(root));
        // SAFETY: as in `all_reduce`.
        let code = unsafe {
            (self.library.calls.reduce)(send.cast_const(), recv, count, kind, SUM, root, self.raw, self.stream)
        };
        self.done("ncclReduce", code)
    }

    /// Queues every rank's `from` into the block of that rank in every rank's `into`.
    pub fn all_gather(&self, memory: &Memory, from: Part, into: Part) -> Result<(), NcclError> {
        equal("ncclAllGather", from.len() * self.size, into.len())?;
        let (send, recv) = (self.place(memory, from)?, self.place(memory, into)?);
        let (count, kind) = (from.len(), kind(from));
        // SAFETY: `from` holds that many elements on the device, and `into` that many for every rank; communicator and stream live.
        let code =
            unsafe { (self.library.calls.all_gather)(send.cast_const(), recv, count, kind, self.raw, self.stream) };
        self.done("ncclAllGather", code)
    }

    /// Queues this rank's block of the sum of every rank's `from` into `into`.
    pub fn reduce_scatter(&self, memory: &Memory, from: Part, into: Part) -> Result<(), NcclError> {
        equal("ncclReduceScatter", from.len(), into.len() * self.size)?;
        let (send, recv) = (self.place(memory, from)?, self.place(memory, into)?);
        let (count, kind) = (into.len(), kind(into));
        // SAFETY: `into` holds that many elements on the device, and `from` that many for every rank; communicator and stream live.
        let code = unsafe {
            (self.library.calls.reduce_scatter)(send.cast_const(), recv, count, kind, SUM, self.raw, self.stream)
        };
        self.done("ncclReduceScatter", code)
    }

    /// Queues messages that progress together, in one group: what each rank sends to another, that one receives.
    pub fn exchange(
        &self,
        memory: &Memory,
        sent: impl Iterator<Item = Transfer>,
        received: impl Iterator<Item = Transfer>,
    ) -> Result<(), NcclError> {
        let calls = &self.library.calls;
        // SAFETY: it takes nothing, and the group is ended below.
        self.done("ncclGroupStart", unsafe { (calls.group_start)() })?;
        let queued = self.queue_all(memory, sent, received);
        // SAFETY: a group was started above.
        let ended = self.done("ncclGroupEnd", unsafe { (calls.group_end)() });
        queued.and(ended)
    }

    fn queue_all(
        &self,
        memory: &Memory,
        sent: impl Iterator<Item = Transfer>,
        received: impl Iterator<Item = Transfer>,
    ) -> Result<(), NcclError> {
        let calls = &self.library.calls;
        for (part, to) in sent {
            let (at, to) = (self.place(memory, part)?.cast_const(), int(to));
            // SAFETY: the part holds that many elements on the device; communicator and stream live.
            let code = unsafe { (calls.send)(at, part.len(), kind(part), to, self.raw, self.stream) };
            self.done("ncclSend", code)?;
        }
        for (part, from) in received {
            let (at, from) = (self.place(memory, part)?, int(from));
            // SAFETY: as above.
            let code = unsafe { (calls.recv)(at, part.len(), kind(part), from, self.raw, self.stream) };
            self.done("ncclRecv", code)?;
        }
        Ok(())
    }

    /// Waits until all that was queued is done.
    #[inline]
    pub fn wait(&self) -> Result<(), NcclError> {
        Ok(self.queue.sync()?)
    }

    /// An error that came after its call had returned (`ncclCommGetAsyncError`).
    pub fn late_error(&self) -> Result<(), NcclError> {
        let mut late = 0;
        // SAFETY: it writes one integer, which outlives the call; the communicator lives.
        let code = unsafe { (self.library.calls.async_error)(self.raw, &raw mut late) };
        self.done("ncclCommGetAsyncError", code)?;
        self.done("a call that ncclCommGetAsyncError speaks of", late)
    }

    /// Where `part` begins on the device.
    fn place(&self, memory: &Memory, part: Part) -> Result<Raw, NcclError> {
        if !memory.is_on_device() {
            return Err(NcclError::Unfit(format!("{} takes memory of a device alone", self.library.version())));
        }
        Ok(memory.address(part)?)
    }

    #[inline]
    fn done(&self, call: &'static str, code: c_int) -> Result<(), NcclError> {
        if code == 0 {
            return Ok(());
        }
        self.is_broken.set(true);
        self.library.done(call, code, self.raw)
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        let calls = &self.library.calls;
        let end = if self.is_broken.get() { calls.abort } else { calls.destroy };
        // SAFETY: the communicator lives, and is not used again. A failure leaves it to the process's end.
        unsafe { end(self.raw) };
    }
}

/// A number as C's `int`; one that does not fit becomes one that the library refuses.
fn int(number: usize) -> c_int {
    c_int::try_from(number).unwrap_or(-1)
}

/// `ncclDataType_t` of a part's elements.
fn kind(part: Part) -> c_int {
    match part.kind() {
        Datatype::Byte => 1,
        Datatype::Int => 2,
        Datatype::Int64 => 4,
        Datatype::Uint64 => 5,
        Datatype::Float => 7,
        Datatype::Double => 8,
    }
}

/// Refuses parts of which one is too long or too short for the other.
fn equal(call: &str, needed: usize, there: usize) -> Result<(), NcclError> {
    if needed == there {
        return Ok(());
    }
    Err(NcclError::Unfit(format!("{call} of {needed} elements was given a result of {there}")))
}
