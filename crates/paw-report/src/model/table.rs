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

/// The style of a text, for terminals and pages alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Ordinary text.
    #[default]
    Plain,
    /// The main value of a row.
    Strong,
    /// A good number.
    Good,
    /// A doubtful number.
    Doubt,
    /// An error.
    Bad,
    /// A detail of less importance.
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

    /// The tone of a missing number: a skipped cell is no error, a failed one is.
    pub fn absent(status: Status) -> Self {
        match status {
            Status::Skipped => Tone::Faint,
            Status::Failed => Tone::Bad,
            Status::Measured => Tone::Good,
        }
    }
}

/// The content of a column, for printers that show some kinds specially.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnKind {
    /// Text or numbers.
    #[default]
    Plain,
    /// The name of a build: its flags are never wrapped, and get lines of their own on narrow terminals.
    Name,
    /// [`Value::Share`].
    Share,
    /// [`Value::Check`].
    Check,
    /// [`Value::Trust`].
    Trust,
    /// How many samples there are; a page draws them.
    Samples,
    /// [`Value::Bar`], for terminals only.
    Bar,
    /// A ratio with its interval, which a page draws: [`Value::Ratio`].
    Ratio,
}

/// The typed content of a field.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// Text only.
    #[default]
    Text,
    /// The name of a build, with its variant if the table has several.
    Name(Box<BuildName>),
    /// A share of a reference.
    Share {
        /// The share; 1 is all of it.
        share: f64,
        /// Name of the reference.
        of: &'static str,
    },
    /// The mark of a check's verdict.
    Check(&'static str),
    /// A grade, and the caveats of the number in short.
    Trust(Grade, String),
    /// The grade of a number in a ladder, and the id of its cell.
    Graded(Grade, u32),
    /// Lengths as shares of the longest bar: the bar, and a mark behind it.
    Bar(f64, Option<f64>),
    /// A ratio with the ends of its interval.
    Ratio(f64, Option<(f64, f64)>),
}

/// The name of a build in two parts.
#[derive(Debug, Clone, PartialEq)]
pub struct BuildName {
    pub build: String,
    /// ` [variant]`, or empty.
    pub variant: String,
}

/// One field of a row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Field {
    /// The text; may be empty.
    pub text: String,
    /// Its style.
    pub tone: Tone,
    /// Its typed content.
    pub value: Value,
}

impl Field {
    /// A field of `text` in `tone`.
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone, value: Value::Text }
    }

    /// A plain field; empty for `None`.
    pub fn maybe(text: Option<String>) -> Self {
        text.unwrap_or_default().into()
    }

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
    /// Title in documents and on pages.
    pub title: String,
    /// Title on a terminal, in one or more lines.
    pub short: String,
    pub align: Align,
    pub kind: ColumnKind,
    /// The column with the smallest number leaves first; [`Column::ALWAYS`] never leaves.
    pub importance: u8,
    /// Fewest terminal columns it is shortened to before it leaves.
    pub least: usize,
    /// Most characters of its numbers from the decimal point on.
    decimals: usize,
}

impl Column {
    /// The importance of a column that never leaves.
    pub const ALWAYS: u8 = u8::MAX;

    /// A column whose title may have several lines on a terminal; a hyphen at the end of a line joins two words, or breaks one.
    pub fn new(short: impl Into<String>, align: Align, importance: u8) -> Self {
        let short = short.into();
        let title = short.replace("effi-\n", "effi").replace("-\n", "-").replace("\n/", "/").replace('\n', " ");
        Self { title, short, align, kind: ColumnKind::Plain, importance, least: usize::MAX, decimals: 0 }
    }

    /// This column, which may be shortened to `least` terminal columns.
    #[must_use]
    pub fn shrinking(self, least: usize) -> Self {
        Self { least, ..self }
    }

    /// This column with `kind`.
    #[must_use]
    pub fn of(self, kind: ColumnKind) -> Self {
        Self { kind, ..self }
    }

    /// This column with another title in documents and on pages.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// Whether the cell failed or was skipped.
    pub status: Status,
    /// The reason, with a word for the status.
    pub why: String,
    /// The row's label in lists.
    pub label: String,
}

impl Absent {
    pub fn new((status, why): (Status, String)) -> Self {
        Self { status, why, label: String::new() }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// A field for each column; only for the leading columns if there is no number.
    pub fields: Vec<Field>,
    /// Why there is no number.
    pub absent: Option<Absent>,
    /// The cell it shows, if it shows exactly one.
    pub cell: Option<u32>,
}

impl Row {
    /// This row with the fields of the columns at the indices `chosen`.
    #[must_use]
    pub fn choosing(&self, chosen: &[usize]) -> Self {
        let fields = chosen.iter().filter_map(|i| self.fields.get(*i).cloned()).collect();
        Self { fields, absent: self.absent.clone(), cell: self.cell }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Table {
    pub title: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// Explanation of its words and marks; may be empty.
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
        let used: Vec<bool> = (0..columns.len()).map(|i| is_used(&i)).collect();
        Self::new(title, columns, rows).keeping(&used)
    }

    /// This table with the columns that `kept` has true for; none of its fields is copied.
    #[must_use]
    pub fn keeping(mut self, kept: &[bool]) -> Self {
        fn retain<T>(items: &mut Vec<T>, kept: &[bool]) {
            let mut flags = kept.iter();
            items.retain(|_| flags.next().is_some_and(|is_kept| *is_kept));
        }
        retain(&mut self.columns, kept);
        self.rows.iter_mut().chain(&mut self.absent).for_each(|row| retain(&mut row.fields, kept));
        self
    }

    /// This table with the columns at the indices `chosen`.
    #[must_use]
    pub fn choosing(&self, chosen: &[usize]) -> Self {
        let row = |row: &Row| row.choosing(chosen);
        Self {
            rows: self.rows.iter().map(row).collect(),
            absent: self.absent.iter().map(row).collect(),
            ..self.head(chosen)
        }
    }

    /// This table without its rows, with the columns at the indices `chosen`.
    #[must_use]
    pub fn head(&self, chosen: &[usize]) -> Self {
        let columns = chosen.iter().map(|i| self.columns[*i].clone()).collect();
        Self { title: self.title.clone(), columns, note: self.note.clone(), ..Self::default() }
    }

    /// This table with the decimal points of all columns aligned alike.
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
