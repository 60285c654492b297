//! Reads `run.jsonl`, also where it is cut off or damaged.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvError, Sender, channel};
use std::thread::{self, Scope, ScopedJoinHandle};

use super::FILE;
use super::assembler::RunAssembler;
use super::columns::Columns;
use super::extent::Extent;
use super::parsed_line::{ParsedLine, Refusal};
use super::read_error::ReadError;
use crate::parts::started;
use crate::run::Run;

/// Most bytes of a line, which a device such as `/dev/zero` passes and a series of a million samples does not.
const LINE_MAX: u64 = 1 << 30;

/// Fewest bytes of lines that a thread parses at a time; what is shorter is parsed by the thread that reads.
const BLOCK: usize = 1 << 20;

/// Blocks that a thread has in hand or before it at most.
const BLOCKS_A_THREAD: usize = 2;

/// Most threads that parse: one reads the file for all of them.
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
    let mut input = BufReader::new(input);
    let mut assembler = RunAssembler::new(path, extent);
    let first = Block::read(&mut input, path)?;
    let threads =
        if first.is_last() { 0 } else { thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX) };
    thread::scope(|scope| {
        let mut parsers: Vec<Parser<'_>> = (0..threads).map_while(|_| Parser::start(scope, path, extent)).collect();
        let (mut next, mut sent, mut given) = (Some(first), 0, 0);
        if parsers.is_empty() {
            while let Some(block) = next {
                next = block.following(&mut input, path)?;
                block.parse(path, extent).give(&mut assembler)?;
            }
            return assembler.finish();
        }
        let threads = parsers.len();
        loop {
            while let Some(block) = next.take_if(|_| sent < given + threads * BLOCKS_A_THREAD) {
                next = block.following(&mut input, path)?;
                // To a thread that has ended nothing can be sent; why it has is found below.
                let _ = parsers[sent % threads].blocks.send(block);
                sent += 1;
            }
            if given == sent {
                return assembler.finish();
            }
            let turn = given % threads;
            match parsers[turn].parsed.recv() {
                Ok(parsed) => parsed.give(&mut assembler)?,
                Err(RecvError) => parsers.swap_remove(turn).fail(),
            }
            given += 1;
        }
    })
}

/// A thread that parses one block after the other.
struct Parser<'scope> {
    blocks: Sender<Block>,
    parsed: Receiver<ParsedBlock>,
    thread: ScopedJoinHandle<'scope, ()>,
}

impl<'scope> Parser<'scope> {
    /// `None` where the system starts no other thread.
    fn start<'env>(scope: &'scope Scope<'scope, 'env>, path: &'env Path, extent: Extent) -> Option<Self> {
        let (blocks, received) = channel::<Block>();
        let (sender, parsed) = channel();
        // It ends with the blocks, or when nobody takes what it has parsed.
        let work = move || drop(received.iter().try_for_each(|block| sender.send(block.parse(path, extent))));
        started(scope, work).map(|thread| Self { blocks, parsed, thread })
    }

    /// Passes on the panic that ended the thread.
    fn fail(self) -> ! {
        drop(self.blocks);
        resume_unwind(self.thread.join().err().unwrap_or_else(|| Box::new("a thread that reads a run ended early")))
    }
}

/// Whole lines of a file.
struct Block(Vec<u8>);

impl Block {
    /// The next lines of `input`, of at least [`BLOCK`] bytes unless it ends.
    fn read(input: &mut impl BufRead, path: &Path) -> Result<Self, ReadError> {
        let refused = |source| ReadError::Io { path: path.to_owned(), source };
        let mut text = Vec::with_capacity(BLOCK);
        input.take(BLOCK as u64).read_to_end(&mut text).map_err(refused)?;
        if text.len() == BLOCK && !text.ends_with(b"\n") {
            let rest = input.take(LINE_MAX).read_until(b'\n', &mut text).map_err(refused)?;
            if rest as u64 == LINE_MAX {
                return Err(ReadError::NotARun {
                    path: path.to_owned(),
                    why: "it has a line of over 1 GiB".to_owned(),
                });
            }
        }
        Ok(Self(text))
    }

    /// The lines behind these; `None` where the file ends with these.
    fn following(&self, input: &mut impl BufRead, path: &Path) -> Result<Option<Self>, ReadError> {
        if self.is_last() { Ok(None) } else { Self::read(input, path).map(Some) }
    }

    /// Whether the file ends with it.
    fn is_last(&self) -> bool {
        self.0.len() < BLOCK
    }

    fn parse(self, path: &Path, extent: Extent) -> ParsedBlock {
        let mut columns = Columns::new(extent);
        let lines = self.0.split_inclusive(|byte| *byte == b'\n');
        let lines = lines.map(|line| (line.len(), ParsedLine::of(line, path, &mut columns))).collect();
        ParsedBlock { text: self.0, lines }
    }
}

/// A block with what its lines say.
struct ParsedBlock {
    text: Vec<u8>,
    /// The length of each line, and what it says.
    lines: Vec<(usize, Result<ParsedLine, Refusal>)>,
}

impl ParsedBlock {
    fn give(self, assembler: &mut RunAssembler) -> Result<(), ReadError> {
        let mut rest = &self.text[..];
        for (length, parsed) in self.lines {
            let (line, behind) = rest.split_at(length);
            assembler.line(line, parsed)?;
            rest = behind;
        }
        Ok(())
    }
}
