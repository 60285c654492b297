//! Which devices reach each other, and which of them may use the other's memory now.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::config::Config;
use crate::memory::device_at;

static ENABLED: Mutex<BTreeSet<(usize, usize)>> = Mutex::new(BTreeSet::new());

fn enabled() -> MutexGuard<'static, BTreeSet<(usize, usize)>> {
    ENABLED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a device can be given the use of a peer's memory.
pub fn reaches(device: usize, peer: usize) -> bool {
    let config = Config::chosen();
    let is_cut = config.cut_pair.is(device, peer) || config.cut_pair.is(peer, device);
    device != peer && config.peer && !is_cut
}

/// Lets a device use a peer's memory from now on; false where it may already.
pub fn enable(device: usize, peer: usize) -> bool {
    enabled().insert((device, peer))
}

/// Whether a device may use a peer's memory: only where it was enabled.
pub(crate) fn may_access(device: usize, peer: usize) -> bool {
    device == peer || enabled().contains(&(device, peer))
}

/// The device whose memory these bytes are, where a kernel of `device` may use them.
pub(crate) fn usable_by(device: usize, address: usize, bytes: usize) -> Option<usize> {
    device_at(address, bytes).filter(|owner| may_access(device, *owner))
}
