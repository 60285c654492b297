//! A directory with a driver of known cost in the place of CUDA's, and what a run left in it.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use paw_data::outcome::Status;
use paw_data::run::{Record, Run};
use paw_data::secondary::SecondaryMetric;
use workplace::{Ran, Workplace};

/// One measuring test at a time: several at once would wait for each other's processors.
static TURN: Mutex<()> = Mutex::new(());

/// Where no OpenCL is found.
const NO_OPENCL: &str = "OCL_ICD_VENDORS=/nonexistent";

/// A file that was built beside the tests.
pub fn built(file: &str) -> PathBuf {
    let path = std::env::current_exe().unwrap().with_file_name(file);
    assert!(path.exists(), "{} was not built", path.display());
    path
}

/// An empty directory.
pub fn place() -> Workplace {
    Workplace::new(env!("CARGO_BIN_EXE_paw"))
}

/// Waits until no other test measures.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `paw` with the rest of a line as it is typed into a shell, after settings of variables, with the driver of known cost.
pub fn mocked(place: &Workplace, settings: &str, line: &str) -> Ran {
    let library = built("libmock_cuda.so").display().to_string();
    let names = ["CUDA", "NVML", "CUBLAS", "CUBLASLT", "NVRTC"];
    let libraries: String = names.iter().map(|name| format!("PAW_{name}_LIBRARY={library} ")).collect();
    let _turn = turn();
    place.run(&format!("{NO_OPENCL} {libraries} {settings} exec $PAW {line}"))
}

/// The run in the directory `r`.
pub fn run(place: &Workplace) -> Run {
    paw_data::store::read(&place.path("r")).unwrap()
}

/// The only record of that benchmark and provider.
pub fn record<'r>(run: &'r Run, benchmark: &str, provider: &str) -> &'r Record {
    let found: Vec<_> =
        run.records.iter().filter(|r| r.cell.benchmark == benchmark && r.cell.provider == provider).collect();
    let [one] = found[..] else { panic!("{} records of {benchmark} on {provider}", found.len()) };
    one
}

/// How a record's cell ended, and why.
pub fn ended(record: &Record) -> (Status, &str) {
    let outcome = record.outcome.as_ref().expect("every cell has its end");
    (outcome.status, outcome.why.as_deref().unwrap_or_default())
}

/// Ids of the caveats of a record.
pub fn caveats(record: &Record) -> Vec<&str> {
    record.outcome.iter().flat_map(|outcome| &outcome.caveats).map(|caveat| caveat.id.as_str()).collect()
}

/// The least seconds of an iteration by the clock that its number is told by, of kernels the device's and else the host's: a busy machine
/// makes a sample later, and none earlier.
pub fn headline_s(record: &Record) -> f64 {
    record.samples.per_loop_s().into_iter().fold(f64::INFINITY, f64::min)
}

/// The least seconds of an iteration by a further clock.
pub fn clock_s(record: &Record, metric: SecondaryMetric) -> f64 {
    let column = record.samples.secondary(metric).unwrap_or_else(|| panic!("no {metric:?} was read"));
    let each = column.iter().zip(&record.samples.loops).map(|(seconds, loops)| seconds / *loops as f64);
    each.filter(|seconds| seconds.is_finite()).fold(f64::INFINITY, f64::min)
}

/// Holds that `found` is within `share` of `expected`.
pub fn near(found: f64, expected: f64, share: f64) {
    assert!((found / expected - 1.0).abs() <= share, "{found:e} is not within {share} of {expected:e}");
}
