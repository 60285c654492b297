//! A thread that notices when a wait for a peer takes too long, and passes on a request to stop meanwhile.
//!
//! It calls an [`Alarm`], which ends the job or saves. It costs a timed region nothing: arming is a clock reading and an atomic store,
//! and the thread wakes ten times a second.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::channel::{Channel, Reduce};
use crate::fault::Fault;

/// Time between two checks: a request to stop waits a tenth of a second at most, and a check costs less than a microsecond.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Least seconds before a wait for a peer expires: a first message may set up connections, and a busy machine may not run a rank
/// for seconds. With half a second for signs of life, the saving, and the three that Open MPI 4.1 takes to end a job on two nodes, all
/// ranks are gone within twelve.
pub const PATIENCE_MIN_S: f64 = 8.0;

/// Multiple of the expected time after which a wait expires.
const PATIENCE_TIMES: f64 = 20.0;

/// Nanoseconds after which a fault that the other ranks do not know is reported through the alarm: by then, ranks that can still
/// exchange messages have done so. A slow rank has it reported twice.
const UNHEARD_NS: u64 = 1_000_000_000;

/// The deadline of a disarmed watchdog.
const DISARMED: u64 = u64::MAX;

/// Callbacks, made from the watchdog's thread.
pub trait Alarm: Send {
    /// A peer was waited for past the deadline; called once for each arming. The thread that waits may never come back.
    fn expired(&mut self, overdue: Overdue);

    /// A wait past its deadline has ended after all: no rank is lost.
    fn relieved(&mut self) {}

    /// This rank broke and could not tell the others, which may wait for it in a library for ever. Called once for each such fault.
    fn unheard(&mut self, why: &str) {
        let _ = why;
    }

    /// Called at every check, armed or not, so that a signal is seen while the measuring thread is stuck in a library.
    fn asked(&mut self) {}
}

/// A deadline that has passed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overdue {
    /// Seconds since the deadline.
    pub overdue_s: f64,
}

/// Seconds that peers are waited for at most, where `expected_s` is what the wait should take: twenty times that, and at least `least_s`.
pub fn patience_s(expected_s: f64, least_s: f64) -> f64 {
    least_s.max(PATIENCE_TIMES * expected_s)
}

/// A fault of this rank that the others do not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreportedFault {
    /// When it happened.
    pub since_ns: u64,
    /// The fault's message.
    pub why: String,
}

/// The watchdog's state between two checks, without a clock or a thread.
#[derive(Debug, Default)]
pub struct WatchdogState {
    expired: Option<u64>,
    told_since_ns: Option<u64>,
}

impl WatchdogState {
    /// Compares `now_ns` with the deadline, which may have been set since the last check.
    pub fn look(&mut self, now_ns: u64, deadline_ns: u64, alarm: &mut dyn Alarm) {
        // Another deadline, or none, means that the wait is over.
        if self.expired.take_if(|expired| *expired != deadline_ns).is_some() {
            alarm.relieved();
        }
        alarm.asked();
        if now_ns >= deadline_ns && self.expired.is_none() {
            self.expired = Some(deadline_ns);
            alarm.expired(Overdue { overdue_s: (now_ns - deadline_ns) as f64 / 1e9 });
        }
    }

    /// Checks at `now_ns` whether this rank has a fault that the others do not know.
    pub fn listen(&mut self, now_ns: u64, trouble: Option<&UnreportedFault>, alarm: &mut dyn Alarm) {
        let Some(trouble) = trouble.filter(|trouble| now_ns >= trouble.since_ns.saturating_add(UNHEARD_NS)) else {
            return;
        };
        if self.told_since_ns != Some(trouble.since_ns) {
            self.told_since_ns = Some(trouble.since_ns);
            alarm.unheard(&trouble.why);
        }
    }
}

/// The deadline, shared by both threads.
#[derive(Debug)]
struct SharedDeadline {
    deadline_ns: AtomicU64,
    trouble: Mutex<Option<UnreportedFault>>,
    over: AtomicBool,
    origin: Instant,
}

impl SharedDeadline {
    fn now_ns(&self) -> u64 {
        self.origin.elapsed().as_nanos() as u64
    }

