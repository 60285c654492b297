//! Communicators, and what ranks do together.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::channel::{Channel, Silence};
use crate::driver::{self, Driver, driver};
use crate::options;
use crate::sum;
use crate::symbols::told;

// `ncclResult_t`.
pub(crate) const SUCCESS: c_int = 0;
pub(crate) const UNHANDLED_CUDA_ERROR: c_int = 1;
pub(crate) const SYSTEM_ERROR: c_int = 2;
pub(crate) const INTERNAL_ERROR: c_int = 3;
pub(crate) const INVALID_ARGUMENT: c_int = 4;
pub(crate) const INVALID_USAGE: c_int = 5;
pub(crate) const REMOTE_ERROR: c_int = 6;

/// What a call answers: a code that is not success as the error.
pub(crate) type Answer = Result<(), c_int>;

/// What ranks do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    AllReduce,
    Broadcast(usize),
    Reduce(usize),
    AllGather,
    ReduceScatter,
    Send(usize),
    Recv(usize),
}

/// A call, checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    pub(crate) act: Act,
    /// Addresses that are read and written; 0 where nothing is.
    pub(crate) send: usize,
    pub(crate) recv: usize,
    pub(crate) count: usize,
    pub(crate) kind: c_int,
    /// The communicator.
    pub(crate) comm: usize,
    pub(crate) stream: usize,
}

/// A rank of a communicator.
#[derive(Debug)]
struct Comm {
    channel: Channel,
    rank: usize,
    size: usize,
    device: c_int,
    /// Collectives so far.
    calls: u64,
    /// Messages so far to each rank, and from each.
    sent: Vec<u64>,
    received: Vec<u64>,
}

fn comms() -> MutexGuard<'static, BTreeMap<usize, Comm>> {
    static COMMS: Mutex<BTreeMap<usize, Comm>> = Mutex::new(BTreeMap::new());
    COMMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The driver, where one is open.
fn opened() -> Result<&'static Driver, c_int> {
    driver().ok_or_else(|| told(UNHANDLED_CUDA_ERROR, "no driver of the mocks is open in this process"))
}

/// Why a peer is silent, as a code.
fn silent(silence: Silence) -> c_int {
    match silence {
        Silence::Aborted => told(REMOTE_ERROR, "a rank has aborted the communicator"),
        Silence::Gone => told(SYSTEM_ERROR, "a rank did not answer"),
    }
}

/// Joins a communicator, and returns its handle.
pub(crate) fn join(id: &[u8], rank: usize, size: usize) -> Result<usize, c_int> {
    if rank >= size {
        return Err(told(INVALID_ARGUMENT, &format!("Invalid rank requested : {rank}/{size}")));
    }
    let channel = Channel::named(id).ok_or_else(|| told(INVALID_ARGUMENT, "the identity is of no communicator"))?;
    let driver = opened()?;
    let device = driver.current().ok_or_else(|| told(UNHANDLED_CUDA_ERROR, "no device is current"))?;
    let bus_id = driver.bus_id(device).unwrap_or_default();
    channel.post(&format!("bus-{rank}"), bus_id.as_bytes()).map_err(silent)?;
    for other in 0..size {
        let theirs = channel.read(&format!("bus-{other}")).map_err(silent)?;
        if other != rank && theirs == bus_id.as_bytes() {
            let said = format!("Duplicate GPU detected : rank {rank} and rank {other} both on CUDA device {bus_id}");
            return Err(told(INVALID_USAGE, &said));
        }
    }
    let mut comms = comms();
    let handle = comms.keys().next_back().map_or(1, |last| last + 1);
    comms.insert(handle, Comm { channel, rank, size, device, calls: 0, sent: vec![0; size], received: vec![0; size] });
    Ok(handle)
}

/// Gives a communicator up; `aborts` tells the others.
pub(crate) fn leave(handle: usize, aborts: bool) -> Answer {
    let comm = comms().remove(&handle).ok_or_else(|| unknown(handle))?;
    if aborts {
        comm.channel.abort();
    }
    comm.channel.leave(comm.rank, comm.size);
    Ok(())
}

