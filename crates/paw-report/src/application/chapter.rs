//! An application as a chapter of the page.

use paw_data::run::Run;
use paw_data::scaling::{Scaling, ScalingRow, Sweep, TimeShare, Yardstick};

use crate::application::roofline::under_roofs;
use crate::application::tables::{further, matrix, sweep_keys};
use crate::application::threads::threads;
use crate::application::{figure, grid, notes, ranking, shares, used, verdict, words};
use crate::model::{Bar, Bars, Chapter, Fact, LongTable, Overview, Part, Picture, Plots, Sentence, Table};
use crate::number::plural;
use crate::plot::RowLinks;
use crate::plot::scaling::{over_threads, times_over_threads};
use crate::plot::sizes;
use crate::section::Section;
use crate::under_roofs::UnderRoofs;

/// Rows that fit on a screen; with more, a matrix of sizes replaces all tables but that of the largest size.
const SCREEN: usize = 24;

/// The chapter of the application of `run`: all by the yardstick of its headline, then by each of the `others`.
pub fn chapter<'a>(
    run: &Run,
    sections: &[Section<'_>],
    scaling: &'a Scaling<'a>,
    others: &'a [Scaling<'a>],
) -> Chapter<'a> {
    let mut parts = vec![Part::Plots(Plots::new(|links| plots(scaling, links)), Vec::new())];
    parts.extend(Some(ranking::table(scaling)).filter(|table| !table.is_empty()).map(|table| Part::Table(table, None)));
    parts.extend(grid::table(scaling).map(|table| Part::Table(table, None)));
    parts.push(Part::Long(Box::new(long(scaling))));
    parts.extend(scaling.headline().and_then(|(sweep, _)| bars(sweep)).map(Part::Bars));
    parts.push(Part::Remarks(verdict::remarks(scaling).into_iter().map(Sentence::from).collect()));
    parts.extend(further(scaling).into_iter().map(|table| Part::Table(table, None)));
    parts.extend(others.iter().flat_map(by_other));
    let found = TimeShare::all(run);
    parts.extend(found.iter().filter_map(shares::table).map(|table| Part::Table(table, None)));
    parts.push(Part::Remarks(found.iter().filter_map(shares::excess).map(Sentence::from).collect()));
    // What a run used, and the operations that it did, are of its wall time.
    let wall =
        std::iter::once(scaling).chain(others).find(|own| own.yardstick == Yardstick::WallTime).unwrap_or(scaling);
    parts.extend(Some(used::table(wall)).filter(|table| !table.is_empty()).map(|table| Part::Table(table, None)));
    let readings = sections.iter().flat_map(|section| &section.rows);
    let under = under_roofs(wall, readings, &run.header.machine.identity);
    let under = under.into_iter().flat_map(UnderRoofs::parts);
    parts.extend(under.filter(|part| !matches!(part, Part::Table(table, _) if table.is_empty())));
    parts.push(Part::Notes(notes::notes(run, scaling, others)));
    Chapter {
        subject: "application".to_owned(),
        title: scaling.program.to_owned(),
        facts: Fact::list(verdict::subject(scaling), &["command"]),
        parts,
        ..Chapter::default()
    }
}

/// What is told by another yardstick than that of the headline.
fn by_other<'a>(scaling: &'a Scaling<'a>) -> Vec<Part<'a>> {
    let mut parts = vec![Part::Plots(Plots::new(|links| plots(scaling, links)), Vec::new())];
    let mut ranked = ranking::table(scaling);
    ranked.title = format!("{}, {}", scaling.yardstick.name(), ranked.title);
    parts.extend(Some(ranked).filter(|table| !table.is_empty()).map(|table| Part::Table(table, None)));
    let own = long(scaling);
    parts.push(if own.is_long { Part::Long(Box::new(own)) } else { Part::Table(own.full, None) });
    parts.push(Part::Remarks(verdict::remarks(scaling).into_iter().map(Sentence::from).collect()));
    parts.extend(further(scaling).into_iter().map(|table| Part::Table(table, None)));
    parts.push(Part::Notes(notes::own_problem(scaling).into_iter().collect()));
    parts
}

fn long(scaling: &Scaling<'_>) -> LongTable {
    let all: Vec<&Sweep<'_>> = scaling.sweeps.iter().collect();
    let title = if scaling.is_headline() {
        format!("every thread count{}", words::by(scaling.yardstick))
    } else {
        format!("{}, every thread count", scaling.yardstick.name())
    };
    let full = Table { title, ..threads(scaling, &all) };
    let is_long = all.iter().map(|s| s.rows.len() + 1).sum::<usize>() > SCREEN;
    let noun = words::noun(scaling.yardstick);
    let fold = format!("{}: {noun}, agreement, interval, runs in time order", plural(full.rows.len(), "cell"));
    let by = words::by(scaling.yardstick);
    let largest = |sweep: &Sweep<'_>| {
        let size = scaling.size(&sweep.size);
        let of_size: Vec<&Sweep<'_>> = all.iter().copied().filter(|other| scaling.size(&other.size) == size).collect();
        let (title, shown) = match (size.to_string(), of_size.len() < all.len()) {
            (size, true) => (format!("largest size{by}, {size}"), of_size),
            (_, false) => (format!("fastest{by}, {}", sweep.label()), vec![sweep]),
        };
        Table { title, ..threads(scaling, &shown) }
    };
    let overview = Overview {
        table: if is_long || all.len() > 1 { matrix(scaling) } else { Table::default() },
        keys: sweep_keys(scaling).columns().len(),
        bests: Vec::new(),
        absent: if scaling.is_headline() { verdict::absences(scaling) } else { Vec::new() },
        excerpt: scaling.headline().map(|(sweep, _)| largest(sweep)),
    };
    LongTable { full, is_long, is_drawn: false, fold, overview }
}

/// The speed-ups of `sweep` beside the ideal ones; `None` for fewer than two.
fn bars(sweep: &Sweep<'_>) -> Option<Bars> {
    let bar = |row: &ScalingRow<'_>| {
        let speedup = row.speedup?;
        Some(Bar {
            label: figure::threads(row),
            value: speedup.value,
            ideal: f64::from(row.effective_threads()),
            text: figure::marked_speedup(row),
            is_faint: row.oversubscribed() || row.timing.is_some_and(|t| !t.agreed().mark().is_empty()),
        })
    };
    let at = if sweep.label().is_empty() { String::new() } else { format!(" at {}", sweep.label()) };
    let yardstick = sweep.rows.iter().find_map(|row| Some(row.timing?.yardstick)).filter(Yardstick::is_pace)?;
    let by = words::by(yardstick);
    let bars: Vec<Bar> = sweep.rows.iter().filter_map(bar).collect();
    (bars.len() > 1).then(|| Bars { title: format!("speed-up{by}{at} by threads"), bars })
}

fn plots(scaling: &Scaling<'_>, links: &RowLinks) -> Vec<Picture> {
    let over = scaling.sweeps.iter().flat_map(|s| &s.rows).any(|r| r.oversubscribed());
    let hollow = if over {
        "Hollow points are to be doubted, or have more threads than processors; no line leads to those."
    } else {
        "Hollow points are to be doubted."
    };
    let captioned = |picture: Picture| Picture { caption: format!("{} {hollow}", picture.caption), ..picture };
    let by_threads = [over_threads(scaling, links), times_over_threads(scaling, links)];
    let by_size = [sizes::speedups(scaling, links), sizes::times(scaling, links)];
    by_threads.into_iter().chain(by_size).flatten().map(captioned).collect()
}
