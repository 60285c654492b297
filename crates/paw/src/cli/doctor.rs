//! Flags of `paw doctor`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::cli::Format;

/// `paw doctor`.
#[derive(Debug, Args)]
#[command(
    override_usage = "paw doctor [OPTIONS] [CHECK]...\n       paw doctor --tune -- COMMAND...\n       paw doctor --restore"
)]
pub struct DoctorArgs {
    /// Only these checks, with everything that is known about each
    #[arg(value_name = "CHECK", conflicts_with_all = ["tune", "restore", "fix_script", "all"])]
    pub checks: Vec<String>,
    /// List every check, also those that found nothing
    #[arg(long, conflicts_with_all = ["tune", "restore", "fix_script"])]
    pub all: bool,
    /// How the findings are written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The machine whose /sys and /proc were copied below this directory, in place of this one
    #[arg(long, value_name = "DIR")]
    pub sysroot: Option<PathBuf>,
    /// Read files only: leave out the probes, which measure for up to 10 s
    #[arg(long)]
    pub no_probes: bool,
    /// Exit with 4 if something disturbs this machine (WARN or FAIL), or a check that is named cannot tell (UNKNOWN)
    #[arg(long)]
    pub strict: bool,
    /// Print the remedies as a shell script, and change nothing
    #[arg(long, conflicts_with_all = ["tune", "restore", "format", "strict"])]
    pub fix_script: bool,
    /// Run a COMMAND with the remedies that can be taken back, and take them back when it ends
    #[arg(long, requires = "command", conflicts_with_all = ["restore", "format", "strict", "no_probes"])]
    pub tune: bool,
    /// With --tune: give the COMMAND, and all that it starts, the same addresses each time
    #[arg(long, requires = "tune")]
    pub no_aslr: bool,
    /// Take back what a killed `paw doctor --tune` has left
    #[arg(long, conflicts_with_all = ["format", "strict", "no_probes"])]
    pub restore: bool,
    /// The command to run, with --tune
    #[arg(last = true, requires = "tune")]
    pub command: Vec<OsString>,
}
