//! What one line of `run.jsonl` says, whatever the lines before it said.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::columns::Columns;
use super::jsonl::{ImportedLine, LineKind, kind};
use super::salvage;
use crate::cell::Cell;
use crate::code::Code;
use crate::counters::Counters;
use crate::executed::Executed;
use crate::explanation::Explanation;
use crate::outcome::Outcome;
use crate::profile::Profile;
use crate::run::{End, Header, Instrument};
use crate::sample::{Phase, Samples};
use crate::team::Team;

/// What a line says.
pub(super) enum ParsedLine {
    Blank,
    /// The header, and its schema where that is of a later minor version.
    Run(Box<Header>, Option<String>),
    Instrument(Box<Instrument>),
    Team(Box<Team>),
    Cell(Box<Cell>),
    /// Samples of the cell of that number.
    Samples(u32, Phase, Box<Samples>),
    Imported(Box<ImportedLine>),
    Profile(Box<Profile>),
    Outcome(Box<Outcome>),
    Explanation(Box<Explanation>),
    Counters(Box<Counters>),
    Executed(Box<Executed>),
    Code(Box<Code>),
    End(Box<End>),
    /// A line of a later version, with the name of its kind.
    Other(String),
}

/// Why a line was refused.
pub(super) enum Refusal {
    /// The line is left out.
    Line(String),
    /// The whole file is refused.
    Schema(String),
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Refusal::Line(error.to_string())
    }
}

impl ParsedLine {
    /// What `line` of the file `path` says; `columns` lends the memory that samples are read into.
    pub fn of(line: &[u8], path: &Path, columns: &mut Columns) -> Result<Self, Refusal> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(Self::Blank);
        }
        let (kind, name) = kind(line)?;
        Ok(match kind {
            LineKind::Samples => {
                let phase = columns.read(line).map_err(Refusal::Line)?;
                // A copy has just the room that it needs.
                let kept = columns.extent.keeps(phase).then(|| columns.samples.clone());
                Self::Samples(columns.cell, phase, Box::new(kept.unwrap_or_default()))
            }
            LineKind::Cell => Self::Cell(body(line)?),
            LineKind::Outcome => Self::Outcome(body(line)?),
            LineKind::Imported => Self::Imported(body(line)?),
            LineKind::Profile => Self::Profile(body(line)?),
            LineKind::Counters => Self::Counters(body(line)?),
            LineKind::Executed => Self::Executed(body(line)?),
            LineKind::Instrument => Self::Instrument(body(line)?),
            LineKind::Code => Self::Code(body(line)?),
            LineKind::Team => Self::Team(body(line)?),
            LineKind::Run => header(line, path)?,
            LineKind::Explanation => Self::Explanation(body(line)?),
            LineKind::End => Self::End(body(line)?),
            LineKind::Other => Self::Other(name.into_owned()),
        })
    }
}

fn header(line: &[u8], path: &Path) -> Result<ParsedLine, Refusal> {
    #[derive(Deserialize)]
    struct Format {
        schema: String,
    }
    let Format { schema } = *body(line)?;
    let minor = match schema.strip_prefix("paw.run/").map(|version| version.split_once('.').unwrap_or((version, ""))) {
        Some(("1", "")) => None,
        Some(("1", _)) => Some(schema),
        _ => return Err(Refusal::Schema(schema)),
    };
    // A later minor version may use words unknown here: keep all other fields.
    let salvaged = |e: Refusal| salvage::header(line, path).map(Box::new).ok_or(e);
    Ok(ParsedLine::Run(body(line).or_else(salvaged)?, minor))
}

fn body<T: DeserializeOwned>(line: &[u8]) -> Result<Box<T>, Refusal> {
    Ok(Box::new(serde_json::from_slice(line)?))
}
