//! Windows: memory that other ranks reach.

use crate::engine::Engine;

/// A window.
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) errors_return: bool,
}

/// An answer that is waited for.
#[derive(Debug)]
pub(crate) struct Fetch {}

impl Engine {
    pub(crate) fn serve(&mut self) {}
}
