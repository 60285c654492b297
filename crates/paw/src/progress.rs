//! Progress of a run: a bar on a terminal, else a line now and then, with the time left.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use paw_data::cell::Cell;

use crate::print;

mod estimate;

pub use estimate::Expected;
use estimate::{Estimate, name};

/// Time between two lines of a log: an hour's log stays short, and a hung job shows within a minute.
const LINE_PERIOD: Duration = Duration::from_secs(30);

/// Time between two redraws, each of which takes tens of microseconds of a processor that is being measured.
const BAR_PERIOD: Duration = Duration::from_millis(500);

/// Columns of the bar, as a share of the terminal's.
const BAR_SHARE: usize = 4;

#[derive(Debug)]
pub enum Progress {
    /// Nowhere: `--quiet`.
    Silent,
    /// A bar that redraws itself.
    Bar(ProgressBar, Arc<Mutex<Estimate>>),
    /// A line at the first start and every [`LINE_PERIOD`], and when the last one was written.
    Lines(Estimate, Option<Instant>),
}

/// Whether progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShowProgress {
    /// A bar on a terminal, lines elsewhere.
    Yes,
    /// `--quiet`.
    No,
}

impl Progress {
    /// Progress of a run that begins at `now`.
    pub fn new(expected: Expected, show: ShowProgress, now: Instant) -> Self {
        let estimate = Estimate::new(expected, now);
        match (show, print::is_watched()) {
            (ShowProgress::No, _) => Progress::Silent,
            (ShowProgress::Yes, true) => {
                let estimate = Arc::new(Mutex::new(estimate));
                Progress::Bar(bar(&estimate), estimate)
            }
            (ShowProgress::Yes, false) => Progress::Lines(estimate, None),
        }
    }

    /// Notes that `cell` is being started, which can take longer than all of its samples.
    pub fn starting(&mut self, cell: &Cell, now: Instant) {
        match self {
            Progress::Silent => {}
            Progress::Bar(bar, _) => bar.set_message(format!("starting {}", name(cell))),
            Progress::Lines(estimate, written) => line(estimate, written, "starting", cell, now),
        }
    }

    /// Notes a sample of `cell`.
    pub fn sampled(&mut self, cell: &Cell, now: Instant) {
        match self {
            Progress::Silent => {}
            Progress::Bar(bar, estimate) => {
                // The statement releases the lock, which the bar takes to draw.
                let is_first = estimate.lock().unwrap_or_else(PoisonError::into_inner).sampled(cell.id);
                if is_first {
                    bar.set_message(name(cell));
                }
            }
            Progress::Lines(estimate, written) => {
                estimate.sampled(cell.id);
                line(estimate, written, "at", cell, now);
            }
        }
    }

    /// Notes that a cell has ended.
    pub fn ended(&mut self, cell: u32) {
        match self {
            Progress::Silent => {}
            Progress::Bar(_, estimate) => estimate.lock().unwrap_or_else(PoisonError::into_inner).ended(cell),
            Progress::Lines(estimate, _) => estimate.ended(cell),
        }
    }

    /// Clears the bar for the results.
    pub fn finish(&self) {
        if let Progress::Bar(bar, _) = self {
            bar.finish_and_clear();
        }
    }
}

/// Writes a line of the log unless the last one is younger than [`LINE_PERIOD`].
fn line(estimate: &Estimate, written: &mut Option<Instant>, doing: &str, cell: &Cell, now: Instant) {
    if written.is_none_or(|written| now.duration_since(written) >= LINE_PERIOD) {
        *written = Some(now);
        print::message(&estimate.line(doing, cell, now));
    }
}

/// A bar that shows `estimate` and redraws itself.
fn bar(estimate: &Arc<Mutex<Estimate>>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{estimate}  {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    let (estimate, columns) = (Arc::clone(estimate), print::width() / BAR_SHARE);
    let drawn = move |_: &ProgressState, to: &mut dyn Write| {
        let estimate = estimate.lock().unwrap_or_else(PoisonError::into_inner);
        // Progress that cannot be drawn needs no error.
        let _ = to.write_str(&estimate.bar(Instant::now(), columns));
    };
    bar.set_style(style.with_key("estimate", drawn));
    bar.enable_steady_tick(BAR_PERIOD);
    bar
}
