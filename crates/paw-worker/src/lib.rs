//! Worker processes that measure for their parent.
//!
//! A library that reads its thread count when it is loaded, or that may crash, hang or change the process it is in, is
//! measured in a process of its own. The parent holds a [`Worker`](worker::Worker) and times through
//! [`RemoteWorkload`](remote::RemoteWorkload); the child runs [`serve`](serve::serve). They exchange messages, one line of JSON each,
//! over a private socket. This crate knows no benchmark and no terminal, and forwards nothing that a worker prints.
#![deny(unsafe_code)]

pub mod children;
pub mod ending;
pub mod guard;
pub mod launch;
mod process;
pub mod protocol;
pub mod remote;
pub mod serve;
mod sys;
mod tail;
pub mod worker;
