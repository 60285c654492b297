//! An application on a terminal.

use paw_data::run::Run;
use paw_data::scaling::{Scaling, Sweep};

use crate::application::bars::bars;
use crate::application::sheets::{further, matrix};
use crate::application::threads::threads;
use crate::application::verdict::{self, absences};
use crate::colour::{Colour, STRONG};
use crate::sheet::Sheet;
use crate::wrap::hang;

/// More rows than this are more than a screen: sizes become a matrix, and only the largest keeps its table.
const SCREEN: usize = 24;

/// What the run comes to, with the program's name in the margin.
pub fn verdict_text(run: &Run, scaling: &Scaling<'_>, indent: usize, width: usize, colour: Colour) -> String {
    let line = hang(scaling.program, &verdict::verdict(run, scaling).join(" "), indent, width);
    match line.strip_prefix(scaling.program) {
        Some(rest) => format!("{}{rest}", colour.paint(scaling.program, STRONG)),
        None => line,
    }
}

/// The tables, the bars and what they mean.
pub fn application_text(run: &Run, scaling: &Scaling<'_>, width: usize, colour: Colour) -> String {
    let mut out = String::from("\n");
    for (name, text) in verdict::subject(scaling) {
        out.push_str(&colour.faint(&hang(name, &text, 9, width)));
    }
    let rows: usize = scaling.sweeps.iter().map(|s| s.rows.len() + 1).sum();
    let headline = scaling.headline().map(|(sweep, _)| sweep);
    if rows > SCREEN {
        let sizes = matrix(scaling);
        for (i, mut part) in sizes.parts(scaling.app.axes.len().min(1), width).into_iter().enumerate() {
            if i > 0 {
                part.title.clear();
            }
            out.push_str(&part.titled(width, colour));
        }
        for line in absences(scaling) {
            out.push_str(&hang("", &line, 2, width));
        }
        if let Some(sweep) = headline {
            let largest = Sheet { title: format!("largest size, {}", sweep.label()), ..threads(scaling, &[sweep]) };
            out.push_str(&largest.titled(width, colour));
        }
    } else {
        let all: Vec<&Sweep<'_>> = scaling.sweeps.iter().collect();
        out.push_str(&threads(scaling, &all).titled(width, colour));
    }
    let plot = headline.map(|sweep| bars(sweep, width, colour)).unwrap_or_default();
    if !plot.is_empty() {
        out.push_str(&format!("\n{plot}"));
    }
    let remarks = verdict::remarks(scaling);
    if !remarks.is_empty() {
        out.push('\n');
        remarks.iter().for_each(|text| out.push_str(&hang("", text, 2, width)));
    }
    further(scaling).iter().for_each(|sheet| out.push_str(&sheet.titled(width, colour)));
    let notes = verdict::notes(run, scaling);
    if !notes.is_empty() {
        out.push('\n');
        notes.iter().for_each(|note| out.push_str(&colour.faint(&hang("", note, 2, width))));
    }
    out
}
