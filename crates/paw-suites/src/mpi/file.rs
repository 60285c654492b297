//! One file that all ranks write and read: `file_write`, `file_read`.

use std::ffi::CString;
use std::fs::{self, OpenOptions};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::rc::Rc;

use paw_data::axis;
use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_data::work::Work;
use paw_foreign::mpi::{Collective, Datatype, Memory, Part, SharedFile};
use paw_measure::channel::Reduce;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{self, COLLECTIVE};
use super::error::broken;
use super::page_cache::{self, CachedFile};
use super::pair::{elements, message_bytes};
use super::payload;
use super::world::World;
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};

/// All ranks write.
pub const WRITE: Benchmark = Own {
    name: "file_write",
    purpose: "How fast do all ranks write one file: into the page cache, and down to the storage?",
    timed: "MPI_File_write_at or MPI_File_write_at_all; with flush=yes and MPI_File_sync",
    formula: "8*n*ranks",
    work,
    start: |start| Ok(Box::new(RanksFile::new(start, Action::write(start.point))?)),
}
.of(Common { axes: &[N, CALLS, FLUSH], ..FILES });

/// All ranks read.
pub const READ: Benchmark = Own {
    name: "file_read",
    purpose: "How fast do all ranks read one file: from the storage, and from the page cache?",
    timed: "MPI_File_read_at or MPI_File_read_at_all of what the rank half a job away wrote; with cache=dropped each call alone, after a barrier",
    formula: "8*n*ranks",
    work,
    start: |start| Ok(Box::new(RanksFile::new(start, Action::read(start.point))?)),
}
.of(Common { axes: &[N, CALLS, CACHE], ..FILES });

/// Facts that both share; only their names select them, because they write to a file system.
const FILES: Common = Common {
    family: Family::Files,
    headline: Quantity::Bytes,
    variables: &["PAW_MPI_LIBRARY"],
    by_name: true,
    memory_bytes: message_bytes,
    ..COLLECTIVE
};

const N: Axis = Axis {
    name: axis::N,
    meaning: "elements of 8 bytes that each rank writes or reads at once, side by side in the file",
    values: Values::Ints(&[512, 131_072]),
};

const CALLS: Axis = Axis {
    name: axis::CALLS,
    meaning: "each rank by itself (own), or all together, so that the library may join their parts (collective)",
    values: Values::Each(&["own", "collective"]),
};

const FLUSH: Axis = Axis {
    name: axis::FLUSH,
    meaning: "until the page cache has it (no), or until the storage has it, by a sync after every write (yes)",
    values: Values::Each(&["yes", "no"]),
};

const CACHE: Axis = Axis {
    name: axis::CACHE,
    meaning: "with the file's pages dropped from the page cache before every read (dropped), or as earlier reads left them (warm)",
    values: Values::Each(&[DROPPED, "warm"]),
};

const DROPPED: &str = "dropped";

/// Bytes of the file at most, unless one write of all ranks is more: it is written over and over.
const FILE_BYTES: u64 = 16 << 20;
/// Rows of the file at most: each is written before anything is timed.
const ROWS_MAX: u64 = 1024;

fn work(point: &Point) -> Work {
    Work { bytes: collective::ranks(point) * message_bytes(point), ..Work::default() }
}

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Write,
    WriteAndSync,
    Read,
    ReadFromStorage,
}

impl Action {
    fn write(point: &Point) -> Self {
        if point.text(axis::FLUSH) == Some("no") { Action::Write } else { Action::WriteAndSync }
    }

    fn read(point: &Point) -> Self {
        if point.text(axis::CACHE) == Some("warm") { Action::Read } else { Action::ReadFromStorage }
    }

    fn reads(self) -> bool {
        matches!(self, Action::Read | Action::ReadFromStorage)
    }
}

/// A rank's end of the file: rows of one part a rank, in the ranks' order.
struct RanksFile {
    world: Rc<World>,
    memory: Rc<Memory>,
    part: Part,
    /// `Some` until the drop.
    file: Option<SharedFile>,
    cached: CachedFile,
    path: PathBuf,
    by: Collective,
    action: Action,
    rows: u64,
    /// Of what the last sample read on all ranks, the part that came from storage.
    from_storage: Option<f64>,
}

impl RanksFile {
    fn new(start: &Start<'_>, action: Action) -> Result<Self, Fault> {
        let (world, n) = (Rc::clone(start.engine.world()?), elements(start.point)?);
        let part = Part::new(0, n, Datatype::Double);
        let memory = world.memory(part.bytes())?;
        let path = world.roots_path(|directory, nth| made(directory.join(format!("ranks-{nth}.tmp"))))?;
        let name = CString::new(path.clone().into_os_string().into_vec());
        let name = name.map_err(|_| Fault::Missing("the run's directory has a zero in its name".to_owned()))?;
        let file = SharedFile::open(world.comm(), &name).map_err(broken)?;
        let cached = CachedFile::open(&path).map_err(|why| unseen(&path, &why))?;
        let by = if start.point.text(axis::CALLS) == Some("collective") { Collective::Yes } else { Collective::No };
        let row_bytes = (part.bytes() * world.size()).max(1) as u64;
        let rows = (FILE_BYTES / row_bytes).clamp(1, ROWS_MAX);
        let file = Self { world, memory, part, file: Some(file), cached, path, by, action, rows, from_storage: None };
        file.fill()?;
        Ok(file)
    }

