//! A benchmark as a chapter of the page: its plots, its table with an overview of a long one, and its alternatives.

pub mod absence;
pub mod comparison;
pub mod multiples;
mod overview;
mod plots;
mod references;
pub mod roofline;
mod table;

pub use references::{references, unmeasured};
pub use table::{key_columns, key_fields};

use paw_data::machine::Identity;

use crate::benchmark::overview::{bests, is_long, levels, overview};
use crate::family::is_of_ranks;
use crate::model::{Chapter, LongTable, Part, Plots};
use crate::number;
use crate::section::Section;
use crate::series::series;

/// The chapter of `section`, measured on a machine of `identity`.
pub fn chapter<'a>(section: &'a Section<'a>, identity: &'a Identity) -> Chapter<'a> {
    let all = series(section);
    let full = table::cells(section);
    let is_long = is_long(section, &all);
    let overview = if is_long { overview(section, &all) } else { Default::default() };
    let measured = number::plural(full.rows.len(), "cell");
    let mut parts = vec![Part::Plots(
        // Benchmarks of ranks are drawn with their family.
        Plots::new(move |links| if is_of_ranks(section) { Vec::new() } else { plots::plots(section, identity, links) }),
        if section.levels.is_empty() { bests(section, &all) } else { levels(section) },
    )];
    let fold = format!("{measured}: interval, share, trust, samples in time order");
    parts.push(Part::Long(Box::new(LongTable { full, is_long, fold, overview })));
    parts.extend(comparison::alternatives_table(section).map(Part::Pairs));
    Chapter {
        subject: section.suite.to_owned(),
        title: section.title(),
        note: section.note(),
        unit: section.unit().to_owned(),
        facts: Vec::new(),
        parts,
    }
}
