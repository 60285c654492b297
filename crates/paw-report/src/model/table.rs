//! Tables of typed fields.

use paw_data::outcome::Status;

use crate::align;
use crate::grade::Grade;

/// Alignment of the fields of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers, aligned at their decimal points.
    Right,
}

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
    /// The tone of a grade.
    pub fn of(grade: Grade) -> Self {
        use paw_data::trust::Trust;
        match grade {
            Grade::Number(Trust::Good) => Tone::Good,
            Grade::Number(Trust::Fair) => Tone::Doubt,
            Grade::Number(Trust::Poor) | Grade::Broken => Tone::Bad,
            Grade::Absent => Tone::Faint,
        }
    }

    /// The tone of a missing number: a machine that cannot is no fault, what ran and broke is one.
    pub fn absent(status: Status) -> Self {
        match status {
            Status::Skipped => Tone::Faint,
            Status::Failed => Tone::Bad,
            Status::Measured => Tone::Good,
        }
    }
}

/// What a column holds, where printers show it in ways of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Text or numbers.
    #[default]
    Plain,
    /// The name of a build: its flags are not broken, and get lines of their own where there is no room.
    Name,
    /// A share of a reference: [`Value::Share`].
    Share,
    /// What the check of an answer found: [`Value::Check`].
    Check,
    /// How far to trust a number, and its caveats: [`Value::Trust`].
    Trust,
    /// How many samples there are; a page draws them.
    Samples,
    /// A bar for a terminal: [`Value::Bar`].
    Bar,
    /// A ratio with its interval, which a page draws: [`Value::Ratio`].
    Ratio,
}

/// What a field is, beyond its text.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// Its text.
    #[default]
    Text,
    /// The name of a build, and of its variant where variants differ.
    Name {
        /// Compiler and flags.
        build: String,
        /// ` [variant]`, or empty.
        variant: String,
    },
    /// A share of a reference.
    Share {
        /// The share; 1 is all of it.
        share: f64,
        /// What it is a share of.
        of: &'static str,
    },
    /// The mark of a check's verdict.
    Check(&'static str),
    /// A grade, and the caveats of the number in short.
    Trust(Grade, String),
    /// A number of a ladder and the cell that it is of.
    Graded(Grade, u32),
    /// Lengths as shares of the longest bar: the bar, and a mark behind it.
    Bar(f64, Option<f64>),
    /// A ratio with the ends of its interval.
    Ratio(f64, Option<(f64, f64)>),
}

/// A text with its tone and what it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Field {
    /// The text; empty where there is nothing to say.
    pub text: String,
    /// How it looks.
    pub tone: Tone,
    /// What it is.
    pub value: Value,
}

impl Field {
    /// `text` in `tone`.
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone, value: Value::Text }
    }

    /// A plain text where there is one.
    pub fn maybe(text: Option<String>) -> Self {
        text.unwrap_or_default().into()
    }

    /// This field with a value.
    #[must_use]
    pub fn with(self, value: Value) -> Self {
        Self { value, ..self }
    }

    /// Whether the text is a number without a unit.
    fn is_number(&self) -> bool {
        self.text.chars().all(|c| c.is_ascii_digit() || ".-?!".contains(c))
    }
}

impl<T: Into<String>> From<T> for Field {
    fn from(text: T) -> Self {
        Self::new(text, Tone::Plain)
    }
}

/// A column: its title, and how long it stays when there is little room.
#[derive(Debug, Clone)]
pub struct Column {
    /// Title where there is room for it.
    pub title: String,
    /// Title on a terminal, in one or more lines.
    pub short: String,
    /// Alignment of its fields.
    pub align: Align,
    /// What it holds.
    pub kind: Kind,
    /// The column with the smallest number leaves first; [`Column::ALWAYS`] never leaves.
    pub importance: u8,
    /// The terminal columns it is content with before it leaves; its texts are shortened to what is there.
    pub least: usize,
    /// Most characters any of its numbers has from its point on.
    decimals: usize,
}

impl Column {
    /// The importance of a column that never leaves.
    pub const ALWAYS: u8 = u8::MAX;

