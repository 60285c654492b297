//! Standard output and error of a run, read up to a limit.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// An output that cannot be read.
#[derive(Debug, Error)]
#[error("{}: cannot be read: {why}", path.display())]
pub struct OutputError {
    /// The file.
    pub path: PathBuf,
    /// The system's error.
    pub why: std::io::Error,
}

/// Standard output or standard error of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// The file it was written to.
    pub path: PathBuf,
    /// The text, or of a long output its last lines. Bytes that are no UTF-8 become U+FFFD.
    pub text: String,
    /// Length of the whole output in bytes.
    pub bytes: u64,
    /// Whether `text` lacks the beginning of the output.
    pub cut: bool,
}

/// Both outputs of one run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outputs {
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
}

impl Outputs {
    /// Reads the two files, at most the last `limit_bytes` of each: programs print results at the end.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(stdout: &Path, stderr: &Path, limit_bytes: u64) -> Result<Self, OutputError> {
        let read = |path: &Path| output(path, limit_bytes).map_err(|why| OutputError { path: path.to_owned(), why });
        Ok(Self { stdout: read(stdout)?, stderr: read(stderr)? })
    }
}

fn output(path: &Path, limit_bytes: u64) -> std::io::Result<Output> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let before = bytes.saturating_sub(limit_bytes);
    file.seek(SeekFrom::Start(before))?;
    let mut content = Vec::new();
    file.take(limit_bytes).read_to_end(&mut content)?;
    let whole_lines = if before == 0 { &content[..] } else { behind_first_line_end(&content) };
    let text = String::from_utf8_lossy(whole_lines).into_owned();
    Ok(Output { path: path.to_owned(), text, bytes, cut: before > 0 })
}

/// `content` without its first, incomplete line; all of `content` if it has no line end.
fn behind_first_line_end(content: &[u8]) -> &[u8] {
    content.iter().position(|byte| *byte == b'\n').map_or(content, |end| &content[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &[u8], limit_bytes: u64) -> Output {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        std::fs::write(&path, content).unwrap();
        Outputs::read(&path, Path::new("/dev/null"), limit_bytes).unwrap().stdout
    }

    #[test]
    fn a_short_output_is_whole() {
        let output = read(b"one\ntwo\n", 8);
        assert_eq!((output.text.as_str(), output.bytes, output.cut), ("one\ntwo\n", 8, false));
        assert_eq!(read(b"", 8).text, "");
    }

    #[test]
    fn of_a_long_output_the_last_whole_lines_are_kept() {
        let output = read(b"one\ntwo\nthree\n", 9);
        assert_eq!((output.text.as_str(), output.bytes, output.cut), ("three\n", 14, true));
        assert_eq!(read(b"endless", 3).text, "ess");
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        assert_eq!(read(b"a\xff\n", 8).text, "a\u{fffd}\n");
    }

    #[test]
    fn a_missing_output_is_named() {
        let error = Outputs::read(Path::new("/nowhere/out"), Path::new("/dev/null"), 8).unwrap_err();
        assert!(error.to_string().starts_with("/nowhere/out: cannot be read: "), "{error}");
    }
}
