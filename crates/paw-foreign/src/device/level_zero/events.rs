//! Events of a device: made in pools, used again, and the times they carry.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::calls::call;
use super::context::Context;
use super::library::Api;
use super::objects::{Handle, OwnedObject};
use super::structures::{DeviceProperties, EventDesc, EventPoolDesc, KernelTimestamps, Structure};
use crate::device::error::DeviceResult;

/// Events of a pool: a sample has two marks and a gate for each queue.
const POOL: u32 = 64;
/// `ZE_EVENT_POOL_FLAG_HOST_VISIBLE` and `ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP`.
const HOST_VISIBLE: u32 = 1;
const TIMED: u32 = 4;
/// `ZE_EVENT_SCOPE_FLAG_HOST`: what came before an event is seen by the host, and the reverse.
const BY_HOST: u32 = 4;

/// Events of one kind. One that is given back is used again: making one in a timed region costs as much as a small copy.
pub(super) struct Events {
    api: &'static Api,
    flags: u32,
    store: Mutex<EventStore>,
    context: Arc<OwnedObject>,
}

#[derive(Default)]
struct EventStore {
    /// Reset, and ready for use.
    spare: Vec<Handle>,
    /// Given back before they were signalled: no command may signal them in their next use.
    pending: VecDeque<Handle>,
    /// How many events the last pool has made.
    made: u32,
    // Events go before their pools.
    events: Vec<OwnedObject>,
    pools: Vec<OwnedObject>,
}

impl Events {
    /// Events that carry times.
    pub(super) fn timed(context: &Context) -> Self {
        Self::of(context, HOST_VISIBLE | TIMED)
    }

    /// Events without times.
    pub(super) fn plain(context: &Context) -> Self {
        Self::of(context, HOST_VISIBLE)
    }

    fn of(context: &Context, flags: u32) -> Self {
        Self { api: context.api, flags, store: Mutex::default(), context: Arc::clone(&context.raw) }
    }

    /// An event that is not signalled.
    pub(super) fn take(&self) -> DeviceResult<Handle> {
        let mut store = self.store();
        if let Some(event) = store.spare.pop() {
            return Ok(event);
        }
        if let Some(event) = store.pending.front().copied()
            && self.is_signalled(event)
        {
            store.pending.pop_front();
            call!(self.api, event_host_reset(event.0))?;
            return Ok(event);
        }
        self.make(&mut store)
    }

    /// Takes an event back.
    pub(super) fn give_back(&self, event: Handle) -> DeviceResult {
        if !self.is_signalled(event) {
            self.store().pending.push_back(event);
            return Ok(());
        }
        call!(self.api, event_host_reset(event.0))?;
        self.store().spare.push(event);
        Ok(())
    }

    fn make(&self, store: &mut EventStore) -> DeviceResult<Handle> {
        if store.pools.is_empty() || store.made == POOL {
            let desc = EventPoolDesc { flags: self.flags, count: POOL, ..EventPoolDesc::new() };
            let mut pool = std::ptr::null_mut();
            // No devices named are all devices.
            let context = self.context.raw();
            call!(self.api, event_pool_create(context, &raw const desc, 0, std::ptr::null(), &raw mut pool))?;
            store.pools.push(OwnedObject::new(pool, self.api.calls.event_pool_destroy.function));
            store.made = 0;
        }
        let pool = store.pools.last().map_or(std::ptr::null_mut(), OwnedObject::raw);
        let desc = EventDesc { index: store.made, signal: BY_HOST, wait: BY_HOST, ..EventDesc::new() };
        let mut event = std::ptr::null_mut();
        call!(self.api, event_create(pool, &raw const desc, &raw mut event))?;
        store.made += 1;
        store.events.push(OwnedObject::new(event, self.api.calls.event_destroy.function));
        Ok(Handle(event))
    }

    fn is_signalled(&self, event: Handle) -> bool {
        call!(self.api, event_query_status(event.0)).is_ok()
    }

    fn store(&self) -> MutexGuard<'_, EventStore> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a device counts time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ticks {
    /// Seconds of a tick.
    tick_s: f64,
    /// Bits of a count that mean something; from the last of them it begins anew.
    mask: u64,
}

impl Ticks {
    /// The count of a device whose driver implements this version: before 1.2 the resolution is in nanoseconds a tick, then in ticks
    /// a second.
    pub(super) fn of(version: (u32, u32), properties: &DeviceProperties) -> Self {
        let resolution = properties.timer_resolution.max(1) as f64;
        let tick_s = if version >= (1, 2) { 1.0 / resolution } else { resolution * 1e-9 };
        let bits = properties.kernel_timestamp_valid_bits;
        Self { tick_s, mask: if (1..64).contains(&bits) { (1 << bits) - 1 } else { u64::MAX } }
    }

    /// Seconds between two counts; the later one may have begun anew once.
    fn between_s(self, from: u64, to: u64) -> f64 {
        (to.wrapping_sub(from) & self.mask) as f64 * self.tick_s
    }

    /// Seconds between the ends of what two events stand for.
    pub(super) fn elapsed_s(self, api: &Api, from: Handle, to: Handle) -> DeviceResult<f64> {
        let end = |event: Handle| -> DeviceResult<u64> {
            let mut times = KernelTimestamps::default();
            call!(api, event_timestamps(event.0, &raw mut times))?;
            Ok(times.global_end)
        };
        Ok(self.between_s(end(from)?, end(to)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(version: (u32, u32), resolution: u64, bits: u32) -> Ticks {
        let properties = DeviceProperties {
            timer_resolution: resolution,
            kernel_timestamp_valid_bits: bits,
            ..DeviceProperties::new()
        };
        Ticks::of(version, &properties)
    }

    #[test]
    fn a_count_that_begins_anew_goes_on() {
        let narrow = ticks((1, 3), 12_500_000, 32);
        assert!((narrow.between_s(1000, 13_500) - 1e-3).abs() < 1e-12);
        assert!((narrow.between_s(0xffff_ff00, 0x0000_0100) - 512.0 / 12.5e6).abs() < 1e-12);
        // What lies above the valid bits means nothing.
        assert!((narrow.between_s(0xabcd_0000_0001, 5) - 4.0 / 12.5e6).abs() < 1e-12);
        let wide = ticks((1, 3), 1_000_000_000, 64);
        assert!((wide.between_s(u64::MAX, 9) - 10e-9).abs() < 1e-18);
    }

    #[test]
    fn an_old_driver_counts_nanoseconds_a_tick() {
        assert!((ticks((1, 1), 80, 32).between_s(0, 100) - 8e-6).abs() < 1e-12);
    }
}
