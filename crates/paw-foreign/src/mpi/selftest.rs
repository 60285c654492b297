//! A self-test of the ABI, run before anything is measured.
//!
//! Calling an MPI by the wrong ABI rarely fails at once: fields of a status are elsewhere, an array of requests has another
//! stride, a constant another meaning. Each part of this test fails under one of these mistakes.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use thiserror::Error;

use super::abi::{Datatype, Numbers, Op};
use super::calls::call;
use super::comm::Comm;
use super::error::MpiError;
use super::launcher::Launcher;
use super::library::Mpi;
use super::memory::{Memory, Part};
use super::requests::Requests;
use super::window::Window;

/// Requests sent and received at once: enough that a wrong stride hits one that is in use.
const MANY: usize = 32;
/// The byte that fills the guard behind a status.
const GUARD: u8 = 0xa5;
/// Room for a status with as much again behind it.
const STATUS_ROOM_BYTES: usize = 64;

/// A fault that the self-test found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SelfTestFault {
    /// A call failed.
    #[error("the self-test of {path} failed: {error}")]
    Call {
        /// The library.
        path: String,
        /// The call's own words.
        error: MpiError,
    },
    /// A call did something else than it should.
    #[error(
        "the self-test of {path} ({version}) failed: {call} gave {found} where {expected} was expected; the library is not what it seems, name another with --mpi-library"
    )]
    Wrong {
        /// The library.
        path: String,
        /// Its version.
        version: String,
        /// The call.
        call: &'static str,
        /// The value that it gave.
        found: String,
        /// The value that it should have given.
        expected: String,
    },
    /// The launcher started ranks that do not know each other.
    #[error(
        "{launcher} started {size} ranks, but {version} ({path}) sees rank {found_rank} of {found_size}, not rank {rank} of {size}: this library does not belong to this launcher; name the launcher's own with --mpi-library PATH or PAW_MPI_LIBRARY, or load the module of the MPI whose mpiexec you use"
    )]
    Launcher {
        /// The launcher.
        launcher: &'static str,
        /// The library's version.
        version: String,
        /// The library.
        path: String,
        /// Rank by the launcher.
        rank: usize,
        /// Size by the launcher, or a word for that it does not say.
        size: String,
        /// Rank by the library.
        found_rank: usize,
        /// Size by the library.
        found_size: usize,
    },
}

/// Whether launcher and library agree on rank and size. Otherwise each process would measure alone and print its own results.
pub fn check_launcher(launcher: &Launcher, mpi: &'static Mpi) -> Result<(), SelfTestFault> {
    let world = mpi.world();
    if launcher.rank == world.rank() && launcher.size.is_none_or(|size| size == world.size()) {
        return Ok(());
    }
    Err(SelfTestFault::Launcher {
        launcher: launcher.kind.name(),
        version: mpi.version().to_owned(),
        path: mpi.path().display().to_string(),
        rank: launcher.rank,
        size: launcher.size.map_or_else(|| "an unknown number of".to_owned(), |size| size.to_string()),
        found_rank: world.rank(),
        found_size: world.size(),
    })
}

/// Checks statuses, requests and reductions against the ABI; every rank must call it, before anything else is sent.
///
/// It makes no communicator: to make one, Open MPI starts a non-blocking collective, and polls for the progress of such collectives
/// ever after, which costs every message some 20 ns.
pub fn self_test(mpi: &'static Mpi) -> Result<(), SelfTestFault> {
    let test = Test::new(mpi)?;
    test.sizes()?;
    test.status()?;
    test.many()?;
    test.reductions()
}

/// Checks one-sided communication; every rank must call it, before the first window is measured.
pub fn window_test(mpi: &'static Mpi) -> Result<(), SelfTestFault> {
    if mpi.world().size() > 1 && mpi.has_windows() { Test::new(mpi)?.window() } else { Ok(()) }
}

fn broken(mpi: &Mpi, error: MpiError) -> SelfTestFault {
    SelfTestFault::Call { path: mpi.path().display().to_string(), error }
}

struct Test {
    mpi: &'static Mpi,
    comm: Comm,
    memory: Rc<Memory>,
}

impl Test {
    fn new(mpi: &'static Mpi) -> Result<Self, SelfTestFault> {
        let memory = Memory::new(MANY * 32).map_err(|error| broken(mpi, error))?;
        Ok(Self { mpi, comm: mpi.world(), memory: Rc::new(memory) })
    }

    fn sizes(&self) -> Result<(), SelfTestFault> {
        for kind in Datatype::ALL {
            let mut size: c_int = -1;
            self.did(call!(self.mpi, type_size(self.mpi.kind(kind), &raw mut size)))?;
            self.expect("MPI_Type_size", size, kind.bytes() as c_int)?;
        }
        Ok(())
    }

