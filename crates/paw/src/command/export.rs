//! `paw export`: a run as CSV, JSON, Markdown or PAW's `.dat` files.

use std::io::Write;
use std::path::Path;

use paw_data::run::Run;
use paw_data::store::{csv, dat, json};

use crate::cli::{ExportArgs, ExportFormat};
use crate::exit::Code;
use crate::failure::Failure;
use crate::file;
use crate::open::open;
use crate::outdir::unwritten;
use crate::print;

/// Writes a run in another form.
pub fn export(args: &ExportArgs) -> Result<Code, Failure> {
    if args.samples && args.format != ExportFormat::Csv {
        return Err(Failure::usage("--samples goes with --format csv only"));
    }
    let run = open(&args.run)?;
    let write = |out: &mut dyn Write| match args.format {
        ExportFormat::Csv if args.samples => csv::write_samples(&run, out),
        ExportFormat::Csv => csv::write(&run, out),
        ExportFormat::Json => json::write(&run, out),
        ExportFormat::Md | ExportFormat::Dat => out.write_all(paw_report::markdown(&run).as_bytes()),
    };
    match args.out.as_deref().filter(|path| *path != Path::new("-")) {
        _ if args.format == ExportFormat::Dat => return dat_files(args, &run),
        Some(path) => file::stream(path, write)?,
        None => print::stream(write)?,
    }
    Ok(Code::Done)
}

fn dat_files(args: &ExportArgs, run: &Run) -> Result<Code, Failure> {
    let directory = args.out.as_deref().unwrap_or(Path::new("."));
    let paths = dat::export(run, directory, args.dat_names.into()).map_err(unwritten)?;
    if paths.is_empty() {
        return Err(Failure::nothing(format!("{} holds nothing that PAW has a file for", args.run.display())));
    }
    print::show(&paths.iter().map(|path| format!("{}\n", path.display())).collect::<String>())?;
    Ok(Code::Done)
}
