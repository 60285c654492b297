//! How benchmarks are measured, as typed.

use clap::{Args, ValueEnum};
use paw_data::method;

/// What ends the rounds of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Until {
    /// Every comparison says which is faster, and whether by more than the margin
    Decided,
}

impl From<Until> for method::Until {
    fn from(typed: Until) -> Self {
        match typed {
            Until::Decided => Self::Decided,
        }
    }
}

/// What a campaign may take, and where its samples come from.
#[derive(Debug, Clone, Default, Args)]
pub struct CampaignArgs {
    /// Time the whole run may take: 90s, 2m, 1h30m
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Fresh processes that the samples of each cell come from [default: three or more, as the budget allows]
    #[arg(long, value_name = "N")]
    pub invocations: Option<String>,
    /// Go on within the budget until every comparison is decided
    #[arg(long, value_enum)]
    pub until: Option<Until>,
    /// Seed of every shuffle
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// How it is measured.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "How it is measured")]
pub struct MeasuringArgs {
    /// adaptive (default), kbest, csapp, meta31, paw or paw16
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Samples of every series
    #[arg(long, value_name = "N")]
    pub reps: Option<String>,
    /// Iterations of every sample
    #[arg(long, value_name = "N")]
    pub loops: Option<String>,
    /// Untimed samples before every series
    #[arg(long, value_name = "N")]
    pub warmup: Option<String>,
    #[command(flatten)]
    pub campaign: CampaignArgs,
    /// Exit with 4 if something asked for is not on this machine
    #[arg(long)]
    pub require: bool,
    /// Exit with 4 if the machine was too disturbed to trust
    #[arg(long)]
    pub strict_env: bool,
}
