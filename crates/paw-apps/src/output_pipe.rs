//! A program's output as the launcher reads it beside the program: through a pipe, of which the first and last bytes are kept.

use std::fs::File;
use std::io::{ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use crate::sys;

/// Bytes that are kept of the beginning of an output, and again of its end.
pub const KEPT_BYTES: usize = 64 << 10;
/// Bytes that a pipe holds where the kernel grants it: a program waits seldom, and the launcher wakes seldom.
const PIPE_BYTES: usize = 1 << 20;

/// The launcher's end of a pipe.
#[derive(Debug)]
pub(crate) struct OutputPipe {
    /// Absent once all writers have closed their ends.
    reader: Option<PipeReader>,
    file: PathBuf,
    ends: Ends,
}

impl OutputPipe {
    /// A pipe whose content will be kept in `file`, and its end for a program.
    pub(crate) fn new(file: PathBuf) -> std::io::Result<(Self, PipeWriter)> {
        let (reader, writer) = std::io::pipe()?;
        sys::never_blocks(reader.as_fd())?;
        sys::widen_pipe(reader.as_fd(), PIPE_BYTES);
        Ok((Self { reader: Some(reader), file, ends: Ends::default() }, writer))
    }

    /// The descriptor to wait for; `None` once the pipe is at its end.
    pub(crate) fn waited(&self) -> Option<BorrowedFd<'_>> {
        self.reader.as_ref().map(AsFd::as_fd)
    }

    /// Reads what the pipe holds.
    pub(crate) fn drain(&mut self) {
        let mut buffer = [0; KEPT_BYTES];
        while let Some(reader) = &mut self.reader {
            match reader.read(&mut buffer) {
                Ok(0) => self.reader = None,
                Ok(count) => self.ends.add(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.reader = None,
            }
        }
    }

    /// Writes what was kept to its file, and returns the number of bytes that were left out.
    pub(crate) fn keep(&self) -> Result<u64, String> {
        let written = File::create(&self.file).and_then(|file| self.ends.write(file));
        written.map(|()| self.ends.left_out()).map_err(|error| cannot_be_written(&self.file, &error))
    }
}

/// The sentence about an output file that cannot be written.
pub(crate) fn cannot_be_written(path: &Path, error: &std::io::Error) -> String {
    format!("the output {} cannot be written: {error}; name another file", path.display())
}

/// The first and last [`KEPT_BYTES`] of a stream.
#[derive(Debug, Default)]
struct Ends {
    head: Vec<u8>,
    /// The bytes behind the head; its last [`KEPT_BYTES`] count.
    tail: Vec<u8>,
    bytes: u64,
}

impl Ends {
    fn add(&mut self, read: &[u8]) {
        self.bytes += read.len() as u64;
        let (first, rest) = read.split_at(read.len().min(KEPT_BYTES - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(&rest[rest.len().saturating_sub(KEPT_BYTES)..]);
        if self.tail.len() > 4 * KEPT_BYTES {
            self.tail.drain(..self.tail.len() - KEPT_BYTES);
        }
    }

    fn last(&self) -> &[u8] {
        &self.tail[self.tail.len().saturating_sub(KEPT_BYTES)..]
    }

    fn left_out(&self) -> u64 {
        self.bytes - (self.head.len() + self.last().len()) as u64
    }

    /// Head and tail; between them a line that says what was left out.
    fn write(&self, mut to: impl Write) -> std::io::Result<()> {
        to.write_all(&self.head)?;
        match self.left_out() {
            0 => {}
            left_out => write!(to, "\n[paw: {left_out} bytes were left out here; --keep-output keeps all]\n")?,
        }
        to.write_all(self.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(pieces: impl IntoIterator<Item = Vec<u8>>) -> (Vec<u8>, u64) {
        let mut ends = Ends::default();
        pieces.into_iter().for_each(|piece| ends.add(&piece));
        let mut written = Vec::new();
        ends.write(&mut written).expect("a buffer takes all");
        (written, ends.left_out())
    }

    #[test]
    fn a_short_output_is_whole_however_it_comes() {
        let whole: Vec<u8> = (0..2 * KEPT_BYTES).map(|at| (at % 251) as u8).collect();
        for size in [1, 1000, KEPT_BYTES, 2 * KEPT_BYTES] {
            assert_eq!(kept(whole.chunks(size).map(<[u8]>::to_vec)), (whole.clone(), 0), "{size}");
        }
    }

    #[test]
    fn the_middle_of_a_long_output_is_left_out_and_counted() {
        let pieces = [vec![b'a'; KEPT_BYTES], vec![b'm'; 9 * KEPT_BYTES + 7], vec![b'z'; KEPT_BYTES]];
        let (written, left_out) = kept(pieces);
        assert_eq!(left_out, 9 * KEPT_BYTES as u64 + 7);
        let note = format!("\n[paw: {left_out} bytes were left out here; --keep-output keeps all]\n");
        let expected = [vec![b'a'; KEPT_BYTES], note.into_bytes(), vec![b'z'; KEPT_BYTES]].concat();
        assert!(written == expected, "head, note, tail");
    }
}
