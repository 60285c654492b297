//! The flags of `paw cluster`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;

/// `paw cluster`.
#[derive(Debug, Args)]
pub struct ClusterArgs {
    #[command(subcommand)]
    pub command: ClusterCommand,
}

/// What is done with a cluster's assessment.
#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// Write the job of a FILE: every node by itself, all at once, then ranks over more and more nodes; with --submit, submit it
    Plan(ClusterPlanArgs),
    /// Name the nodes that are not like the others, with the evidence and what else differs there
    Report(ClusterReportArgs),
    /// Show how far the nodes are, until all have done their steps
    Watch(ClusterWatchArgs),
    /// Of runs under different algorithms of a library's collectives, name the fastest at each size
    Tuning(TuningArgs),
}

/// `paw cluster plan`.
#[derive(Debug, Args)]
pub struct ClusterPlanArgs {
    /// The assessment, in TOML: `[[step]]` with `name` and `command`
    pub file: PathBuf,
    /// Nodes of the job [default: as the file says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub nodes: Option<u32>,
    /// Directory of the assessment, which all nodes see [default: paw-results/<UTC time>-<6 characters>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Submit the job with the engine's own command
    #[arg(long)]
    pub submit: bool,
}

/// `paw cluster report`.
#[derive(Debug, Args)]
pub struct ClusterReportArgs {
    /// Directory of the assessment
    pub cluster: PathBuf,
    /// List every node and every figure
    #[arg(long)]
    pub all: bool,
    /// Judge every node by the references of this file, too, as `paw gate` does
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// How the nodes are written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Also write the page to this file, as HTML
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// `paw cluster watch`.
#[derive(Debug, Args)]
pub struct ClusterWatchArgs {
    /// Directory of the assessment
    pub cluster: PathBuf,
    /// Show it once, and end
    #[arg(long)]
    pub once: bool,
}

/// `paw cluster tuning`.
#[derive(Debug, Args)]
pub struct TuningArgs {
    /// Runs that differ in the variables that choose algorithms, the one without them first
    #[arg(required = true, num_args = 2..)]
    pub runs: Vec<PathBuf>,
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Also write what is faster than the library's own choice to this file, as rules that Open MPI reads
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
}
