//! The file of a cluster's assessment, in TOML.
//!
//! ```toml
//! paw = "cluster/1"
//! engine = "slurm"
//! time = "30m"
//! lines = ["#SBATCH --partition=batch"]
//! setup = ["module load openmpi"]
//!
//! [[step]]
//! name = "memory"
//! command = "run stream_triad read --budget 5m"
//!
//! [[step]]
//! name = "allreduce"
//! command = "run allreduce"
//! nodes = [2, 4, 8]
//! ```

use std::ops::Range;
use std::path::Path;

use paw_data::document::{Document, DocumentError, Text, TextOr, Texts};
use serde::Deserialize;
use toml::Spanned;

use super::engine::{ENGINES, Engine, engine};
use crate::acceptance::step_file::words;
use crate::amount;

const VERSION: &str = "cluster/1";

/// Commands that leave a run.
const COMMANDS: &[&str] = &["run", "app", "kernel"];

/// Seconds that a job may take where no time is written.
const TIME_S: f64 = 3600.0;

/// What the file asks for.
#[derive(Debug)]
pub struct ClusterFile {
    /// Name of the job.
    pub name: String,
    pub engine: &'static Engine,
    /// How many nodes; `None`: the command line says it.
    pub nodes: Option<u32>,
    /// Seconds that the job may take.
    pub time_s: f64,
    /// Further lines of the script's head.
    pub lines: Vec<String>,
    /// Commands of the shell before anything is measured.
    pub setup: Vec<String>,
    /// What starts a command on each node, in the place of the engine's.
    pub each: Option<String>,
    /// What starts ranks, in the place of the engine's.
    pub ranks: Option<String>,
    pub steps: Vec<ClusterStep>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterStep {
    /// Its name, which is that of its directory.
    pub name: String,
    /// The command line, beginning with `paw`.
    pub words: Vec<String>,
    pub nodes: StepNodes,
    /// Ranks on each node, of steps of ranks.
    pub per_node: u32,
}

/// On which nodes a step is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepNodes {
    /// On every node by itself, all at once.
    Each,
    /// By the ranks of one job over all nodes.
    All,
    /// By the ranks of a job for each of these numbers of nodes, one job after the other.
    Counts(Vec<u32>),
}

