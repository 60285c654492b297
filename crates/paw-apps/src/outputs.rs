//! Standard output and error of a run, read up to a limit.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::launch::Sink;

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
    /// The file it is found in; `None` where it was not kept.
    pub path: Option<PathBuf>,
    /// The text, or the parts of it that were kept. Bytes that are no UTF-8 become U+FFFD.
    pub text: String,
    /// Bytes of the output that `text` lacks.
    pub left_out: u64,
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
    /// Reads the two outputs of a copy that left `left_out` bytes of them out, at most the last `limit_bytes` of each: programs print
    /// results at the end.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(stdout: &Sink, stderr: &Sink, left_out: [u64; 2], limit_bytes: u64) -> Result<Self, OutputError> {
        let read = |sink: &Sink, left_out: u64| {
            let Some(path) = sink.file() else { return Ok(Output::default()) };
            output(path, left_out, limit_bytes).map_err(|why| OutputError { path: path.to_owned(), why })
        };
        Ok(Self { stdout: read(stdout, left_out[0])?, stderr: read(stderr, left_out[1])? })
    }
}

fn output(path: &Path, left_out: u64, limit_bytes: u64) -> std::io::Result<Output> {
    let mut file = File::open(path)?;
    let before = file.metadata()?.len().saturating_sub(limit_bytes);
    file.seek(SeekFrom::Start(before))?;
    let mut content = Vec::new();
    file.take(limit_bytes).read_to_end(&mut content)?;
    let whole_lines = if before == 0 { &content[..] } else { behind_first_line_end(&content) };
    let text = String::from_utf8_lossy(whole_lines).into_owned();
    Ok(Output { path: Some(path.to_owned()), text, left_out: left_out + before })
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
        Outputs::read(&Sink::File(path), &Sink::Null, [0; 2], limit_bytes).unwrap().stdout
    }

    #[test]
    fn a_short_output_is_whole() {
        let output = read(b"one\ntwo\n", 8);
        assert_eq!((output.text.as_str(), output.left_out), ("one\ntwo\n", 0));
        assert_eq!(read(b"", 8).text, "");
    }

    #[test]
    fn of_a_long_output_the_last_whole_lines_are_kept() {
        let output = read(b"one\ntwo\nthree\n", 9);
        assert_eq!((output.text.as_str(), output.left_out), ("three\n", 5));
        assert_eq!(read(b"endless", 3).text, "ess");
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        assert_eq!(read(b"a\xff\n", 8).text, "a\u{fffd}\n");
    }

    #[test]
    fn a_missing_output_is_named() {
        let error = Outputs::read(&Sink::File("/nowhere/out".into()), &Sink::Null, [0; 2], 8).unwrap_err();
        assert!(error.to_string().starts_with("/nowhere/out: cannot be read: "), "{error}");
    }
}
