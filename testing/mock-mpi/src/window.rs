//! Windows seen from the origin: operations sent to the rank that owns the memory, and waiting for their effect.
//!
//! An operation is a message, served when the target's process is inside any call of the library: that is all the progress there is.
//! A put costs one way, a get or an atomic a way there and one back, a flush or unlock likewise.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::ops::Range;

use crate::abi::{Class, Handle, PROC_NULL};
use crate::address::Address;
use crate::communicator::Group;
use crate::engine::Engine;
use crate::envelope::{Envelope, Purpose};
use crate::request::Work;
use crate::world::{wait, with};

/// Memory that other ranks reach, and what this rank knows of theirs. Ranks are those of the window.
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) context: u32,
    /// A communicator of the window's own, for barriers.
    pub(crate) comm: Handle,
    pub(crate) group: Group,
    pub(crate) base: Address,
    pub(crate) bytes: usize,
    pub(crate) unit: usize,
    /// The addresses that this rank attached, where the window is a dynamic one: displacements in it are addresses.
    pub(crate) attached: Option<Vec<Range<usize>>>,
    /// Memory the library gave, kept for as long as the window.
    pub(crate) _owned: Vec<u64>,
    pub(crate) errors_return: bool,
    /// Whether every rank counts as locked: a lock is taken when it is first needed.
    pub(crate) locks_all: bool,
    pub(crate) access: Vec<usize>,
    pub(crate) exposure: Vec<usize>,
    pub(crate) lock: Lock,
    pub(crate) peers: Vec<Peer>,
}

/// What is known of one other rank.
#[derive(Debug, Default, Clone)]
pub(crate) struct Peer {
    /// Exposures it announced that were not used yet.
    pub(crate) posts: u32,
    /// Accesses it ended that were not waited for yet.
    pub(crate) completes: u32,
    /// Answers it owes.
    pub(crate) fetches: u32,
    /// Confirmations it owes.
    pub(crate) flushes: u32,
    /// Whether operations went there since the last confirmation.
    pub(crate) dirty: bool,
    /// Whether it granted the lock.
    pub(crate) granted: bool,
    /// Whether it has not attached what it was last asked for.
    pub(crate) refused: bool,
}

/// The lock of one rank's memory: many readers or one writer, in the order they came.
#[derive(Debug, Default)]
pub(crate) struct Lock {
    holders: Vec<usize>,
    is_exclusive: bool,
    queue: VecDeque<(usize, Mode)>,
}

/// How a lock is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Shared,
    Exclusive,
}

impl Lock {
    pub(crate) fn ask(&mut self, rank: usize, mode: Mode) {
        self.queue.push_back((rank, mode));
    }

    pub(crate) fn release(&mut self, rank: usize) {
        self.holders.retain(|holder| *holder != rank);
    }

    /// The next that may have it.
    pub(crate) fn grant(&mut self) -> Option<usize> {
        let (rank, mode) = *self.queue.front()?;
        let fits = self.holders.is_empty() || (mode == Mode::Shared && !self.is_exclusive);
        if !fits {
            return None;
        }
        self.queue.pop_front();
        self.holders.push(rank);
        self.is_exclusive = mode == Mode::Exclusive;
        Some(rank)
    }
}

/// An answer that is waited for.
#[derive(Debug)]
pub(crate) struct Fetch {
    pub(crate) into: Address,
    pub(crate) room: usize,
}

/// An operation on its way: what for, on which window and rank, and its displacement there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim {
    pub(crate) window: Handle,
    pub(crate) rank: usize,
    pub(crate) displacement: u64,
}

impl Window {
    pub(crate) fn rank_of(&self, world: usize) -> usize {
        self.group.iter().position(|member| *member == world).unwrap_or_default()
    }

    /// Whether `n` bytes at this address are attached, in one piece.
    pub(crate) fn is_attached(&self, address: usize, n: usize) -> bool {
        let mut regions = self.attached.iter().flatten();
        regions.any(|region| region.start <= address && address.saturating_add(n) <= region.end)
    }
}

impl Engine {
    pub(crate) fn window(&mut self, window: Handle) -> Result<&mut Window, Class> {
        self.windows.get_mut(window).ok_or(Class::Win)
    }

    pub(crate) fn peer(&mut self, window: Handle, rank: usize) -> Result<&mut Peer, Class> {
        self.window(window)?.peers.get_mut(rank).ok_or(Class::Rank)
    }

    /// Sends an operation; its place and parameter are words of the envelope.
    pub(crate) fn operate(
        &mut self,
        call: &'static str,
        purpose: Purpose,
        aim: Aim,
        (parameter, fetch): (u64, u64),
        payload: &[u8],
    ) -> Result<(), Class> {
        let window = self.window(aim.window)?;
        let member = *window.group.get(aim.rank).ok_or(Class::Rank)?;
        window.peers[aim.rank].dirty = true;
        let envelope = Envelope::service(purpose, window.context, [aim.displacement, parameter, fetch, 0]);
        self.send(call, member, envelope, payload);
        Ok(())
    }

    /// Sends an operation that is answered into the caller's memory.
    pub(crate) fn ask(
        &mut self,
        call: &'static str,
        purpose: Purpose,
        aim: Aim,
        parameter: u64,
        (payload, into, room): (&[u8], Address, usize),
    ) -> Result<u64, Class> {
        self.peer(aim.window, aim.rank)?.fetches += 1;
        self.fetches_begun += 1;
        let id = self.fetches_begun;
        self.fetches.insert(id, Fetch { into, room });
        self.operate(call, purpose, aim, (parameter, id), payload)?;
        Ok(id)
    }

