//! Arguments of the processes that paw starts of itself.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// `paw __replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The file of the job
    pub job: PathBuf,
    /// Calls after the warm-up
    pub calls: u64,
}

/// `paw __worker`.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// Arguments from the parent process
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}
