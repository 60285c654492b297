//! A history: the runs of one machine as series, with what changed and what else changed at the same time.

mod detail;
mod list;
mod picture;
mod scatter;
mod sparkline;
mod words;

use paw_data::history::levels::Levels;
use paw_data::history::series::Series;
use paw_data::trust::Trust;

pub use detail::detail_text;
pub use list::list_text;
pub use picture::{PANELS_MAX, history_svg};
pub use words::sentence;

/// The series of one machine, as they are looked at together.
#[derive(Debug)]
pub struct History<'e> {
    /// The machine in words.
    pub title: String,
    /// The series, with what they say.
    pub tracks: Vec<Track<'e>>,
    /// Share of series of one level that may show a change.
    pub alarms: f64,
    /// Fewest runs in which a change can be found.
    pub runs_needed: usize,
}

/// A series, with what it says.
#[derive(Debug)]
pub struct Track<'e> {
    /// The series.
    pub series: Series<'e>,
    /// Its levels.
    pub levels: Levels,
    /// What changed in the machine's state at the same time as each change of the level, as `name: a → b`; `None` where no state is known.
    pub together: Vec<Option<Vec<String>>>,
}

impl Track<'_> {
    /// Benchmark or command line, point and provider.
    pub fn name(&self) -> String {
        let parts = [self.series.title(), self.series.point.to_string(), self.series.provider.to_owned()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// How many of its figures are not to be relied on.
    fn poor(&self) -> usize {
        self.series.items.iter().filter(|item| item.figure.trust == Trust::Poor.word()).count()
    }

    /// Index of the first run of the level that run `i` belongs to, and the level's number.
    fn level(&self, i: usize) -> usize {
        self.levels.changes.iter().filter(|change| change.first <= i).count()
    }
}
