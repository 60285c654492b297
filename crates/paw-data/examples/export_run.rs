//! Opens a run and exports it to standard output: `export_run RUN csv|samples|json|none`; the other half of `big_run`.

use std::io::{BufWriter, stdout};
use std::path::Path;

use paw_data::store::{csv, json, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, format] = arguments.as_slice() else { return Err("name a run and a format".into()) };
    let run = read(Path::new(path))?;
    let out = BufWriter::with_capacity(1 << 20, stdout().lock());
    match format.as_str() {
        "csv" => csv::write(&run, out)?,
        "samples" => csv::write_samples(&run, out)?,
        "json" => json::write(&run, out)?,
        _ => drop(run),
    }
    Ok(())
}
