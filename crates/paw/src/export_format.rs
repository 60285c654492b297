//! The forms a run is exported in: a row each. The code that writes a form lies in a file of its own.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use paw_data::run::Run;
use paw_data::store::dat::DatNames;
use paw_data::store::{WriteError, csv, dat, json};

/// Writes a run as one text.
type WriteText = fn(&Run, &mut dyn Write) -> io::Result<()>;

/// A form a run is exported in.
#[derive(Debug)]
pub struct ExportFormat {
    /// Name on the command line.
    pub name: &'static str,
    meaning: &'static str,
    /// What writes it.
    pub writer: Writer,
    /// What writes single samples in this form.
    pub samples: Option<WriteText>,
}

/// What writes a run in a form.
#[derive(Debug, Clone, Copy)]
pub enum Writer {
    /// One text.
    Text(WriteText),
    /// Files in a directory; returns their paths.
    Files(fn(&Run, &Path, DatNames) -> Result<Vec<PathBuf>, WriteError>),
}

/// All forms; a new one is its file and its row.
const FORMATS: &[ExportFormat] = &[
    ExportFormat {
        name: "csv",
        meaning: "Comma-separated values in long form",
        writer: Writer::Text(|run, out| csv::write(run, out)),
        samples: Some(|run, out| csv::write_samples(run, out)),
    },
    ExportFormat { name: "dat", meaning: "PAW's .dat files", writer: Writer::Files(dat::export), samples: None },
    ExportFormat {
        name: "json",
        meaning: "JSON",
        writer: Writer::Text(|run, out| json::write(run, out)),
        samples: None,
    },
    ExportFormat {
        name: "md",
        meaning: "Markdown",
        writer: Writer::Text(|run, out| out.write_all(paw_report::markdown(run).as_bytes())),
        samples: None,
    },
];

/// Reads the name of a form.
pub fn parser() -> impl TypedValueParser<Value = &'static ExportFormat> {
    let names = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.meaning));
    PossibleValuesParser::new(names)
        .try_map(|typed| FORMATS.iter().find(|format| format.name == typed).ok_or("no such form"))
}
