//! The flags of `paw analyze`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `paw analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// An ELF program or shared object
    pub file: PathBuf,
    /// A function, as in the source or as the linker has it; may be repeated [default: all that have loops]
    #[arg(long = "function", value_name = "NAME")]
    pub functions: Vec<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: AnalyzeFormat,
}

/// How a code's description is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum AnalyzeFormat {
    /// For reading in a terminal
    #[default]
    Text,
    /// JSON, with every figure
    Json,
    /// Markdown
    Md,
}
