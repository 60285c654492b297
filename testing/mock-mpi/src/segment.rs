//! The file all ranks map: who has mail, who gave up, and a ring of bytes for every ordered pair.
#![allow(unsafe_code)]

use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::ring::Ring;

/// Ranks that fit the words of mail.
pub(crate) const RANKS_MAX: usize = 1024;
const MAIL_WORDS: usize = RANKS_MAX / 64;
/// Room for the words of all ranks, by whole pages, after a page for the flag.
const PAGE: usize = 4096;
const RING_HEAD: usize = 128;

/// Bytes in flight between two ranks: a message in pieces where there are few ranks, memory in bounds where there are many.
fn ring_bytes(ranks: usize) -> usize {
    match ranks {
        0..=8 => 1 << 20,
        9..=16 => 1 << 18,
        _ => 1 << 16,
    }
}

/// The mapped file.
#[derive(Debug)]
pub(crate) struct Segment {
    base: usize,
    ranks: usize,
}

impl Segment {
    /// The file at `path`, grown to its size; without a path, memory of this process alone.
    pub(crate) fn open(path: Option<&Path>, ranks: usize) -> io::Result<Self> {
        let bytes = PAGE + ranks * MAIL_WORDS * 8 + ranks * ranks * (RING_HEAD + ring_bytes(ranks));
        let (descriptor, sharing, _file) = match path {
            Some(path) => {
                let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
                file.set_len(bytes as u64)?;
                (file.as_raw_fd(), libc::MAP_SHARED, Some(file))
            }
            None => (-1, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, None),
        };
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at a place of the kernel's choice; the descriptor is open or there is none.
        let base = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, sharing, descriptor, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Segment { base: base.expose_provenance(), ranks })
    }

    /// Where a rank that gives up leaves its code plus one.
    pub(crate) fn aborted(&self) -> &AtomicU32 {
        // SAFETY: the mapping begins with a page for it, is never taken back, and atomics may be shared.
        unsafe { AtomicU32::from_ptr(ptr::with_exposed_provenance_mut(self.base)) }
    }

    fn mail(&self, rank: usize, word: usize) -> &AtomicU64 {
        let at = self.base + PAGE + (rank * MAIL_WORDS + word) * 8;
        // SAFETY: inside the mapping for ranks below `ranks`, aligned to 8, never taken back; atomics may be shared.
        unsafe { AtomicU64::from_ptr(ptr::with_exposed_provenance_mut(at)) }
    }

    /// Tells `to` that `from` has left something.
    pub(crate) fn ring_the_bell(&self, from: usize, to: usize) {
        self.mail(to, from / 64).fetch_or(1 << (from % 64), Ordering::AcqRel);
    }

    /// Ranks that left something for `rank` since it last asked.
    pub(crate) fn callers(&self, rank: usize) -> impl Iterator<Item = usize> {
        let words = self.ranks.div_ceil(64);
        (0..words).flat_map(move |word| {
            let mail = self.mail(rank, word);
            let bits = if mail.load(Ordering::Relaxed) == 0 { 0 } else { mail.swap(0, Ordering::AcqRel) };
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word * 64 + bit)
        })
    }

    /// The ring from one rank to another.
    pub(crate) fn ring(&self, from: usize, to: usize) -> Ring {
        let capacity = ring_bytes(self.ranks);
        let rings = self.base + PAGE + self.ranks * MAIL_WORDS * 8;
        Ring::at(rings + (from * self.ranks + to) * (RING_HEAD + capacity), capacity)
    }
}
