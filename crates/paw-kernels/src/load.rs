//! Loads, calls and times a user's function in this process, on guarded arrays. The only room of this crate with `unsafe`.
//!
//! It runs in a child that measures one build: a crash costs one cell, and a signal handler explains the address of a stray access.
#![allow(unsafe_code)]

pub(crate) mod arguments;
mod call;
pub(crate) mod code;
pub(crate) mod environment;
mod flush;
pub(crate) mod guard;
pub(crate) mod heap;
pub(crate) mod library;
mod message;
pub(crate) mod patch;
pub(crate) mod region;
pub(crate) mod signal;
