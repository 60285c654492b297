//! The flags of `paw history`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `paw history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    #[command(subcommand)]
    pub command: Option<HistoryCommand>,
    /// Benchmarks, programs, kernels or patterns (`dgemm`, `stream*`), drawn over the runs; without a NAME a line for each series
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    #[command(flatten)]
    pub store: StoreArgs,
    /// Read the runs in this directory in place of the store: a run, or a directory that holds some, as paw-results/; may be repeated
    #[arg(long, value_name = "DIR")]
    pub from: Vec<PathBuf>,
    /// The machine: its host name, or the beginning of its hash [default: this one, or the only one there is]
    #[arg(long, value_name = "NAME")]
    pub machine: Option<String>,
    /// Take machines with the same hardware for one, as the nodes of a cluster; a change of host is listed
    #[arg(long)]
    pub alike: bool,
    /// How the history is written
    #[arg(long, value_enum, default_value_t)]
    pub format: HistoryFormat,
    /// Also draw the series into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the figures for another tool in place of the history
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["svg", "format"])]
    pub export: Option<HistoryExport>,
    /// The file that --export writes [default: standard output]
    #[arg(long, value_name = "FILE", requires = "export")]
    pub out: Option<PathBuf>,
}

/// Where the history is.
#[derive(Debug, Clone, Default, Args)]
pub struct StoreArgs {
    /// The directory of the history [default: $PAW_HISTORY, else that of paw.toml, else $XDG_DATA_HOME/paw/history]
    #[arg(long, value_name = "DIR", global = true)]
    pub store: Option<PathBuf>,
}

/// What to do with the history.
#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Add runs to the history, or what is new of them
    Add(HistoryAddArgs),
}

/// `paw history add`.
#[derive(Debug, Args)]
pub struct HistoryAddArgs {
    /// Runs: their directories, directories that hold some, or run.jsonl files
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
}

/// How a history is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum HistoryFormat {
    /// For reading in a terminal
    #[default]
    Text,
    /// JSON
    Json,
}

/// The formats of other tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HistoryExport {
    /// Prometheus' text format: the latest figure of each series, for a textfile collector
    Prometheus,
    /// OpenMetrics text: all figures with their times, for promtool's backfilling
    Openmetrics,
    /// Apache Parquet: a row for each figure
    Parquet,
}
