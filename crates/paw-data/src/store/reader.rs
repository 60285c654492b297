//! Reads `run.jsonl`, also where it is cut off or damaged.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::thread;

use super::FILE;
use super::assembler::RunAssembler;
use super::columns::Columns;
use super::extent::Extent;
use super::parsed_line::{ParsedLine, Refusal};
use super::read_error::ReadError;
use crate::parts;
use crate::run::Run;

/// Most bytes of a line, which a device such as `/dev/zero` passes and a series of a million samples does not.
const LINE_MAX: u64 = 1 << 30;

/// Fewest bytes of lines that a thread reads at a time; what is shorter is read by one.
const BLOCK: usize = 1 << 20;

/// Most threads that read: the file itself comes from one.
const THREADS_MAX: usize = 4;

/// Reads the run in the file `path`, or in `run.jsonl` where `path` is a directory.
///
/// A file that was cut off or damaged opens as far as it can be read, and [`Run::damage`] says what is missing.
pub fn read(path: &Path) -> Result<Run, ReadError> {
    read_extent(path, Extent::All)
}

/// Reads as much as `extent` says of the run at `path`: see [`read`].
pub fn read_extent(path: &Path, extent: Extent) -> Result<Run, ReadError> {
    let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    if path.is_dir() && !file.exists() {
        return Err(ReadError::NoRun(path.to_owned()));
    }
    let open = File::open(&file).map_err(|source| ReadError::Io { path: file.clone(), source })?;
    parse_extent(open, &file, extent)
}

/// Reads the run in `input`; errors name `path`.
pub fn parse(input: impl Read, path: &Path) -> Result<Run, ReadError> {
    parse_extent(input, path, Extent::All)
}

/// Reads as much as `extent` says of the run in `input`; errors name `path`. The processors share the lines of a large one.
pub fn parse_extent(input: impl Read, path: &Path, extent: Extent) -> Result<Run, ReadError> {
    // A large buffer: a long run is hundreds of megabytes.
    let mut input = BufReader::with_capacity(1 << 20, input);
    let mut assembler = RunAssembler::new(path, extent);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let mut blocks: Vec<Block> = (0..threads).map(|_| Block::default()).collect();
    loop {
        for block in &mut blocks {
            block.fill(&mut input, path)?;
        }
        let filled = blocks.iter().take_while(|block| !block.text.is_empty()).count();
        let parsed = parts::each(&blocks[..filled], 1, |block| block.parse(path, extent));
        for (block, parsed) in blocks.iter().zip(parsed) {
            block.lines().zip(parsed).try_for_each(|(line, parsed)| assembler.line(line, parsed))?;
        }
        if blocks.iter().any(|block| block.text.len() < BLOCK) {
            return assembler.finish();
        }
    }
}

/// Whole lines of a file, which one thread reads.
#[derive(Default)]
struct Block {
    text: Vec<u8>,
    /// Where each line ends in the text.
    ends: Vec<usize>,
}

impl Block {
    /// Replaces the lines by the next ones of `input`, of at least [`BLOCK`] bytes unless it ends.
    fn fill(&mut self, input: &mut impl BufRead, path: &Path) -> Result<(), ReadError> {
        self.text.clear();
        self.ends.clear();
        while self.text.len() < BLOCK {
            let read = input.by_ref().take(LINE_MAX).read_until(b'\n', &mut self.text);
            let n = read.map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
            if n as u64 == LINE_MAX {
                return Err(ReadError::NotARun {
                    path: path.to_owned(),
                    why: "it has a line of over 1 GiB".to_owned(),
                });
            }
            if n == 0 {
                break;
            }
            self.ends.push(self.text.len());
        }
        Ok(())
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.text[start..*end])
    }

    fn parse(&self, path: &Path, extent: Extent) -> Vec<Result<ParsedLine, Refusal>> {
        let mut columns = Columns::new(extent);
        self.lines().map(|line| ParsedLine::of(line, path, &mut columns)).collect()
    }
}
