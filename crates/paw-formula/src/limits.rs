//! How much of a formula is read.

/// Bytes: a page of text, more is no formula.
pub(crate) const LENGTH_MAX: usize = 4096;

/// Levels of nesting: nobody reads deeper ones, and the stack holds some thousands.
pub(crate) const DEPTH_MAX: usize = 64;
