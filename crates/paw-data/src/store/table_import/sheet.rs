//! The header and the rows of a table, whatever separates them.

use std::path::Path;

use super::error::TableError;
use crate::spelling;

/// Most columns that a message names.
const NAMED: usize = 12;

/// A table as text.
#[derive(Debug)]
pub(super) struct Sheet {
    /// The file's name.
    pub file: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The fields below it, each row with the number of its line.
    pub rows: Vec<(u64, csv::StringRecord)>,
    /// Whether a comma may be the decimal point.
    pub decimal_comma: bool,
}

impl Sheet {
    /// Reads a table. Lines that start with `#` are comments; what separates the fields is seen in the header.
    pub fn read(file: &str, text: &str) -> Result<Self, TableError> {
        let named = || file.to_owned();
        let text = text.trim_start_matches('\u{feff}');
        let head = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let separator = separator(head.ok_or_else(|| TableError::NoHeader { file: named() })?);
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .comment(Some(b'#'))
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let unreadable = |error: csv::Error| TableError::Unreadable { file: named(), why: error.to_string() };
        let within_a_line = |row: &csv::StringRecord| match row.iter().any(|field| field.contains('\n')) {
            true => Err(TableError::Quote { file: named(), line: row.position().map_or(1, csv::Position::line) }),
            false => Ok(()),
        };
        let header = reader.headers().map_err(unreadable)?;
        within_a_line(header)?;
        let header: Vec<String> = header.iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for row in reader.into_records() {
            let row = row.map_err(unreadable)?;
            let line = row.position().map_or(0, csv::Position::line);
            within_a_line(&row)?;
            if row.iter().all(str::is_empty) {
                continue;
            }
            if row.len() != header.len() {
                return Err(TableError::Ragged { file: named(), line, found: row.len(), expected: header.len() });
            }
            rows.push((line, row));
        }
        if rows.is_empty() {
            return Err(TableError::NoRow { file: named() });
        }
        Ok(Self { file: named(), header, rows, decimal_comma: separator != b',' })
    }

    /// The file's name without its ending.
    pub fn stem(&self) -> String {
        let stem = Path::new(&self.file).file_stem();
        stem.map_or_else(|| self.file.clone(), |stem| stem.to_string_lossy().into_owned())
    }

    /// Whether a column has this name.
    pub fn has(&self, name: &str) -> bool {
        self.header.iter().any(|column| column == name)
    }

    /// The place of the column `name`.
    pub fn column(&self, name: &str) -> Result<usize, TableError> {
        let mut places = (0..self.header.len()).filter(|at| self.header[*at] == name);
        match (places.next(), places.next()) {
            (Some(at), None) => Ok(at),
            (Some(_), Some(_)) => Err(TableError::Twice { file: self.file.clone(), column: name.to_owned() }),
            (None, _) => Err(self.no_column(name)),
        }
    }

    /// The error that no column has the name, or the pattern, `column`.
    pub fn no_column(&self, column: &str) -> TableError {
        let mut known: Vec<String> = self.header.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
        known.extend((self.header.len() > NAMED).then(|| format!("{} more", self.header.len() - NAMED)));
        TableError::NoColumn {
            file: self.file.clone(),
            column: column.to_owned(),
            closest: spelling::closest(column, self.header.iter().map(String::as_str)).map(str::to_owned),
            known: known.join(", "),
        }
    }

    /// The text of a field.
    pub fn field(&self, row: usize, column: usize) -> &str {
        self.rows[row].1.get(column).unwrap_or_default()
    }

    /// The error that a field holds something else.
    pub fn wrong(&self, row: usize, column: usize, wanted: &'static str) -> TableError {
        TableError::Field {
            file: self.file.clone(),
            line: self.rows[row].0,
            column: self.header[column].clone(),
            found: self.field(row, column).to_owned(),
            wanted,
        }
    }
}

/// What separates the fields of a header: a tab or a semicolon where there is one outside quotes, else a comma.
fn separator(head: &str) -> u8 {
    let outside: String = head.split('"').step_by(2).collect();
    [b'\t', b';'].into_iter().find(|mark| outside.as_bytes().contains(mark)).unwrap_or(b',')
}
