//! The roofs of benchmarks: those of the precisions and the numbers of threads that they have.

use paw_data::axis::THREADS;
use paw_data::precision::Precision;
use paw_measure::planned::Campaign;
use paw_sort::OrderBy;
use paw_suites::host::Host;
use paw_suites::plan::Assignment;
use paw_suites::request::RunRequest;

use crate::failure::Failure;
use crate::roofs::{Roofs, Seats};

/// Plans the roofs over the cells of `campaign`, behind them, on the processors of the first cell with as many threads.
pub fn roofs(campaign: &Campaign<Assignment>, request: &RunRequest, host: &Host) -> Result<Roofs, Failure> {
    let is_own = |precision| request.benchmarks.iter().any(|own| own.precision == Some(precision));
    let (double, single) = (is_own(Precision::Double), is_own(Precision::Single));
    let precisions: Vec<Precision> = [(Precision::Double, double || !single), (Precision::Single, single)]
        .into_iter()
        .filter_map(|(precision, is_asked)| is_asked.then_some(precision))
        .collect();
    let mut seats: Vec<Seats> = Vec::new();
    for planned in campaign.cells() {
        let threads = planned.cell.point.int(THREADS).and_then(|count| u32::try_from(count).ok()).unwrap_or(1);
        if seats.iter().all(|(known, _)| *known != threads) {
            seats.push((threads, planned.job.placement.cpus.clone()));
        }
    }
    seats.order_by_key(|(threads, _)| *threads);
    let first = campaign.cells().map(|planned| planned.cell.id + 1).max().unwrap_or(0);
    Roofs::plan(&precisions, &seats, host, first, &request.plan)
}