    /// A column whose title may have several lines on a terminal; a hyphen at the end of a line joins two words, or breaks one.
    pub fn new(short: impl Into<String>, align: Align, importance: u8) -> Self {
        let short = short.into();
        let title = short.replace("effi-\n", "effi").replace("-\n", "-").replace("\n/", "/").replace('\n', " ");
        Self { title, short, align, kind: Kind::Plain, importance, least: usize::MAX, decimals: 0 }
    }

    /// This column, content with `least` columns of a terminal.
    #[must_use]
    pub fn shrinking(self, least: usize) -> Self {
        Self { least, ..self }
    }

    /// This column of a kind of its own.
    #[must_use]
    pub fn of(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// This column with another title where there is room for it.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }
}

/// Why a row has no number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// Whether it broke, or was not possible.
    pub status: Status,
    /// The reason, with a word for the status.
    pub why: String,
    /// What the row is of, for lists.
    pub label: String,
}

impl Absent {
    /// A reason for a row of a table.
    pub fn new((status, why): (Status, String)) -> Self {
        Self { status, why, label: String::new() }
    }
}

/// One row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// A field for each column; of a row without a number, for the leading columns.
    pub fields: Vec<Field>,
    /// Why there is no number.
    pub absent: Option<Absent>,
    /// The cell it shows, where it is one.
    pub cell: Option<u32>,
}

/// A table with its title.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The title; may be empty.
    pub title: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
    /// What its words and marks mean; may be empty.
    pub note: String,
    /// Cells without a number that share a reason: further rows on a terminal, a list elsewhere.
    pub absent: Vec<Row>,
}

impl Table {
    /// The table of `rows`.
    pub fn new(title: impl Into<String>, mut columns: Vec<Column>, rows: Vec<Row>) -> Self {
        for (i, column) in columns.iter_mut().enumerate().filter(|(_, column)| column.align == Align::Right) {
            let numbers = rows.iter().filter_map(|row| row.fields.get(i)).filter(|field| field.is_number());
            column.decimals = numbers.map(|field| align::decimals(&field.text)).max().unwrap_or(0);
        }
        Self { title: title.into(), columns, rows, note: String::new(), absent: Vec::new() }
    }

    /// The table of `rows`, without empty columns.
    pub fn dense(title: impl Into<String>, columns: Vec<Column>, rows: Vec<Row>) -> Self {
        let used = |field: &Field| !field.text.is_empty() || matches!(field.value, Value::Bar(..));
        let is_used = |i: &usize| rows.iter().any(|row| row.fields.get(*i).is_some_and(used));
        let used: Vec<usize> = (0..columns.len()).filter(is_used).collect();
        Self::new(title, columns, rows).choosing(&used)
    }

    /// This table with the columns whose numbers are `chosen`.
    #[must_use]
    pub fn choosing(&self, chosen: &[usize]) -> Self {
        let row = |row: &Row| {
            let fields = chosen.iter().filter_map(|i| row.fields.get(*i).cloned()).collect();
            Row { fields, ..row.clone() }
        };
        Self {
            title: self.title.clone(),
            columns: chosen.iter().map(|i| self.columns[*i].clone()).collect(),
            rows: self.rows.iter().map(row).collect(),
            note: self.note.clone(),
            absent: self.absent.iter().map(row).collect(),
        }
    }

    /// This table with its numbers aligned as if they stood in one column.
    #[must_use]
    pub fn of_one_scale(mut self) -> Self {
        let most = self.columns.iter().skip(1).map(|column| column.decimals).max().unwrap_or(0);
        self.columns.iter_mut().skip(1).for_each(|column| column.decimals = most);
        self
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.absent.is_empty()
    }

    /// The text of a field, padded behind numbers so that decimal points align.
    pub fn shown(&self, column: usize, field: &Field, blanks: align::Blanks) -> String {
        let Some(column) = self.columns.get(column).filter(|c| c.align == Align::Right && field.is_number()) else {
            return field.text.clone();
        };
        align::aligned(&field.text, column.decimals, blanks)
    }
}
