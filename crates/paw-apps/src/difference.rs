//! The first difference of two files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use crate::excerpt::excerpt;

/// The first place in which two files differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Number of the line, from 1.
    pub line: u64,
    /// The beginning of that line in the first file; `None` where that file has ended.
    pub first: Option<String>,
    /// The beginning of that line in the second file; `None` where that file has ended.
    pub second: Option<String>,
}

/// Bytes of an excerpt's characters, at four bytes each.
const LINE_BYTES: u64 = 4 * crate::excerpt::CHARS_MAX as u64 + 4;

impl Difference {
    /// Compares two files byte by byte, however long they are.
    ///
    /// # Errors
    /// The first file that cannot be read, and why.
    pub fn between(first: &Path, second: &Path) -> Result<Option<Self>, String> {
        let open = |path: &Path| File::open(path).map_err(|why| unreadable(path, &why));
        let (mut one, mut two) = (BufReader::new(open(first)?), BufReader::new(open(second)?));
        let (mut line, mut line_start, mut at) = (1, 0, 0);
        loop {
            let a = one.fill_buf().map_err(|why| unreadable(first, &why))?;
            let b = two.fill_buf().map_err(|why| unreadable(second, &why))?;
            let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            for (place, _) in a[..same].iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
                (line, line_start) = (line + 1, at + place as u64 + 1);
            }
            let ended = a.is_empty() && b.is_empty();
            let differs = same < a.len().min(b.len()) || a.is_empty() != b.is_empty();
            if ended || differs {
                // The excerpt of a long line begins shortly before the difference.
                let from = line_start.max((at + same as u64).saturating_sub(crate::excerpt::CHARS_MAX as u64 / 2));
                let show = |path: &Path| beginning(path, from).map_err(|why| unreadable(path, &why));
                return if ended {
                    Ok(None)
                } else {
                    Ok(Some(Self { line, first: show(first)?, second: show(second)? }))
                };
            }
            one.consume(same);
            two.consume(same);
            at += same as u64;
        }
    }
}

fn unreadable(path: &Path, why: &io::Error) -> String {
    format!("{} cannot be read: {why}", path.display())
}

/// An excerpt of the file from byte `from` to the end of that line; `None` at the end of the file.
fn beginning(path: &Path, from: u64) -> io::Result<Option<String>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(LINE_BYTES).read_to_end(&mut bytes)?;
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    Ok((!bytes.is_empty()).then(|| excerpt(&String::from_utf8_lossy(&bytes[..end]))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(first: &[u8], second: &[u8]) -> Option<(u64, Option<String>, Option<String>)> {
        let directory = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| directory.path().join(name));
        std::fs::write(&one, first).unwrap();
        std::fs::write(&two, second).unwrap();
        Difference::between(&one, &two).unwrap().map(|d| (d.line, d.first, d.second))
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn equal_files_do_not_differ() {
        assert_eq!(between(b"", b""), None);
        assert_eq!(between(&[7; 100_000], &[7; 100_000]), None);
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(between(b"a\nb 1\nc\n", b"a\nb 2\nd\n"), Some((2, some("b 1"), some("b 2"))));
        assert_eq!(between(b"a\n", b"a\nb\n"), Some((2, None, some("b"))));
        assert_eq!(between(b"a", b""), Some((1, some("a"), None)));
        assert_eq!(between(b"a\n", b"a"), Some((1, some("a"), some("a"))));
    }

    #[test]
    fn a_place_far_into_files_of_one_line_is_shown() {
        let (mut first, mut second) = (vec![b'x'; 20_000], vec![b'x'; 20_000]);
        (first[15_000], second[15_000]) = (b'1', b'2');
        let (line, one, two) = between(&first, &second).unwrap();
        assert_eq!(line, 1);
        assert!(one.unwrap().contains('1') && two.unwrap().contains('2'));
    }

    #[test]
    fn a_missing_file_is_named() {
        let why = Difference::between(Path::new("/nowhere/a"), Path::new("/dev/null")).unwrap_err();
        assert!(why.starts_with("/nowhere/a cannot be read: "), "{why}");
    }
}
