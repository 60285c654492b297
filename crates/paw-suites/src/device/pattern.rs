//! Byte patterns that differ by position, to check transfers with.

use std::ops::Range;

use paw_data::outcome::Check;
use paw_foreign::device::{DeviceError, DeviceMemory, HostMemory, Queue};
use paw_stats::split_mix;

use crate::answer;

/// A byte that no pattern holds.
pub const POISON: u8 = 0xA5;
/// Largest array, in bytes, whose every byte is checked.
const ALL_MAX: usize = 64 << 20;
/// Bytes that are written, read and compared at once.
pub const BLOCK: usize = 1 << 20;
/// Number of blocks checked in larger arrays, both ends among them.
const BLOCKS: usize = 64;
/// Blocks that are checked after a sample: they take the host some milliseconds, as a sample does.
const WATCHED: usize = 8;

/// Memory for a pattern, of the host or of a device.
pub trait Patterned {
    /// Its length in bytes.
    fn bytes(&self) -> usize;
    /// Writes bytes from `at` on.
    fn put(&self, at: usize, bytes: &[u8]) -> Result<(), DeviceError>;
    /// Reads bytes from `at` on.
    fn get(&self, at: usize, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Writes the pattern of number `seed`.
    fn write(&self, seed: u64) -> Result<(), DeviceError> {
        let mut block = vec![0; BLOCK.min(self.bytes())];
        for part in blocks(self.bytes()) {
            let block = &mut block[..part.len()];
            fill(block, part.start, seed);
            self.put(part.start, block)?;
        }
        Ok(())
    }

    /// Writes bytes that no pattern holds into all that is checked.
    fn poison(&self) -> Result<(), DeviceError> {
        self.poison_in(blocks(self.bytes()))
    }

    /// Writes bytes that no pattern holds into these blocks.
    fn poison_in(&self, mut blocks: impl Iterator<Item = Range<usize>>) -> Result<(), DeviceError> {
        let block = vec![POISON; BLOCK.min(self.bytes())];
        blocks.try_for_each(|part| self.put(part.start, &block[..part.len()]))
    }

    /// A sentence on the first byte that differs from the pattern; `None` if none does.
    fn wrong(&self, seed: u64) -> Result<Option<String>, DeviceError> {
        self.wrong_in(seed, blocks(self.bytes()))
    }

    /// A sentence on the first byte of these blocks that differs from the pattern.
    fn wrong_in(&self, seed: u64, blocks: impl Iterator<Item = Range<usize>>) -> Result<Option<String>, DeviceError> {
        let most = BLOCK.min(self.bytes());
        let (mut expected, mut found) = (vec![0; most], vec![0; most]);
        for part in blocks {
            let (expected, found) = (&mut expected[..part.len()], &mut found[..part.len()]);
            fill(expected, part.start, seed);
            self.get(part.start, found)?;
            if expected == found {
                continue;
            }
            if let Some(at) = expected.iter().zip(&*found).position(|(expected, found)| expected != found) {
                let (at, expected, found) = (part.start + at, expected[at], found[at]);
                return Ok(Some(format!("byte {at} is {found:#04x} and should be {expected:#04x}")));
            }
        }
        Ok(None)
    }
}

/// A part of the host's memory for a pattern.
#[derive(Clone, Copy)]
pub struct HostRange<'a> {
    /// The memory.
    pub host: &'a HostMemory,
    /// First byte.
    pub offset: usize,
    /// Length in bytes.
    pub bytes: usize,
}

impl Patterned for HostRange<'_> {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn put(&self, at: usize, bytes: &[u8]) -> Result<(), DeviceError> {
        self.host.write(self.offset + at, bytes)
    }

    fn get(&self, at: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.host.read(self.offset + at, bytes)
    }
}

/// A part of a device's memory for a pattern, which the host reaches by copies of a block.
#[derive(Clone, Copy)]
pub struct DeviceRange<'a> {
    /// The memory.
    pub memory: &'a DeviceMemory,
    /// First byte.
    pub offset: usize,
    /// Length in bytes.
    pub bytes: usize,
    /// A queue of its device.
    pub queue: &'a Queue,
    /// Host memory of a block, or of all bytes where they are fewer.
    pub stage: &'a HostMemory,
}

impl Patterned for DeviceRange<'_> {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn put(&self, at: usize, bytes: &[u8]) -> Result<(), DeviceError> {
        self.stage.write(0, bytes)?;
        self.queue.copy_in((self.memory, self.offset + at), (self.stage, 0), bytes.len())?;
        self.queue.sync()
    }

    fn get(&self, at: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.queue.copy_out((self.stage, 0), (self.memory, self.offset + at), bytes.len())?;
        self.queue.sync()?;
        self.stage.read(0, bytes)
    }
}

/// The blocks of an array that are checked after a sample: all, or some that move on from sample to sample.
#[derive(Debug, Clone)]
pub struct Watched {
    blocks: Vec<Range<usize>>,
    next: usize,
}

impl Watched {
    /// The blocks of an array of `bytes`, the first ones first.
    pub fn of(bytes: usize) -> Self {
        Self { blocks: blocks(bytes).collect(), next: 0 }
    }

