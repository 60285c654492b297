//! Queues: immediate command lists, whose commands run in order.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::calls::{call, call_if_there};
use super::context::Context;
use super::events::Events;
use super::library::Api;
use super::memory::Memory;
use super::objects::{Handle, OwnedObject};
use super::status::{self, INVALID_ENUMERATION};
use super::structures::{Opaque, QueueDesc, Structure};
use crate::device::error::{DeviceError, DeviceResult};

/// `ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY`, without which the engine's number must be 0.
const EXPLICIT_ONLY: u32 = 1;
/// `ZE_COMMAND_QUEUE_FLAG_IN_ORDER`, which `ze_api.h` has from v1.7 on at the latest.
const IN_ORDER: u32 = 2;
/// `ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS`
const ASYNCHRONOUS: u32 = 2;
/// Wait for as long as it takes.
const FOR_EVER: u64 = u64::MAX;

/// What keeps the commands of a queue in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueueOrder {
    /// The driver, which knows the flag.
    ByDriver,
    /// A barrier behind every command.
    ByBarriers,
}

impl QueueOrder {
    /// What a driver of this version offers.
    pub(super) fn of(version: (u32, u32)) -> Self {
        if version >= (1, 7) { QueueOrder::ByDriver } else { QueueOrder::ByBarriers }
    }
}

/// The engines that run both kernels and copies: `ordinal` of the group, and how many they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Engines {
    pub(super) ordinal: u32,
    pub(super) count: u32,
}

/// What an engine does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EngineKind {
    /// Kernels, and copies too.
    Computing,
    /// Copies alone.
    Copying,
}

/// The list of each kind of engine, and whose turn it is: what is appended there waits for all that was appended to the other before.
struct Lists {
    computing: OwnedObject,
    copying: Option<OwnedObject>,
    turn: EngineKind,
}

impl Lists {
    fn of_turn(&self) -> Opaque {
        match (self.turn, &self.copying) {
            (EngineKind::Copying, Some(list)) => list.raw(),
            _ => self.computing.raw(),
        }
    }
}

/// A queue.
pub(super) struct Queue {
    api: &'static Api,
    order: QueueOrder,
    /// A gate before it opened by itself.
    timed_out: AtomicBool,
    /// Memory that commands may still be using: kept until they are done.
    in_flight: Mutex<Vec<Arc<Memory>>>,
    /// Events of gates that were opened, until the queue has passed them.
    spent: Mutex<Vec<Handle>>,
    /// Events without times.
    events: Arc<Events>,
    lists: Mutex<Lists>,
}

impl Queue {
    /// The queue of that number of a device: queues take its engines in turn, those that run kernels and those that copy alone, if any.
    /// Barriers keep it in order where the flag is refused.
    pub(super) fn new(
        context: &Context,
        device: Handle,
        (engines, copy_engines, number): (Engines, Option<Engines>, u32),
        order: QueueOrder,
        events: &Arc<Events>,
    ) -> DeviceResult<Self> {
        let api = context.api;
        let made = |engines: Engines, order: QueueOrder| {
            let index = number % engines.count.max(1);
            let in_order = if order == QueueOrder::ByDriver { IN_ORDER } else { 0 };
            let explicit = if index > 0 { EXPLICIT_ONLY } else { 0 };
            let (ordinal, flags) = (engines.ordinal, in_order | explicit);
            let desc = QueueDesc { ordinal, index, flags, mode: ASYNCHRONOUS, ..QueueDesc::new() };
            let mut list = std::ptr::null_mut();
            call!(api, list_create_immediate(context.raw.raw(), device.0, &raw const desc, &raw mut list))?;
            Ok((order, OwnedObject::new(list, api.calls.list_destroy.function)))
        };
        let (order, computing) = match made(engines, order) {
            // An old loader's validation does not know the flag that a newer driver knows.
            Err(error) if order == QueueOrder::ByDriver && status::is(&error, INVALID_ENUMERATION) => {
                made(engines, QueueOrder::ByBarriers)
            }
            other => other,
        }?;
        let copying = copy_engines.map(|engines| made(engines, order)).transpose()?.map(|(_, list)| list);
        Ok(Self {
            api,
            order,
            timed_out: AtomicBool::new(false),
            in_flight: Mutex::default(),
            spent: Mutex::default(),
            events: Arc::clone(events),
            lists: Mutex::new(Lists { computing, copying, turn: EngineKind::Computing }),
        })
    }

