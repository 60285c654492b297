//! Changes in words.

use paw_stats::change_point::ChangePoint;

use super::{History, Track};
use crate::number;

/// A day of `2026-11-26T17:42:23Z`, or the whole text where it is none.
pub fn day(utc: &str) -> &str {
    if utc.is_empty() { "date not known" } else { utc.split('T').next().unwrap_or(utc) }
}

/// `+12.3 %`, with as many digits as a change of a percent needs.
pub fn percent(ratio: f64) -> String {
    format!("{:+.1} %", 100.0 * (ratio - 1.0))
}

/// The change at `first` of a track: size, interval, first run of the new level, and where else that may be.
pub fn sentence(track: &Track<'_>, change: &ChangePoint) -> String {
    let ratio = change.ratio.map_or("another level".to_owned(), percent);
    let ends = change.interval.map(|ends| format!(" ({} … {})", percent(ends.low), percent(ends.high)));
    let direction = match change.ratio {
        Some(ratio) if (ratio > 1.0) == track.series.measure.more_is_better() => ", better",
        Some(_) => ", worse",
        None => "",
    };
    let run = |at: usize| &track.series.items[at.min(track.series.items.len() - 1)].entry;
    let first = run(change.first);
    let (low, high) = change.between;
    let place = if low == high {
        String::new()
    } else {
        format!(
            " (between {} of {} and {} of {})",
            run(low).run,
            day(&run(low).utc),
            run(high).run,
            day(&run(high).utc)
        )
    };
    format!("{ratio}{}{direction} from run {} of {} on{place}", ends.unwrap_or_default(), first.run, day(&first.utc))
}

/// What changed at the same time, or that nothing known did.
pub fn together(changes: Option<&[String]>) -> String {
    match changes {
        None => "of the machine's state nothing is recorded on both sides of it".to_owned(),
        Some([]) => "nothing that is recorded of the machine changed at the same time".to_owned(),
        Some(changes) => format!("changed at the same time, which need not be the cause: {}", changes.join("; ")),
    }
}

/// That some figures of a track are not to be relied on; `None` where all are.
pub fn poor(track: &Track<'_>) -> Option<String> {
    let (poor, all) = (track.poor(), track.series.items.len());
    (poor > 0)
        .then(|| format!("{poor} of {} are poor: do not rely on what rests on them", number::plural(all, "figure")))
}

/// What the page rests on: how few runs are too few, and how many alarms are false.
pub fn basis(history: &History<'_>) -> String {
    let longest = history.tracks.iter().map(|track| track.series.items.len()).max().unwrap_or(0);
    let alarms = format!("1 in {}", number::count((1.0 / history.alarms).round() as usize));
    if longest < history.runs_needed {
        return format!(
            "{} at most: too few to tell a change from chance; {} are needed, half of them on each side",
            number::plural(longest, "run"),
            history.runs_needed
        );
    }
    format!(
        "a change shows in {alarms} series of one level at most, also where each run resembles the one before (up to a correlation of a half); it takes {} runs at least",
        history.runs_needed
    )
}
