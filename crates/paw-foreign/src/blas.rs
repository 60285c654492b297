//! Any BLAS, opened by path: found, called, identified, diagnosed.

mod bound;
mod call;
mod convention;
pub mod diagnosis;
pub mod dimensions;
pub mod discovery;
pub mod environment;
pub mod family;
pub mod identity;
mod library;
pub(crate) mod null;
mod short;

pub use bound::{BoundGemm, BoundGemv};
pub use call::Real;
pub use convention::{Convention, Language};
pub use library::{Blas, Integers, OpenError};
pub use short::BoundShortGemm;
