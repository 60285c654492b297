//! A window that all ranks free together when its benchmark ends.

use std::ops::Deref;
use std::rc::Rc;

use paw_foreign::mpi::{Comm, Memory, Window};
use paw_measure::fault::Fault;

use super::error::broken;

/// A window that is freed on drop, which all ranks do at the same place of the plan: freeing is collective, and a library that is
/// finalised with open windows warns or aborts (MPICH over UCX).
pub struct Freed {
    /// `Some` until the drop.
    window: Option<Window>,
}

impl Freed {
    /// A window of all ranks of `comm` onto their `memory`. See [`World::window`](super::world::World::window).
    pub(super) fn create(comm: Comm, memory: &Rc<Memory>) -> Result<Self, Fault> {
        let window = Window::create(comm, Rc::clone(memory)).map_err(broken)?;
        Ok(Self { window: Some(window) })
    }
}

impl Deref for Freed {
    type Target = Window;

    fn deref(&self) -> &Window {
        self.window.as_ref().expect("a window is there until it is dropped")
    }
}

impl Drop for Freed {
    fn drop(&mut self) {
        // A window that cannot be freed keeps its memory; the error shows in the next call.
        let _ = self.window.take().map(Window::free);
    }
}
