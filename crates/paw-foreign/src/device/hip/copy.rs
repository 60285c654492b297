//! Copies: in, out, within a device and between devices. Mapped memory is copied by a kernel.
#![allow(unsafe_code)]

use std::sync::PoisonError;

use super::calls::{Address, call};
use super::context::Hip;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::HostKind;
use crate::device::span::{ObjectHandle, Span};

/// `hipErrorPeerAccessAlreadyEnabled`.
const ENABLED_BEFORE: i64 = 704;

impl Hip {
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
    pub(super) fn reaches(&self, index: u32) -> bool {
        let Ok(peer) = self.peer(index) else { return false };
        let mut can = 0;
        let asked = call!(self.library, device_can_access_peer(&raw mut can, self.ordinal, peer.ordinal));
        asked.is_ok() && can != 0
    }

    /// [`crate::device::Driver::copy_from_peer`]: directly where this device reaches the other, through the host where it does not.
    pub(super) fn copy_from_other(
        &self,
        queue: ObjectHandle,
        to: Span,
        index: u32,
        from: Span,
        bytes: usize,
    ) -> DeviceResult {
        let peer = self.peer(index)?;
        self.open_way_to(&peer)?;
        self.current()?;
        let (stream, to, from) = (self.stream(queue)?, self.address(to, bytes)?, peer.address(from, bytes)?);
        call!(self.library, memcpy_peer(to, self.ordinal, from, peer.ordinal, bytes, stream))
    }

    /// Enables peer access, before the first copy only: it maps every allocation of the other device into this one.
    fn open_way_to(&self, peer: &Hip) -> DeviceResult {
        let mut ways = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        if ways.contains(&peer.facts.index) {
            return Ok(());
        }
        ways.push(peer.facts.index);
        if !self.reaches(peer.facts.index) {
            return Ok(());
        }
        self.current()?;
        match call!(self.library, device_enable_peer_access(peer.ordinal, 0)) {
            Err(DeviceError::Refused { code: ENABLED_BEFORE, .. }) => Ok(()),
            other => other,
        }
    }
}
