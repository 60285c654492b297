//! Which pool's first processor the calling thread sits on.

use std::cell::{Cell, RefCell};
use std::io;

use crate::affinity;

/// The place worker 0 of a pool has.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThreadSlot {
    /// The pool's number.
    pub(super) pool: u64,
    /// Its first processor; `None` where the system places the threads.
    pub(super) cpu: Option<u32>,
}

thread_local! {
    /// The pool whose thread slot this thread holds; 0 is none.
    static HELD: Cell<u64> = const { Cell::new(0) };
    /// Where this thread was allowed before it took a thread slot.
    static BEFORE: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Puts the calling thread on the thread slot unless it holds it.
#[inline]
pub(super) fn keep(thread_slot: ThreadSlot) {
    if thread_slot.cpu.is_some() && HELD.get() != thread_slot.pool {
        // A processor that went offline since the pool was made leaves the thread where it is; the run is still right.
        let _ = take(thread_slot);
    }
}

/// Puts the calling thread on the thread slot.
pub(super) fn take(thread_slot: ThreadSlot) -> io::Result<()> {
    let Some(cpu) = thread_slot.cpu else { return Ok(()) };
    if HELD.get() == 0 {
        let before = affinity::allowed()?;
        BEFORE.with_borrow_mut(|kept| *kept = before);
    }
    affinity::pin(&[cpu])?;
    HELD.set(thread_slot.pool);
    Ok(())
}

/// Lets the calling thread go back to where it was allowed before, if the thread slot it holds is that of `pool`.
pub(super) fn leave(pool: u64) {
    if HELD.try_with(Cell::get) == Ok(pool) {
        HELD.set(0);
        BEFORE.with_borrow(|before| {
            // Processors that went away meanwhile cannot be had back; the thread then stays where it is.
            let _ = affinity::pin(before);
        });
    }
}
