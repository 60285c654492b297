//! Gates: events that the host signals, and a watchdog thread that opens those that stand closed for too long.
#![allow(unsafe_code)]

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::calls::call;
use super::events::Events;
use super::library::Api;
use super::objects::Handle;
use super::queue::Queue;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::span::ObjectHandle;

/// How often the watchdog looks, and how often it leaves a gate closed: what is queued behind one takes less than those seconds.
const ROUND: Duration = Duration::from_secs(1);
const ROUNDS: u32 = 5;

/// What a gate needs of its queue.
pub(super) trait Gated: Send + Sync {
    /// Opens the way for what waits.
    fn open(&self);
    /// Notes that the watchdog opens it.
    fn gave_up(&self);
}

/// The gates of a device.
pub(super) struct Gates<G: Gated> {
    standing: Arc<Standing<G>>,
}

struct Standing<G> {
    list: Mutex<GateList<G>>,
    bell: Condvar,
    round: Duration,
}

struct GateList<G> {
    next: ObjectHandle,
    closed: Vec<ClosedGate<G>>,
    watchdog: Watchdog,
}

struct ClosedGate<G> {
    handle: ObjectHandle,
    gate: G,
    rounds: u32,
    timed_out: bool,
}

/// The state of the watchdog thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watchdog {
    /// There is none yet.
    Absent,
    /// Waits for a gate to be closed.
    Asleep,
    /// Makes rounds. Nobody wakes it: that would cost time when a gate opens.
    OnRounds,
    /// Ends: the device is closed.
    Ending,
}

impl<G: Gated + 'static> Gates<G> {
    /// No gate; the watchdog starts with the first.
    pub(super) fn new() -> Self {
        Self::with_rounds(ROUND)
    }

    fn with_rounds(round: Duration) -> Self {
        let list = GateList { next: 1, closed: Vec::new(), watchdog: Watchdog::Absent };
        Self { standing: Arc::new(Standing { list: Mutex::new(list), bell: Condvar::new(), round }) }
    }

    /// Notes that a gate was closed.
    pub(super) fn closed(&self, gate: G) -> ObjectHandle {
        let mut list = self.standing.list();
        let handle = list.next;
        list.next += 1;
        list.closed.push(ClosedGate { handle, gate, rounds: 0, timed_out: false });
        match list.watchdog {
            Watchdog::Absent => {
                let standing = Arc::clone(&self.standing);
                // Where no thread can be had, the next gate tries again.
                if thread::Builder::new().spawn(move || watch(&standing)).is_ok() {
                    list.watchdog = Watchdog::OnRounds;
                }
            }
            Watchdog::Asleep => {
                list.watchdog = Watchdog::OnRounds;
                self.standing.bell.notify_one();
            }
            Watchdog::OnRounds | Watchdog::Ending => {}
        }
        handle
    }

    /// Opens a gate; no effect on one that is not closed.
    pub(super) fn open(&self, handle: ObjectHandle) -> DeviceResult {
        let mut list = self.standing.list();
        let Some(at) = list.closed.iter().position(|closed| closed.handle == handle) else { return Ok(()) };
        let closed = list.closed.swap_remove(at);
        drop(list);
        if closed.timed_out {
            return Err(DeviceError::GateTimedOut);
        }
        closed.gate.open();
        Ok(())
    }
}

impl<G: Gated> Drop for Gates<G> {
    fn drop(&mut self) {
        let mut list = self.standing.list();
        list.watchdog = Watchdog::Ending;
        list.closed.drain(..).filter(|closed| !closed.timed_out).for_each(|closed| closed.gate.open());
        self.standing.bell.notify_one();
    }
}

impl<G> Standing<G> {
    fn list(&self) -> MutexGuard<'_, GateList<G>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The watchdog thread.
fn watch<G: Gated>(standing: &Standing<G>) {
    let mut list = standing.list();
    while list.watchdog != Watchdog::Ending {
        if list.closed.is_empty() {
            list.watchdog = Watchdog::Asleep;
            list = standing.bell.wait(list).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let (woken, waited) = standing.bell.wait_timeout(list, standing.round).unwrap_or_else(PoisonError::into_inner);
        list = woken;
        if waited.timed_out() {
            list.closed.iter_mut().for_each(ClosedGate::grow_old);
        }
    }
}

impl<G: Gated> ClosedGate<G> {
    fn grow_old(&mut self) {
        self.rounds += 1;
        if self.rounds == ROUNDS {
            self.timed_out = true;
            self.gate.gave_up();
            self.gate.open();
        }
    }
}

/// A gate before a queue.
pub(super) struct Gate {
    api: &'static Api,
    event: Handle,
    queue: Arc<Queue>,
}

impl Gate {
    /// Makes what is queued in `queue` from now on wait.
    pub(super) fn close(api: &'static Api, events: &Events, queue: Arc<Queue>) -> DeviceResult<Self> {
        let event = events.take()?;
        if let Err(error) = queue.wait_for(event) {
            // Nothing waits for it.
            call!(api, event_host_signal(event.0)).and_then(|()| events.give_back(event))?;
            return Err(error);
        }
        Ok(Self { api, event, queue })
    }
}

impl Gated for Gate {
    fn open(&self) {
        // A device that is lost waits for nobody.
        let _ = call!(self.api, event_host_signal(self.event.0));
        self.queue.spend(self.event);
    }

    fn gave_up(&self) {
        self.queue.gave_up();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// The number of a gate, and what was done to it.
    type Report = (u32, &'static str);

    /// The gate of that number, which reports.
    struct ReportingGate(u32, Sender<Report>);

    impl Gated for ReportingGate {
        fn open(&self) {
            self.1.send((self.0, "opened")).expect("the test listens");
        }

        fn gave_up(&self) {
            self.1.send((self.0, "gave up")).expect("the test listens");
        }
    }

    fn gates(round: Duration) -> (Gates<ReportingGate>, Sender<Report>, Receiver<Report>) {
        let (sender, receiver) = channel();
        (Gates::with_rounds(round), sender, receiver)
    }

    #[test]
    fn a_gate_is_opened_once() {
        let (gates, sender, told) = gates(ROUND);
        let (first, second) = (gates.closed(ReportingGate(1, sender.clone())), gates.closed(ReportingGate(2, sender)));
        assert_eq!((gates.open(second), gates.open(second), gates.open(first)), (Ok(()), Ok(()), Ok(())));
        assert_eq!(told.try_iter().collect::<Vec<_>>(), [(2, "opened"), (1, "opened")]);
    }

    #[test]
    fn a_gate_that_nobody_opens_opens_by_itself_and_says_so() {
        let (gates, sender, told) = gates(Duration::from_micros(100));
        let gate = gates.closed(ReportingGate(1, sender.clone()));
        assert_eq!([told.recv(), told.recv()], [Ok((1, "gave up")), Ok((1, "opened"))]);
        assert_eq!((gates.open(gate), gates.open(gate)), (Err(DeviceError::GateTimedOut), Ok(())));
        // The watchdog sleeps by now, or soon; a next gate wakes it.
        gates.closed(ReportingGate(2, sender));
        assert_eq!([told.recv(), told.recv()], [Ok((2, "gave up")), Ok((2, "opened"))]);
    }

    #[test]
    fn a_gate_that_stands_opens_when_its_device_is_closed() {
        let (gates, sender, told) = gates(ROUND);
        gates.closed(ReportingGate(1, sender));
        drop(gates);
        // The last sender went with the gate, which was opened first.
        assert_eq!(told.iter().collect::<Vec<_>>(), [(1, "opened")]);
    }
}
