//! `paw show`: a stored run, printed again.

use paw_data::store::Extent;

use crate::cli::{Format, ShowArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::open::open_named;
use crate::show;

/// Shows the run of a path, or of a name in the directory of results.
pub fn show(args: &ShowArgs) -> Result<Code, Failure> {
    let extent = match args.format {
        Format::Text | Format::Md => Extent::Shown,
        Format::Json | Format::Csv => Extent::All,
    };
    show::show(&open_named(&args.run, extent)?, args.format)?;
    Ok(Code::Done)
}
