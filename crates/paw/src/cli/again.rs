//! The flags of `paw again`.

use std::path::PathBuf;

use clap::Args;

/// `paw again`.
#[derive(Debug, Args)]
pub struct AgainArgs {
    /// The run: its directory, its run.jsonl, or the name that it has in paw-results/
    pub run: PathBuf,
    /// Directory of the new run [default: paw-results/<UTC time>-<6 characters> where the run was started]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print what differs now and the command, and measure nothing
    #[arg(long)]
    pub dry_run: bool,
}
