//! An application as a chapter of the page.

use paw_data::run::Run;
use paw_data::scaling::{Scaling, ScalingRow, Sweep};

use crate::application::roofline::under_roofs;
use crate::application::tables::{further, matrix, sweep_keys};
use crate::application::threads::threads;
use crate::application::{figure, ranking, used, verdict};
use crate::model::{Bar, Bars, Chapter, Fact, LongTable, Overview, Part, Picture, Plots, Sentence, Table};
use crate::number::plural;
use crate::plot::RowLinks;
use crate::plot::scaling::{over_sizes, over_threads};
use crate::section::Section;
use crate::under_roofs::UnderRoofs;

/// Rows that fit on a screen; with more, a matrix of sizes replaces all tables but that of the largest size.
const SCREEN: usize = 24;

/// The chapter of the application of `run`.
pub fn chapter<'a>(run: &Run, sections: &[Section<'_>], scaling: &'a Scaling<'a>) -> Chapter<'a> {
    let mut parts = vec![Part::Plots(Plots::new(|links| plots(scaling, links)), Vec::new())];
    parts.extend(Some(ranking::table(scaling)).filter(|table| !table.is_empty()).map(|table| Part::Table(table, None)));
    parts.push(Part::Long(Box::new(long(scaling))));
    parts.extend(scaling.headline().and_then(|(sweep, _)| bars(sweep)).map(Part::Bars));
    parts.push(Part::Remarks(verdict::remarks(scaling).into_iter().map(Sentence::from).collect()));
    parts.extend(further(scaling).into_iter().map(|table| Part::Table(table, None)));
    parts.extend(Some(used::table(scaling)).filter(|table| !table.is_empty()).map(|table| Part::Table(table, None)));
    let readings = sections.iter().flat_map(|section| &section.rows);
    let under = under_roofs(scaling, readings, &run.header.machine.identity);
    let under = under.into_iter().flat_map(UnderRoofs::parts);
    parts.extend(under.filter(|part| !matches!(part, Part::Table(table, _) if table.is_empty())));
    parts.push(Part::Notes(verdict::notes(run, scaling)));
    Chapter {
        subject: "application".to_owned(),
        title: scaling.program.to_owned(),
        facts: Fact::list(verdict::subject(scaling), &["command"]),
        parts,
        ..Chapter::default()
    }
}

fn long(scaling: &Scaling<'_>) -> LongTable {
    let all: Vec<&Sweep<'_>> = scaling.sweeps.iter().collect();
    let full = Table { title: "every thread count".to_owned(), ..threads(scaling, &all) };
    let is_long = all.iter().map(|s| s.rows.len() + 1).sum::<usize>() > SCREEN;
    let fold = format!("{}: time, agreement, interval, runs in time order", plural(full.rows.len(), "cell"));
    let largest = |sweep: &Sweep<'_>| {
        let size = scaling.size(&sweep.size);
        let of_size: Vec<&Sweep<'_>> = all.iter().copied().filter(|other| scaling.size(&other.size) == size).collect();
        let (title, shown) = match (size.to_string(), of_size.len() < all.len()) {
            (size, true) => (format!("largest size, {size}"), of_size),
            (_, false) => (format!("fastest, {}", sweep.label()), vec![sweep]),
        };
        Table { title, ..threads(scaling, &shown) }
    };
    let overview = Overview {
        table: if is_long || all.len() > 1 { matrix(scaling) } else { Table::default() },
        keys: sweep_keys(scaling).columns().len(),
        bests: Vec::new(),
        absent: verdict::absences(scaling),
        excerpt: scaling.headline().map(|(sweep, _)| largest(sweep)),
    };
    LongTable { full, is_long, fold, overview }
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
    let bars: Vec<Bar> = sweep.rows.iter().filter_map(bar).collect();
    (bars.len() > 1).then(|| Bars { title: format!("speed-up{at} by threads"), bars })
}

fn plots(scaling: &Scaling<'_>, links: &RowLinks) -> Vec<Picture> {
    let over = scaling.sweeps.iter().flat_map(|s| &s.rows).any(|r| r.oversubscribed());
    let hollow = if over {
        "Hollow points are to be doubted, or have more threads than processors; no line leads to those."
    } else {
        "Hollow points are to be doubted."
    };
    let captioned = |picture: Picture| Picture { caption: format!("{} {hollow}", picture.caption), ..picture };
    [over_threads(scaling, links), over_sizes(scaling, links)].into_iter().flatten().map(captioned).collect()
}
