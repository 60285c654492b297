//! What is wrong with a table, or with what was asked of it: the place, and the way out.

use thiserror::Error;

/// What is wrong with a table, or with what was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TableError {
    /// There is no header.
    #[error("{file} holds no table: its first line must name the columns, separated by commas, semicolons or tabs")]
    NoHeader {
        /// The file.
        file: String,
    },
    /// There is no row.
    #[error("{file} has a header and no row below it: each row is a measured time")]
    NoRow {
        /// The file.
        file: String,
    },
    /// No field has a time.
    #[error("{file} has no time in the columns of --time: name others")]
    NoTime {
        /// The file.
        file: String,
    },
    /// A row has not as many fields as the header.
    #[error(
        "{file}, line {line}: {found} fields where the header has {expected}: a text that holds the separator needs \"quotes\""
    )]
    Ragged {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// Fields of the row.
        found: usize,
        /// Fields of the header.
        expected: usize,
    },
    /// A text in quotes goes on behind its line: the rows behind it would be part of it.
    #[error("{file}, line {line}: a quote opens and does not end in its line: close it")]
    Quote {
        /// The file.
        file: String,
        /// The line in which the row begins.
        line: u64,
    },
    /// Quotes or bytes that are no table.
    #[error("{file} is no readable table: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// The reader's words.
        why: String,
    },
    /// A column is not there.
    #[error("{file} has no column `{column}`{}; it has {known}", .closest.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default())]
    NoColumn {
        /// The file.
        file: String,
        /// The column asked for.
        column: String,
        /// The column that was meant, perhaps.
        closest: Option<String>,
        /// The columns.
        known: String,
    },
    /// Two columns have the same name.
    #[error("{file} has the column `{column}` twice: give each a name of its own")]
    Twice {
        /// The file.
        file: String,
        /// The column.
        column: String,
    },
    /// Several columns hold a run each, and a metric has one.
    #[error(
        "--metric {metric}: there are several columns of times and one of the metric: name its columns as those of --time, such as 'fit{{run}}'"
    )]
    MetricColumns {
        /// The metric.
        metric: String,
    },
    /// The unit of a time is not known.
    #[error("--time {typed}: the unit is not known: write '{column}[s]', with ns, us, ms, s, min or h")]
    Unit {
        /// The text as typed.
        typed: String,
        /// The column.
        column: String,
    },
    /// Braces are not one pair around a name.
    #[error("`{typed}`: write one axis in braces, as in 'v{{v}}[us]' for the columns v1, v2, v4 …")]
    Braces {
        /// The text as typed.
        typed: String,
    },
    /// An axis is mapped twice, or has a flag of its own.
    #[error("--size {axis}: {why}")]
    Axis {
        /// The axis.
        axis: String,
        /// The reason and the way out.
        why: String,
    },
    /// A base is named, and no column of programs.
    #[error("--base {base}: no column names programs: say which does, with --program COLUMN")]
    BaseWithoutPrograms {
        /// The base.
        base: String,
    },
    /// No program has the base's name.
    #[error("--base {base}: {file} has no program of that name; it has {known}")]
    Base {
        /// The file.
        file: String,
        /// The base.
        base: String,
        /// The programs.
        known: String,
    },
    /// The base has several thread counts at one size.
    #[error(
        "--base {base}: {file} has it with several thread counts at one size: leave one there, so that speed-ups refer to one time"
    )]
    BaseThreads {
        /// The file.
        file: String,
        /// The base.
        base: String,
    },
    /// A field does not hold what its column must.
    #[error("{file}, line {line}: column `{column}` holds `{found}`, {wanted}")]
    Field {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// The column.
        column: String,
        /// The field.
        found: String,
        /// What it is not, and the way out.
        wanted: &'static str,
    },
}
