//! Arrays between guard pages, which fault when touched.

use std::ptr::NonNull;
use std::slice;
use std::sync::OnceLock;

use paw_measure::fault::Fault;

use crate::load::message::{Access, Message, Span, describe_array_access};
use crate::load::signal::{self, Watched};

/// The alignment of arrays, which share no line: the cache line of x86-64 and most AArch64 processors, and the widest vector.
const LINE: usize = 64;

/// Inaccessible bytes before and after an array. They cost addresses, not memory, and catch even an access one row of a large matrix
/// too far.
const GUARD_BYTES: usize = 16 << 20;

/// The byte around an array, which reveals stray writes: neither zero, nor text, nor part of a usual number.
const PATTERN: u8 = 0xc7;

/// Position of an array within its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PagePlacement {
    /// Its last line ends at the guard: reads beyond it fault too.
    Tight,
    /// It begins this many bytes into a page. Arrays that each begin where the last ended spread over the sets of a first-level cache as
    /// arrays side by side do; arrays that all begin with a page would compete for the same sets.
    After(usize),
}

/// An array of zeros between two guards; the rest of its first and last page holds a pattern.
#[derive(Debug)]
pub(crate) struct Guarded {
    map: NonNull<u8>,
    map_bytes: usize,
    lead: usize,
    len: usize,
    watched: Watched,
}

impl Guarded {
    /// `len` numbers of `element_bytes` bytes, called `label` in messages.
    ///
    /// # Errors
    /// If the system refuses the memory.
    pub fn new(label: &str, len: u64, element_bytes: u64, place: PagePlacement) -> Result<Self, Fault> {
        let refused = |bytes: u128| {
            Fault::Missing(format!(
                "{label} needs {bytes} bytes of memory, which the system refuses; choose a smaller size or raise the limit (`ulimit -v`)"
            ))
        };
        let wanted = u128::from(len) * u128::from(element_bytes);
        // Half of all addresses leaves room for guards and slack.
        let bytes =
            usize::try_from(wanted).ok().filter(|b| *b < isize::MAX as usize / 2).ok_or_else(|| refused(wanted))?;
        let (page, padded) = (page_bytes(), bytes.next_multiple_of(LINE));
        let lead = match place {
            PagePlacement::Tight => padded.next_multiple_of(page) - padded,
            PagePlacement::After(end) => end % page,
        };
        let inner = (lead + padded).next_multiple_of(page).max(page);
        let map_bytes = inner + 2 * guard_bytes();
        let map = map(map_bytes).ok_or_else(|| refused(wanted))?;
        let from = map.as_ptr() as usize;
        let start = from + guard_bytes() + lead;
        let watched = signal::watch(label.into(), Span { from, start, end: start + bytes, to: from + map_bytes });
        let mut guarded = Self { map, map_bytes, lead: guard_bytes() + lead, len: bytes, watched };
        if !guarded.open(inner) {
            return Err(refused(wanted));
        }
        let (before, after) = guarded.slack_bounds();
        guarded.part_mut(before).fill(PATTERN);
        guarded.part_mut(after).fill(PATTERN);
        Ok(guarded)
    }

    /// Makes `inner` bytes behind the first guard readable and writable; `false` if the system does not grant them.
    fn open(&mut self, inner: usize) -> bool {
        // SAFETY: the first guard is inside the mapping.
        let start = unsafe { self.map.add(guard_bytes()) };
        // SAFETY: the pages are part of a mapping of our own that nobody uses yet.
        unsafe { libc::mprotect(start.as_ptr().cast(), inner, libc::PROT_READ | libc::PROT_WRITE) == 0 }
    }