/// Whether there is such a communicator.
pub(crate) fn known(handle: usize) -> Answer {
    if comms().contains_key(&handle) { Ok(()) } else { Err(unknown(handle)) }
}

fn unknown(handle: usize) -> c_int {
    told(INVALID_ARGUMENT, &format!("{handle:#x} is no communicator, or one that was destroyed or aborted"))
}

/// Refuses arguments that are wrong by themselves.
pub(crate) fn check(request: &Request) -> Answer {
    let comms = comms();
    let comm = comms.get(&request.comm).ok_or_else(|| unknown(request.comm))?;
    let element = sum::element_bytes(request.kind)
        .ok_or_else(|| told(INVALID_ARGUMENT, &format!("invalid type {}", request.kind)))?;
    let peer = match request.act {
        Act::Broadcast(peer) | Act::Reduce(peer) | Act::Send(peer) | Act::Recv(peer) => peer,
        Act::AllReduce | Act::AllGather | Act::ReduceScatter => 0,
    };
    if peer >= comm.size {
        return Err(told(INVALID_ARGUMENT, &format!("invalid rank {peer} of {}", comm.size)));
    }
    let driver = opened()?;
    let [reads, writes] = comm.elements(request);
    for (address, elements) in [(request.send, reads), (request.recv, writes)] {
        if elements > 0 && driver.device_at(address) != Some(comm.device) {
            return Err(told(INVALID_ARGUMENT, &format!("{address:#x} is no memory of device {}", comm.device)));
        }
        if !driver.uses(address, elements * element, request.stream) {
            return Err(told(UNHANDLED_CUDA_ERROR, "memory or stream are none of the device's"));
        }
    }
    Ok(())
}

/// Does the calls of a group: what is sent is left first, so that ranks may receive in any order.
pub(crate) fn carry_out(requests: &[Request]) -> Answer {
    let mut comms = comms();
    for is_first in [true, false] {
        for request in requests.iter().filter(|request| matches!(request.act, Act::Send(_)) == is_first) {
            comms.get_mut(&request.comm).ok_or_else(|| unknown(request.comm))?.carry_out(request)?;
        }
    }
    Ok(())
}

impl Comm {
    /// How many elements this rank reads and writes.
    fn elements(&self, request: &Request) -> [usize; 2] {
        let (one, all) = (request.count, request.count * self.size);
        let only = |rank| if rank == self.rank { one } else { 0 };
        match request.act {
            Act::AllReduce => [one, one],
            Act::Broadcast(root) => [only(root), one],
            Act::Reduce(root) => [one, only(root)],
            Act::AllGather => [one, all],
            Act::ReduceScatter => [all, one],
            Act::Send(_) => [one, 0],
            Act::Recv(_) => [0, one],
        }
    }

    fn carry_out(&mut self, request: &Request) -> Answer {
        let element = sum::element_bytes(request.kind).unwrap_or(1);
        let [reads, writes] = self.elements(request).map(|elements| elements * element);
        let own = driver::read(request.send, reads);
        let mut result = match request.act {
            Act::Send(to) => {
                self.sent[to] += 1;
                let name = format!("m{}-{}-{to}", self.sent[to], self.rank);
                return self.channel.post(&name, &own).map_err(silent);
            }
            Act::Recv(from) => {
                self.received[from] += 1;
                let name = format!("m{}-{from}-{}", self.received[from], self.rank);
                let bytes = self.channel.read(&name).map_err(silent)?;
                self.channel.forget(&name);
                if bytes.len() != writes {
                    return Err(told(INVALID_USAGE, "a message has another length than was received"));
                }
                bytes
            }
            _ => self.together(request, &own, writes)?,
        };
        if options::is_wrong(self.rank)
            && let Some(byte) = result.get_mut(writes / 2)
        {
            *byte ^= 0x40;
        }
        driver::write(request.recv, &result);
        Ok(())
    }

