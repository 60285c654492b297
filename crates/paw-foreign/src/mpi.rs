//! Any MPI library, opened at run time: found, started and called.
//!
//! One implementation serves the three ABIs there are. Handles are passed as 64-bit words: a library whose handles are C
//! integers reads the low half ([`Abi`] lists where that holds). What a call returns goes into a zeroed word, whose low half
//! such a library fills, because these machines are little-endian.
//!
//! The library is opened with `RTLD_GLOBAL`, and its functions are looked up in the whole process, in the loader's order:
//! a preloaded PMPI tool (`LD_PRELOAD`) comes before the library and sees every call.
//!
//! Calls are safe without lifetimes: they name a [`Part`] of a [`Memory`], which is checked against its size, and memory of
//! transfers that are in flight when their owner is dropped is leaked.

mod abi;
mod calls;
mod collective;
mod comm;
mod comm_state;
mod counts;
mod derived;
mod device_memory;
mod device_support;
pub mod discovery;
mod error;
mod exit_message;
mod file;
mod group;
mod implementation;
mod in_place;
mod init;
pub mod launcher;
mod library;
mod memory;
mod message;
mod probe;
mod requests;
pub mod selftest;
mod session;
mod thread_level;
mod vector;
mod window;

pub use abi::{Abi, Datatype, MpiHandle, Numbers, Op, Predefined, PredefinedHandles};
pub(crate) use calls::Calls;
pub use comm::{AcrossThreads, Comm, Periodic};
pub use counts::Counts;
pub use derived::DerivedDatatype;
pub use device_memory::Residence;
pub use device_support::DeviceSupport;
pub use error::{MpiError, MpiFault, StartError};
pub use file::{Collective, SharedFile};
pub use group::Group;
pub use implementation::Implementation;
pub use init::InitCall;
pub use library::{Aborter, Mpi, UnstartedMpi};
pub use memory::{Memory, Part};
pub use message::Message;
pub use probe::{Probe, probe};
pub use requests::Requests;
pub use session::Session;
pub use thread_level::ThreadLevel;
pub use window::{LockKind, Window};

#[cfg(not(all(target_endian = "little", target_pointer_width = "64")))]
compile_error!("handles are handed over as 64-bit words whose low half an int-handle library reads");
