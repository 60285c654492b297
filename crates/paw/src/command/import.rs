//! `paw import`: `.dat` files of PAW 1.0 to 1.6, and times and counters of other tools, kept as runs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use paw_data::run::Run;
use paw_data::store;
use paw_data::store::{counter_import, dat, hyperfine};

use super::import_table;
use crate::amount::counted;
use crate::cli::ImportArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::outdir::{self, unwritten};
use crate::print;

/// Reads `.dat` files and writes one run for each time that PAW was run, and one for each file of another tool.
pub fn import(args: &ImportArgs) -> Result<Code, Failure> {
    let (tools, files) = if args.table.time.is_empty() {
        of_tools(&args.files)?
    } else {
        let tables = args.files.iter().map(|path| import_table::run(path, &args.table));
        (tables.collect::<Result<_, _>>()?, Vec::new())
    };
    let mut found = if files.is_empty() { dat::Import::default() } else { dat::import(&files) };
    if let Some(provider) = &args.provider {
        let cells = found.runs.iter_mut().flat_map(|run| &mut run.records).map(|record| &mut record.cell);
        cells.for_each(|cell| cell.provider = provider.into());
    }
    found.runs.splice(..0, tools);
    found.notes.iter().for_each(|note| print::message(&format!("note: {note}")));
    if found.runs.is_empty() {
        let names: Vec<_> = args.files.iter().map(|path| path.display().to_string()).collect();
        let sentence = format!("no result could be read from {}", names.join(", "));
        return Err(Failure::io(sentence).hint(
            "name .dat files of PAW, a directory that holds some, JSON of hyperfine, output of likwid-perfctr, CSV files of MAQAO, or any table with --time COLUMN[UNIT]",
        ));
    }
    let mut text = String::new();
    let several = found.runs.len() > 1;
    if let (true, Some(out)) = (several, &args.out) {
        outdir::owned(out)?;
    }
    for (number, run) in (1..).zip(&found.runs) {
        // Several runs get a folder each in the directory asked for.
        let out = args.out.as_ref().map(|out| if several { out.join(number.to_string()) } else { out.clone() });
        let directory = leave(run, out.as_deref())?;
        let time =
            Some(&run.header.utc).filter(|utc| !utc.is_empty()).map(|utc| format!(", {utc}")).unwrap_or_default();
        text += &format!("{}: {}{time}\n", directory.display(), counted(run.records.len() as u64, "point"));
    }
    print::show(&text)?;
    Ok(Code::Done)
}

/// The runs of files that other tools wrote, and the files that are left. Says which may be meant otherwise.
fn of_tools(files: &[PathBuf]) -> Result<(Vec<Run>, Vec<PathBuf>), Failure> {
    let (mut runs, mut rest) = (Vec::new(), Vec::new());
    for path in files {
        let is_other = path.is_file() && path.extension().is_none_or(|kind| kind != "dat");
        let text = is_other.then(|| paw_data::bounded::text(path).ok()).flatten();
        let found = text
            .and_then(|text| hyperfine::import(path, &text).or_else(|| counter_import::import(path, &text).map(Ok)));
        match found.transpose().map_err(|error| Failure::io(error.to_string()))? {
            Some(run) => {
                if run.header.tool == counter_import::MAQAO {
                    let name = path.display();
                    let table = "a table of times needs --time COLUMN[UNIT]";
                    print::message(&format!("note: {name}: read as counters of MAQAO; {table}"));
                }
                runs.push(run);
            }
            None => rest.push(path.clone()),
        }
    }
    Ok((runs, rest))
}

/// Writes one run into a directory of its own.
fn leave(run: &Run, out: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(parent) = out.and_then(Path::parent).filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent)
            .map_err(|error| Failure::io(format!("{} cannot be created: {error}", parent.display())))?;
    }
    let made = outdir::make(out, SystemTime::now(), &mut fastrand::Rng::new())?;
    let path = made.writer.path();
    let file = File::options().append(true).open(path);
    let file = file.map_err(|error| Failure::io(format!("{} cannot be written: {error}", path.display())))?;
    store::write(run, file, path).map_err(unwritten)?;
    Ok(made.path)
}