    /// What this rank gets of a collective.
    fn together(&mut self, request: &Request, own: &[u8], writes: usize) -> Result<Vec<u8>, c_int> {
        self.calls += 1;
        let header = format!("{:?} {} {}\n", request.act, request.count, request.kind);
        let name = |call: u64, rank: usize| format!("c{call}-{rank}");
        let message = [header.as_bytes(), own].concat();
        self.channel.post(&name(self.calls, self.rank), &message).map_err(silent)?;
        let mut parts = Vec::new();
        for rank in 0..self.size {
            let message = self.channel.read(&name(self.calls, rank)).map_err(silent)?;
            let Some(part) = message.strip_prefix(header.as_bytes()) else {
                return Err(told(INVALID_USAGE, &format!("rank {rank} makes another call than rank {}", self.rank)));
            };
            parts.push(part.to_vec());
        }
        // All have begun this call, and so ended the one before it.
        self.channel.forget(&name(self.calls - 1, self.rank));
        if writes == 0 {
            return Ok(Vec::new());
        }
        match request.act {
            Act::AllGather => Ok(parts.concat()),
            Act::Broadcast(root) => Ok(parts.swap_remove(root)),
            Act::ReduceScatter => Ok(summed(request.kind, parts)?[self.rank * writes..][..writes].to_vec()),
            _ => summed(request.kind, parts),
        }
    }
}

fn summed(kind: c_int, parts: Vec<Vec<u8>>) -> Result<Vec<u8>, c_int> {
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_default();
    let is_added = parts.all(|part| sum::add(kind, &mut sum, &part));
    if is_added { Ok(sum) } else { Err(told(INTERNAL_ERROR, &format!("the mock does not add type {kind}"))) }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Two ranks that make these calls of bytes, each a thread.
    fn together(calls: [(Act, usize); 2]) -> [Result<Vec<u8>, c_int>; 2] {
        let channel = Channel::create().expect("there is a directory for temporary files");
        let threads = [0, 1].map(|rank| {
            let (channel, (act, count)) = (channel.clone(), calls[rank]);
            thread::spawn(move || {
                let mut comm =
                    Comm { channel, rank, size: 2, device: 0, calls: 0, sent: vec![0; 2], received: vec![0; 2] };
                let request = Request { act, send: 0, recv: 0, count, kind: 1, comm: 0, stream: 0 };
                let [reads, writes] = comm.elements(&request);
                let answer = comm.together(&request, &vec![1 + rank as u8; reads], writes);
                if answer.is_err() {
                    comm.channel.abort();
                }
                comm.channel.leave(rank, 2);
                answer
            })
        });
        threads.map(|thread| thread.join().expect("a rank does not panic"))
    }

    #[test]
    fn ranks_that_make_one_call_have_its_result() {
        assert_eq!(together([(Act::AllReduce, 3); 2]), [Ok(vec![3; 3]), Ok(vec![3; 3])]);
        assert_eq!(together([(Act::AllGather, 1); 2]), [Ok(vec![1, 2]), Ok(vec![1, 2])]);
        assert_eq!(together([(Act::ReduceScatter, 2); 2]), [Ok(vec![3; 2]), Ok(vec![3; 2])]);
        assert_eq!(together([(Act::Broadcast(1), 2); 2]), [Ok(vec![2; 2]), Ok(vec![2; 2])]);
        assert_eq!(together([(Act::Reduce(1), 2); 2]), [Ok(vec![]), Ok(vec![3; 2])]);
    }

    #[test]
    fn ranks_that_make_different_calls_are_refused() {
        let refused = |answer: &Result<Vec<u8>, c_int>| matches!(answer, Err(INVALID_USAGE | REMOTE_ERROR));
        assert!(together([(Act::AllReduce, 3), (Act::AllReduce, 4)]).iter().any(refused));
        assert!(together([(Act::AllReduce, 3), (Act::AllGather, 3)]).iter().any(refused));
    }

    #[test]
    fn a_rank_that_aborts_ends_the_wait_of_others() {
        let channel = Channel::create().expect("there is a directory for temporary files");
        channel.abort();
        assert_eq!(channel.read("never"), Err(Silence::Aborted));
        channel.leave(0, 1);
        assert_eq!(channel.read("never"), Err(Silence::Gone));
    }
}
