//! Hot code written for the processor: FMA peaks, clock chains, the pointer chase, random updates, STREAM, gemv and gemm;
//! the aligned buffers it works on, and the pinned thread pool that runs it.
//!
//! Everything public is safe to call. The modules that must use `unsafe` say so in their first lines.
//! This crate takes no time, keeps no record and knows no benchmark.
#![deny(unsafe_code)]

pub mod affinity;
pub mod barrier;
pub mod buffer;
pub mod chase;
pub mod clock_chain;
mod disjoint_ptr;
pub mod gemm;
pub mod gemv;
pub mod isa;
pub mod load;
pub mod noise;
pub mod numa;
pub mod page_count;
pub mod partition;
pub mod peak;
pub mod ping_pong;
pub mod pool;
pub mod random_access;
pub mod real;
pub mod short_gemm;
pub mod stream;
pub mod system;
mod vector;
