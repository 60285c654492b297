//! `paw show`: a stored run, printed again.

use std::path::Path;

use crate::cli::ShowArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::open::open;
use crate::outdir::RESULTS;
use crate::show;

/// Shows the run of a path, or of a name in the directory of results.
pub fn show(args: &ShowArgs) -> Result<Code, Failure> {
    let named = Path::new(RESULTS).join(&args.run);
    let path = if args.run.exists() || !named.exists() { &args.run } else { &named };
    show::show(&open(path)?, args.format)?;
    Ok(Code::Done)
}
