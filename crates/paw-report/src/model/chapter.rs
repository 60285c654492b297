//! The part of a page about one benchmark, program or kernel.

use crate::model::{Listing, Table};
use crate::plot::RowLinks;

/// The part of a page about one benchmark, program or kernel.
#[derive(Debug, Default)]
pub struct Chapter<'a> {
    /// Its subject: a suite, `application`, `kernel`.
    pub subject: String,
    pub title: String,
    /// The axes that do not vary and the formula, in one line.
    pub note: String,
    /// The unit of the headline; empty where each value has its own.
    pub unit: String,
    /// Facts about the subject; with them a chapter needs no title on a terminal, since the first lines of the page have it.
    pub facts: Vec<Fact>,
    /// Tables, plots and sentences, in order.
    pub parts: Vec<Part<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Fact {
    pub name: String,
    /// The fact.
    pub text: String,
    /// Whether it is code.
    pub is_code: bool,
}

impl Fact {
    /// Facts with these names and texts; those named in `code` are code.
    pub fn list(facts: impl IntoIterator<Item = (&'static str, String)>, code: &[&str]) -> Vec<Self> {
        let fact = |(name, text): (&str, String)| Fact { name: name.to_owned(), text, is_code: code.contains(&name) };
        facts.into_iter().map(fact).collect()
    }
}

#[derive(Debug)]
pub enum Part<'a> {
    /// Plots, and beside them the best of each series.
    Plots(Plots<'a>, Vec<Best>),
    Bars(Bars),
    /// A table, and plots of it.
    Table(Table, Option<Plots<'a>>),
    /// A table that may be longer than a screen.
    Long(Box<LongTable>),
    /// Alternatives against the first of them.
    Pairs(Table),
    /// A table of words: a fact in each row, and what it is of two alternatives.
    Compared(Table),
    /// Sentences derived from the tables.
    Remarks(Vec<Sentence>),
    /// Explanations of marks, and what is missing.
    Notes(Vec<String>),
    /// Details of builds: names, facts, and what compilers printed.
    Builds(Vec<(String, Vec<Fact>)>),
    /// Loops of builds, instruction by instruction.
    Listings(Vec<Listing>),
    /// Sentences about how it was measured.
    Protocol(Vec<String>),
}

/// A sentence with a label.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Sentence {
    /// Label of a warning; empty for a plain remark.
    pub label: String,
    pub text: String,
}

impl From<String> for Sentence {
    fn from(text: String) -> Self {
        Self { label: String::new(), text }
    }
}

/// A table that may be longer than a screen, with an overview that replaces it there.
#[derive(Debug, Default)]
pub struct LongTable {
    pub full: Table,
    /// Whether it is longer than a screen.
    pub is_long: bool,
    /// Whether plots show what its overview shows, so that a page needs no table of it.
    pub is_drawn: bool,
    /// Caption of the fold that hides it on a page.
    pub fold: String,
    pub overview: Overview,
}

/// A short form of a table that is longer than a screen.
#[derive(Debug, Default)]
pub struct Overview {
    /// A ladder down, alternatives across. One without a title only repeats the full table.
    pub table: Table,
    /// Number of leading columns that identify a row.
    pub keys: usize,
    pub bests: Vec<Best>,
    /// Cells without a number, in words.
    pub absent: Vec<String>,
    /// The rows shown in its place.
    pub excerpt: Option<Table>,
}

/// The best value of a series.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Best {
    /// The series' label.
    pub label: String,
    pub value: String,
    /// Half its interval, `±0.3%`; may be empty.
    pub half: String,
    /// The point it was reached at, and its share of a reference.
    pub place: String,
    /// How many values of the series are `fair` or `poor`; may be empty.
    pub doubt: String,
}

/// Plots that are drawn on demand.
pub struct Plots<'a>(Draw<'a, Picture>);

/// A function that draws, with links to the rows of cells.
pub type Draw<'a, Drawn> = Box<dyn Fn(&RowLinks) -> Vec<Drawn> + Send + Sync + 'a>;

impl<'a> Plots<'a> {
    /// Plots that `draw` draws.
    pub fn new(draw: impl Fn(&RowLinks) -> Vec<Picture> + Send + Sync + 'a) -> Self {
        Self(Box::new(draw))
    }

    /// The plots, with links to the rows of their cells.
    pub fn draw(&self, links: &RowLinks) -> Vec<Picture> {
        (self.0)(links)
    }
}

impl std::fmt::Debug for Plots<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Plots")
    }
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Picture {
    pub svg: String,
    /// The title; empty where the page has it.
    pub title: String,
    pub caption: String,
    /// Hue, dash and name of each curve; empty where names are beside the curves.
    pub legend: Vec<(usize, usize, String)>,
}

/// Plots of one quantity on the same axes.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Multiple {
    /// Title of all plots.
    pub title: String,
    pub plots: Vec<Picture>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    pub title: String,
    /// The bars, from the top.
    pub bars: Vec<Bar>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its label.
    pub label: String,
    /// Its length, in the unit of `ideal`.
    pub value: f64,
    /// Its ideal length.
    pub ideal: f64,
    pub text: String,
    /// Whether it is dimmed.
    pub is_faint: bool,
}
