//! Managed memory, which moves as a whole. The mock does not see what the host uses: pages that were not asked to move to a device
//! before a kernel uses them move then, every time.

use crate::Refusal;
use crate::config::Config;
use crate::copies::{Way, work};
use crate::memory;
use crate::time::world;

/// Where managed memory is when a kernel uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Device,
    Elsewhere,
}

/// Notes that a kernel uses these bytes, and says where they were; nothing where they are not managed.
pub(crate) fn used(address: usize, bytes: usize) -> Option<Place> {
    memory::managed(address, bytes, |place| std::mem::replace(place, Place::Elsewhere))
}

/// Queues the move of these bytes to a device, or to the host where there is none, on a queue of the device `here`.
///
/// # Errors
/// They are not managed, or there is no such queue.
pub fn prefetch(
    (queue, here): (usize, usize),
    (address, bytes): (usize, usize),
    device: Option<usize>,
) -> Result<(), Refusal> {
    let target = if device.is_none() { Place::Elsewhere } else { Place::Device };
    let before = memory::managed(address, bytes, |place| std::mem::replace(place, target)).ok_or(Refusal::Value)?;
    let bytes = if before == Place::Device && target == Place::Device { 0 } else { bytes };
    let way = device.map_or(Way::Out(here), Way::In);
    let config = Config::chosen();
    let command = work(way, bytes, config.latency_us, config.prefetch_gbs);
    if world(|world| world.push(queue, command)) { Ok(()) } else { Err(Refusal::Queue) }
}
