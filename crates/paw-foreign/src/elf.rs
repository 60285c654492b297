//! Why a file cannot be loaded, read from its ELF header (System V ABI, ELF-64 object file format). The loader's message names no
//! cause, and the loader maps a truncated file as if it were complete: the process then dies when it reads past the end.

use std::env::consts::ARCH;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

const HEADER_BYTES: usize = 64;
/// Offsets in the header: type, machine, and the segment table's position, row size and number of rows.
const TYPE_AT: usize = 16;
const MACHINE_AT: usize = 18;
const TABLE_AT: usize = 32;
const ROW_BYTES_AT: usize = 54;
const ROWS_AT: usize = 56;
/// Offsets in a row of the segment table: where the segment begins in the file, and its bytes there.
const BEGIN_AT: usize = 8;
const SIZE_AT: usize = 32;
const ROW_BYTES_MIN: usize = SIZE_AT + 8;
/// Limit on rows of the segment table; libraries have a dozen.
const ROWS_MAX: usize = 1024;
/// `ET_DYN`, the type of a shared object.
const SHARED_OBJECT: usize = 3;
/// `EM_X86_64` and `EM_AARCH64`.
const MACHINES: [(&str, usize); 2] = [("x86_64", 62), ("aarch64", 183)];

/// Why the loader cannot load the file at `path`. A file that cannot be opened is left to the loader.
pub(crate) fn objection(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if metadata.is_dir() {
        return Some("a directory: name the library in it".into());
    }
    let mut header = Vec::new();
    file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut header).ok()?;
    unfit(&header).or_else(|| cut_short(&mut file, &header, metadata.len()))
}

/// Why a file with this header cannot be loaded.
fn unfit(header: &[u8]) -> Option<String> {
    let (kind, machine) = (half(header, TYPE_AT), half(header, MACHINE_AT));
    let wanted = MACHINES.iter().find(|(name, _)| *name == ARCH).map(|(_, number)| *number);
    match header {
        [0x7f, b'E', b'L', b'F', 1, ..] => {
            Some("a library of 32 bits, and this program has 64: name the 64-bit one".into())
        }
        [0x7f, b'E', b'L', b'F', rest @ ..] if rest.len() + 4 < HEADER_BYTES => {
            Some("not a shared object: it is too short".into())
        }
        [0x7f, b'E', b'L', b'F', 2, 1, ..] => match wanted {
            _ if kind != Some(SHARED_OBJECT) => Some("not a shared object: an ELF file of another type".into()),
            Some(_) if machine != wanted => Some(format!("a library for another machine: this one is {ARCH}")),
            _ => None,
        },
        [0x7f, b'E', b'L', b'F', ..] => Some("a damaged ELF file, or one of another byte order".into()),
        // A linker script: the linker reads it in place of the library, the loader does not.
        [b'/', b'*', ..] | [b'I', b'N', b'P', b'U', b'T', ..] => {
            Some("a linker script, which names the library: name that one".into())
        }
        _ => Some("not a shared object: it does not begin as an ELF file".into()),
    }
}

fn cut_short(file: &mut (impl Read + Seek), header: &[u8], size_bytes: u64) -> Option<String> {
    let end = end(file, header)?;
    (end > size_bytes).then(|| format!("the file is cut short: it has {size_bytes} bytes of at least {end}"))
}

/// Where the last segment ends, or the table of segments where that lies outside the file.
fn end(file: &mut (impl Read + Seek), header: &[u8]) -> Option<u64> {
    let (row_bytes, rows) = (half(header, ROW_BYTES_AT)?, half(header, ROWS_AT)?);
    if row_bytes < ROW_BYTES_MIN || rows > ROWS_MAX {
        return None;
    }
    let (begin, mut table) = (long(header, TABLE_AT)?, vec![0; rows * row_bytes]);
    let listed = begin.checked_add(table.len() as u64)?;
    file.seek(SeekFrom::Start(begin)).ok()?;
    if file.read_exact(&mut table).is_err() {
        return Some(listed);
    }
    let ends = table.chunks_exact(row_bytes).map(|row| long(row, BEGIN_AT)?.checked_add(long(row, SIZE_AT)?));
    ends.flatten().chain([listed]).max()
}

fn half(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..at + 2)?.try_into().ok().map(|half| u16::from_le_bytes(half).into())
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::*;

    #[test]
    fn a_file_is_complete_until_a_byte_of_its_segments_is_missing() {
        let this = env::current_exe().expect("the test is a file");
        assert_eq!(objection(&this), None);
        let bytes = fs::read(&this).expect("it can be read");
        let end = end(&mut std::io::Cursor::new(&bytes), &bytes).expect("it has segments") as usize;
        let home = tempfile::tempdir().expect("there is room");
        let cut = home.path().join("cut.so");
        for length in [end - 1, end / 2, 100] {
            fs::write(&cut, &bytes[..length]).expect("there is room");
            let why = objection(&cut).unwrap_or_default();
            assert!(why.contains("cut short") && why.contains(&length.to_string()), "{length} of {end}: {why}");
        }
        fs::write(&cut, &bytes[..end]).expect("there is room");
        assert_eq!(objection(&cut), None, "what follows the segments is not loaded");
    }

    #[test]
    fn a_missing_file_is_left_to_the_loader_and_a_directory_is_not() {
        let home = tempfile::tempdir().expect("there is room");
        assert_eq!(objection(&home.path().join("nowhere.so")), None);
        assert!(objection(home.path()).is_some_and(|why| why.contains("name the library in it")));
    }

    /// The objection to a header of 64 bytes that begins with `start`.
    fn check(start: &[u8], expected: &str) {
        let mut header = [0; HEADER_BYTES];
        header[..start.len()].copy_from_slice(start);
        let found = unfit(&header).unwrap_or_default();
        assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{found}");
    }

    #[test]
    fn a_file_that_cannot_be_loaded_is_described() {
        let machine = MACHINES.iter().find(|(name, _)| *name == ARCH).map_or(62, |(_, number)| *number as u8);
        let elf = |kind: u8, machine: u8| {
            [&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &[kind, 0, machine, 0]].concat()
        };
        check(&elf(3, machine), "");
        check(&elf(3, 8), "another machine");
        check(&elf(2, machine), "another type");
        check(&[0x7f, b'E', b'L', b'F', 1, 1], "32 bits");
        check(&[0x7f, b'E', b'L', b'F', 9, 9], "damaged");
        check(b"/* GNU ld script */", "linker script");
        check(b"hello", "does not begin as an ELF file");
        assert!(unfit(b"").is_some() && unfit(b"\x7fELF\x02\x01").is_some_and(|why| why.contains("too short")));
    }
}
