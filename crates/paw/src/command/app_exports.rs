//! The files that `paw app` writes beside its run: `--export-json`, `--export-csv`, …

use std::io::{self, Write};
use std::path::PathBuf;

use paw_data::run::Run;
use paw_report::{SummaryFormat, summary};

use crate::cli::AppExportArgs;
use crate::export_format::write_hyperfine;
use crate::failure::Failure;
use crate::file;

/// Writes a run.
type WriteRun = fn(&Run, &mut dyn Write) -> io::Result<()>;

/// The files that were asked for, with their flags.
fn asked(args: &AppExportArgs) -> impl Iterator<Item = (&'static str, &PathBuf, WriteRun)> {
    let as_summary: [(&str, &Option<PathBuf>, WriteRun); 5] = [
        ("--export-json", &args.export_json, write_hyperfine),
        ("--export-csv", &args.export_csv, |run, out| table(run, out, SummaryFormat::Csv)),
        ("--export-markdown", &args.export_markdown, |run, out| table(run, out, SummaryFormat::Markdown)),
        ("--export-asciidoc", &args.export_asciidoc, |run, out| table(run, out, SummaryFormat::Asciidoc)),
        ("--export-orgmode", &args.export_orgmode, |run, out| table(run, out, SummaryFormat::Orgmode)),
    ];
    as_summary.into_iter().filter_map(|(flag, path, write)| Some((flag, path.as_ref()?, write)))
}

fn table(run: &Run, out: &mut dyn Write, format: SummaryFormat) -> io::Result<()> {
    out.write_all(summary(run, format).as_bytes())
}

/// Checks that each file has a directory, before anything is measured.
pub fn possible(args: &AppExportArgs) -> Result<(), Failure> {
    for (flag, path, _) in asked(args) {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if parent.is_some_and(|parent| !parent.is_dir()) || path.is_dir() {
            return Err(Failure::usage(format!("{flag} {}: no file can be there", path.display()))
                .hint("name a file in a directory that exists, or - for standard output"));
        }
    }
    Ok(())
}

/// Writes each file.
pub fn write(args: &AppExportArgs, run: &Run) -> Result<(), Failure> {
    for (_, path, write) in asked(args) {
        file::stream(path, |out| write(run, out))?;
    }
    Ok(())
}
