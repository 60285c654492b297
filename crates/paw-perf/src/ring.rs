//! A ring of records that the kernel writes and this process reads.

use crate::record::{self, Record};
use crate::sys::Mapping;

/// The memory of a ring.
pub(crate) trait RingMemory {
    /// Bytes of the ring.
    fn size(&self) -> usize;
    /// Position behind the last byte that was written.
    fn head(&self) -> u64;
    /// Lets the writer overwrite everything before `tail`.
    fn release(&self, tail: u64);
    /// Copies bytes between tail and head, from position `at` on.
    fn copy(&self, at: u64, to: &mut [u8]);
}

impl RingMemory for Mapping {
    fn size(&self) -> usize {
        Mapping::size(self)
    }

    fn head(&self) -> u64 {
        Mapping::head(self)
    }

    fn release(&self, tail: u64) {
        Mapping::release(self, tail);
    }

    fn copy(&self, at: u64, to: &mut [u8]) {
        Mapping::copy(self, at, to);
    }
}

/// A ring and the position up to which it was read.
#[derive(Debug)]
pub(crate) struct Ring<M> {
    memory: M,
    tail: u64,
    sample_type: u64,
    bytes: Vec<u8>,
}

impl<M: RingMemory> Ring<M> {
    /// A ring of which nothing was read; its samples have the fields `sample_type`.
    pub fn new(memory: M, sample_type: u64) -> Self {
        Self { memory, tail: 0, sample_type, bytes: Vec::new() }
    }

    /// Hands every new record to `take`, and makes room for others. Returns whether all bytes could be read: positions that make no sense
    /// and a record without a length lose what is in the ring.
    pub fn drain(&mut self, mut take: impl FnMut(Record)) -> bool {
        let head = self.memory.head();
        let count = head.wrapping_sub(self.tail);
        let is_sound = count <= self.memory.size() as u64;
        let mut rest: &[u8] = &[];
        if is_sound {
            self.bytes.resize(count as usize, 0);
            self.memory.copy(self.tail, &mut self.bytes);
            rest = &self.bytes;
        }
        // The bytes are copied: the writer may go on.
        self.memory.release(head);
        self.tail = head;
        while let Some((record, size)) = record::parse(rest, self.sample_type) {
            take(record);
            rest = &rest[size..];
        }
        is_sound && rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::record::tests::{map, words, written};
    use crate::record::{Body, layout};

    const PLAIN: u64 = layout::IP | layout::TID | layout::TIME;

    /// A ring of 4 KiB with scripted contents.
    struct Script {
        bytes: Vec<u8>,
        head: Cell<u64>,
        tail: Cell<u64>,
    }

    impl Script {
        fn new(head: u64) -> Self {
            Self { bytes: vec![0; 4096], head: Cell::new(head), tail: Cell::new(head) }
        }

        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                let at = self.head.get() % self.bytes.len() as u64;
                self.bytes[at as usize] = *byte;
                self.head.set(self.head.get() + 1);
            }
        }
    }

    impl RingMemory for &Script {
        fn size(&self) -> usize {
            self.bytes.len()
        }

        fn head(&self) -> u64 {
            self.head.get()
        }

        fn release(&self, tail: u64) {
            self.tail.set(tail);
        }

        fn copy(&self, at: u64, to: &mut [u8]) {
            for (i, byte) in to.iter_mut().enumerate() {
                *byte = self.bytes[((at + i as u64) % self.bytes.len() as u64) as usize];
            }
        }
    }

    fn drained(script: &Script, tail: u64) -> (Vec<Body>, bool) {
        let mut ring = Ring::new(script, PLAIN);
        ring.tail = tail;
        let mut bodies = Vec::new();
        let is_whole = ring.drain(|record| bodies.push(record.body));
        assert_eq!(script.tail.get(), script.head.get(), "the writer has room again");
        (bodies, is_whole)
    }

    #[test]
    fn a_record_that_wraps_is_one() {
        let from = 4096 - 24;
        let mut script = Script::new(from);
        script.write(&map(7, 0x1000, 0x2000, 0, "/usr/bin/program", 1));
        script.write(&written(2, 0, &words(&[1, 77, 0, 2])));
        let (bodies, is_whole) = drained(&script, from);
        assert!(is_whole);
        assert!(matches!(&bodies[0], Body::Map(map) if map.path == "/usr/bin/program"));
        assert_eq!(bodies[1], Body::Lost(77));
    }

    #[test]
    fn damage_ends_a_reading_and_is_said() {
        let mut script = Script::new(0);
        script.write(&written(2, 0, &words(&[1, 77, 0, 2])));
        script.write(&[0; 64]);
        let (bodies, is_whole) = drained(&script, 0);
        assert_eq!((bodies.len(), is_whole), (1, false));
        let mut script = Script::new(0);
        script.write(&[1; 9000]);
        assert_eq!(drained(&script, 0), (Vec::new(), false), "positions further apart than the ring is long");
    }
}
