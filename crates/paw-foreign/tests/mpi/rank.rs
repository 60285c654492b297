//! One rank of a job: starts the library that fits its launcher, and holds every call against what it should do.

mod collectives;
mod files;
mod messages;
mod windows;

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::rc::Rc;

use paw_foreign::mpi::{Comm, Datatype, Memory, Mpi, MpiError, Part, ThreadLevel, discovery, launcher, selftest};

use crate::tools::ROLE;

/// The role of a rank that makes every call.
pub const EVERY_CALL: &str = "every call";
/// The role of a rank that starts, tests itself, meets the others three times, and ends.
pub const START: &str = "start";

/// Elements of a block.
const BLOCK: usize = 5;

/// Where what comes in begins.
const INTO_BYTES: usize = 4096;

/// A rank and its memory: what goes out from the beginning, what comes in behind it.
#[derive(Debug)]
struct Rank {
    comm: Comm,
    memory: Rc<Memory>,
}

/// The value that `rank` puts at `index`.
fn value(rank: usize, index: usize) -> i64 {
    (rank * 1000 + index) as i64
}

impl Rank {
    fn new(comm: Comm) -> Result<Self, MpiError> {
        Ok(Self { comm, memory: Rc::new(Memory::new(2 * INTO_BYTES)?) })
    }

    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn size(&self) -> usize {
        self.comm.size()
    }

    fn left(&self) -> usize {
        (self.rank() + self.size() - 1) % self.size()
    }

    fn right(&self) -> usize {
        (self.rank() + 1) % self.size()
    }

    /// A part of `blocks` blocks, filled with this rank's values.
    fn out(&self, blocks: usize) -> Part {
        let values: Vec<i64> = (0..blocks * BLOCK).map(|index| value(self.rank(), index)).collect();
        self.memory.write_integers(0, &values);
        Part::new(0, values.len() as i32, Datatype::Int64)
    }

    /// A part of `blocks` blocks for what comes in, filled with what nobody sends.
    fn room(&self, blocks: usize) -> Part {
        let part = Part::new(INTO_BYTES, (blocks * BLOCK) as i32, Datatype::Int64);
        self.memory.fill(part, 0xff);
        part
    }

    /// Panics where `part` does not hold `expected` at each index.
    fn expect(&self, call: &str, part: Part, expected: impl Fn(usize) -> i64) {
        let expected: Vec<i64> = (0..part.len()).map(expected).collect();
        assert_eq!(self.memory.read_integers(part), expected, "{call} on rank {} of {}", self.rank(), self.size());
    }
}

/// Started alone it has nothing to do: the other tests start it under a launcher, with a role.
#[test]
fn a_rank_of_a_job_finds_every_call_right() {
    let Ok(role) = env::var(ROLE) else { return };
    let mpi = start().unwrap_or_else(|error| panic!("{error}"));
    let done = match role.as_str() {
        EVERY_CALL => every_call(mpi),
        _ => (0..3).try_for_each(|_| mpi.world().barrier()),
    };
    done.and_then(|()| mpi.finalize()).unwrap_or_else(|error| panic!("{error}"));
    let late = mpi.world().barrier().expect_err("MPI has ended").to_string();
    assert_eq!(late, "MPI_Barrier was called after MPI_Finalize");
    // One write, so that ranks do not write into each other's lines.
    print!("{}", format_args!("right: {}\n", mpi.version()));
}

fn start() -> Result<&'static Mpi, Box<dyn Error>> {
    let launcher = launcher::of_process().ok_or("no launcher is known here")?;
    let chosen = env::var_os("PAW_MPI_LIBRARY").map(PathBuf::from);
    let found = discovery::find(Some(&launcher), chosen.as_deref())?;
    let mpi = Mpi::start(&found.path, ThreadLevel::Multiple)?;
    assert!(Mpi::start(&found.path, ThreadLevel::Multiple).is_err(), "MPI is started once");
    selftest::check_launcher(&launcher, mpi)?;
    selftest::self_test(mpi)?;
    selftest::window_test(mpi)?;
    Ok(mpi)
}

fn every_call(mpi: &'static Mpi) -> Result<(), MpiError> {
    let rank = Rank::new(mpi.world().dup()?)?;
    assert!(mpi.tag_ub()? >= 32767 && mpi.wtick_s() > 0.0 && !mpi.processor_name().is_empty());
    assert!(mpi.standard() >= (3, 1), "{:?}", mpi.standard());
    messages::check(&rank)?;
    collectives::check(&rank)?;
    windows::check(&rank)?;
    files::check(&rank)?;
    rank.comm.barrier()?;
    rank.comm.free()?;
    assert!(rank.comm.barrier().is_err(), "a communicator that was freed is refused");
    Ok(())
}
