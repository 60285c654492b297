//! Rows of numbers.

use std::path::Path;

use super::Note;

/// One row, in the file's units; missing numbers are NaN or 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ImportedRow {
    pub size: f64,
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    pub sigma: f64,
    pub loops: u64,
    pub samples: u32,
}

impl ImportedRow {
    /// A row without a number.
    pub const UNKNOWN: Self =
        Self { size: f64::NAN, mean: f64::NAN, min: f64::NAN, max: f64::NAN, sigma: f64::NAN, loops: 0, samples: 0 };
}

/// Odd lines: the first of each kind, and how many there are.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    unreadable: Odd,
    short: Odd,
    nan: Odd,
}

#[derive(Debug, Default)]
struct Odd {
    first: usize,
    lines: usize,
}

impl Odd {
    fn add(&mut self, line: usize) {
        if self.lines == 0 {
            self.first = line;
        }
        self.lines += 1;
    }
}

/// Columns of PAW's rows.
const COLUMNS: usize = 7;

impl Remarks {
    /// The row in `line`. The start-up test has rows of its own: processes, largest, mean.
    pub fn entry(&mut self, number: usize, line: &str, test: Option<&str>) -> Option<ImportedRow> {
        let columns: Option<Vec<f64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        let Some(columns) = columns.filter(|c| c.len() > 1 && c[0].is_finite()) else {
            self.unreadable.add(number);
            return None;
        };
        let at = |index: usize| columns.get(index).copied().unwrap_or(f64::NAN);
        if test == Some("init") {
            return Some(ImportedRow { size: at(0), max: at(1), mean: at(2), ..ImportedRow::UNKNOWN });
        }
        if columns.len() < COLUMNS {
            self.short.add(number);
        }
        // Columns after the seventh are paw's own; a row may have no interval.
        if columns.iter().take(COLUMNS).any(|v| v.is_nan()) {
            self.nan.add(number);
        }
        let [size, mean, min, max, sigma] = [0, 1, 2, 3, 4].map(at);
        Some(ImportedRow { size, mean, min, max, sigma, loops: at(5) as u64, samples: at(6) as u32 })
    }

    /// One note for each kind of oddity.
    pub fn report(&self, path: &Path, notes: &mut Vec<Note>) {
        let kinds = [
            (&self.unreadable, "is not a row of numbers and was left out"),
            (&self.short, "has fewer than seven columns; what is missing stays unknown"),
            (&self.nan, "holds NaN, so that there is no such statistic"),
        ];
        for (odd, what) in kinds.iter().filter(|(odd, _)| odd.lines > 0) {
            let more = match odd.lines - 1 {
                0 => String::new(),
                n => format!(" (and {n} more like it)"),
            };
            notes.push(Note { path: path.to_owned(), line: Some(odd.first), text: format!("this line {what}{more}.") });
        }
    }
}
