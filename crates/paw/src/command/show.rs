//! `paw show`: a stored run, printed again.

use crate::cli::ShowArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::open::open_named;
use crate::show;

/// Shows the run of a path, or of a name in the directory of results.
pub fn show(args: &ShowArgs) -> Result<Code, Failure> {
    show::show(&open_named(&args.run)?, args.format)?;
    Ok(Code::Done)
}
