//! Copies: in, out, within a device and between devices. Mapped memory is copied by a kernel.
#![allow(unsafe_code)]

use std::sync::{PoisonError, Weak};

use super::calls::{Address, call};
use super::{Gpu, Vendor};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::HostKind;
use crate::device::peer::{Mover, PeerAccess, PeerCopy};
use crate::device::span::{ObjectHandle, Span};

/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`, `hipErrorPeerAccessAlreadyEnabled`.
const ENABLED_BEFORE: i64 = 704;

impl<V: Vendor> Gpu<V> {
    /// [`crate::device::Driver::copy_in`]
    #[inline]
    pub(super) fn copy_from_host(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.current()?;
        let (stream, to) = (self.stream(queue)?, self.address(to, bytes)?);
        let offset = from.offset;
        let (from, host) = self.host(from, bytes)?;
        if host.kind == HostKind::Mapped {
            return self.copy_words(stream, to, host.address + offset as Address, bytes);
        }
        call!(self.library, memcpy_in(to, from.cast_const().cast(), bytes, stream))
    }

    /// [`crate::device::Driver::copy_out`]
    #[inline]
    pub(super) fn copy_to_host(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.current()?;
        let (stream, from) = (self.stream(queue)?, self.address(from, bytes)?);
        let offset = to.offset;
        let (to, host) = self.host(to, bytes)?;
        if host.kind == HostKind::Mapped {
            return self.copy_words(stream, host.address + offset as Address, from, bytes);
        }
        call!(self.library, memcpy_out(to.cast(), from, bytes, stream))
    }

    /// [`crate::device::Driver::copy_within`]
    pub(super) fn copy_inside(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> DeviceResult {
        self.current()?;
        let (stream, to, from) = (self.stream(queue)?, self.address(to, bytes)?, self.address(from, bytes)?);
        call!(self.library, memcpy_within(to, from, bytes, stream))
    }

    /// [`crate::device::Driver::fill`]
    pub(super) fn set(&self, queue: ObjectHandle, to: Span, byte: u8, bytes: usize) -> DeviceResult {
        self.current()?;
        let (stream, to) = (self.stream(queue)?, self.address(to, bytes)?);
        call!(self.library, memset(to, byte, bytes, stream))
    }

    /// [`crate::device::Driver::can_reach`]: both must have been opened together.
    pub(in crate::device) fn reaches(&self, index: u32) -> bool {
        let Ok(peer) = self.peer(index) else { return false };
        let mut can = 0;
        let asked = call!(self.library, device_can_access_peer(&raw mut can, self.ordinal, peer.ordinal));
        asked.is_ok() && can != 0
    }

    /// [`crate::device::Driver::copy_with_peer`]: directly where this device reaches the other; where it does not, engines copy through
    /// the host and kernels do not copy.
    pub(super) fn copy_beside(&self, queue: ObjectHandle, copy: PeerCopy) -> DeviceResult {
        let peer = self.peer(copy.peer_index)?;
        self.open_way_to(&peer)?;
        self.current()?;
        let stream = self.stream(queue)?;
        let (own, theirs) = (self.address(copy.own, copy.bytes)?, peer.address(copy.theirs, copy.bytes)?);
        let (to, from) = match copy.access {
            PeerAccess::Read => ((own, self), (theirs, &*peer)),
            PeerAccess::Write => ((theirs, &*peer), (own, self)),
        };
        match copy.mover {
            Mover::Engine => V::copy_across(self, stream, to, from, copy.bytes),
            Mover::Kernel if self.reaches(copy.peer_index) => self.copy_words(stream, to.0, from.0, copy.bytes),
            Mover::Kernel => Err(self.beyond_reach(&peer)),
        }
    }

    /// The address of the memory of a device that was opened together with this one, for a kernel of this one.
    pub(super) fn peers_address(&self, memory: ObjectHandle) -> DeviceResult<Address> {
        let peers = self.peers.get().into_iter().flatten().filter_map(Weak::upgrade);
        let found = peers.filter_map(|peer| Some((peer.memories.at(memory).ok()?.address, peer))).next();
        let Some((address, peer)) = found else { return self.memories.at(memory).map(|own| own.address) };
        if !self.reaches(peer.facts.index) {
            return Err(self.beyond_reach(&peer));
        }
        self.open_way_to(&peer)?;
        Ok(address)
    }

    fn beyond_reach(&self, peer: &Gpu<V>) -> DeviceError {
        DeviceError::Unsupported(format!(
            "kernels of {} cannot use the memory of {} without the host",
            self.facts.id(),
            peer.facts.id()
        ))
    }

    /// Enables peer access, before the first copy only: it maps every allocation of the other device into this one.
    fn open_way_to(&self, peer: &Gpu<V>) -> DeviceResult {
        let mut ways = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        if ways.contains(&peer.facts.index) {
            return Ok(());
        }
        ways.push(peer.facts.index);
        if !self.reaches(peer.facts.index) {
            return Ok(());
        }
        self.current()?;
        match V::reach_into(self, peer) {
            Err(DeviceError::Refused { code: ENABLED_BEFORE, .. }) => Ok(()),
            other => other,
        }
    }
}
