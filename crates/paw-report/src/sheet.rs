//! A table of an application or a kernel, as every viewer shows it.

mod markdown;

pub use markdown::{list, spoken};

use anstyle::Style;
use paw_data::outcome::Status;

use crate::align::{self, Blanks};
use crate::colour::{BAD, Colour, DOUBT, FAINT, GOOD, STRONG};
use crate::table::{Align, Column, Line, Piece, Table};
use crate::wrap::{width as columns_of, wrap};

/// How a text looks, in words that a terminal and a page both know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// As any text.
    #[default]
    Plain,
    /// What the table is about.
    Strong,
    /// What can be trusted.
    Good,
    /// What is to be doubted.
    Doubt,
    /// What is wrong.
    Bad,
    /// What may be overlooked.
    Faint,
}

impl Tone {
    /// On a terminal.
    pub fn style(self) -> Style {
        match self {
            Tone::Plain => Style::new(),
            Tone::Strong => STRONG,
            Tone::Good => GOOD,
            Tone::Doubt => DOUBT,
            Tone::Bad => BAD,
            Tone::Faint => FAINT,
        }
    }

    /// The class on a page.
    pub fn class(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Strong => "value",
            Tone::Good => "good",
            Tone::Doubt => "fair",
            Tone::Bad => "poor",
            Tone::Faint => "absent",
        }
    }
}

/// A text and how it looks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// The text; empty where there is nothing to say.
    pub text: String,
    /// How it looks.
    pub tone: Tone,
}

impl Entry {
    /// `text` in `tone`.
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }

    /// A plain text where there is one.
    pub fn maybe(text: Option<String>) -> Self {
        Self::new(text.unwrap_or_default(), Tone::Plain)
    }
}

impl<T: Into<String>> From<T> for Entry {
    fn from(text: T) -> Self {
        Self::new(text, Tone::Plain)
    }
}

/// One row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SheetRow {
    /// An entry for each column.
    pub entries: Vec<Entry>,
    /// Why there is no number, through to the right edge: the entries are then those of the leading columns.
    pub why: Option<(Status, String)>,
    /// The cell it shows, where it is one.
    pub cell: Option<u32>,
}

/// A table with its title.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// What stands over it.
    pub title: String,
    /// The columns; those that nothing stands in are left out.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<SheetRow>,
}

impl Sheet {
    /// The table of `rows`, without columns that nothing stands in.
    pub fn new(title: impl Into<String>, columns: Vec<Column>, rows: Vec<SheetRow>) -> Self {
        let used = |i: usize| rows.iter().any(|row| row.entries.get(i).is_some_and(|e| !e.text.is_empty()));
        let used: Vec<bool> = (0..columns.len()).map(used).collect();
        let kept = |i: usize| used.get(i).copied().unwrap_or(false);
        let rows = rows.into_iter().map(|row| {
            let entries = row.entries.into_iter().enumerate().filter(|(i, _)| kept(*i)).map(|(_, e)| e).collect();
            SheetRow { entries, ..row }
        });
        let rows = rows.collect();
        let columns = columns.into_iter().enumerate().filter(|(i, _)| kept(*i)).map(|(_, c)| c).collect();
        Self { title: title.into(), columns, rows }
    }

    /// This table without columns of less than this importance.
    #[must_use]
    pub fn keeping(self, least: u8) -> Self {
        let kept: Vec<bool> = self.columns.iter().map(|column| column.importance >= least).collect();
        let is_kept = |i: usize| kept.get(i).copied().unwrap_or(true);
        let rows = self.rows.into_iter().map(|row| {
            let entries = row.entries.into_iter().enumerate().filter(|(i, _)| is_kept(*i)).map(|(_, e)| e).collect();
            SheetRow { entries, ..row }
        });
        let rows = rows.collect();
        let columns = self.columns.into_iter().enumerate().filter(|(i, _)| is_kept(*i)).map(|(_, c)| c).collect();
        Self { rows, columns, ..self }
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The text of an entry, with blanks behind numbers so that points stand under each other.
    pub fn shown(&self, column: usize, entry: &Entry, blanks: Blanks) -> String {
        let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || ".-?!".contains(c));
        if self.columns[column].align == Align::Left || !is_number(&entry.text) {
            return entry.text.clone();
        }
        let others = self.rows.iter().filter_map(|row| row.entries.get(column)).filter(|e| is_number(&e.text));
        let most = others.map(|e| align::decimals(&e.text)).max().unwrap_or(0);
        align::aligned(&entry.text, most, blanks)
    }

    /// This table as several, each of which fits into `width`: the first `keys` columns stand in all of them.
    pub fn parts(&self, keys: usize, width: usize) -> Vec<Sheet> {
        let wide = |i: usize| {
            let entries = self.rows.iter().filter_map(|row| row.entries.get(i));
            let texts = entries.map(|e| columns_of(&self.shown(i, e, Blanks::Terminal)));
            texts.chain(self.columns[i].title.lines().map(columns_of)).max().unwrap_or(0) + 2
        };
        let lead: usize = (0..keys).map(wide).sum();
        let widest = (keys..self.columns.len()).map(wide).max().unwrap_or(1);
        let fit = ((width + 2).saturating_sub(lead) / widest).max(1);
        let others: Vec<usize> = (keys..self.columns.len()).collect();
        let part = |chosen: &[usize]| {
            let kept: Vec<usize> = (0..keys).chain(chosen.iter().copied()).collect();
            let columns = kept.iter().map(|i| self.columns[*i].clone()).collect();
            let entries = |row: &SheetRow| kept.iter().filter_map(|i| row.entries.get(*i).cloned()).collect();
            let rows = self.rows.iter().map(|row| SheetRow { entries: entries(row), ..row.clone() }).collect();
            Sheet { title: self.title.clone(), columns, rows }
        };
        others.chunks(fit).map(part).collect()
    }

    /// For a terminal of `width` columns, without the title.
    pub fn text(&self, width: usize, colour: Colour) -> String {
        let line = |row: &SheetRow| {
            let shown = |(i, e): (usize, &Entry)| Piece::new(self.shown(i, e, Blanks::Terminal), e.tone.style());
            let pieces: Vec<Piece> = row.entries.iter().enumerate().map(shown).collect();
            match &row.why {
                None => Line::Cells(pieces),
                Some((status, why)) => Line::Span(pieces, Piece::new(why, absence_tone(*status).style())),
            }
        };
        Table { columns: self.columns.clone(), lines: self.rows.iter().map(line).collect() }.render(width, colour)
    }

    /// For a terminal of `width` columns, with the title and a line before it; empty where there is nothing to show.
    pub fn titled(&self, width: usize, colour: Colour) -> String {
        if self.is_empty() {
            return String::new();
        }
        let title = if self.title.is_empty() { Vec::new() } else { wrap(&self.title, width) };
        let title: String = title.iter().map(|line| format!("{}\n", colour.paint(line, STRONG))).collect();
        format!("\n{title}{}", self.text(width, colour))
    }
}

/// Why there is no number, as a table spells it: the reason with a word for the status.
pub fn absence_entry((status, why): (Status, &str)) -> (Status, String) {
    let word = match status {
        Status::Failed => "failed: ",
        Status::Skipped => "skipped: ",
        Status::Measured => "",
    };
    (status, format!("{word}{why}"))
}

/// A machine that cannot is no fault; what ran and broke is one.
pub fn absence_tone(status: Status) -> Tone {
    match status {
        Status::Skipped => Tone::Faint,
        Status::Failed => Tone::Bad,
        Status::Measured => Tone::Plain,
    }
}
