//! The flags of `paw campaign`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `paw campaign`.
#[derive(Debug, Args)]
pub struct AcceptanceArgs {
    #[command(subcommand)]
    pub command: CampaignCommand,
}

/// What is done with a campaign.
#[derive(Debug, Subcommand)]
pub enum CampaignCommand {
    /// Do the steps of a FILE one after the other; with the --out of an interrupted campaign, those that are missing
    Run(CampaignRunArgs),
    /// Go on with an interrupted campaign: do the steps that are missing
    Resume(CampaignResumeArgs),
}

/// `paw campaign run`.
#[derive(Debug, Args)]
pub struct CampaignRunArgs {
    /// The campaign, in TOML: `[[step]]` with `name` and `command`
    pub file: PathBuf,
    /// Directory of the campaign [default: paw-results/<UTC time>-<6 characters>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Show the command of each step and its plan, and measure nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `paw campaign resume`.
#[derive(Debug, Args)]
pub struct CampaignResumeArgs {
    /// Directory of the campaign
    pub campaign: PathBuf,
    /// Show what is missing, with commands and plans, and measure nothing
    #[arg(long)]
    pub dry_run: bool,
}
