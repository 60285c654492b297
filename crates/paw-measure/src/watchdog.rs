//! A thread that notices when a peer is waited for too long, and lets a request to stop be heard meanwhile.
//!
//! It only looks and calls: whether a job is ended, and what is saved before, is the caller's. Nothing here touches a timed region:
//! arming is a clock reading and an atomic store, and the thread sleeps but for ten looks a second.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::channel::{Channel, Reduce};
use crate::fault::Fault;

/// Between two looks: a user who asks to stop waits a tenth of a second at most, and a look costs less than a microsecond.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Seconds a peer may always take: a first message may set up connections, and a busy machine may not run a rank for seconds.
const PATIENCE_MIN_S: f64 = 10.0;

/// What takes so many times what was expected does not come back.
const PATIENCE_TIMES: f64 = 20.0;

/// Nothing is waited for.
const DISARMED: u64 = u64::MAX;

/// What is called from the watchdog's thread.
pub trait Alarm: Send {
    /// A peer was waited for past the deadline; called once for each arming. The thread that waits may never come back.
    fn expired(&mut self, overdue: Overdue);

    /// What was waited for past its deadline has come after all: nobody is lost.
    fn relieved(&mut self) {}

    /// Called at every look, armed or not: the place to see that a signal came while the other thread is stuck in a library.
    fn asked(&mut self) {}
}

/// A deadline that has passed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overdue {
    /// Seconds since the deadline.
    pub overdue_s: f64,
}

/// Seconds that peers are waited for at most, where `expected_s` is what the wait should take: twenty times that, and at least ten.
pub fn patience_s(expected_s: f64) -> f64 {
    PATIENCE_MIN_S.max(PATIENCE_TIMES * expected_s)
}

/// What the watchdog knows between two looks: pure of clocks and threads.
#[derive(Debug, Default)]
pub struct Looks {
    expired: Option<u64>,
}

impl Looks {
    /// One look at `now_ns`, at a deadline that may have been set meanwhile.
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
}

/// The deadline, where both threads see it.
#[derive(Debug)]
struct Post {
    deadline_ns: AtomicU64,
    over: AtomicBool,
    origin: Instant,
}

impl Post {
    fn now_ns(&self) -> u64 {
        self.origin.elapsed().as_nanos() as u64
    }
}

/// A thread that calls an alarm when a peer is waited for too long. It ends when this is dropped.
#[derive(Debug)]
pub struct Watchdog {
    post: Arc<Post>,
    expected_s: Cell<f64>,
    thread: Option<JoinHandle<()>>,
}

/// Holds the watchdog armed; the deadline before it, if any, counts again afterwards.
#[derive(Debug)]
#[must_use = "the watchdog is disarmed when this is dropped"]
pub struct Armed {
    post: Arc<Post>,
    before_ns: u64,
}

impl Watchdog {
    /// Starts the thread, disarmed.
    pub fn start(mut alarm: impl Alarm + 'static) -> Self {
        let post = Post { deadline_ns: AtomicU64::new(DISARMED), over: AtomicBool::new(false), origin: Instant::now() };
        let post = Arc::new(post);
        let seen = Arc::clone(&post);
        let thread = thread::spawn(move || {
            let mut looks = Looks::default();
            while !seen.over.load(Ordering::Acquire) {
                looks.look(seen.now_ns(), seen.deadline_ns.load(Ordering::Relaxed), &mut alarm);
                thread::park_timeout(LOOK_EVERY);
            }
        });
        Self { post, expected_s: Cell::new(0.0), thread: Some(thread) }
    }

    /// Says how long the next waits should take, in seconds, until told otherwise; 0 at first.
    pub fn expect(&self, expected_s: f64) {
        self.expected_s.set(expected_s);
    }

    /// Arms the watchdog for a wait that begins now, until what is returned is dropped.
    pub fn arm(&self) -> Armed {
        let patience_ns = (patience_s(self.expected_s.get()) * 1e9) as u64;
        let deadline_ns = self.post.now_ns().saturating_add(patience_ns);
        let before_ns = self.post.deadline_ns.swap(deadline_ns, Ordering::Relaxed);
        Armed { post: Arc::clone(&self.post), before_ns }
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
            // An alarm that panicked has said so itself.
            let _ = thread.join();
        }
    }
}

/// A channel whose every call is waited for no longer than the watchdog allows.
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

    /// A call: it takes no time to speak of, but may have to wait for a rank that still times.
    fn guard<T>(&self, call: impl FnOnce(&C) -> T) -> T {
        let _armed = self.watchdog.arm();
        call(&self.channel)
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

    fn broadcast_text(&self, text: &mut String, from: usize) -> Result<(), Fault> {
        self.guard(|channel| channel.broadcast_text(text, from))
    }
}
