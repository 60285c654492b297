//! The roofs of a roofline: the cells that measure them on this machine.
//!
//! S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore architectures",
//! Communications of the ACM 52 (2009); a slope for each cache as in A. Ilic, F. Pratas, L. Sousa, "Cache-aware Roofline model:
//! Upgrading the loft", IEEE Computer Architecture Letters 13 (2014).

use paw_data::axis;
use paw_data::cell::{Rank, Role};
use paw_data::headline::Family;
use paw_data::precision::Precision;
use paw_measure::planned::Campaign;

use crate::benchmark::Benchmark;
use crate::host::Host;
use crate::memory::bandwidth::{self, CACHE_BANDWIDTH};
use crate::memory::read::READ;
use crate::memory::stream::TRIAD;
use crate::peak::fma::{PEAK_F32, PEAK_F64};
use crate::plan::{Assignment, plan};
use crate::plan_error::PlanError;
use crate::request::RunRequest;

/// The benchmarks that measure the roofs of `precisions`: the peak of each instruction set, and the bandwidth of each cache and of memory.
pub fn benchmarks(precisions: &[Precision]) -> Vec<&'static Benchmark> {
    let peak = |precision: &Precision| if *precision == Precision::Single { &PEAK_F32 } else { &PEAK_F64 };
    precisions.iter().map(peak).chain([&CACHE_BANDWIDTH, &READ, &TRIAD]).collect()
}

/// `request` with the cells that roofs take: of each cache, loads alone and the triad; memory has benchmarks of its own.
pub fn narrowed(mut request: RunRequest, host: &Host) -> RunRequest {
    request.axes.insert(axis::PATTERN.to_owned(), vec!["read".into(), "triad".into()]);
    request.ladders.insert(CACHE_BANDWIDTH.name, bandwidth::sizes(host));
    request
}

/// Plans the benchmarks of `request` as references on the processors `cpus` (empty: as the request places threads). Cells are numbered from
/// `first`, and groups too, behind those of the subjects.
pub fn references(
    request: &RunRequest,
    host: &Host,
    cpus: &[u32],
    first: u32,
) -> Result<Campaign<Assignment>, PlanError> {
    let mut campaign = plan(request, host)?;
    for planned in campaign.groups.iter_mut().flat_map(|group| &mut group.cells) {
        planned.cell.id += first;
        planned.cell.group += first;
        let is_peak = planned.job.benchmark.common.family == Family::Peak;
        planned.cell.role = if is_peak { Role::Peak } else { Role::Bandwidth };
        planned.cell.dat = None;
        if !cpus.is_empty() {
            planned.job.placement.cpus = cpus.to_vec();
            planned.cell.ranks = vec![Rank { cpus: cpus.to_vec(), ..Rank::default() }];
        }
    }
    Ok(campaign)
}