    /// Offsets in the mapping of what lies before and after the array, between the guards.
    fn slack_bounds(&self) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        (guard_bytes()..self.lead, self.lead + self.len..self.map_bytes - guard_bytes())
    }

    /// The address of its first byte.
    pub fn address(&self) -> u64 {
        (self.map.as_ptr() as usize + self.lead) as u64
    }

    /// The offset within a page for the next array, placed [`PagePlacement::After`] this one.
    pub fn end(&self) -> usize {
        (self.lead + self.len.next_multiple_of(LINE)) % page_bytes()
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        self.part(self.lead..self.lead + self.len)
    }

    /// Its bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.part_mut(self.lead..self.lead + self.len)
    }

    /// # Errors
    /// A byte beside the array was written: one sentence on the first.
    pub fn intact(&self) -> Result<(), Fault> {
        let (before, after) = self.slack_bounds();
        let strayed = |range: std::ops::Range<usize>| {
            self.part(range.clone()).iter().position(|byte| *byte != PATTERN).map(|at| range.start + at)
        };
        match strayed(before).or_else(|| strayed(after)) {
            None => Ok(()),
            Some(offset) => {
                let mut message = Message::new();
                let address = self.map.as_ptr() as usize + offset;
                describe_array_access(
                    &mut message,
                    Access::Wrote,
                    address,
                    self.watched.label().as_bytes(),
                    &self.span(),
                );
                Err(Fault::Broken(String::from_utf8_lossy(message.bytes()).into_owned()))
            }
        }
    }

    fn span(&self) -> Span {
        let from = self.map.as_ptr() as usize;
        let start = from + self.lead;
        Span { from, start, end: start + self.len, to: from + self.map_bytes }
    }

    fn part(&self, range: std::ops::Range<usize>) -> &[u8] {
        // SAFETY: all ranges lie between the guards, where the mapping can be read as long as `self` lives; no function runs that might
        // write there while the slice is borrowed.
        unsafe { slice::from_raw_parts(self.map.as_ptr().add(range.start), range.len()) }
    }

    fn part_mut(&mut self, range: std::ops::Range<usize>) -> &mut [u8] {
        // SAFETY: as for `part`, and `self` is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.map.as_ptr().add(range.start), range.len()) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: this is the mapping `new` made, and nothing borrows from it any more.
        unsafe { libc::munmap(self.map.as_ptr().cast(), self.map_bytes) };
    }
}

/// A private, inaccessible mapping of `bytes` bytes.
fn map(bytes: usize) -> Option<NonNull<u8>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new anonymous mapping at an address of the kernel's choice touches no existing memory.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
    if address == libc::MAP_FAILED { None } else { NonNull::new(address.cast()) }
}

/// Bytes of a guard: whole pages.
fn guard_bytes() -> usize {
    GUARD_BYTES.next_multiple_of(page_bytes())
}

/// Bytes of a page.
fn page_bytes() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    // SAFETY: sysconf takes a number and touches no memory of ours.
    *BYTES.get_or_init(|| usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(guarded: &Guarded) -> String {
        guarded.intact().map_or_else(|fault| fault.to_string(), |()| String::new())
    }

    #[test]
    fn an_array_begins_on_a_line_and_ends_at_its_guard() {
        for (len, place) in [
            (1, PagePlacement::Tight),
            (7, PagePlacement::Tight),
            (512, PagePlacement::Tight),
            (1000, PagePlacement::After(192)),
            (3, PagePlacement::After(0)),
        ] {
            let array = Guarded::new("array `a`", len, 8, place).expect("memory");
            assert_eq!(array.address() % LINE as u64, 0);
            assert_eq!(array.bytes(), vec![0; 8 * len as usize]);
            let left = array.span().to - guard_bytes() - array.span().end;
            assert!(
                left < if place == PagePlacement::Tight { LINE } else { page_bytes() },
                "{left} bytes behind {len} numbers"
            );
            assert_eq!(said(&array), "");
        }
    }

    #[test]
    fn arrays_that_follow_each_other_share_lines_evenly() {
        let first = Guarded::new("array `a`", 1001, 8, PagePlacement::After(0)).expect("memory");
        let second = Guarded::new("array `b`", 10, 8, PagePlacement::After(first.end())).expect("memory");
        let page = page_bytes() as u64;
        assert_eq!(second.address() % page, (first.address() + 8008_u64.next_multiple_of(64)) % page);
    }

    #[test]
    fn a_stray_byte_is_told_with_its_side_and_place() {
        for place in [PagePlacement::Tight, PagePlacement::After(64)] {
            let mut array = Guarded::new("array `b`", 3, 8, place).expect("memory");
            let (lead, len) = (array.lead, array.len);
            array.part_mut(lead + len + 7..lead + len + 8).fill(0);
            assert_eq!(said(&array), "the kernel wrote past the end of array `b` (byte 8 after its last element)");
            array.part_mut(lead - 4..lead).fill(1);
            assert_eq!(
                said(&array),
                "the kernel wrote before the beginning of array `b` (byte 4 before its first element)"
            );
        }
    }

    #[test]
    fn memory_that_cannot_be_had_is_missing() {
        for len in [u64::MAX, 1 << 58] {
            let refused = Guarded::new("array `a`", len, 8, PagePlacement::Tight).expect_err("too much");
            let bytes = u128::from(len) * 8;
            assert!(
                matches!(&refused, Fault::Missing(why) if why.starts_with(&format!("array `a` needs {bytes} bytes"))),
                "{refused}"
            );
        }
    }
}
