//! Where the time of two builds is: functions and loops, by samples.

use paw_data::profile::{Profile, SamplerKind, Share};

use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::side_by_side::{Pair, Side};

/// Most rows of a table.
const MOST: usize = 12;
/// Shares below this in both builds are left out.
const LEAST: f64 = 0.005;

/// The functions, and the loops; none without two profiles.
pub fn tables(pair: &Pair<'_>) -> Vec<Table> {
    let (Some(first), Some(second)) = (pair.first.profile, pair.second.profile) else { return Vec::new() };
    vec![functions(pair, [first, second]), loops(pair, [first, second])]
}

fn columns(what: &str) -> Vec<Column> {
    let number = |title: &str, importance| Column::new(title, Align::Right, importance);
    vec![
        Column::new(what, Align::Left, Column::ALWAYS).shrinking(16),
        number("first", Column::ALWAYS),
        number("±", 150),
        number("seconds", 180),
        number("second", Column::ALWAYS),
        number("±", 150),
        number("seconds", 180),
    ]
}

fn row(name: &str, sides: [Share; 2]) -> Row {
    let fields = sides.iter().flat_map(|side| {
        [
            Field::new(format!("{:.1}%", 100.0 * side.share), Tone::Strong),
            Field::new(format!("{:.1}", 100.0 * side.half), Tone::Faint),
            Field::from(format!("{:.3}", side.seconds)),
        ]
    });
    Row { fields: std::iter::once(Field::from(name)).chain(fields).collect(), ..Row::default() }
}

fn functions(pair: &Pair<'_>, profiles: [&Profile; 2]) -> Table {
    let mut names: Vec<String> = Vec::new();
    for profile in profiles {
        for time in profile.function_times().iter().filter(|time| time.own.share >= LEAST).take(MOST) {
            let name = profile.title(time.function);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let share = |side: &Side<'_>, name: &str| side.share(name);
    let rows = names.iter().filter_map(|name| Some(row(name, [share(&pair.first, name)?, share(&pair.second, name)?])));
    Table::dense("functions, by samples of processor time", columns("function"), rows.collect())
}

/// All loops together, and each of them.
fn loops(pair: &Pair<'_>, [first, second]: [&Profile; 2]) -> Table {
    let all = |profile: &Profile| {
        let samples = profile.loop_times().iter().map(|time| time.own.samples).sum();
        profile.share(samples)
    };
    let of = |profile: &Profile, name: &str| {
        let own = profile.loop_times().into_iter().filter(|time| profile.loop_title(time.index) == name);
        profile.share(own.map(|time| time.own.samples).sum())
    };
    let mut names: Vec<String> = Vec::new();
    for profile in [first, second] {
        for time in profile.loop_times().iter().filter(|time| time.own.share >= LEAST).take(MOST) {
            let name = profile.loop_title(time.index);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let whole = row("all loops", [all(first), all(second)]);
    let each = names.iter().map(|name| row(name, [of(first, name), of(second, name)]));
    let mut table = Table::dense(
        "loops, by samples of processor time",
        columns("loop"),
        std::iter::once(whole).chain(each).collect(),
    );
    let is_by_signals = [first, second].iter().any(|profile| profile.sampling.sampler == SamplerKind::Sigprof);
    let how = if is_by_signals { ", by SIGPROF" } else { "" };
    table.note = format!(
        "{} samples of {} and {} of {}{how}; shares are of each build's own time: compare seconds a call with the times above",
        first.sampling.samples, pair.first.name, second.sampling.samples, pair.second.name
    );
    table
}
