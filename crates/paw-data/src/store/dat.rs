//! PAW's `.dat` files: written as points finish, and read in all versions.

mod footer;
mod header;
mod import;
mod name;
mod row;
mod series;

use std::path::{Path, PathBuf};

pub use import::{Import, Note, import};
pub use name::DatNames;
pub use series::{DatFiles, Folders};

use super::WriteError;
use crate::run::Run;

/// Writes the `.dat` files of a whole run into `dir`, and returns their paths. Providers get a folder each where there are
/// several. Cells without a name in PAW, skipped cells and wrong answers have no row.
pub fn export(run: &Run, dir: &Path, names: DatNames) -> Result<Vec<PathBuf>, WriteError> {
    let mut providers: Vec<&str> = run.records.iter().filter(|r| row::has_rows(r)).map(|r| &*r.cell.provider).collect();
    providers.sort_unstable();
    providers.dedup();
    let folders = if providers.len() > 1 { Folders::PerProvider } else { Folders::One };
    let mut files = DatFiles::new(dir, &run.header, names, folders);
    run.records.iter().try_for_each(|record| files.append(record))?;
    files.finish()
}
