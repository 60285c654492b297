//! Flags of `paw machine`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `paw machine`.
#[derive(Debug, Args)]
pub struct MachineArgs {
    /// How the facts are written
    #[arg(long, value_enum, default_value_t)]
    pub format: MachineFormat,
    /// The machine whose /sys and /proc were copied below this directory, in place of this one
    #[arg(long, value_name = "DIR", conflicts_with = "xml")]
    pub sysroot: Option<PathBuf>,
    /// The machine that hwloc wrote (`lstopo --of xml`), in place of this one; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub xml: Option<PathBuf>,
}

/// How a machine is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum MachineFormat {
    /// Boxes and tables for reading in a terminal
    #[default]
    Text,
    /// JSON
    Json,
    /// Comma-separated values, one fact a line
    Csv,
    /// Markdown
    Md,
    /// What holds what, as a picture
    Svg,
}
