//! `paw history add`: runs become entries of the history.

use paw_data::history::RunDigest;
use paw_data::store::Extent;
use paw_data::store::history::{Added, add as add_entry};

use super::source;
use crate::cli::{HistoryAddArgs, StoreArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::open::{open, runs_in};
use crate::print;

/// Adds runs; one that cannot be read costs a warning where others can.
pub fn add(args: &HistoryAddArgs, store: &StoreArgs) -> Result<Code, Failure> {
    let store = source::store(store)?;
    let (mut code, mut kept) = (None, 0);
    for path in args.runs.iter().flat_map(|path| runs_in(path)) {
        let run = match open(&path, Extent::Figures) {
            Ok(run) => run,
            Err(failure) => {
                print::warn(&format!("{failure}; it is not added"));
                code = Some(failure.code);
                continue;
            }
        };
        let source = std::path::absolute(&path).unwrap_or(path).display().to_string();
        let entry = RunDigest::of(&run, source);
        if entry.figures.is_empty() {
            print::warn(&format!("{} has no cell that was measured: it is not added", entry.run));
            continue;
        }
        let added = add_entry(&store, &entry).map_err(|error| {
            Failure::io(error.to_string())
                .hint("name a directory that you may write to with --store, PAW_HISTORY or in paw.toml")
        })?;
        kept += 1;
        let word = match added {
            Added::New => "added",
            Added::Known => "there already",
            Added::Replaced => "replaced",
        };
        print::show(&format!(
            "{}: {word}, {}\n",
            entry.run,
            crate::amount::counted(entry.figures.len() as u64, "figure")
        ))?;
    }
    let nothing = if kept == 0 { Code::Nothing } else { Code::Done };
    Ok(code.unwrap_or(nothing))
}
