//! The files that `paw app` writes beside its run, by hyperfine's names.

use std::path::PathBuf;

use clap::Args;

/// The files that `paw app` writes beside its run; `-` is standard output.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Files and output")]
pub struct AppExportArgs {
    /// Write the runs' times as hyperfine's JSON, for scripts that read it (`paw export --format json` has all that paw keeps)
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,
    /// Write the summary (mean, deviation, median, smallest, largest, ratio to the fastest) as CSV, in seconds
    #[arg(long, value_name = "FILE")]
    pub export_csv: Option<PathBuf>,
    /// Write the summary as a table of Markdown
    #[arg(long, value_name = "FILE")]
    pub export_markdown: Option<PathBuf>,
    /// Write the summary as a table of AsciiDoc
    #[arg(long, value_name = "FILE")]
    pub export_asciidoc: Option<PathBuf>,
    /// Write the summary as a table of Org mode
    #[arg(long, value_name = "FILE")]
    pub export_orgmode: Option<PathBuf>,
}
