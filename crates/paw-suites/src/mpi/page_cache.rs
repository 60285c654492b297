//! The page cache of this node: a file's pages are dropped from it, and what this process reads past it is counted.

use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::path::Path;

use rustix::fs::{Advice, fadvise};

/// Bytes of the largest page that a kernel which paw runs on has.
const PAGE_BYTES: u64 = 64 << 10;

/// A file some of whose pages lie in memory.
#[derive(Debug)]
pub struct CachedFile {
    file: File,
}

impl CachedFile {
    /// Opens the file at `path`.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)? })
    }

    /// Drops every page that holds some of `bytes` from `offset_bytes` on, if it is written back and nobody maps it; a file system in
    /// memory keeps them (`POSIX_FADV_DONTNEED`, which drops whole pages only).
    pub fn forget(&self, offset_bytes: u64, bytes: u64) -> io::Result<()> {
        let begin = offset_bytes - offset_bytes % PAGE_BYTES;
        let end = (offset_bytes + bytes).next_multiple_of(PAGE_BYTES);
        Ok(fadvise(&self.file, begin, NonZeroU64::new(end - begin), Advice::DontNeed)?)
    }
}

/// Bytes that this process made the storage read so far (`read_bytes` of /proc/self/io, proc_pid_io(5)).
pub fn bytes_from_storage() -> Option<f64> {
    read_bytes(&std::fs::read_to_string("/proc/self/io").ok()?)
}

fn read_bytes(text: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix("read_bytes:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::read_bytes;

    #[test]
    fn what_storage_read_is_one_line_of_the_kernels() {
        assert_eq!(read_bytes("rchar: 9\nread_bytes: 4096\nwrite_bytes: 7\n"), Some(4096.0));
        assert_eq!(read_bytes("rchar: 9\n"), None);
    }
}
