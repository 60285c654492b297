//! The symbols of MPI, by chapter.
#![allow(unsafe_code)]
// The names and signatures are MPI's.
#![allow(non_snake_case, clippy::too_many_arguments)]

mod collectives;
mod communicators;
mod datatypes;
mod environment;
mod files;
mod grids;
mod messages;
mod operations;
mod partitioned;
mod requests;
mod sessions;
mod windows;

use crate::abi::{Class, Handle, Status};
use crate::address::UserPtr;
use crate::request::Outcome;

/// Tells the caller's status, if it wants one.
fn tell(status: UserPtr<Status>, nth: usize, outcome: Outcome) {
    let bytes = outcome.bytes as u64;
    let error = outcome.error.map_or(0, |class| class as i32);
    let own = [(bytes as u32).cast_signed(), ((bytes >> 32) as u32).cast_signed(), 0, 0, 0];
    status.set_nth(nth, Status { source: outcome.source, tag: outcome.tag, error, own });
}

/// The error of an outcome.
fn judged(outcome: Outcome) -> Result<(), Class> {
    outcome.error.map_or(Ok(()), Err)
}

/// An argument that is not to be negative.
fn natural(n: i32) -> Result<usize, Class> {
    usize::try_from(n).map_err(|_| Class::Count)
}

/// Where a call has no communicator, the world's error handler is asked.
const WORLD: Handle = crate::abi::COMM_WORLD;
