//! Whether an ELF file is all there. The loader maps one that is cut short as if it were whole, and the process that reads past its end dies.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes of the header of a file of 64 bits (System V ABI, ELF-64 object file format).
const HEADER_BYTES: usize = 64;
/// Where the header says where the segments are listed, how long a row of the list is, and how many there are.
const TABLE_AT: usize = 32;
const ROW_BYTES_AT: usize = 54;
const ROWS_AT: usize = 56;
/// Where a row says where its segment begins in the file, and how many bytes it has there.
const BEGINS_AT: usize = 8;
const SIZE_AT: usize = 32;
/// A row as short as this has no size; libraries have a dozen rows.
const ROW_BYTES_MIN: usize = SIZE_AT + 8;
const ROWS_MAX: usize = 1024;

/// What speaks against loading the file at `path`: it ends before its last segment does. A file that cannot be read, or is none of
/// 64 bits in this byte order, is the loader's to refuse.
pub(crate) fn objection(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let size_bytes = file.metadata().ok()?.len();
    let end = end(&mut file)?;
    (end > size_bytes).then(|| format!("the file is cut short: it has {size_bytes} bytes of at least {end}"))
}

/// Where the last segment of `file` ends, as its header has it.
fn end(file: &mut (impl Read + Seek)) -> Option<u64> {
    let mut header = [0; HEADER_BYTES];
    file.read_exact(&mut header).ok()?;
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table_at = long(&header, TABLE_AT)?;
    let [row_bytes, rows] =
        [ROW_BYTES_AT, ROWS_AT].map(|at| usize::from(u16::from_le_bytes([header[at], header[at + 1]])));
    if row_bytes < ROW_BYTES_MIN || rows > ROWS_MAX {
        return None;
    }
    let listed = table_at.checked_add((rows * row_bytes) as u64)?;
    let mut table = vec![0; rows * row_bytes];
    file.seek(SeekFrom::Start(table_at)).ok()?;
    if file.read_exact(&mut table).is_err() {
        return Some(listed);
    }
    let ends = table.chunks_exact(row_bytes).map(|row| long(row, BEGINS_AT)?.checked_add(long(row, SIZE_AT)?));
    ends.flatten().chain([listed]).max()
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_whole_until_a_byte_of_its_segments_is_missing() {
        let this = std::env::current_exe().expect("the test is a file");
        assert_eq!(objection(&this), None);
        let bytes = fs::read(&this).expect("it can be read");
        let end = end(&mut std::io::Cursor::new(&bytes)).expect("it is an ELF file") as usize;
        let home = tempfile::tempdir().expect("there is room");
        let cut = home.path().join("cut.so");
        for length in [end - 1, end / 2, 100] {
            fs::write(&cut, &bytes[..length]).expect("there is room");
            let why = objection(&cut).unwrap_or_default();
            assert!(why.contains("cut short") && why.contains(&length.to_string()), "{length} of {end}: {why}");
        }
        fs::write(&cut, &bytes[..end]).expect("there is room");
        assert_eq!(objection(&cut), None, "what stands behind the segments is not loaded");
    }

    #[test]
    fn what_is_no_such_file_is_left_to_the_loader() {
        let home = tempfile::tempdir().expect("there is room");
        let text = home.path().join("text.so");
        for content in ["", "short", "a text that is as long as the header of a shared object of sixty-four bits is"] {
            fs::write(&text, content).expect("there is room");
            assert_eq!(objection(&text), None);
        }
        assert_eq!(objection(&home.path().join("nowhere.so")), None);
    }
}
