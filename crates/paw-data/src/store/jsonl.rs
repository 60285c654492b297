//! The lines of `run.jsonl`: one JSON object each, its kind under the key `line`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::cell::Cell;
use crate::code::Code;
use crate::counters::Counters;
use crate::executed::Executed;
use crate::explanation::Explanation;
use crate::outcome::Outcome;
use crate::profile::Profile;
use crate::run::{End, Header, Imported, Instrument};
use crate::sample::{Phase, Samples};
use crate::team::Team;

/// The kinds of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Run,
    Instrument,
    Team,
    Cell,
    Samples,
    Imported,
    Profile,
    Outcome,
    Explanation,
    Counters,
    Executed,
    Code,
    End,
    /// An unknown kind, of a later version.
    Other,
}

const KINDS: &[(&str, LineKind)] = &[
    ("samples", LineKind::Samples),
    ("cell", LineKind::Cell),
    ("outcome", LineKind::Outcome),
    ("imported", LineKind::Imported),
    ("profile", LineKind::Profile),
    ("counters", LineKind::Counters),
    ("executed", LineKind::Executed),
    ("instrument", LineKind::Instrument),
    ("team", LineKind::Team),
    ("code", LineKind::Code),
    ("run", LineKind::Run),
    ("explanation", LineKind::Explanation),
    ("end", LineKind::End),
];

/// The kinds of lines that this version knows, with their names in the file.
#[cfg(test)]
pub(super) fn kinds() -> impl Iterator<Item = (&'static str, LineKind)> {
    KINDS.iter().copied()
}

/// The kind of a line, and its name in the file. The rest of the line is read only where the key is not first.
pub(super) fn kind(line: &[u8]) -> Result<(LineKind, Cow<'_, str>), serde_json::Error> {
    let tag = match leading_tag(line) {
        Some(tag) => Cow::Borrowed(tag),
        None => serde_json::from_slice::<Tag<'_>>(line)?.line,
    };
    let kind = KINDS.iter().find(|(name, _)| *name == tag).map_or(LineKind::Other, |(_, kind)| *kind);
    Ok((kind, tag))
}

fn leading_tag(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(br#"{"line":""#)?;
    let end = rest.iter().position(|b| *b == b'"')?;
    std::str::from_utf8(&rest[..end]).ok()
}

#[derive(Deserialize)]
struct Tag<'a> {
    #[serde(borrow)]
    line: Cow<'a, str>,
}

/// A line, to be written.
pub(super) enum Line<'a> {
    Run(&'a Header),
    Instrument(&'a Instrument),
    Team(&'a Team),
    Cell(&'a Cell),
    Samples(SamplesLine<'a>),
    Imported(ImportedLine),
    Profile(&'a Profile),
    Outcome(&'a Outcome),
    Explanation(&'a Explanation),
    Counters(&'a Counters),
    Executed(&'a Executed),
    Code(&'a Code),
    End(&'a End),
}

impl Line<'_> {
    /// Its text, without the line feed. As a generic function it would be compiled in each crate that writes lines, with all that they hold.
    pub(super) fn json(&self) -> serde_json::Result<Vec<u8>> {
        match *self {
            Line::Run(body) => tagged("run", body),
            Line::Instrument(body) => tagged("instrument", body),
            Line::Team(body) => tagged("team", body),
            Line::Cell(body) => tagged("cell", body),
            Line::Samples(ref line) => serde_json::to_vec(line),
            Line::Imported(ref line) => serde_json::to_vec(line),
            Line::Profile(body) => tagged("profile", body),
            Line::Outcome(body) => tagged("outcome", body),
            Line::Explanation(body) => tagged("explanation", body),
            Line::Counters(body) => tagged("counters", body),
            Line::Executed(body) => tagged("executed", body),
            Line::Code(body) => tagged("code", body),
            Line::End(body) => tagged("end", body),
        }
    }
}

fn tagged<T: Serialize>(line: &'static str, body: &T) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Tagged { line, body })
}

/// Any line whose keys are those of `body`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Tagged<'a, T> {
    pub line: &'static str,
    #[serde(flatten)]
    pub body: &'a T,
}

/// A `samples` line, for writing; it is read by [`Columns`](super::columns::Columns).
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SamplesLine<'a> {
    pub line: &'static str,
    pub cell: u32,
    pub phase: Phase,
    #[serde(flatten)]
    pub samples: &'a Samples,
}

/// An `imported` line.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ImportedLine {
    #[serde(skip_deserializing)]
    pub line: &'static str,
    pub cell: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Imported>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Imported>,
}
