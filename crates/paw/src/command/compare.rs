//! `paw compare`: two sides of runs, point by point.

use std::mem::ManuallyDrop;
use std::path::PathBuf;

use paw_data::parts::{self, ITEMS_A_THREAD};
use paw_data::run::Run;
use paw_data::store::Extent;

use crate::cli::CompareArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::open::{open, runs_in};
use crate::print;

/// Shows the runs B against the runs A.
pub fn compare(args: &CompareArgs) -> Result<Code, Failure> {
    let (a, b) = match (&args.a[..], &args.b[..]) {
        ([a, b], []) => (std::slice::from_ref(a), std::slice::from_ref(b)),
        (a, []) => {
            let sentence =
                format!("{} and no run to compare with", if a.len() == 1 { "one run" } else { "several runs" });
            return Err(Failure::usage(sentence)
                .hint("paw compare A B, or with several runs a side: paw compare A1 A2 A3 -- B1 B2 B3"));
        }
        sides => sides,
    };
    let (a, b) = parts::both(ITEMS_A_THREAD, || side(a), || side(b));
    // The process ends when they have been shown: to free a million columns one by one takes as long as to show them.
    let (a, b) = (ManuallyDrop::new(a?), ManuallyDrop::new(b?));
    print::show(&paw_report::compare(&a, &b, print::width(), print::colour()))?;
    Ok(Code::Done)
}

/// The runs of one side.
fn side(paths: &[PathBuf]) -> Result<Vec<Run>, Failure> {
    let paths = paths.iter().flat_map(|path| runs_in(path));
    paths.map(|path| open(&path, Extent::Figures)).collect()
}
