//! Figures under the roofs that were measured with them: the builds of a kernel, or the runs of a program.

use paw_data::precision::Precision;
use paw_data::quantity::Quantity;

use crate::grade::doubted;
use crate::model::{Align, Column, Field, Part, Picture, Plots, Row, Table, Tone};
use crate::number::{percent, quantity, significant};
use crate::participants::Participants;
use crate::plot::RowLinks;
use crate::plot::roofline::{Dot, draw};
use crate::roofline::{Roof, Roofs};

/// A share of a roof from which the roof does not hold the figure: repeated runs of one machine differ by less.
const PASSED: f64 = 1.05;

/// The title of the table.
pub const TITLE: &str = "under the measured roofs";

/// Where operations and bytes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The benchmark.
    Benchmark,
    /// The spec of a kernel.
    Spec,
    /// The machine code of a build, and counted runs through its loops.
    MachineCode,
    /// What the user stated of a program.
    Stated,
    /// Events that were counted.
    Counted,
    /// Operations that were stated, and bytes that were counted.
    BytesCounted,
    /// Operations that were counted, and bytes that were stated.
    FlopsCounted,
}

impl Source {
    /// The word of a column.
    pub fn word(self) -> &'static str {
        match self {
            Self::Benchmark => "benchmark",
            Self::Spec => "spec",
            Self::MachineCode => "machine code",
            Self::Stated => "stated",
            Self::Counted => "counted",
            Self::BytesCounted => "bytes counted",
            Self::FlopsCounted => "FLOP counted",
        }
    }

    /// What it means, in a sentence.
    fn sentence(self) -> &'static str {
        match self {
            Self::Benchmark => {
                "Operations and bytes as the benchmark states them (`paw list NAME`): what the algorithm needs, and each array once for each time it must be read or written. Each point is held against the nearest cache that can hold its data."
            }
            Self::Spec => {
                "Operations and bytes from the spec: those that it states of a call, and the bytes of all arrays where it states none; lines that a store first reads are not among them."
            }
            Self::MachineCode => {
                "Operations and bytes from machine code: those of the instructions in the innermost loops, times the runs through them in one call, which were counted; what lies outside these loops is not among them."
            }
            Self::Stated => "Operations and bytes as stated with --flops and --bytes.",
            Self::Counted => {
                "Operations and bytes as counted in runs of their own; bytes are the lines that came from memory, without those written back and some of those prefetched, so that the true intensity is lower."
            }
            Self::BytesCounted => {
                "Operations as stated with --flops; bytes counted in a run of its own are the lines that came from memory, without those written back and some of those prefetched, so that the true intensity is lower."
            }
            Self::FlopsCounted => "Operations as counted in a run of its own, bytes as stated with --bytes.",
        }
    }
}

/// A figure: operations per byte and per second, and the lowest roof over it.
#[derive(Debug, Clone)]
pub struct Spot {
    /// Its leading fields.
    pub keys: Vec<Field>,
    /// Where it was measured, in words.
    pub place: String,
    /// The series of its points.
    pub series: String,
    /// A word beside its point.
    pub label: String,
    /// The cell.
    pub cell: u32,
    /// Where its operations and bytes are from.
    pub source: Source,
    /// Operations per byte.
    pub intensity: f64,
    /// Operations per second.
    pub rate: f64,
    /// The lowest roof over it, in operations per second; `None` if the bandwidth that would hold it was not measured.
    pub roof: Option<Roof>,
}

/// Roofs, and figures under them.
#[derive(Debug)]
pub struct UnderRoofs {
    /// The roofs.
    pub roofs: Vec<Roofs>,
    /// The precision of their peaks.
    pub precision: Precision,
    /// Titles of the leading fields.
    pub keys: Vec<Column>,
    /// The figures.
    pub spots: Vec<Spot>,
    /// What may put a figure above its roof.
    pub passing: &'static str,
    /// What the plot shows.
    pub caption: &'static str,
    /// Sentences about what is missing.
    pub missing: Vec<String>,
}

