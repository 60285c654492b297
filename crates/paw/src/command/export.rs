//! `paw export`: a run as CSV, JSON, Markdown or PAW's `.dat` files.

use std::path::{Path, PathBuf};

use paw_data::run::Run;
use paw_data::store::dat::DatNames;
use paw_data::store::{Extent, WriteError};

use crate::cli::ExportArgs;
use crate::exit::Code;
use crate::export_format::Writer;
use crate::failure::Failure;
use crate::file;
use crate::open::open;
use crate::outdir::{self, unwritten};
use crate::print;

/// Writes a run in the chosen format.
pub fn export(args: &ExportArgs) -> Result<Code, Failure> {
    let format = args.format;
    let writer = match format.samples {
        Some(samples) if args.samples => Writer::Text(samples),
        None if args.samples => return Err(Failure::usage("--samples goes with --format csv only")),
        _ => format.writer,
    };
    let run = open(&args.run, Extent::All)?;
    let write = match writer {
        Writer::Text(write) => write,
        Writer::Files(write) => return files(args, &run, write),
    };
    file::stream(args.out.as_deref().unwrap_or(Path::new("-")), |out| write(&run, out))?;
    Ok(Code::Done)
}

fn files(
    args: &ExportArgs,
    run: &Run,
    write: fn(&Run, &Path, DatNames) -> Result<Vec<PathBuf>, WriteError>,
) -> Result<Code, Failure> {
    let directory = args.out.as_deref().unwrap_or(Path::new("."));
    outdir::owned(directory)?;
    let paths = write(run, directory, args.dat_names.into()).map_err(unwritten)?;
    if paths.is_empty() {
        return Err(Failure::nothing(format!("{} holds nothing that PAW has a file for", args.run.display())));
    }
    print::show(&paths.iter().map(|path| format!("{}\n", path.display())).collect::<String>())?;
    Ok(Code::Done)
}
