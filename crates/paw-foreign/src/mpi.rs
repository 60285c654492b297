//! Any MPI, opened at run time: found, started, called.
//!
//! One implementation serves the three ABIs there are. Handles are passed as 64-bit words: a library whose handles are C
//! integers reads the low half ([`Abi`] lists where that holds). What a call returns goes into a zeroed word, whose low half
//! such a library fills, because these machines are little-endian.
//!
//! The library is opened with `RTLD_GLOBAL`, and its functions are looked up in the whole process, in the order of the
//! loader: a PMPI tool that was preloaded (`LD_PRELOAD`) stands before the library and sees every call.
//!
//! Calls are safe without lifetimes: what they touch lies in a [`Memory`], named by a [`Part`] that is held against its
//! size, and whatever is still in flight when its owner goes away keeps its memory for ever.

mod abi;
mod calls;
mod collective;
mod comm;
mod comm_state;
mod counts;
pub mod discovery;
mod error;
mod exit_message;
mod group;
mod implementation;
mod init;
pub mod launcher;
mod library;
mod memory;
mod message;
mod probe;
mod requests;
pub mod selftest;
mod thread_level;
mod vector;
mod window;

pub use abi::{Abi, Datatype, MpiHandle, Numbers, Op, Predefined, PredefinedHandles};
pub use comm::{AcrossThreads, Comm, Periodic};
pub use counts::Counts;
pub use error::{MpiError, MpiFault, StartError};
pub use group::Group;
pub use implementation::Implementation;
pub use init::InitCall;
pub use library::{Mpi, Unstarted};
pub use memory::{Memory, Part};
pub use message::Message;
pub use probe::{Probe, probe};
pub use requests::Requests;
pub use thread_level::ThreadLevel;
pub use window::{LockKind, Window};

#[cfg(not(all(target_endian = "little", target_pointer_width = "64")))]
compile_error!("handles are handed over as 64-bit words whose low half an int-handle library reads");