impl StepNodes {
    /// How many nodes each job of ranks has, in a job of `nodes` nodes; nothing where every node works by itself.
    pub fn counts(&self, nodes: u32) -> Vec<u32> {
        match self {
            StepNodes::Each => Vec::new(),
            StepNodes::All => vec![nodes],
            StepNodes::Counts(counts) => counts.iter().copied().filter(|count| *count <= nodes).collect(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileKeys {
    paw: Text,
    name: Option<Text>,
    engine: Option<Text>,
    nodes: Option<Spanned<u32>>,
    time: Option<Text>,
    #[serde(default)]
    lines: Texts,
    #[serde(default)]
    setup: Texts,
    each: Option<Text>,
    ranks: Option<Text>,
    #[serde(default)]
    step: Vec<StepKeys>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepKeys {
    name: Text,
    command: Texts,
    nodes: Option<Spanned<TextOr<Vec<u32>>>>,
    ranks_per_node: Option<Spanned<u32>>,
}

impl ClusterFile {
    /// Reads the file at `path`; every command line is checked.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong: what, and where.
    pub fn read(path: &Path) -> Result<Self, DocumentError> {
        Document::read(path, of)
    }

    /// The names of the steps that every node does.
    pub fn node_steps(&self) -> Vec<String> {
        let own = self.steps.iter().filter(|step| step.nodes == StepNodes::Each);
        own.map(|step| step.name.clone()).collect()
    }
}

fn of(document: &Document<'_>) -> Result<ClusterFile, DocumentError> {
    let keys: FileKeys = document.parse()?;
    if keys.paw.text != VERSION {
        return Err(document.error(keys.paw.span, format!("this paw reads paw = \"{VERSION}\"")));
    }
    let engine = match &keys.engine {
        None => &ENGINES[0],
        Some(name) => engine(&name.text).ok_or_else(|| {
            let known: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
            document.error(name.span.clone(), format!("no such engine: {}", known.join(", ")))
        })?,
    };
    if let Some(none) = keys.nodes.as_ref().filter(|nodes| *nodes.get_ref() == 0) {
        return Err(document.error(none.span(), "a job has at least one node"));
    }
    let name = keys.name.as_ref().map_or(Ok("paw-cluster".to_owned()), |name| plain(document, name))?;
    let time = keys.time.as_ref().map(|text| seconds(document, text)).transpose()?;
    let mut steps: Vec<ClusterStep> = Vec::new();
    for keys in keys.step {
        let step = step(document, keys, &steps)?;
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(document.whole("it has no step: add `[[step]]` with `name` and `command`"));
    }
    Ok(ClusterFile {
        name,
        engine,
        nodes: keys.nodes.map(Spanned::into_inner),
        time_s: time.unwrap_or(TIME_S),
        lines: lines(document, keys.lines)?,
        setup: lines(document, keys.setup)?,
        each: keys.each.map(|text| text.text),
        ranks: keys.ranks.map(|text| text.text),
        steps,
    })
}

fn step(document: &Document<'_>, keys: StepKeys, before: &[ClusterStep]) -> Result<ClusterStep, DocumentError> {
    let name = plain(document, &keys.name)?;
    if before.iter().any(|step| step.name == name) {
        return Err(document.error(keys.name.span, "another step has this name"));
    }
    let nodes = match &keys.nodes {
        None => StepNodes::Each,
        Some(typed) => of_nodes(document, typed)?,
    };
    if let (StepNodes::Each, Some(ranks)) = (&nodes, &keys.ranks_per_node) {
        return Err(
            document.error(ranks.span(), "a step that every node does by itself has no ranks: write `nodes`, too")
        );
    }
    let per_node = keys.ranks_per_node.as_ref().map_or(1, |ranks| *ranks.get_ref());
    if let Some(none) = keys.ranks_per_node.filter(|_| per_node == 0) {
        return Err(document.error(none.span(), "a node has at least one rank"));
    }
    Ok(ClusterStep { name, words: words(document, &keys.command, COMMANDS)?, nodes, per_node })
}

fn of_nodes(document: &Document<'_>, typed: &Spanned<TextOr<Vec<u32>>>) -> Result<StepNodes, DocumentError> {
    match typed.get_ref() {
        TextOr::Text(word) if word == "each" => Ok(StepNodes::Each),
        TextOr::Text(word) if word == "all" => Ok(StepNodes::All),
        TextOr::Other(counts) if !counts.is_empty() && counts.iter().all(|count| *count > 0) => {
            Ok(StepNodes::Counts(counts.clone()))
        }
        _ => Err(document.error(typed.span(), "write \"each\", \"all\" or numbers of nodes: [2, 4, 8]")),
    }
}

/// A name that is a directory's, too.
fn plain(document: &Document<'_>, name: &Text) -> Result<String, DocumentError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.text.is_empty() || !name.text.chars().all(is_plain) || name.text.starts_with(['.', '-']) {
        return Err(document.error(name.span.clone(), "a name is letters, digits, `-`, `_` and `.`"));
    }
    Ok(name.text.clone())
}

/// Lines of a script, each one line.
fn lines(document: &Document<'_>, texts: Texts) -> Result<Vec<String>, DocumentError> {
    let broken = |text: &Text| -> Option<Range<usize>> { text.text.contains(['\n', '\r']).then(|| text.span.clone()) };
    if let Some(span) = texts.texts.iter().find_map(broken) {
        return Err(document.error(span, "write one line in each text"));
    }
    Ok(texts.texts.into_iter().map(|text| text.text).collect())
}

fn seconds(document: &Document<'_>, text: &Text) -> Result<f64, DocumentError> {
    amount::seconds(&text.text).map_err(|why| document.error(text.span.clone(), why))
}
