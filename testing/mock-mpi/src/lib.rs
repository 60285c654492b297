//! An MPI with the standard ABI over one shared-memory file, for tests: ranks are plain processes, costs are known.
//!
//! A message of n bytes is visible at max(now, link free) + β·n + α; everything else is built of such messages, so that counts
//! and times of collectives and windows follow from the two constants. What it costs and what goes wrong is chosen in the
//! environment; see [`Options`]. Derived datatypes are vectors and indexed ones, in messages
//! between two ranks. Absent: wildcards in collectives, other derived datatypes, user-defined operations, attributes other than
//! MPI_TAG_UB, file views, dynamic processes, any use of the network.
#![deny(unsafe_code)]

mod abi;
mod address;
mod clock;
mod collective;
mod communicator;
mod counts;
mod datatypes;
mod engine;
mod envelope;
mod fault;
mod launch;
mod mailbox;
mod neighbourhood;
mod options;
mod plan;
mod reduction;
mod request;
mod ring;
mod segment;
mod slots;
mod symbols;
mod target;
mod vectors;
mod window;
mod world;

pub use launch::{Ended, Launch, Others, Streams};
pub use options::{Cost, Options, Outliers};
