//! A device that is none, for mock libraries: device memory is host memory, and what is queued takes the time that
//! the environment says, by a clock that agrees with the host's.
//!
//! A copy of n bytes begins when the one before it in its queue has ended, and lasts latency + n / bandwidth; copies that share a
//! link share its bandwidth. Marks are stamped with the times that follow, exactly; waiting lasts until the host's clock has come
//! there. Data moves when a call is made, so that answers can be checked; reads of a device's memory that was never written are counted. What it costs and what goes wrong: see [`Config`].
//! A mock library adds a vendor's symbols and answers, and nothing that takes time or moves bytes.
//! Absent: kernels other than paw's own, which do nothing but take time; events without time, graphs.
#![deny(unsafe_code)]

mod arithmetic;
mod compiler;
pub mod compiler_calls;
mod config;
pub mod copies;
mod elements;
pub mod heat;
mod kernels;
pub mod managed;
pub mod memory;
pub mod modules;
pub mod peers;
mod products;
mod queue;
mod time;
mod written;

pub use compiler::Program;
pub use config::{Config, DevicePair};
pub use elements::{Element, load};
pub use kernels::start;
pub use products::Product;
pub use queue::Command;
pub use time::{wait_until, world};

/// Why the device refuses a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// An argument is wrong: an address, a size.
    Value,
    /// There is no such queue.
    Queue,
    /// There is not that much memory.
    Memory,
    /// A kernel uses memory that it may not. A real driver answers that when the queue is waited for.
    Address,
}
