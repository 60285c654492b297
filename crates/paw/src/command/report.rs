//! `paw report`: runs as one HTML file.

use std::path::{Path, PathBuf};

use crate::cli::ReportArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::file;
use crate::open::open;
use crate::outdir::REPORT_FILE;
use crate::print;

/// Writes the report of one run or several.
pub fn report(args: &ReportArgs) -> Result<Code, Failure> {
    let runs = args.runs.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
    let html = paw_report::html(&runs);
    let path = args.out.clone().unwrap_or_else(|| beside(&args.runs));
    if path == Path::new("-") {
        print::show(&html)?;
    } else {
        file::write(&path, &html)?;
        print::show(&format!("{}\n", path.display()))?;
    }
    Ok(Code::Done)
}

/// The default file: in the directory of a single run, else in the current one.
fn beside(runs: &[PathBuf]) -> PathBuf {
    match runs {
        [run] if run.is_dir() => run.join(REPORT_FILE),
        [run] => run.with_file_name(REPORT_FILE),
        _ => PathBuf::from(REPORT_FILE),
    }
}
