//! The table of export formats. The code of each format is in a file of its own.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use paw_data::run::Run;
use paw_data::store::dat::DatNames;
use paw_data::store::{WriteError, csv, dat, hyperfine, json};

use crate::print;

/// Writes a run as one text.
type WriteText = fn(&Run, &mut dyn Write) -> io::Result<()>;

/// An export format.
#[derive(Debug)]
pub struct ExportFormat {
    pub name: &'static str,
    meaning: &'static str,
    /// The writer of runs.
    pub writer: Writer,
    /// The writer of single samples, if the format has one.
    pub samples: Option<WriteText>,
}

/// The writer of a format.
#[derive(Debug, Clone, Copy)]
pub enum Writer {
    /// One text.
    Text(WriteText),
    /// Files in a directory; returns their paths.
    Files(fn(&Run, &Path, DatNames) -> Result<Vec<PathBuf>, WriteError>),
}

/// All formats; a new one is a file and a row here.
const FORMATS: &[ExportFormat] = &[
    ExportFormat {
        name: "csv",
        meaning: "Comma-separated values in long form",
        writer: Writer::Text(csv::write),
        samples: Some(csv::write_samples),
    },
    ExportFormat {
        name: "hyperfine",
        meaning: "JSON as hyperfine's --export-json",
        writer: Writer::Text(write_hyperfine),
        samples: None,
    },
    ExportFormat { name: "dat", meaning: "PAW's .dat files", writer: Writer::Files(dat::export), samples: None },
    ExportFormat { name: "json", meaning: "JSON", writer: Writer::Text(json::write), samples: None },
    ExportFormat {
        name: "md",
        meaning: "Markdown",
        writer: Writer::Text(|run, out| out.write_all(paw_report::markdown(run).as_bytes())),
        samples: None,
    },
];

/// Writes `run` as hyperfine writes its results, and tells how many cells are not among them.
pub fn write_hyperfine(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    hyperfine::write(run, out)?;
    let left_out = hyperfine::left_out(run);
    if left_out > 0 {
        let all = run.records.len();
        print::warn(&format!(
            "cells without times are left out, {left_out} of {all}: hyperfine's format has no place for them"
        ));
    }
    Ok(())
}

/// The parser of `--format`.
pub fn parser() -> impl TypedValueParser<Value = &'static ExportFormat> {
    let names = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.meaning));
    PossibleValuesParser::new(names)
        .try_map(|typed| FORMATS.iter().find(|format| format.name == typed).ok_or("no such form"))
}