    /// Writes every row: what will be read, or what is no pattern of any rank, so that what is written over it shows.
    fn fill(&self) -> Result<(), Fault> {
        if self.action.reads() {
            payload::fill(&self.memory, self.part, self.world.rank());
        } else {
            payload::clear(&self.memory, self.part);
        }
        for row in 0..self.rows {
            let at = self.offset(row, self.world.rank());
            self.file().write_at(Collective::No, at, &self.memory, self.part).map_err(broken)?;
        }
        self.settled()?;
        payload::fill(&self.memory, self.part, self.world.rank());
        Ok(())
    }

    /// What any rank wrote can be read by all from now on (MPI 4.1, section 14.6.1: sync, barrier, sync).
    fn settled(&self) -> Result<(), Fault> {
        self.file().sync().map_err(broken)?;
        self.world.comm().barrier().map_err(broken)?;
        self.file().sync().map_err(broken)
    }

    fn file(&self) -> &SharedFile {
        self.file.as_ref().expect("the file is open until it is dropped")
    }

    /// Where the part of `rank` in the row of the `nth` call begins.
    fn offset(&self, nth: u64, rank: usize) -> i64 {
        let (row, ranks) = (nth % self.rows, self.world.size() as u64);
        ((row * ranks + rank as u64) * self.part.bytes() as u64) as i64
    }

    /// The rank whose part this rank reads: on another node where nodes are filled one after the other.
    fn writer(&self) -> usize {
        (self.world.rank() + self.world.size() / 2) % self.world.size()
    }

    fn write(&self, loops: u64) -> Result<(), Fault> {
        for nth in 0..loops {
            let at = self.offset(nth, self.world.rank());
            self.file().write_at(self.by, at, &self.memory, self.part).map_err(broken)?;
            if self.action == Action::WriteAndSync {
                self.file().sync().map_err(broken)?;
            }
        }
        Ok(())
    }

    fn read(&self, nth: u64) -> Result<(), Fault> {
        self.file().read_at(self.by, self.offset(nth, self.writer()), &self.memory, self.part).map_err(broken)
    }

    /// Drops the row of the `nth` call from this node's page cache, and waits until all nodes have.
    fn forget(&self, nth: u64) -> Result<(), Fault> {
        let row_bytes = (self.part.bytes() * self.world.size()) as u64;
        let forgotten = self.cached.forget(self.offset(nth, 0).unsigned_abs(), row_bytes);
        forgotten.map_err(|why| unseen(&self.path, &why))?;
        self.world.comm().barrier().map_err(broken)
    }

    /// Seconds of `loops` reads, each after its row was dropped.
    fn reads_from_storage(&self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let mut total_s = 0.0;
        for nth in 0..loops {
            self.forget(nth)?;
            let start = clock.start();
            self.read(nth)?;
            let stop = clock.stop();
            total_s += clock.seconds(start, stop);
        }
        Ok(total_s)
    }

    fn timed(&self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        match self.action {
            Action::Write | Action::WriteAndSync => self.write(loops)?,
            Action::Read => (0..loops).try_for_each(|nth| self.read(nth))?,
            Action::ReadFromStorage => return self.reads_from_storage(loops, clock),
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// The part of what all ranks read that came from storage, where every rank's kernel counts that.
    fn share_from_storage(&self, before: Option<f64>, loops: u64) -> Result<Option<f64>, Fault> {
        let counted = page_cache::bytes_from_storage().zip(before).map(|(now, before)| now - before);
        let mut sums = [counted.unwrap_or(0.0), f64::from(u8::from(counted.is_some()))];
        self.world.channel().reduce(&mut sums, Reduce::Sum)?;
        let ranks = self.world.size() as f64;
        let bytes = loops as f64 * self.part.bytes() as f64 * ranks;
        // What is read ahead may be more than what was asked for.
        Ok((sums[1] == ranks).then(|| (sums[0] / bytes).min(1.0)))
    }
}

impl Timed for RanksFile {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        if !self.action.reads() {
            return self.timed(loops, clock);
        }
        let before = page_cache::bytes_from_storage();
        let time_s = self.timed(loops, clock)?;
        self.from_storage = self.share_from_storage(before, loops)?;
        Ok(time_s)
    }

    fn extra(&self) -> Vec<(MetricName, f64)> {
        self.from_storage.map(|share| (SecondaryMetric::FromStorage.into(), share)).into_iter().collect()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        if self.action.reads() {
            payload::clear(&self.memory, self.part);
            self.time(1, &Clock::monotonic())?;
        } else {
            self.time(1, &Clock::monotonic())?;
            self.settled()?;
            payload::clear(&self.memory, self.part);
            self.read(0)?;
        }
        let writer = self.writer();
        let expected = |index| payload::value(writer, self.part.len(), index);
        let wrong = payload::wrong(&self.memory, self.part, expected);
        payload::fill(&self.memory, self.part, self.world.rank());
        Ok(answer::exact("what another rank wrote, every element", wrong))
    }
}

impl Drop for RanksFile {
    fn drop(&mut self) {
        // All ranks end a benchmark together; a file that cannot be closed stays open, and the error shows in the next call.
        let _ = self.file.take().map(SharedFile::close);
        if self.world.rank() == 0 {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A file that this process has made, for this user alone.
fn made(path: PathBuf) -> Result<PathBuf, Fault> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    file.map_err(|why| Fault::Missing(format!("{} cannot be made: {why}", path.display())))?;
    Ok(path)
}

/// A rank that does not see the file of rank 0.
fn unseen(path: &std::path::Path, why: &std::io::Error) -> Fault {
    Fault::Missing(format!(
        "{} cannot be read on this node: {why}. hint: --out DIR on a file system that all nodes share",
        path.display()
    ))
}