    /// Gives an engine of that kind the turn, where the queue has one: it waits for all that was appended before. Marks and gates are
    /// appended where the last command was, so that no time between marks has a change of turns that the commands do not have.
    #[inline]
    pub(super) fn take_turn(&self, kind: EngineKind) -> DeviceResult {
        let mut lists = self.lists();
        if lists.turn == kind || lists.copying.is_none() {
            return Ok(());
        }
        let event = self.events.take()?;
        call!(self.api, append_barrier(lists.of_turn(), event.0, 0, std::ptr::null()))?;
        self.spend(event);
        lists.turn = kind;
        let list = lists.of_turn();
        call!(self.api, append_wait(list, 1, &raw const event.0))?;
        self.close(list)
    }

    /// Appends a command by `append`, which gets the list whose turn it is, and keeps the memory it uses.
    #[inline]
    pub(super) fn append(&self, used: &[&Arc<Memory>], append: impl FnOnce(Opaque) -> DeviceResult) -> DeviceResult {
        let lists = self.lists();
        append(lists.of_turn())?;
        self.keep(used);
        self.close(lists.of_turn())
    }

    /// Keeps what comes next behind the last command.
    fn close(&self, list: Opaque) -> DeviceResult {
        match self.order {
            QueueOrder::ByDriver => Ok(()),
            QueueOrder::ByBarriers => call!(self.api, append_barrier(list, std::ptr::null_mut(), 0, std::ptr::null())),
        }
    }

    /// Appends a barrier that signals `event` when all before it is done.
    pub(super) fn signal(&self, event: Handle) -> DeviceResult {
        call!(self.api, append_barrier(self.lists().of_turn(), event.0, 0, std::ptr::null()))
    }

    /// Makes what is appended from now on wait for `event`.
    pub(super) fn wait_for(&self, event: Handle) -> DeviceResult {
        self.append(&[], |list| call!(self.api, append_wait(list, 1, &raw const event.0)))
    }

    /// Takes the event of a gate that was opened just now.
    pub(super) fn spend(&self, event: Handle) {
        self.spent().push(event);
    }

    /// Says that a gate before the queue opened by itself.
    pub(super) fn gave_up(&self) {
        self.timed_out.store(true, Ordering::Release);
    }

    /// Waits until all that was appended is done; an error if a gate opened by itself.
    pub(super) fn sync(&self) -> DeviceResult {
        let (kept, spent) = (std::mem::take(&mut *self.in_flight()), std::mem::take(&mut *self.spent()));
        if let Err(error) = self.finish() {
            self.in_flight().extend(kept);
            return Err(error);
        }
        spent.into_iter().try_for_each(|event| self.events.give_back(event))?;
        if self.timed_out.swap(false, Ordering::AcqRel) { Err(DeviceError::GateTimedOut) } else { Ok(()) }
    }

    fn finish(&self) -> DeviceResult {
        if self.order == QueueOrder::ByDriver && self.api.calls.list_host_synchronize.function.is_some() {
            let list = self.lists().of_turn();
            return call_if_there!(self.api, list_host_synchronize(list, FOR_EVER));
        }
        let event = self.events.take()?;
        let passed = self.signal(event).and_then(|()| call!(self.api, event_host_synchronize(event.0, FOR_EVER)));
        self.events.give_back(event)?;
        passed
    }

    fn keep(&self, used: &[&Arc<Memory>]) {
        let mut in_flight = self.in_flight();
        for memory in used {
            if !in_flight.iter().rev().any(|kept| Arc::ptr_eq(kept, memory)) {
                in_flight.push(Arc::clone(memory));
            }
        }
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spent(&self) -> MutexGuard<'_, Vec<Handle>> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn in_flight(&self) -> MutexGuard<'_, Vec<Arc<Memory>>> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // A gate holds its queue, so none is closed. If the device is dead, commands may still be in flight.
        if let Err(error) = self.sync()
            && error != DeviceError::GateTimedOut
        {
            std::mem::forget(std::mem::take(&mut *self.in_flight()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::QueueOrder;

    #[test]
    fn an_old_driver_needs_barriers() {
        assert_eq!(
            [(1, 3), (1, 7), (2, 0)].map(QueueOrder::of),
            [QueueOrder::ByBarriers, QueueOrder::ByDriver, QueueOrder::ByDriver]
        );
    }
}
