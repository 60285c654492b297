//! The flags of `paw analyze`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// `paw analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// An ELF program or shared object
    pub file: PathBuf,
    /// A function, as in the source or as the linker has it; may be repeated [default: all that have loops]
    #[arg(long = "function", value_name = "NAME")]
    pub functions: Vec<String>,
    /// How the result is written: text, md or json
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