    /// A message from any source with any tag: the status holds source and tag, and nothing is written behind it.
    fn status(&self) -> Result<(), SelfTestFault> {
        let (rank, size, numbers) = (self.comm.rank(), self.comm.size(), &self.mpi.numbers);
        let (left, right, tag) = ((rank + size - 1) % size, (rank + 1) % size, 40 + rank as i32 % 1000);
        let (out, into) = (Part::new(0, 3, Datatype::Double), Part::new(64, 5, Datatype::Double));
        let mut sent = Requests::new(self.comm, Rc::clone(&self.memory), 1);
        self.did(sent.isend(0, out, right, tag))?;
        // In words, as a status is aligned.
        let mut status = [u64::from_ne_bytes([GUARD; 8]); STATUS_ROOM_BYTES / 8];
        let status_address = status.as_mut_ptr().cast::<c_void>();
        let bytes = |status: &[u64]| status.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
        let before = bytes(&status);
        let room = self.did(self.memory.address(into))?;
        let (any_source, any_tag) = (Numbers::int(numbers.any_source), Numbers::int(numbers.any_tag));
        let (kind, handle) = (self.mpi.kind(into.kind()), self.comm.handle());
        self.did(call!(self.mpi, recv(room, into.count(), kind, any_source, any_tag, handle, status_address)))?;
        self.did(sent.wait_all())?;
        let after = bytes(&status);
        let field = |at: i64| {
            let at = at as usize;
            after[at..at + 4].try_into().map(i32::from_ne_bytes).unwrap_or_default()
        };
        self.expect("MPI_SOURCE after MPI_Recv", field(numbers.source_at), left as i32)?;
        self.expect("MPI_TAG after MPI_Recv", field(numbers.tag_at), 40 + left as i32 % 1000)?;
        let end = numbers.status_bytes as usize;
        self.expect("the bytes behind the status after MPI_Recv", &after[end..], &before[end..])?;
        let mut count: c_int = -1;
        self.did(call!(self.mpi, get_count(status_address, kind, &raw mut count)))?;
        self.expect("MPI_Get_count", count, out.count())
    }

    /// Many messages at once to the next rank, each into its place.
    fn many(&self) -> Result<(), SelfTestFault> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
        let values = |rank: usize| (0..MANY).map(|slot| (rank * 1000 + slot) as i64).collect::<Vec<_>>();
        self.memory.write_integers(0, &values(rank));
        let mut requests = Requests::new(self.comm, Rc::clone(&self.memory), 2 * MANY);
        for slot in 0..MANY {
            let (out, into) =
                (Part::new(slot * 8, 1, Datatype::Int64), Part::new((MANY + slot) * 8, 1, Datatype::Int64));
            self.did(requests.irecv(MANY + slot, into, left, slot as i32))?;
            self.did(requests.isend(slot, out, right, slot as i32))?;
        }
        self.did(requests.wait_all())?;
        let found = self.memory.read_integers(Part::new(MANY * 8, MANY as i32, Datatype::Int64));
        self.expect("MPI_Waitall of 64 requests", found, values(left))?;
        let empty = (0..2 * MANY).filter(|slot| requests.vacant(*slot).is_ok()).count();
        self.expect("slots empty after MPI_Waitall", empty, 2 * MANY)
    }

    fn reductions(&self) -> Result<(), SelfTestFault> {
        let (rank, size) = (self.comm.rank() as i64, self.comm.size() as i64);
        let part = Part::new(0, 2, Datatype::Int64);
        for (op, expected) in [(Op::Sum, [size * (size - 1) / 2, size]), (Op::Max, [size - 1, 1]), (Op::Min, [0, 1])] {
            self.memory.write_integers(0, &[rank, 1]);
            self.did(self.comm.allreduce_in_place(&self.memory, part, op))?;
            self.expect("MPI_Allreduce with MPI_IN_PLACE", self.memory.read_integers(part), expected.to_vec())?;
        }
        Ok(())
    }

    /// Even ranks put into the window of the next one, and get it back. Of an odd number of ranks the last has no partner.
    fn window(&self) -> Result<(), SelfTestFault> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let shown = Rc::new(self.did(Memory::new(64))?);
        let window = self.did(Window::create(self.comm, Rc::clone(&shown)))?;
        let (out, into) = (Part::new(0, 1, Datatype::Int64), Part::new(8, 1, Datatype::Int64));
        self.memory.write_integers(0, &[100 + rank as i64, -1]);
        let partner = rank ^ 1;
        if partner < size {
            let group = self.did(self.comm.group(&[partner]))?;
            if rank < partner {
                self.did(window.start(&group))?;
                self.did(window.put(&self.memory, out, partner, 16))?;
                self.did(window.complete())?;
                self.did(window.start(&group))?;
                self.did(window.get(&self.memory, into, partner, 16))?;
                self.did(window.complete())?;
            } else {
                for _ in ["put", "get"] {
                    self.did(window.post(&group))?;
                    self.did(window.wait())?;
                }
            }
            let sent = 100 + rank.min(partner) as i64;
            if rank < partner {
                self.expect("MPI_Get", self.memory.read_integers(into), vec![sent])?;
            } else {
                self.expect("MPI_Put", shown.read_integers(Part::new(16, 1, Datatype::Int64)), vec![sent])?;
            }
        }
        self.did(window.free())
    }

    fn did<T>(&self, result: Result<T, MpiError>) -> Result<T, SelfTestFault> {
        result.map_err(|error| broken(self.mpi, error))
    }

    fn expect<T: PartialEq + std::fmt::Debug>(
        &self,
        call: &'static str,
        found: T,
        expected: T,
    ) -> Result<(), SelfTestFault> {
        if found == expected {
            return Ok(());
        }
        Err(SelfTestFault::Wrong {
            path: self.mpi.path().display().to_string(),
            version: self.mpi.version().to_owned(),
            call,
            found: format!("{found:?}"),
            expected: format!("{expected:?}"),
        })
    }
}
