//! Reads facts of compiled functions from files, without loading or running them.
#![forbid(unsafe_code)]

pub mod ablation;
pub mod analysis;
mod bounded_file;
mod code_loop;
mod dataflow;
mod debug_file;
mod encode;
mod error;
mod fast_math;
mod file_kind;
mod fingerprint;
pub mod form;
mod forwarding;
pub mod function;
mod function_table;
mod image;
mod lines;
mod loop_blocks;
mod loop_work;
mod name;
mod page;
pub mod recurrence;
mod sections;
mod shared_object;
mod stubs;
mod unwind;
mod vectors;

pub use code_loop::{CodeLoop, address_of, inner_loops};
pub use error::BinaryError;
pub use function_table::{Function, How};
pub use image::{Architecture, Image};
pub use lines::{DebugSections, Lines, Place};
pub use loop_blocks::Way;
pub use loop_work::{FunctionWork, LoopWork, loop_work};
pub use name::demangled;
pub use shared_object::SharedObject;
