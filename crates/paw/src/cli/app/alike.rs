//! Values of placeholders, in hyperfine's words.

use clap::Args;

/// Values of placeholders, in hyperfine's words; each stands for a `--set`.
#[derive(Debug, Clone, Default, Args)]
pub struct AlikeArgs {
    /// As --set NAME=VALUES: -L mode fast,safe
    #[arg(short = 'L', long = "parameter-list", num_args = 2, allow_hyphen_values = true, value_names = ["NAME", "VALUES"])]
    pub lists: Vec<String>,
    /// As --set NAME=MIN..MAX:STEP, with steps of 1 or of -D; numbers need not be whole: -P n 1 9 -D 2
    #[arg(short = 'P', long = "parameter-scan", num_args = 3, allow_hyphen_values = true, value_names = ["NAME", "MIN", "MAX"])]
    pub scans: Vec<String>,
    /// The step of -P
    #[arg(short = 'D', long = "parameter-step-size", value_name = "STEP", requires = "scans")]
    pub step: Option<String>,
}
