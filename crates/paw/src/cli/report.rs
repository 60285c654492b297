//! The flags of `paw report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;

/// `paw report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Runs: their directories, or their run.jsonl; a campaign's directory stands for all its runs
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// Two builds of a kernel side by side, of one run or one of each of two runs: '-O2,-Ofast -march=native', or their whole names
    #[arg(long, value_name = "X,Y", value_delimiter = ',', allow_hyphen_values = true)]
    pub builds: Vec<String>,
    /// How two builds side by side (--builds) are written: html is a file, the others go to standard output; runs are html
    #[arg(long, value_enum, default_value_t)]
    pub format: PageFormat,
    /// The file written; - is standard output [default: report.html in the run's directory, or the current one for several]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// How a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum PageFormat {
    /// One file, for a browser
    #[default]
    Html,
    /// For reading in a terminal
    Text,
    /// Markdown
    Md,
}

/// `paw show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The run: its directory, its run.jsonl, or the name that it has in paw-results/
    pub run: PathBuf,
    /// How the results are written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
