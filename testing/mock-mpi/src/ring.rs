//! A ring of bytes between one writer and one reader.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// The two positions lie on cache lines of their own.
const READ_AT: usize = 64;
const BYTES_AT: usize = 128;

/// A place in shared memory: bytes written so far, bytes read so far, the bytes between.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ring {
    base: usize,
    capacity: usize,
}

impl Ring {
    /// `capacity` is a power of two; zeroed memory is an empty ring.
    pub(crate) fn at(base: usize, capacity: usize) -> Self {
        Ring { base, capacity }
    }

    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the segment gives the ring 128 aligned bytes for its positions and never takes them back.
        unsafe { AtomicU64::from_ptr(ptr::with_exposed_provenance_mut(self.base + offset)) }
    }

    /// Bytes the writer may add.
    pub(crate) fn room(&self) -> usize {
        self.capacity - self.filled()
    }

    /// Bytes the reader may take.
    pub(crate) fn filled(&self) -> usize {
        let written = self.position(0).load(Ordering::Acquire);
        let read = self.position(READ_AT).load(Ordering::Acquire);
        (written - read) as usize
    }

    /// Adds the parts, which fit the room, and shows them at once.
    pub(crate) fn write(&self, parts: [&[u8]; 2]) {
        let written = self.position(0).load(Ordering::Relaxed);
        let mut at = written;
        for part in parts {
            let (first, rest) = part.split_at(part.len().min(self.until_wrap(at)));
            self.copy_in(at, first);
            self.copy_in(at + first.len() as u64, rest);
            at += part.len() as u64;
        }
        self.position(0).store(at, Ordering::Release);
    }

    /// Takes `n` bytes, which are there, in one or two pieces.
    pub(crate) fn take(&self, n: usize, mut piece: impl FnMut(&[u8])) {
        let read = self.position(READ_AT).load(Ordering::Relaxed);
        let first = n.min(self.until_wrap(read));
        piece(self.view(read, first));
        if first < n {
            piece(self.view(read + first as u64, n - first));
        }
        self.position(READ_AT).store(read + n as u64, Ordering::Release);
    }

    fn until_wrap(&self, at: u64) -> usize {
        self.capacity - (at as usize & (self.capacity - 1))
    }

    fn byte(&self, at: u64) -> *mut u8 {
        ptr::with_exposed_provenance_mut(self.base + BYTES_AT + (at as usize & (self.capacity - 1)))
    }

    fn copy_in(&self, at: u64, bytes: &[u8]) {
        // SAFETY: the caller keeps the piece inside the ring and inside the room, which the reader does not look at.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.byte(at), bytes.len()) }
    }

    fn view(&self, at: u64, n: usize) -> &[u8] {
        // SAFETY: the piece lies inside the ring and was written; the writer leaves it alone until it is taken.
        unsafe { std::slice::from_raw_parts(self.byte(at), n) }
    }
}
