//! Byte patterns that differ by position, to check transfers with.

use std::ops::Range;

use paw_foreign::device::{DeviceError, HostMemory};
use paw_stats::split_mix;

/// A byte that no pattern holds.
pub const POISON: u8 = 0xA5;
/// Largest array, in bytes, whose every byte is checked.
const ALL_MAX: usize = 64 << 20;
/// Bytes that are written, read and compared at once.
const BLOCK: usize = 1 << 20;
/// Number of blocks checked in larger arrays, both ends among them.
const BLOCKS: usize = 64;

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

impl HostRange<'_> {
    /// Writes the pattern of number `seed`.
    pub fn write(&self, seed: u64) -> Result<(), DeviceError> {
        self.write_with(|at, block| fill(block, at, seed))
    }

    /// Writes bytes that no pattern holds.
    pub fn poison(&self) -> Result<(), DeviceError> {
        self.write_with(|_, block| block.fill(POISON))
    }

    fn write_with(&self, content: impl Fn(usize, &mut [u8])) -> Result<(), DeviceError> {
        let mut block = vec![0; BLOCK];
        for part in parts(self.bytes) {
            let block = &mut block[..part.len()];
            content(part.start, block);
            self.host.write(self.offset + part.start, block)?;
        }
        Ok(())
    }

    /// A sentence on the first byte that differs from the pattern; `None` if none does.
    pub fn wrong(&self, seed: u64) -> Result<Option<String>, DeviceError> {
        let (mut expected, mut found) = (vec![0; BLOCK], vec![0; BLOCK]);
        for part in parts(self.bytes) {
            let (expected, found) = (&mut expected[..part.len()], &mut found[..part.len()]);
            fill(expected, part.start, seed);
            self.host.read(self.offset + part.start, found)?;
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

/// How an array of `bytes` is checked, in words.
pub fn method(bytes: usize) -> String {
    if bytes <= ALL_MAX {
        "a pattern there and back, every byte".to_owned()
    } else {
        format!("a pattern there and back, {BLOCKS} blocks of 1 MiB from end to end")
    }
}

/// The ranges that are checked: all blocks, or evenly spaced ones including both ends.
fn parts(bytes: usize) -> impl Iterator<Item = Range<usize>> {
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
    use super::{ALL_MAX, BLOCK, POISON, fill, parts};

    #[test]
    fn every_byte_is_looked_at_up_to_the_limit_and_both_ends_beyond() {
        for bytes in [1, BLOCK, BLOCK + 1, ALL_MAX - 3, ALL_MAX] {
            let mut end = 0;
            for part in parts(bytes) {
                assert_eq!(part.start, end);
                end = part.end;
            }
            assert_eq!(end, bytes);
        }
        for bytes in [ALL_MAX + 1, 3 * ALL_MAX + 5] {
            let parts: Vec<_> = parts(bytes).collect();
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
}
