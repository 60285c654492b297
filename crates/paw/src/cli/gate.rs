//! The flags of `paw gate`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use paw_data::baseline::{PERCENTILES, Statistic};

use super::Format;
use crate::amount;

/// `paw gate`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "paw gate RUN... --against FILE\n       paw gate set --from RUN... --out FILE\n       paw gate update FILE --from RUN..."
)]
pub struct GateArgs {
    #[command(subcommand)]
    pub command: Option<GateCommand>,
    /// The runs that are judged, together: their directories, or their run.jsonl
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// The file of references
    #[arg(long, value_name = "FILE", required = true)]
    pub against: Option<PathBuf>,
    /// Verdicts that make paw exit with 1 (regression, wrong, suspicious) or 5 (the others); what failed exits with 3 always
    #[arg(long, value_enum, value_name = "WORDS", value_delimiter = ',', default_values = ["regression", "wrong", "doubted"])]
    pub fail_on: Vec<FailWord>,
    /// Accept that the runs lack what the file has; without it paw exits with 4. A reference that could mean several cells is a mistake still
    #[arg(long)]
    pub allow_missing: bool,
    #[command(flatten)]
    pub outputs: GateOutputArgs,
}

/// What a gate writes.
#[derive(Debug, Args)]
pub struct GateOutputArgs {
    /// How the verdicts are written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Write the verdicts as JUnit XML too
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Append a line a reference to a performance log as ReFrame writes it
    #[arg(long, value_name = "FILE")]
    pub perflog: Option<PathBuf>,
    /// Mark the references' lines: github prints commands, gitlab writes gl-code-quality-report.json, auto does what the CI is that runs paw
    #[arg(long, value_enum, default_value_t, value_name = "CI")]
    pub annotations: Annotations,
}

/// A verdict that may fail a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailWord {
    /// Worse than the bound, by more than runs differ
    Regression,
    /// A wrong answer
    Wrong,
    /// What looks like a regression, and is contended or unstable
    Doubted,
    /// Better than the bound, by more than runs differ
    Suspicious,
    /// A number of poor trust
    Unstable,
    /// The interval holds the bound
    Inconclusive,
    /// Other work disturbed the measurement
    Contended,
}

/// The CI that shows annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Annotations {
    /// None
    #[default]
    None,
    /// GitHub Actions
    Github,
    /// GitLab CI
    Gitlab,
    /// The one whose variables are set: `GITHUB_ACTIONS`, `GITLAB_CI`
    Auto,
}

/// What else a gate does.
#[derive(Debug, Subcommand)]
pub enum GateCommand {
    /// Write a file of references from runs
    Set(GateSetArgs),
    /// Change the measured references of a file; comments and all else stay
    Update(GateUpdateArgs),
}

/// `paw gate set`.
#[derive(Debug, Args)]
pub struct GateSetArgs {
    /// The runs: their directories, or their run.jsonl
    #[arg(long, required = true, num_args = 1.., value_name = "RUN")]
    pub from: Vec<PathBuf>,
    /// The file written; it must not be there yet [default: standard output]
    #[arg(short = 'o', long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How many of a hundred equal runs may lie beyond a bound
    #[arg(long, default_value = "5", value_parser = percentile)]
    pub percentile: f64,
    /// What is taken of each run
    #[arg(long, value_enum, default_value_t)]
    pub statistic: StatisticWord,
    /// The machines that the references are for: a pattern of processor, host name or fingerprint [default: the runs' processor]
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub machine: Option<String>,
    /// Add the peaks of devices that follow from what they say they are, as bounds for what is too good; labelled as derived
    #[arg(long)]
    pub peaks: bool,
}

/// `paw gate update`.
#[derive(Debug, Args)]
pub struct GateUpdateArgs {
    /// The file of references
    pub file: PathBuf,
    /// The runs: their directories, or their run.jsonl
    #[arg(long, required = true, num_args = 1.., value_name = "RUN")]
    pub from: Vec<PathBuf>,
    /// How many of a hundred equal runs may lie beyond a bound [default: what the reference has, else 5]
    #[arg(long, value_parser = percentile)]
    pub percentile: Option<f64>,
    /// Change bounds that would allow worse values, and references of more runs or days than these, too
    #[arg(long)]
    pub loosen: bool,
}

/// A statistic of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum StatisticWord {
    /// The median of its samples
    #[default]
    Median,
    /// The best of its samples
    Min,
    /// The mean of its samples, which has no interval
    Mean,
}

impl From<StatisticWord> for Statistic {
    fn from(typed: StatisticWord) -> Self {
        match typed {
            StatisticWord::Median => Self::Median,
            StatisticWord::Min => Self::Min,
            StatisticWord::Mean => Self::Mean,
        }
    }
}

fn percentile(text: &str) -> Result<f64, String> {
    let number = amount::share(&format!("{}%", text.trim_end_matches('%'))).map(|share| 100.0 * share);
    let fits = number.ok().filter(|number| PERCENTILES.contains(number));
    fits.ok_or_else(|| format!("`{text}` is no percentile for a bound: write 5, or another number from 0.01 to 40"))
}

fn pattern(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("an empty pattern is no machine's: write '*' for every machine".to_owned());
    }
    Ok(text.to_owned())
}
