//! Limits on the size of a formula.

/// The most bytes of a formula: a page of text.
pub(crate) const LENGTH_MAX: usize = 4096;

/// The most levels of nesting; the parser's recursion would overflow the stack at some thousands.
pub(crate) const DEPTH_MAX: usize = 64;