    /// Checks what arrived in the blocks of this sample; poisons those of the next one, so that what does not arrive shows.
    pub fn look(&self, target: &impl Patterned, seed: u64) -> Result<Option<Check>, DeviceError> {
        let check = self.glance(target, seed)?;
        target.poison_in(self.blocks_from(self.after()))?;
        Ok(check)
    }

    /// Checks what arrived in the blocks of this sample.
    pub fn glance(&self, target: &impl Patterned, seed: u64) -> Result<Option<Check>, DeviceError> {
        let wrong = target.wrong_in(seed, self.blocks_from(self.next))?;
        Ok(wrong.map(|wrong| answer::exact(&self.method(), Some(wrong))))
    }

    /// Goes on to the blocks of the next sample.
    pub fn advance(&mut self) {
        self.next = self.after();
    }

    fn after(&self) -> usize {
        (self.next + WATCHED) % self.blocks.len().max(1)
    }

    fn blocks_from(&self, first: usize) -> impl Iterator<Item = Range<usize>> {
        let count = self.blocks.len();
        (0..count.min(WATCHED)).map(move |place| self.blocks[(first + place) % count].clone())
    }

    fn method(&self) -> String {
        match self.blocks.len() {
            0..=WATCHED => "the pattern that a sample left, every byte".to_owned(),
            count => format!("the pattern that a sample left, {WATCHED} of {count} blocks of 1 MiB in turn"),
        }
    }
}

/// How an array of `bytes` is checked, in words.
pub fn method(bytes: usize) -> String {
    if bytes <= ALL_MAX {
        "a pattern there and back, every byte".to_owned()
    } else {
        format!("a pattern there and back, {BLOCKS} blocks of 1 MiB from end to end")
    }
}

/// The ranges that are checked: all blocks, or evenly spaced ones including both ends.
fn blocks(bytes: usize) -> impl Iterator<Item = Range<usize>> {
    let count = if bytes <= ALL_MAX { bytes.div_ceil(BLOCK) } else { BLOCKS };
    (0..count).map(move |part| {
        let start = if bytes <= ALL_MAX { part * BLOCK } else { (bytes - BLOCK) / (BLOCKS - 1) * part };
        let start = if part + 1 == count && bytes > ALL_MAX { bytes - BLOCK } else { start };
        start..(start + BLOCK).min(bytes)
    })
}

/// Writes the pattern from byte `start` on into `block`.
fn fill(block: &mut [u8], start: usize, seed: u64) {
    let mut at = start;
    let mut rest = block;
    if start.is_multiple_of(8) {
        let (words, end) = rest.as_chunks_mut::<8>();
        (start as u64 / 8..).zip(&mut *words).for_each(|(index, place)| *place = word(index, seed).to_le_bytes());
        at += 8 * words.len();
        rest = end;
    }
    while !rest.is_empty() {
        let word = word((at / 8) as u64, seed).to_le_bytes();
        let skip = at % 8;
        let count = rest.len().min(8 - skip);
        let (now, later) = rest.split_at_mut(count);
        now.copy_from_slice(&word[skip..skip + count]);
        at += count;
        rest = later;
    }
}

/// Eight bytes of a pattern: all even, because [`POISON`] is odd.
fn word(index: u64, seed: u64) -> u64 {
    split_mix::mix(index.wrapping_add(seed << 48).wrapping_mul(split_mix::STEP)) & 0xFEFE_FEFE_FEFE_FEFE
}

#[cfg(test)]
mod tests {
    use super::{ALL_MAX, BLOCK, POISON, WATCHED, Watched, blocks, fill};

    #[test]
    fn every_byte_is_looked_at_up_to_the_limit_and_both_ends_beyond() {
        for bytes in [1, BLOCK, BLOCK + 1, ALL_MAX - 3, ALL_MAX] {
            let mut end = 0;
            for part in blocks(bytes) {
                assert_eq!(part.start, end);
                end = part.end;
            }
            assert_eq!(end, bytes);
        }
        for bytes in [ALL_MAX + 1, 3 * ALL_MAX + 5] {
            let parts: Vec<_> = blocks(bytes).collect();
            assert_eq!((parts[0].start, parts.last().map(|part| part.end)), (0, Some(bytes)));
            assert!(parts.iter().all(|part| part.len() == BLOCK && part.end <= bytes));
        }
    }

    #[test]
    fn a_pattern_depends_on_the_place_alone_and_holds_no_poison() {
        let mut whole = vec![0; 1000];
        fill(&mut whole, 0, 7);
        assert!(!whole.contains(&POISON));
        let mut part = vec![0; 100];
        fill(&mut part, 333, 7);
        assert_eq!(part, whole[333..433]);
        fill(&mut part, 333, 8);
        assert_ne!(part, whole[333..433]);
    }

    #[test]
    fn samples_in_turn_see_every_block() {
        let mut watched = Watched::of(20 * BLOCK + 1);
        let mut seen = Vec::new();
        for _ in 0..3 {
            assert_eq!(watched.blocks_from(watched.next).count(), WATCHED);
            seen.extend(watched.blocks_from(watched.next).map(|block| block.start / BLOCK));
            watched.advance();
        }
        assert_eq!(seen, (0..21).chain(0..3).collect::<Vec<_>>());
        assert!(Watched::of(100).blocks_from(0).eq(std::iter::once(0..100)));
        assert_eq!(Watched::of(0).blocks_from(0).count(), 0);
    }
}
