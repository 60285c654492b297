//! `paw compare`: two runs, point by point.

use crate::cli::CompareArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::open::open;
use crate::print;

/// Shows run B against run A.
pub fn compare(args: &CompareArgs) -> Result<Code, Failure> {
    let (a, b) = (open(&args.a)?, open(&args.b)?);
    print::show(&paw_report::compare(&a, &b, print::width(), print::colour()))?;
    Ok(Code::Done)
}
