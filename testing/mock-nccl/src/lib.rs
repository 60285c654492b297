//! NCCL without a network, for tests: the symbols of `libnccl.so.2` between the ranks of a job of `mock-mpi`, on devices of `mock-cuda` or
//! `mock-hip`, whichever this process has open.
//!
//! Ranks exchange bytes by files of a directory, which the identity of a communicator names. A call does its work before it returns,
//! and queues in its stream, by the driver, copies of what it reads and writes, which take their time there and refuse what is no
//! memory of a device. It refuses what NCCL refuses: two ranks on one device, numbers of types and operations that are none, communicators
//! that are none, groups that were not started; and, which NCCL does not notice, ranks that make different calls. What goes wrong on
//! request: see [`options`]. Absent: operations but the sum, communicators that are split or do not block, several ranks in a process.
#![deny(unsafe_code)]

mod channel;
mod communicator;
mod driver;
pub mod options;
mod sum;
mod symbols;