    fn trouble(&self) -> MutexGuard<'_, Option<UnreportedFault>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that calls an alarm when a peer is waited for too long. It ends when this is dropped.
#[derive(Debug)]
pub struct Watchdog {
    post: Arc<SharedDeadline>,
    least_s: f64,
    expected_s: Cell<f64>,
    thread: Option<JoinHandle<()>>,
}

/// Holds the watchdog armed; the deadline before it, if any, counts again afterwards.
#[derive(Debug)]
#[must_use = "the watchdog is disarmed when this is dropped"]
pub struct Armed {
    post: Arc<SharedDeadline>,
    before_ns: u64,
}

impl Watchdog {
    /// Starts the thread, disarmed; a wait expires after `least_s` seconds at least: [`PATIENCE_MIN_S`], unless the user sets a
    /// shorter deadline.
    pub fn start(mut alarm: impl Alarm + 'static, least_s: f64) -> Self {
        let post = Arc::new(SharedDeadline {
            deadline_ns: AtomicU64::new(DISARMED),
            trouble: Mutex::new(None),
            over: AtomicBool::new(false),
            origin: Instant::now(),
        });
        let seen = Arc::clone(&post);
        let thread = thread::spawn(move || {
            let mut looks = WatchdogState::default();
            while !seen.over.load(Ordering::Acquire) {
                let trouble = seen.trouble().clone();
                looks.listen(seen.now_ns(), trouble.as_ref(), &mut alarm);
                looks.look(seen.now_ns(), seen.deadline_ns.load(Ordering::Relaxed), &mut alarm);
                thread::park_timeout(LOOK_EVERY);
            }
        });
        Self { post, least_s, expected_s: Cell::new(0.0), thread: Some(thread) }
    }

    /// Sets how long the next waits should take, in seconds; 0 at first.
    pub fn expect(&self, expected_s: f64) {
        self.expected_s.set(expected_s);
    }

    /// Arms the watchdog for a wait that begins now, until what is returned is dropped.
    pub fn arm(&self) -> Armed {
        let patience_ns = (patience_s(self.expected_s.get(), self.least_s) * 1e9) as u64;
        let deadline_ns = self.post.now_ns().saturating_add(patience_ns);
        let before_ns = self.post.deadline_ns.swap(deadline_ns, Ordering::Relaxed);
        Armed { post: Arc::clone(&self.post), before_ns }
    }

    /// Remembers the fault in `done`, if it is one, until the others know it. The first counts: later ones follow from it.
    pub fn noted<T>(&self, done: Result<T, Fault>) -> Result<T, Fault> {
        if let Err(fault @ (Fault::Broken(_) | Fault::Missing(_))) = &done {
            let trouble = UnreportedFault { since_ns: self.post.now_ns(), why: fault.to_string() };
            self.post.trouble().get_or_insert(trouble);
        }
        done
    }

    /// Forgets this rank's fault, which the others know now.
    pub fn heard(&self) {
        *self.post.trouble() = None;
    }

    /// This rank's fault, where the others do not know it.
    pub fn trouble(&self) -> Option<UnreportedFault> {
        self.post.trouble().clone()
    }

    /// The moment the watchdog expires, in seconds since it was started; `None` where nothing is waited for.
    pub fn deadline_s(&self) -> Option<f64> {
        let deadline_ns = self.post.deadline_ns.load(Ordering::Relaxed);
        (deadline_ns != DISARMED).then_some(deadline_ns as f64 / 1e9)
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        self.post.deadline_ns.store(self.before_ns, Ordering::Relaxed);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.post.over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The panic of an alarm has been printed already.
            let _ = thread.join();
        }
    }
}

/// A channel whose calls run under the watchdog.
#[derive(Debug, Clone)]
pub struct Guarded<C> {
    channel: C,
    watchdog: Rc<Watchdog>,
}

impl<C: Channel> Guarded<C> {
    /// `channel` under `watchdog`.
    pub fn new(channel: C, watchdog: Rc<Watchdog>) -> Self {
        Self { channel, watchdog }
    }

    /// Makes a call under the watchdog: it is short, but may wait for a rank that still times. A fault of the channel itself is
    /// kept for the alarm.
    fn guard<T>(&self, call: impl FnOnce(&C) -> Result<T, Fault>) -> Result<T, Fault> {
        let _armed = self.watchdog.arm();
        self.watchdog.noted(call(&self.channel))
    }
}

impl<C: Channel> Channel for Guarded<C> {
    fn rank(&self) -> usize {
        self.channel.rank()
    }

    fn size(&self) -> usize {
        self.channel.size()
    }

    fn broadcast(&self, values: &mut [f64]) -> Result<(), Fault> {
        self.guard(|channel| channel.broadcast(values))
    }

    fn reduce(&self, values: &mut [f64], how: Reduce) -> Result<(), Fault> {
        self.guard(|channel| channel.reduce(values, how))
    }

    fn send(&self, to: usize, values: &[f64]) -> Result<(), Fault> {
        self.guard(|channel| channel.send(to, values))
    }

    fn receive(&self, from: usize, values: &mut [f64]) -> Result<(), Fault> {
        self.guard(|channel| channel.receive(from, values))
    }

    fn barrier(&self) -> Result<(), Fault> {
        self.guard(Channel::barrier)
    }

    fn broadcast_bytes(&self, bytes: &mut [u8], from: usize) -> Result<(), Fault> {
        self.guard(|channel| channel.broadcast_bytes(bytes, from))
    }

    fn share(&self, message: Vec<u8>, from: usize) -> Result<Vec<u8>, Fault> {
        // The message carries the fault to all ranks.
        self.guard(|channel| channel.share(message, from)).inspect(|_| self.watchdog.heard())
    }
}
