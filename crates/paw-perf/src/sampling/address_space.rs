//! Which code lies at which addresses of a process.

use std::collections::BTreeMap;

use crate::record::Map;

/// Executable mappings of a process, which never overlap.
#[derive(Debug, Clone, Default)]
pub(super) struct AddressSpace {
    /// By their first address.
    maps: BTreeMap<u64, Mapped>,
}

#[derive(Debug, Clone, Copy)]
struct Mapped {
    end: u64,
    offset: u64,
    image: u32,
}

impl AddressSpace {
    /// Adds a mapping of `image`; it replaces what lay there.
    pub fn add(&mut self, map: &Map, image: u32) {
        let end = map.start.saturating_add(map.bytes);
        if map.start == end {
            return;
        }
        let reaching: Vec<(u64, Mapped)> = self
            .maps
            .range(..end)
            .rev()
            .take_while(|(_, old)| old.end > map.start)
            .map(|(start, old)| (*start, *old))
            .collect();
        for (start, old) in reaching {
            self.maps.remove(&start);
            if start < map.start {
                self.maps.insert(start, Mapped { end: map.start, ..old });
            }
            if old.end > end {
                self.maps.insert(end, Mapped { offset: old.offset.wrapping_add(end - start), ..old });
            }
        }
        self.maps.insert(map.start, Mapped { end, offset: map.offset, image });
    }

    /// The image at `address`, and the offset in its file.
    pub fn find(&self, address: u64) -> Option<(u32, u64)> {
        let (start, mapped) = self.maps.range(..=address).next_back()?;
        (address < mapped.end).then(|| (mapped.image, mapped.offset.wrapping_add(address - start)))
    }

    /// Forgets everything: the process became another program.
    pub fn clear(&mut self) {
        self.maps.clear();
    }
}

/// The executable mappings of a running process, from its /proc/PID/maps: proc(5).
pub(super) fn parsed(pid: u32, text: &str) -> Vec<Map> {
    text.lines().filter_map(|line| line_map(pid, line)).collect()
}

/// `7f00-7f80 r-xp 00002000 fe:01 1234      /usr/lib/libm.so.6`.
fn line_map(pid: u32, line: &str) -> Option<Map> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let [start, end] = [start, end].map(|text| u64::from_str_radix(text, 16));
    let (start, end) = (start.ok()?, end.ok()?);
    if !words.next()?.contains('x') {
        return None;
    }
    let offset = u64::from_str_radix(words.next()?, 16).ok()?;
    let _device = words.next()?;
    let _inode = words.next()?;
    let path = words.next().unwrap_or_default().trim_start();
    let path = if path.is_empty() { "//anon" } else { path };
    Some(Map { pid, start, bytes: end.checked_sub(start)?, offset, path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(start: u64, bytes: u64, offset: u64) -> Map {
        Map { pid: 1, start, bytes, offset, path: String::new() }
    }

    #[test]
    fn a_mapping_replaces_the_part_that_it_covers() {
        let mut space = AddressSpace::default();
        space.add(&map(0x1000, 0x3000, 0), 1);
        space.add(&map(0x2000, 0x1000, 0x700), 2);
        assert_eq!(space.find(0xfff), None);
        assert_eq!(space.find(0x1fff), Some((1, 0xfff)));
        assert_eq!(space.find(0x2001), Some((2, 0x701)));
        assert_eq!(space.find(0x3002), Some((1, 0x2002)), "the rest keeps its offsets");
        assert_eq!(space.find(0x4000), None);
        space.add(&map(0, u64::MAX, 0), 3);
        assert_eq!(space.find(0x2001), Some((3, 0x2001)));
    }

    #[test]
    fn mappings_of_a_running_process_are_read() {
        let text = "00400000-00401000 r--p 00000000 fe:01 7 /bin/a b\n\
                    00401000-00403000 r-xp 00001000 fe:01 7                          /bin/a b (deleted)\n\
                    7f00-7f10 rwxp 00000000 00:00 0\nnonsense\n\
                    7ffe0-7ffe2 r-xp 00000000 00:00 0                          [vdso]\n";
        let maps = parsed(5, text);
        let paths: Vec<&str> = maps.iter().map(|map| map.path.as_str()).collect();
        assert_eq!(paths, ["/bin/a b (deleted)", "//anon", "[vdso]"]);
        assert_eq!((maps[0].start, maps[0].bytes, maps[0].offset), (0x40_1000, 0x2000, 0x1000));
    }
}
