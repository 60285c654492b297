//! The huge pages among those of a buffer, by the kernel's count.

use std::ops::{Add, Range};

/// Bytes on huge pages, of all bytes of a buffer's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageCount {
    /// Bytes on huge pages.
    pub huge_bytes: u64,
    /// Bytes on pages of any size.
    pub all_bytes: u64,
}

impl PageCount {
    /// The count of the addresses `range`, by `/proc/self/smaps` (proc_pid_smaps(5)); `None` where it tells nothing of them.
    pub(crate) fn read(range: Range<usize>) -> Option<Self> {
        Self::of(&std::fs::read_to_string("/proc/self/smaps").ok()?, range)
    }

    /// The count of the addresses `range` by the text of `smaps`: `AnonHugePages` of the mappings that hold them, and no more than they are.
    fn of(smaps: &str, range: Range<usize>) -> Option<Self> {
        let mut is_inside = false;
        let mut huge_bytes = None;
        for line in smaps.lines() {
            let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if let Some(mapping) = addresses(name) {
                is_inside = mapping.start < range.end && range.start < mapping.end;
            } else if is_inside && name == "AnonHugePages:" {
                let kib: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
                huge_bytes = Some(huge_bytes.unwrap_or(0) + 1024 * kib);
            }
        }
        let all_bytes = range.len() as u64;
        Some(Self { huge_bytes: huge_bytes?.min(all_bytes), all_bytes })
    }

    /// The part of its bytes that is on huge pages, from 0 to 1; of no bytes 0.
    pub fn huge_share(self) -> f64 {
        if self.all_bytes == 0 { 0.0 } else { self.huge_bytes as f64 / self.all_bytes as f64 }
    }
}

impl Add for PageCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { huge_bytes: self.huge_bytes + other.huge_bytes, all_bytes: self.all_bytes + other.all_bytes }
    }
}

/// The addresses of a mapping as its first line begins: `7f00-7f10`.
fn addresses(word: &str) -> Option<Range<usize>> {
    let (from, to) = word.split_once('-')?;
    let address = |text: &str| usize::from_str_radix(text, 16).ok();
    Some(address(from)?..address(to)?)
}

#[cfg(test)]
mod tests {
    use super::PageCount;

    const SMAPS: &str = "\
00400000-00800000 rw-p 00000000 00:00 0 \nRss:                4096 kB\nAnonHugePages:      4096 kB
00800000-00e00000 rw-p 00000000 00:00 0 \nRss:                6144 kB\nAnonHugePages:      2048 kB\nVmFlags: rd wr hg
00e00000-00f00000 rw-p 00000000 00:00 0  [heap]\nAnonHugePages:         0 kB
01000000-01100000 rw-p 00000000 00:00 0 \nRss:                1024 kB
";

    #[test]
    fn the_mappings_that_hold_a_buffer_are_counted_and_no_others() {
        let counted = |range| PageCount::of(SMAPS, range).map(|count| (count.huge_bytes, count.all_bytes));
        assert_eq!(counted(0x80_0000..0xe0_0000), Some((2 << 20, 6 << 20)), "a third");
        assert_eq!(counted(0x40_0000..0xe0_0000), Some((6 << 20, 10 << 20)), "two mappings");
        assert_eq!(counted(0xe0_0000..0xf0_0000), Some((0, 1 << 20)));
        assert_eq!(counted(0x40_0000..0x60_0000), Some((2 << 20, 2 << 20)), "no more than the buffer has");
        assert_eq!(counted(0x100_0000..0x110_0000), None, "the kernel tells nothing");
        assert_eq!(counted(0x200_0000..0x210_0000), None, "nobody maps it");
    }

    #[test]
    fn counts_add_up() {
        let both = PageCount { huge_bytes: 1, all_bytes: 4 } + PageCount { huge_bytes: 1, all_bytes: 4 };
        assert_eq!((both.huge_share(), PageCount::default().huge_share()), (0.25, 0.0));
    }
}
