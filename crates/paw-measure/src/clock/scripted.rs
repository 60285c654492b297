//! A clock for tests: workloads advance its time.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::disturbance::{Disturbance, Sight};

/// Ticks of a scripted clock in one second: picoseconds, so that sums of scripted costs stay exact.
pub const TICKS_PER_SECOND: f64 = 1e12;

/// Scripted time, shared by every clone: what a workload costs, how coarse the clock ticks, what a reading costs,
/// and what disturbed the thread.
#[derive(Debug, Clone, Default)]
pub struct Script {
    state: Arc<Mutex<State>>,
    skew: Skew,
}

/// How a clock differs from the time it reads.
#[derive(Debug, Clone, Copy, Default)]
struct Skew {
    offset_ps: i64,
    drift: f64,
}

#[derive(Debug, Default)]
struct State {
    now_ps: u64,
    tick_ps: u64,
    read_ps: u64,
    run_delay_ps: u64,
    switches: u32,
    migrations: u32,
}

impl Script {
    /// Time at zero, read by a clock that moves in steps of `tick_s` and costs `read_s` a reading, both in seconds.
    pub fn new(tick_s: f64, read_s: f64) -> Self {
        let state = State { tick_ps: picoseconds(tick_s), read_ps: picoseconds(read_s), ..State::default() };
        Self { state: Arc::new(Mutex::new(state)), skew: Skew::default() }
    }

    /// The same time read by a clock that is ahead by `offset_s` seconds at its beginning, and gains `drift` seconds a second.
    /// It reads nothing before zero.
    #[must_use]
    pub fn skewed(&self, offset_s: f64, drift: f64) -> Self {
        let offset_ps = (offset_s * TICKS_PER_SECOND).round() as i64;
        Self { state: Arc::clone(&self.state), skew: Skew { offset_ps, drift } }
    }

    /// Advances by work that takes this many seconds.
    pub fn advance(&self, seconds: f64) {
        self.state().now_ps += picoseconds(seconds);
    }

    /// Advances by this many seconds of waiting; at least a picosecond, so that waiting ends.
    pub(crate) fn wait(&self, seconds: f64) {
        self.state().now_ps += picoseconds(seconds).max(1);
    }

    /// Advances by this many seconds of run delay: time passes, and one involuntary switch is seen.
    pub fn delay(&self, seconds: f64) {
        let mut state = self.state();
        state.now_ps += picoseconds(seconds);
        state.run_delay_ps += picoseconds(seconds);
        state.switches += 1;
    }

    /// Moves the thread to another processor; takes no time.
    pub fn migrate(&self) {
        self.state().migrations += 1;
    }

    /// Seconds since the script began, exact and at no cost.
    pub fn now_s(&self) -> f64 {
        self.state().now_ps as f64 / TICKS_PER_SECOND
    }

    /// All disturbance since the script began.
    pub fn disturbance(&self) -> Disturbance {
        let state = self.state();
        Disturbance {
            run_delay_s: state.run_delay_ps as f64 / TICKS_PER_SECOND,
            switches: state.switches,
            migrations: state.migrations,
            sight: Sight::Seen,
        }
    }

    /// A clock reading: the time rounded down to a tick; its cost passes afterwards.
    pub(crate) fn read(&self) -> u64 {
        let mut state = self.state();
        let gained_ps = (state.now_ps as f64 * self.skew.drift).round() as i64;
        let shown_ps = state.now_ps.saturating_add_signed(gained_ps).saturating_add_signed(self.skew.offset_ps);
        let stamp = shown_ps - shown_ps % state.tick_ps.max(1);
        state.now_ps += state.read_ps;
        stamp
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds scripted time")
    }
}

fn picoseconds(seconds: f64) -> u64 {
    (seconds * TICKS_PER_SECOND).round() as u64
}
