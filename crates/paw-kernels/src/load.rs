//! A user's function in this process: loaded, given guarded arrays, called and timed. The only room of this crate with `unsafe`.
//!
//! It runs in a child that measures one build and holds nothing else: whatever the function does to it costs one cell. The address of
//! a stray access is explained in one sentence before the process ends.
#![allow(unsafe_code)]

pub(crate) mod arguments;
mod call;
pub(crate) mod environment;
mod flush;
pub(crate) mod guard;
pub(crate) mod library;
mod message;
pub(crate) mod region;
pub(crate) mod signal;
