//! The kernels of the examples in a directory of a test's own, and what a run left behind.

use std::path::Path;

use paw_data::outcome::{CheckVerdict, Status};
use paw_data::run::{Record, Run};
use workplace::{Ran, Workplace};

/// Few, short samples.
pub const QUICK: &str = "--metas 6 --region 1ms --quiet";

/// A directory that holds the example kernels.
pub fn examples() -> Workplace {
    // rustc is in the directory of the cargo that runs the tests.
    let tools = Path::new(env!("CARGO")).parent().unwrap();
    let place = Workplace::new(env!("CARGO_BIN_EXE_paw")).finding(tools);
    place.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/kernels"));
    place
}

/// Runs `paw kernel` with the rest of a line as it is typed into a shell.
pub fn kernel(place: &Workplace, line: &str) -> Ran {
    place.run(&format!("exec $PAW kernel {line}"))
}

/// The run in the directory `r`.
pub fn run(place: &Workplace) -> Run {
    paw_data::store::read(&place.path("r")).unwrap()
}

/// What a record's build is called, with its variant.
pub fn name(record: &Record) -> String {
    record.cell.build.as_ref().expect("every cell of a kernel is a build").full_name()
}

/// How a record's cell ended, and why.
pub fn ended(record: &Record) -> (Status, &str) {
    let outcome = record.outcome.as_ref().expect("every cell has its end");
    (outcome.status, outcome.why.as_deref().unwrap_or_default())
}

/// Whether the answer of a record's cell was right, wrong or not looked at.
pub fn verdict(record: &Record) -> Option<CheckVerdict> {
    record.outcome.as_ref()?.check.as_ref().map(|check| check.verdict)
}

/// Names of the builds of a run whose answers are wrong.
pub fn wrong(run: &Run) -> Vec<String> {
    run.records.iter().filter(|record| verdict(record) == Some(CheckVerdict::Fail)).map(name).collect()
}