    /// Sends a word that is no operation.
    pub(crate) fn notify(
        &mut self,
        call: &'static str,
        purpose: Purpose,
        (window, rank): (Handle, usize),
        word: u64,
    ) -> Result<(), Class> {
        let window = self.window(window)?;
        let member = *window.group.get(rank).ok_or(Class::Rank)?;
        let envelope = Envelope::service(purpose, window.context, [0, word, 0, 0]);
        self.send(call, member, envelope, &[]);
        Ok(())
    }
}

/// `n` bytes of a rank as an aim: `None` for nobody. Takes the lock where the whole window counts as locked and this rank is not yet.
pub(crate) fn aimed(
    call: &'static str,
    window: Handle,
    (rank, displacement): (c_int, isize),
    n: usize,
) -> Result<Option<Aim>, Class> {
    if rank == PROC_NULL {
        return Ok(None);
    }
    let rank = usize::try_from(rank).map_err(|_| Class::Rank)?;
    let displacement = u64::try_from(displacement).map_err(|_| Class::Arg)?;
    let needs_lock = with(|engine| {
        let all = engine.window(window)?.locks_all;
        Ok(all && !engine.peer(window, rank)?.granted)
    })?;
    if needs_lock {
        lock(call, (window, rank), Mode::Shared)?;
    }
    let aim = Aim { window, rank, displacement };
    reach(call, aim, n)?;
    Ok(Some(aim))
}

/// Asks the rank whether it has attached `n` bytes there, where the window is a dynamic one: an access to others is never sent.
fn reach(call: &'static str, aim: Aim, n: usize) -> Result<(), Class> {
    if with(|engine| engine.window(aim.window).map(|window| window.attached.is_none()))? {
        return Ok(());
    }
    let answer = with(|engine| engine.ask(call, Purpose::Reach, aim, n as u64, (&[], Address(0), 0)))?;
    wait(|engine| engine.is_ready(Work::Fetch(answer)).then_some(()));
    let refused = with(|engine| engine.peer(aim.window, aim.rank).map(|peer| std::mem::take(&mut peer.refused)))?;
    if refused { Err(Class::RmaRange) } else { Ok(()) }
}

/// Waits until `holds` for a rank.
fn wait_for((window, rank): (Handle, usize), mut holds: impl FnMut(&mut Peer) -> bool) -> Result<(), Class> {
    wait(|engine| match engine.peer(window, rank) {
        Ok(peer) => holds(peer).then_some(Ok(())),
        Err(class) => Some(Err(class)),
    })
}

/// Waits for the answers a rank owes.
pub(crate) fn fetched(at: (Handle, usize)) -> Result<(), Class> {
    wait_for(at, |peer| peer.fetches == 0)
}

/// Waits for one event of a rank and takes note of it.
pub(crate) fn take_one(at: (Handle, usize), counter: fn(&mut Peer) -> &mut u32) -> Result<(), Class> {
    wait_for(at, |peer| {
        let count = counter(peer);
        let there = *count > 0;
        *count -= u32::from(there);
        there
    })
}

/// Waits until all operations on a rank have had their effect.
pub(crate) fn flush(call: &'static str, at: (Handle, usize)) -> Result<(), Class> {
    confirmed(call, Purpose::Flush, at)
}

fn confirmed(call: &'static str, purpose: Purpose, at: (Handle, usize)) -> Result<(), Class> {
    fetched(at)?;
    with(|engine| {
        let peer = engine.peer(at.0, at.1)?;
        (peer.flushes, peer.dirty) = (peer.flushes + 1, false);
        engine.notify(call, purpose, at, 0)
    })?;
    wait_for(at, |peer| peer.flushes == 0)
}

/// Waits for all operations on all ranks that got any; those on their way at the same time.
pub(crate) fn flush_all(call: &'static str, window: Handle) -> Result<(), Class> {
    let dirty = with(|engine| {
        let window = engine.window(window)?;
        Ok((0..window.peers.len()).filter(|rank| window.peers[*rank].dirty).collect::<Vec<_>>())
    })?;
    for rank in &dirty {
        with(|engine| {
            let peer = engine.peer(window, *rank)?;
            (peer.flushes, peer.dirty) = (peer.flushes + 1, false);
            engine.notify(call, Purpose::Flush, (window, *rank), 0)
        })?;
    }
    for rank in dirty {
        wait_for((window, rank), |peer| peer.flushes == 0 && peer.fetches == 0)?;
    }
    Ok(())
}

pub(crate) fn lock(call: &'static str, at: (Handle, usize), mode: Mode) -> Result<(), Class> {
    with(|engine| engine.notify(call, Purpose::Lock, at, u64::from(mode == Mode::Exclusive)))?;
    wait_for(at, |peer| peer.granted)
}

pub(crate) fn unlock(call: &'static str, at: (Handle, usize)) -> Result<(), Class> {
    if !with(|engine| engine.peer(at.0, at.1).map(|peer| peer.granted))? {
        return Err(Class::Win);
    }
    confirmed(call, Purpose::Unlock, at)?;
    with(|engine| engine.peer(at.0, at.1).map(|peer| peer.granted = false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_share_and_a_writer_waits_its_turn() {
        let mut lock = Lock::default();
        for (rank, mode) in [(0, Mode::Shared), (1, Mode::Shared), (2, Mode::Exclusive), (3, Mode::Shared)] {
            lock.ask(rank, mode);
        }
        assert_eq!([lock.grant(), lock.grant(), lock.grant()], [Some(0), Some(1), None]);
        lock.release(0);
        assert_eq!(lock.grant(), None);
        lock.release(1);
        assert_eq!([lock.grant(), lock.grant()], [Some(2), None]);
        lock.release(2);
        assert_eq!(lock.grant(), Some(3));
    }
}
