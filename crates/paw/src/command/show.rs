//! `paw show`: a stored run, printed again.

use std::mem::ManuallyDrop;

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
    // The process ends when it has been shown: to free a million columns one by one takes a tenth of the time.
    let run = ManuallyDrop::new(open_named(&args.run, extent)?);
    show::show(&run, args.format)?;
    Ok(Code::Done)
}
