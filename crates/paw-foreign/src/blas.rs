//! Any BLAS, opened by path: found, called, identified, diagnosed.

mod call;
pub mod diagnosis;
pub mod dimensions;
pub mod discovery;
pub mod environment;
pub mod family;
pub mod identity;
mod library;

pub use call::Real;
pub use library::{Blas, Convention, Integers, Language, OpenError};
