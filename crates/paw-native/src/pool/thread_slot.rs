//! The processor that a pool's caller is pinned to while it is worker 0.

use std::cell::{Cell, RefCell};
use std::io;

use crate::affinity;

/// Where a pool's worker 0 runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThreadSlot {
    /// The pool's number.
    pub(super) pool: u64,
    /// Its first processor; `None` where the system places the threads.
    pub(super) cpu: Option<u32>,
}

thread_local! {
    /// The pool that pinned this thread; 0 is none.
    static HELD: Cell<u64> = const { Cell::new(0) };
    /// The processors this thread was allowed before a pool pinned it.
    static BEFORE: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Pins the calling thread to `slot` unless it is.
#[inline]
pub(super) fn keep(slot: ThreadSlot) {
    if slot.cpu.is_some() && HELD.get() != slot.pool {
        // A processor that has gone offline leaves the thread where it is; the run is still right.
        let _ = take(slot);
    }
}

/// Pins the calling thread to `slot`.
pub(super) fn take(slot: ThreadSlot) -> io::Result<()> {
    let Some(cpu) = slot.cpu else { return Ok(()) };
    if HELD.get() == 0 {
        let before = affinity::allowed()?;
        BEFORE.with_borrow_mut(|kept| *kept = before);
    }
    affinity::pin(&[cpu])?;
    HELD.set(slot.pool);
    Ok(())
}

/// The processors that the calling thread may run on, but for a pool that pinned it.
pub(super) fn allowed() -> io::Result<Vec<u32>> {
    if HELD.get() == 0 { affinity::allowed() } else { Ok(BEFORE.with_borrow(Vec::clone)) }
}

/// Gives the calling thread its former processors back, if `pool` pinned it.
pub(super) fn leave(pool: u64) {
    if HELD.try_with(Cell::get) == Ok(pool) {
        HELD.set(0);
        BEFORE.with_borrow(|before| {
            // Where they have gone offline, the thread stays where it is.
            let _ = affinity::pin(before);
        });
    }
}
