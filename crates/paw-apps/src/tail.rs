//! The last lines of a program's output, for error messages.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Number of lines: enough for a panic, a traceback, a compiler's error.
const LINES: usize = 20;
/// Bytes read from the end of the file, which may hold gigabytes.
const BYTES: u64 = 16 << 10;

/// The last 20 lines of the file `path`, without control characters except tabs.
pub fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(BYTES)))?;
    let mut bytes = Vec::new();
    file.take(BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let printable = |line: &&str| line.chars().filter(|c| !c.is_control() || *c == '\t').collect::<String>();
    Ok(lines[lines.len().saturating_sub(LINES)..].iter().map(printable).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: impl AsRef<[u8]>) -> String {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let file = folder.path().join("said");
        std::fs::write(&file, content).expect("a file");
        tail(&file).expect("it can be read")
    }

    #[test]
    fn only_the_last_twenty_lines_are_told() {
        let long: String = (0..100_000).map(|line| format!("line {line}\n")).collect();
        let told = check(long);
        assert_eq!(told.lines().count(), 20);
        assert!(told.starts_with("line 99980\n") && told.ends_with("line 99999"), "{told}");
    }

    #[test]
    fn a_line_without_end_is_cut() {
        assert_eq!(check(vec![b'x'; 1 << 20]).len() as u64, BYTES);
    }

    #[test]
    fn colours_and_bytes_that_are_no_text_do_no_harm() {
        assert_eq!(check(b"\x1b[31mred\r\n\xff\tend"), "[31mred\n\u{fffd}\tend");
        assert_eq!(check(""), "");
    }
}
