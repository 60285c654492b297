//! Reads `run.jsonl`, also where it is cut off or damaged.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::FILE;
use super::assembler::RunAssembler;
use super::columns::Columns;
use super::extent::Extent;
use super::parsed_line::{ParsedLine, Refusal};
use super::read_error::ReadError;
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
pub fn parse(input: impl Read + Send, path: &Path) -> Result<Run, ReadError> {
    parse_extent(input, path, Extent::All)
}

/// Reads as much as `extent` says of the run in `input`; errors name `path`. The processors share the lines of a large one.
pub fn parse_extent(input: impl Read + Send, path: &Path, extent: Extent) -> Result<Run, ReadError> {
    // A large buffer: a long run is hundreds of megabytes.
    let mut input = BufReader::with_capacity(1 << 20, input);
    let mut assembler = RunAssembler::new(path, extent);
    let mut first = Block::default();
    first.fill(&mut input, path)?;
    let is_whole = first.is_last();
    first.parse(path, extent).give(&mut assembler)?;
    if !is_whole {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
        let blocks = Mutex::new(Blocks { input, next: Some(0), path });
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(threads);
            for _ in 0..threads {
                let (sender, blocks) = (sender.clone(), &blocks);
                // It ends with the file, or as soon as nobody takes what it has read.
                scope.spawn(move || {
                    loop {
                        let taken = blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
                        let Some((number, block)) = taken else { break };
                        if sender.send((number, block.map(|block| block.parse(path, extent)))).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            in_order(&receiver).try_for_each(|parsed| parsed?.give(&mut assembler))
        })?;
    }
    assembler.finish()
}

/// What is received, by its number from 0, without one left out.
fn in_order<T>(receiver: &Receiver<(usize, T)>) -> impl Iterator<Item = T> {
    let mut early = BTreeMap::new();
    (0..).map_while(move |number| {
        loop {
            if let Some(found) = early.remove(&number) {
                return Some(found);
            }
            let (number, found) = receiver.recv().ok()?;
            early.insert(number, found);
        }
    })
}

/// The blocks of a file that are not read yet.
struct Blocks<'p, I> {
    input: I,
    /// The number of the next one; `None` behind the last.
    next: Option<usize>,
    path: &'p Path,
}

impl<I: BufRead> Blocks<'_, I> {
    fn next(&mut self) -> Option<(usize, Result<Block, ReadError>)> {
        let number = self.next?;
        let mut block = Block::default();
        let filled = block.fill(&mut self.input, self.path);
        self.next = (filled.is_ok() && !block.is_last()).then_some(number + 1);
        Some((number, filled.map(|()| block)))
    }
}

/// A block with what its lines say.
struct ParsedBlock {
    block: Block,
    lines: Vec<Result<ParsedLine, Refusal>>,
}

impl ParsedBlock {
    fn give(self, assembler: &mut RunAssembler) -> Result<(), ReadError> {
        self.block.lines().zip(self.lines).try_for_each(|(line, parsed)| assembler.line(line, parsed))
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
    /// Takes the next lines of `input`, of at least [`BLOCK`] bytes unless it ends.
    fn fill(&mut self, input: &mut impl BufRead, path: &Path) -> Result<(), ReadError> {
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

    /// Whether the file ends with it.
    fn is_last(&self) -> bool {
        self.text.len() < BLOCK
    }

    fn parse(self, path: &Path, extent: Extent) -> ParsedBlock {
        let mut columns = Columns::new(extent);
        let lines = self.lines().map(|line| ParsedLine::of(line, path, &mut columns)).collect();
        ParsedBlock { block: self, lines }
    }
}
