//! `paw report`: runs as one HTML file.

use std::collections::HashSet;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use paw_data::run::Run;
use paw_data::store::Extent;
use paw_report::side_by_side::SideBySide;

use crate::acceptance::ledger;
use crate::cli::{PageFormat, ReportArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::file;
use crate::open::open;
use crate::outdir::REPORT_FILE;
use crate::print;

/// Writes the report of one run or several, or of two builds side by side.
pub fn report(args: &ReportArgs) -> Result<Code, Failure> {
    let paths = args.runs.iter().map(|path| Ok(ledger::runs(path)?.unwrap_or_else(|| vec![path.clone()])));
    let paths = paths.collect::<Result<Vec<_>, Failure>>()?.concat();
    let mut runs = paths.iter().map(|path| open(path, Extent::Shown)).collect::<Result<Vec<_>, _>>()?;
    let mut shown = HashSet::new();
    runs.retain(|run| {
        let is_new = shown.insert(run.header.id.clone());
        if !is_new {
            print::warn(&format!("{} is named again: it is shown once", run.header.id));
        }
        is_new
    });
    // The process ends when the page is written: to free a million columns one by one takes a tenth of the time.
    let runs = ManuallyDrop::new(runs);
    if runs.is_empty() {
        return Err(Failure::nothing("no step of this campaign has left a run")
            .hint("`paw campaign resume DIR --dry-run` shows what is missing"));
    }
    let pair = !args.builds.is_empty();
    if !pair && args.format != PageFormat::Html {
        let hint = "`paw export RUN --format md` writes a run as Markdown, for reading in a terminal too";
        return Err(Failure::usage("--format is for two builds side by side (--builds X,Y)").hint(hint));
    }
    let page = if pair { side_by_side(&runs, args)? } else { paw_report::html(&runs) };
    let name = if pair { SIDE_BY_SIDE } else { REPORT_FILE };
    let beside = (args.format == PageFormat::Html).then(|| beside(&args.runs, name));
    match args.out.clone().or(beside).filter(|path| path != Path::new("-")) {
        None => print::show(&page)?,
        Some(path) => {
            file::write(&path, &page)?;
            print::show(&format!("{}\n", path.display()))?;
        }
    }
    Ok(Code::Done)
}

/// The page of two builds.
const SIDE_BY_SIDE: &str = "builds.html";

fn side_by_side(runs: &[Run], args: &ReportArgs) -> Result<String, Failure> {
    let wrong = |why: String| {
        Failure::usage(why).hint("`paw report RUN --builds X,Y` takes two builds of one run, or one of each of two")
    };
    let both = SideBySide::of(runs).map_err(wrong)?;
    let pair = both.pair(&args.builds).map_err(wrong)?;
    Ok(match args.format {
        PageFormat::Html => both.html(&pair),
        PageFormat::Text => both.text(&pair, print::width(), print::colour()),
        PageFormat::Md => both.markdown(&pair),
    })
}

/// The default file: in the directory of a single run or campaign, else in the current one.
fn beside(runs: &[PathBuf], name: &str) -> PathBuf {
    match runs {
        [run] if run.is_dir() => run.join(name),
        [run] => run.with_file_name(name),
        _ => PathBuf::from(name),
    }
}
