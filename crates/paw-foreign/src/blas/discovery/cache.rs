//! The loader's cache of directories: `/etc/ld.so.cache`, as glibc's dl-cache.h lays it out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Magic number of the cache format that every glibc since 2.2 reads.
const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
/// Bytes of the header: magic number, two counts, 20 bytes of flags and reserve.
const HEADER: usize = 48;
/// Bytes of an entry: flags, two offsets, system version and hardware capabilities of one library.
const ENTRY: usize = 24;

/// Flags of the libraries that this process's loader takes: glibc, this architecture.
const FLAGS: Option<u32> = match () {
    () if cfg!(target_arch = "x86_64") => Some(0x0303),
    () if cfg!(target_arch = "aarch64") => Some(0x0a03),
    () => None,
};

/// Directories that hold libraries of the cache, in its order.
pub(super) fn directories(cache: &[u8]) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    let directories = libraries(cache).into_iter().filter_map(|path| path.parent().map(Path::to_owned));
    directories.filter(|directory| seen.insert(directory.clone())).collect()
}

/// Paths of the libraries in the cache; none where it is damaged or of an older kind.
fn libraries(cache: &[u8]) -> Vec<PathBuf> {
    let Some(start) = cache.windows(MAGIC.len()).position(|window| window == MAGIC) else { return Vec::new() };
    let cache = &cache[start..];
    let count = number(cache, MAGIC.len()).unwrap_or(0) as usize;
    let entries = (0..count).map_while(|index| cache.get(HEADER + index * ENTRY..)?.get(..ENTRY));
    let here = entries.filter(|entry| FLAGS.is_none_or(|flags| number(entry, 0) == Some(flags)));
    here.filter_map(|entry| text(cache, number(entry, 8)? as usize)).map(PathBuf::from).collect()
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_ne_bytes(bytes.try_into().ok()?))
}

fn text(bytes: &[u8], at: usize) -> Option<String> {
    let bytes = bytes.get(at..)?;
    let end = bytes.iter().position(|byte| *byte == 0)?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache with these libraries, behind `before`, as glibc writes it behind the older format.
    fn cache(before: &[u8], libraries: &[(u32, &str)]) -> Vec<u8> {
        let strings_start = HEADER + libraries.len() * ENTRY;
        let (mut entries, mut strings) = (Vec::new(), Vec::new());
        for (flags, path) in libraries {
            let at = (strings_start + strings.len()) as u32;
            for word in [*flags, at, at, 0, 0, 0] {
                entries.extend(word.to_ne_bytes());
            }
            strings.extend(path.bytes().chain([0]));
        }
        let mut bytes = [before, MAGIC].concat();
        for word in [libraries.len() as u32, strings.len() as u32, 0, 0, 0, 0, 0] {
            bytes.extend(word.to_ne_bytes());
        }
        [bytes, entries, strings].concat()
    }

    #[test]
    fn directories_are_listed_once_in_order_and_other_architectures_left_out() {
        let here = FLAGS.unwrap_or(1);
        let libraries = [
            (here, "/usr/lib/x/libz.so.1"),
            (here, "/opt/b/liba.so"),
            (here, "/usr/lib/x/liba.so"),
            (0x7703, "/no/libc.so"),
        ];
        let expected: Vec<PathBuf> = match FLAGS {
            Some(_) => ["/usr/lib/x", "/opt/b"].map(PathBuf::from).into(),
            None => ["/usr/lib/x", "/opt/b", "/no"].map(PathBuf::from).into(),
        };
        assert_eq!(directories(&cache(b"", &libraries)), expected);
        assert_eq!(directories(&cache(b"ld.so-1.7.0\0\0\0\0\0", &libraries)), expected);
    }

    #[test]
    fn a_cache_cut_off_anywhere_is_read_as_far_as_it_goes() {
        let whole = cache(b"", &[(FLAGS.unwrap_or(1), "/usr/lib/libz.so.1")]);
        assert_eq!(libraries(&whole).len(), 1);
        for end in 0..whole.len() {
            assert_eq!(libraries(&whole[..end]), Vec::<PathBuf>::new(), "cut at {end}");
        }
    }
}