impl UnderRoofs {
    /// Its table with the plot, and its notes.
    pub fn parts<'a>(self) -> [Part<'a>; 2] {
        let (table, notes) = (self.table(), self.notes());
        [Part::Table(table, Some(Plots::new(move |links| self.pictures(links)))), Part::Notes(notes)]
    }

    /// A row for each figure.
    pub fn table(&self) -> Table {
        let number = |title: &str, importance| Column::new(title, Align::Right, importance);
        let columns = self.keys.iter().cloned().chain([
            number("FLOP\na byte", 190),
            Column::new("FLOP and\nbytes from", Align::Left, 180),
            number("GFLOP/s", Column::ALWAYS),
            number("lowest\nroof", 210),
            Column::new("which is", Align::Left, 200),
            number("reached", Column::ALWAYS),
        ]);
        let row = |spot: &Spot| {
            let roof = spot.roof.as_ref();
            let doubt = roof.map_or("", |roof| roof.doubt);
            let tone = if spot.share() > PASSED || !doubt.is_empty() { Tone::Doubt } else { Tone::Plain };
            let fields = spot.keys.iter().cloned().chain([
                significant(spot.intensity, 3).into(),
                spot.source.word().into(),
                Field::new(significant(spot.rate / 1e9, 3), Tone::Strong),
                Field::maybe(roof.map(|roof| significant(roof.rate / 1e9, 3))),
                Field::maybe(roof.map(|roof| roof.name.clone())),
                Field::new(roof.map_or(String::new(), |_| doubted(percent(spot.share()), doubt)), tone),
            ]);
            Row { fields: fields.collect(), absent: None, cell: Some(spot.cell) }
        };
        Table::dense(TITLE, columns.collect(), self.spots.iter().map(row).collect())
    }

    /// What the roofs are, where operations and bytes are from, and which figures pass their roofs.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> =
            self.roofs.iter().map(|set| measured(set, self.precision, self.roofs.len() > 1)).collect();
        let mut sources: Vec<Source> = Vec::new();
        for spot in &self.spots {
            if !sources.contains(&spot.source) {
                sources.push(spot.source);
            }
        }
        notes.extend(sources.iter().map(|source| source.sentence().to_owned()));
        let above = self.spots.iter().filter(|spot| spot.share() > PASSED);
        let passed: Vec<String> = above.map(|spot| format!("{} ({})", spot.place, percent(spot.share()))).collect();
        if !passed.is_empty() {
            notes.push(format!("Above its roof: {}. {}", passed.join("; "), self.passing));
        }
        let bare: Vec<&str> = self.spots.iter().filter(|s| s.roof.is_none()).map(|s| s.place.as_str()).collect();
        if !bare.is_empty() {
            let why = "the bandwidth or the peak that would hold it was not measured in this run; a longer --budget gives it time";
            notes.push(format!("No roof over {}: {why}.", bare.join("; ")));
        }
        notes.extend(self.missing.iter().cloned());
        notes
    }

    /// The plot.
    pub fn pictures(&self, links: &RowLinks) -> Vec<Picture> {
        let dots: Vec<Dot> = self.spots.iter().map(Spot::dot).collect();
        let picture =
            |svg| Picture { svg, title: "Roofline".to_owned(), caption: self.caption.to_owned(), legend: Vec::new() };
        draw(&self.roofs, &dots, links).into_iter().map(picture).collect()
    }
}

/// The roofs of a set in a sentence; `of_several` sets each names its threads.
fn measured(set: &Roofs, precision: Precision, of_several: bool) -> String {
    let told = |roof: &Roof, of: Quantity| {
        let doubt = if roof.doubt.is_empty() { String::new() } else { format!(" ({})", roof.doubt) };
        format!("{} {}{doubt}", roof.name, quantity(roof.rate, of, None))
    };
    let peaks = set.peaks.iter().map(|peak| told(peak, Quantity::Flops));
    let roofs: Vec<String> = peaks.chain(set.slopes.iter().map(|slope| told(slope, Quantity::Bytes))).collect();
    let at = set.threads.filter(|_| of_several).map(|threads| format!(" at {}", Participants::Threads.count(threads)));
    let at = at.unwrap_or_default();
    let precision = if precision == Precision::Single { "single" } else { "double" };
    let roofs = roofs.join(", ");
    format!("Roofs measured in this run{at}, in {precision} precision, each the highest of its cells: {roofs}.")
}

impl Spot {
    fn share(&self) -> f64 {
        self.roof.as_ref().map_or(0.0, |roof| self.rate / roof.rate)
    }

    fn dot(&self) -> Dot {
        let figure = quantity(self.rate, Quantity::Flops, None);
        let roof = self.roof.as_ref();
        let roof = roof.map_or(String::new(), |roof| format!(", {} of {}", percent(self.share()), roof.name));
        let intensity = significant(self.intensity, 3);
        let source = self.source.word();
        Dot {
            series: self.series.clone(),
            intensity: self.intensity,
            rate: self.rate,
            label: self.label.clone(),
            title: format!("{}: {figure}{roof}; {intensity} operations per byte ({source})", self.place),
            cell: self.cell,
        }
    }
}
