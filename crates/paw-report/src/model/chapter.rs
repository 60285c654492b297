//! The part of a page about one benchmark, program or kernel.

use crate::model::Table;
use crate::plot::RowLinks;

/// The part of a page about one benchmark, program or kernel.
#[derive(Debug, Default)]
pub struct Chapter<'a> {
    /// What it is about: a suite, `application`, `kernel`.
    pub subject: String,
    /// Its title.
    pub title: String,
    /// What does not vary, in one line.
    pub note: String,
    /// The unit of the headline; empty where each value has its own.
    pub unit: String,
    /// What was measured; a chapter with facts needs no title on a terminal, since the first lines of the page have it.
    pub facts: Vec<Fact>,
    /// The rest, in order.
    pub parts: Vec<Part<'a>>,
}

/// A fact with its name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Fact {
    /// Its name.
    pub name: String,
    /// What it is.
    pub text: String,
    /// Whether it is code.
    pub is_code: bool,
}

impl Fact {
    /// Facts of names and texts, those of `code` as code.
    pub fn list(facts: impl IntoIterator<Item = (&'static str, String)>, code: &[&str]) -> Vec<Self> {
        let fact = |(name, text): (&str, String)| Fact { name: name.to_owned(), text, is_code: code.contains(&name) };
        facts.into_iter().map(fact).collect()
    }
}

/// A part of a chapter.
#[derive(Debug)]
pub enum Part<'a> {
    /// Plots, and beside them the best of each series.
    Plots(Plots<'a>, Vec<Best>),
    /// Bars for a terminal.
    Bars(Bars),
    /// A table, and plots of it.
    Table(Table, Option<Plots<'a>>),
    /// A table that may be longer than a screen.
    Long(Box<LongTable>),
    /// Alternatives against the first of them.
    Pairs(Table),
    /// Sentences derived from the tables.
    Remarks(Vec<Sentence>),
    /// What marks mean, and what is missing.
    Notes(Vec<String>),
    /// Details of builds: their names, facts, and what was said.
    Builds(Vec<(String, Vec<Fact>)>),
    /// How it was measured.
    Protocol(Vec<String>),
}

/// A sentence with what it is about.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Sentence {
    /// What is wrong; empty where nothing is.
    pub label: String,
    /// The sentence.
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
    /// Every row.
    pub full: Table,
    /// Whether it is longer than a screen.
    pub is_long: bool,
    /// What a page folds it away under.
    pub fold: String,
    /// The overview.
    pub overview: Overview,
}

/// A short form of a table that is longer than a screen.
#[derive(Debug, Default)]
pub struct Overview {
    /// A ladder down, alternatives across. One without a title only repeats the full table.
    pub table: Table,
    /// How many of its columns say what a row is.
    pub keys: usize,
    /// The best of each series.
    pub bests: Vec<Best>,
    /// Cells without a number, in words.
    pub absent: Vec<String>,
    /// The rows that matter most.
    pub excerpt: Option<Table>,
}

/// The best value of a series.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Best {
    /// What it is the best of.
    pub label: String,
    /// The value with its unit.
    pub value: String,
    /// Half its interval, with a sign; may be empty.
    pub half: String,
    /// Where it was reached, and its share of a reference.
    pub place: String,
    /// How many values of the series are to be doubted; may be empty.
    pub doubt: String,
}

/// Plots, drawn when a page asks for them.
pub struct Plots<'a>(Draw<'a, Picture>);

/// Draws with links to the rows of cells.
pub type Draw<'a, Drawn> = Box<dyn Fn(&RowLinks) -> Vec<Drawn> + 'a>;

impl<'a> Plots<'a> {
    /// Plots that `draw` draws.
    pub fn new(draw: impl Fn(&RowLinks) -> Vec<Picture> + 'a) -> Self {
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

/// A plot.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Picture {
    /// The drawing, as SVG.
    pub svg: String,
    /// The title; empty where the page has it.
    pub title: String,
    /// The caption.
    pub caption: String,
    /// Hue, dash and name of each curve; empty where names are beside the curves.
    pub legend: Vec<(usize, usize, String)>,
}

/// Plots of one quantity, on the same axes.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Multiple {
    /// What they show.
    pub title: String,
    /// The plots.
    pub plots: Vec<Picture>,
}

/// Bars for a terminal.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// The title.
    pub title: String,
    /// From the top.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is of.
    pub label: String,
    /// How long it is.
    pub value: f64,
    /// Where it would end at best.
    pub ideal: f64,
    /// The value as text.
    pub text: String,
    /// Whether it may be overlooked.
    pub is_faint: bool,
}
