//! The flags of `paw profile`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// `paw profile`.
#[derive(Debug, Args)]
#[command(override_usage = "paw profile [OPTIONS] -- CMD...\n       paw profile [OPTIONS] --pid PID")]
pub struct ProfileArgs {
    /// The program and its arguments, after --; it keeps this terminal
    #[arg(last = true, value_name = "CMD", required_unless_present = "pid")]
    pub command: Vec<String>,
    /// A process that runs already, by its number: until it ends, for --duration, or until Ctrl-C
    #[arg(long, value_name = "PID", conflicts_with = "command")]
    pub pid: Option<u32>,
    /// Time for which a running process is sampled: 10s, 2m
    #[arg(long, value_name = "TIME", requires = "pid", conflicts_with = "command")]
    pub duration: Option<String>,
    #[command(flatten)]
    pub sampling: SamplingArgs,
    /// Directory of the run; it must not hold one already [default: paw-results/<UTC time>-<6 characters>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// No progress
    #[arg(long)]
    pub quiet: bool,
    /// How the results are written; unless it is text, what the program prints goes to standard error
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// How a program is sampled.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How it is sampled")]
pub struct SamplingArgs {
    /// Samples of a second of processor time, up to 100000; no round number, so that they keep no step with the program
    #[arg(long, value_name = "N", default_value_t = 997)]
    pub hz: u32,
    /// Record no callers
    #[arg(long)]
    pub no_callers: bool,
}

impl Default for SamplingArgs {
    fn default() -> Self {
        Self { hz: 997, no_callers: false }
    }
}
