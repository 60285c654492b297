//! How far a run is: a bar on a terminal, else a line now and then.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use paw_data::cell::Cell;

use crate::print;

/// Between two lines where nobody watches: a log of an hour stays short, and a hung job is seen the same minute.
const LINE_PERIOD: Duration = Duration::from_secs(30);

/// Four times a second is enough for eyes, and little for the processor that is being measured.
const BAR_PERIOD: Duration = Duration::from_millis(250);

/// How far a run is.
#[derive(Debug)]
pub enum Progress {
    /// Nobody wants to know.
    Silent,
    /// A bar that is drawn over itself, and when its text last changed.
    Bar(ProgressBar, Instant),
    /// A line every [`LINE_PERIOD`].
    Lines(Lines),
}

/// Lines now and then.
#[derive(Debug)]
pub struct Lines {
    total: usize,
    ended: usize,
    begun: Instant,
    told: Instant,
}

/// Whether the user wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShowProgress {
    /// Yes.
    Yes,
    /// `--quiet`.
    No,
}

impl Progress {
    /// The progress of a run of `total` cells, told as standard error allows.
    pub fn new(total: usize, wanted: ShowProgress, now: Instant) -> Self {
        match (wanted, print::is_watched()) {
            (ShowProgress::No, _) => Progress::Silent,
            (ShowProgress::Yes, true) => Progress::Bar(bar(total), now),
            (ShowProgress::Yes, false) => Progress::Lines(Lines { total, ended: 0, begun: now, told: now }),
        }
    }

    /// A sample of `cell` was taken.
    pub fn sampled(&mut self, cell: &Cell, now: Instant) {
        match self {
            Progress::Silent => {}
            Progress::Bar(bar, changed) => {
                if now.duration_since(*changed) >= BAR_PERIOD {
                    *changed = now;
                    bar.set_message(name(cell));
                }
            }
            Progress::Lines(lines) => {
                if let Some(line) = lines.due(cell, now) {
                    print::message(&line);
                }
            }
        }
    }

    /// A cell has ended.
    pub fn ended(&mut self) {
        match self {
            Progress::Silent => {}
            Progress::Bar(bar, _) => bar.inc(1),
            Progress::Lines(lines) => lines.ended += 1,
        }
    }

    /// The run is over: the bar makes room for results.
    pub fn finish(&self) {
        if let Progress::Bar(bar, _) = self {
            bar.finish_and_clear();
        }
    }
}

impl Lines {
    /// The line that is due at `now`, if one is.
    fn due(&mut self, cell: &Cell, now: Instant) -> Option<String> {
        if now.duration_since(self.told) < LINE_PERIOD {
            return None;
        }
        self.told = now;
        let passed_s = now.duration_since(self.begun).as_secs();
        Some(format!("paw: {} of {} cells after {passed_s} s, at {}", self.ended, self.total, name(cell)))
    }
}

fn name(cell: &Cell) -> String {
    format!("{} {} {}", cell.benchmark, cell.point, cell.provider)
}

fn bar(total: usize) -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(4);
    let bar = ProgressBar::with_draw_target(Some(total as u64), target);
    let style = ProgressStyle::with_template("{bar:20} {pos}/{len} cells  {elapsed}  {wide_msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_every_half_minute_and_says_where() {
        let cell = r#"{"id":0,"benchmark":"dgemm","provider":"embedded","role":"subject","group":0,"point":{"n":8},
            "method":"adaptive","work":{},"headline":"flops","instrument":0}"#;
        let cell: Cell = serde_json::from_str(cell).unwrap();
        let begun = Instant::now();
        let after = |s| begun + Duration::from_secs(s);
        let mut lines = Lines { total: 9, ended: 0, begun, told: begun };
        assert_eq!(lines.due(&cell, after(29)), None);
        lines.ended = 2;
        let line = lines.due(&cell, after(30));
        assert_eq!(line.as_deref(), Some("paw: 2 of 9 cells after 30 s, at dgemm n=8 embedded"));
        assert_eq!(lines.due(&cell, after(59)), None);
        assert!(lines.due(&cell, after(61)).is_some());
    }
}
