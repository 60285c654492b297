//! A window that all ranks free together when its benchmark ends.

use std::ops::Deref;
use std::rc::Rc;

use paw_data::axis;
use paw_data::point::Point;
use paw_foreign::mpi::{Comm, Memory, Window};
use paw_measure::fault::Fault;

use super::error::broken;
use super::residence::residence;

/// Bytes of a page, or a multiple of it.
const PAGE_BYTES: usize = 4096;

/// How memory comes into a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavor {
    /// Memory of ours is exposed.
    Create,
    /// The library gives the memory.
    Allocate,
    /// Memory of ours is attached, and reached by its address.
    Dynamic,
    /// The library gives memory that all ranks share.
    Shared,
}

impl Flavor {
    /// The flavour of a point.
    pub fn of(point: &Point) -> Self {
        match point.text(axis::FLAVOR) {
            Some("allocate") => Self::Allocate,
            Some("dynamic") => Self::Dynamic,
            Some("shared") => Self::Shared,
            _ => Self::Create,
        }
    }

    /// Whether memory of ours is in the window.
    pub fn is_ours(self) -> bool {
        matches!(self, Self::Create | Self::Dynamic)
    }
}

/// A window that is freed on drop, which all ranks do at the same place of the plan: freeing is collective, and a library that is
/// finalised with open windows warns or aborts (MPICH over UCX).
pub struct Freed {
    /// `Some` until the drop.
    window: Option<Window>,
}

impl Freed {
    /// A window in which every rank of `comm` shows as many bytes, those of `ours` where its flavour takes memory of ours. See
    /// [`World::window`](super::world::World::window).
    pub(super) fn create(comm: Comm, point: &Point, bytes: usize, ours: Option<Rc<Memory>>) -> Result<Self, Fault> {
        let flavor = Flavor::of(point);
        if residence(point).is_some() && matches!(flavor, Flavor::Allocate | Flavor::Shared) {
            return Err(Fault::Missing(
                "the library allocates the memory of such a window, and has no call that asks for a device's. hint: --set flavor=create"
                    .to_owned(),
            ));
        }
        // Memory of the library's in whole pages: the ranks' shares follow each other, and in windows of less than a page MPICH 4.0 writes to
        // another rank's.
        let whole_pages = bytes.next_multiple_of(PAGE_BYTES);
        let window = match (flavor, ours) {
            (Flavor::Create, Some(ours)) => Window::create(comm, ours),
            (Flavor::Dynamic, Some(ours)) => Window::attach(comm, ours),
            (Flavor::Shared, _) => {
                needs_one_memory(comm)?;
                Window::allocate_shared(comm, whole_pages)
            }
            (Flavor::Allocate | Flavor::Create | Flavor::Dynamic, _) => Window::allocate(comm, whole_pages),
        };
        Ok(Self { window: Some(window.map_err(broken)?) })
    }
}

/// Refuses, on every rank, a window of shared memory where not all ranks of `comm` share theirs.
fn needs_one_memory(comm: Comm) -> Result<(), Fault> {
    let here = comm.split_shared().map_err(broken)?;
    let (ranks, all) = (here.size(), comm.size());
    here.free().map_err(broken)?;
    if ranks == all {
        return Ok(());
    }
    Err(Fault::Missing(format!(
        "a window of shared memory (flavor=shared) needs all {all} ranks on one node, and a node holds {ranks}. \
         hint: --set flavor=allocate"
    )))
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
