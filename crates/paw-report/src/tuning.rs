//! Runs of collectives that differ in the algorithms that a library was told to take: which is fastest at which size.

use std::collections::BTreeMap;

use paw_data::axis;
use paw_data::comparison::PROCESS_MARGIN;
use paw_data::headline::Family;
use paw_data::quantity::Quantity;
use paw_data::run::Run;

use crate::number;
use crate::reading::{Reading, readings};

/// A collective of one size, in the runs that have a sound number of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningRow {
    /// The collective, and its axes but the elements: `allreduce cadence=isolated ranks=4`.
    pub collective: String,
    /// The collective's name alone.
    pub benchmark: String,
    /// The ranks that call it together, all of the job, from the host's memory; nothing where it is called otherwise.
    pub ranks: Option<i64>,
    /// Elements.
    pub n: i64,
    /// The runs that have a sound number of it, by their places among the runs.
    pub measured: Vec<usize>,
    /// The fastest runs, by their places among the runs: several where nothing tells them apart.
    pub fastest: Vec<usize>,
    /// The time of the fastest with its unit.
    pub time: String,
    /// How many times as long the first run takes at least, where it is none of the fastest.
    pub gain: Option<f64>,
}

/// The calls that variables of libraries are named for.
const CALLS: [&str; 15] = [
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "barrier",
    "bcast",
    "exscan",
    "gather",
    "gatherv",
    "reduce",
    "reduce_scatter",
    "scan",
    "scatter",
    "scatterv",
];

/// The variable without which Open MPI reads none that chooses an algorithm, and which chooses none.
const SWITCH: &str = "use_dynamic_rules";

impl TuningRow {
    /// Whether the runs differ here although each of the `variables` in which they differ is named for another call.
    pub fn differs_unnamed(&self, variables: &[&str]) -> bool {
        let names = |variable: &str, call: &str| {
            let (variable, call) = (format!("_{}_", variable.to_lowercase()), format!("{call}_"));
            [format!("_{call}"), format!("_i{call}")].iter().any(|call| variable.contains(call))
        };
        let choosing: Vec<&&str> = variables.iter().filter(|variable| !variable.ends_with(SWITCH)).collect();
        let is_of_others = |variable: &&&str| {
            CALLS.iter().any(|call| names(variable, call))
                && !names(variable, &self.benchmark)
                && self.benchmark.strip_prefix('i').is_none_or(|blocking| !names(variable, blocking))
        };
        self.fastest.len() < self.measured.len() && !choosing.is_empty() && choosing.iter().all(is_of_others)
    }
}

/// Where something was measured.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    benchmark: String,
    axes: String,
    n: i64,
    ranks: Option<i64>,
}

/// Least, middle and most of an interval, in seconds.
type Span = (f64, f64, f64);

/// The collectives of every size that two runs or more have a sound number of. The first run is the one that gains are told against.
pub fn tuning(runs: &[Run]) -> Vec<TuningRow> {
    let mut places: BTreeMap<Place, Vec<Option<Span>>> = BTreeMap::new();
    for (nth, run) in runs.iter().enumerate() {
        for reading in readings(run) {
            if let Some((place, span)) = placed(&reading) {
                places.entry(place).or_insert_with(|| vec![None; runs.len()])[nth] = Some(span);
            }
        }
    }
    places.into_iter().filter_map(|(place, spans)| row(place, &spans)).collect()
}

/// A call of a collective whose number decides something.
fn placed(reading: &Reading<'_>) -> Option<(Place, Span)> {
    let cell = &reading.record.cell;
    let family = cell.report_place().map(|place| place.family);
    if family != Some(Family::Collectives) || cell.headline != Quantity::Time || !reading.is_sound() {
        return None;
    }
    let value = reading.value?;
    let (low, high) = value.interval?;
    let axes = cell.point.iter().filter(|(name, _)| *name != axis::N);
    let axes: String = axes.map(|(name, value)| format!(" {name}={value}")).collect();
    let n = cell.point.int(axis::N).unwrap_or(0);
    let is_usual = cell.point.text(axis::SCOPE).is_none_or(|scope| scope == "world")
        && cell.point.text(axis::BUFFER).is_none_or(|buffer| buffer == axis::HOST);
    let ranks = cell.point.int(axis::RANKS).filter(|_| is_usual);
    let place = Place { benchmark: cell.benchmark.to_string(), axes, n, ranks };
    Some((place, (low, value.middle, high)))
}

/// What the runs say of one collective of one size.
fn row(place: Place, spans: &[Option<Span>]) -> Option<TuningRow> {
    let known = || spans.iter().enumerate().filter_map(|(nth, span)| Some((nth, (*span)?)));
    let (_, best) = known().min_by(|a, b| a.1.1.total_cmp(&b.1.1)).filter(|_| known().count() > 1)?;
    // Two jobs of one library differ by as much, whatever their intervals say.
    let most = best.2 * (1.0 + PROCESS_MARGIN);
    let fastest: Vec<usize> = known().filter(|(_, span)| span.0 <= most).map(|(nth, _)| nth).collect();
    let first = spans.first().copied().flatten().filter(|_| !fastest.contains(&0));
    Some(TuningRow {
        collective: format!("{}{}", place.benchmark, place.axes),
        benchmark: place.benchmark,
        ranks: place.ranks,
        n: place.n,
        measured: known().map(|(nth, _)| nth).collect(),
        fastest,
        time: number::quantity(best.1, Quantity::Time, Some((best.2 - best.0) / 2.0)),
        gain: first.map(|span| span.0 / best.2),
    })
}

#[cfg(test)]
mod tests {
    use super::{Place, Span, TuningRow};

    fn row(spans: &[Option<Span>]) -> Option<TuningRow> {
        let place = Place { benchmark: "allreduce".to_owned(), axes: " ranks=4".to_owned(), n: 1, ranks: Some(4) };
        super::row(place, spans)
    }

    const fn about(middle: f64) -> Option<Span> {
        Some((middle * 0.99, middle, middle * 1.01))
    }

    #[test]
    fn the_fastest_is_named_where_it_lies_apart() {
        let clear = row(&[about(2.0), about(1.0), about(3.0)]).expect("three runs have it");
        assert_eq!(clear.fastest, [1]);
        assert!((clear.gain.expect("the first is slower") - 1.98 / 1.01).abs() < 1e-12);
    }

    #[test]
    fn what_two_jobs_of_one_library_differ_by_decides_nothing() {
        let close = row(&[about(1.05), about(1.0), about(3.0)]).expect("three runs have it");
        assert_eq!((close.fastest, close.gain), (vec![0, 1], None));
    }

    #[test]
    fn a_difference_that_no_variable_is_named_for_is_known() {
        let two = row(&[about(2.0), about(1.0)]).expect("two runs have it");
        let row = |benchmark: &str, fastest: &[usize]| TuningRow {
            benchmark: benchmark.to_owned(),
            fastest: fastest.to_vec(),
            ..two.clone()
        };
        let open_mpi = ["OMPI_MCA_coll_tuned_use_dynamic_rules", "OMPI_MCA_coll_tuned_allreduce_algorithm"];
        for (benchmark, variables, expected) in [
            ("bcast", &open_mpi[..], true),
            ("reduce", &open_mpi, true),
            ("allreduce", &open_mpi, false),
            ("bcast", &["MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"], true),
            ("iallreduce", &["MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM"], false),
            ("allreduce", &["I_MPI_ADJUST_ALLREDUCE"], false),
            ("barrier", &["I_MPI_ADJUST_ALLREDUCE"], true),
            ("reduce_scatter", &["OMPI_MCA_coll_tuned_reduce_scatter_block_algorithm"], false),
            // What steers all calls is named for none.
            ("bcast", &["OMPI_MCA_btl"], false),
            ("bcast", &["OMPI_MCA_btl", "I_MPI_ADJUST_ALLREDUCE"], false),
            ("bcast", &open_mpi[..1], false),
        ] {
            assert_eq!(row(benchmark, &[1]).differs_unnamed(variables), expected, "{benchmark} {variables:?}");
        }
        assert!(!row("bcast", &[0, 1]).differs_unnamed(&open_mpi), "nothing differs");
    }

    #[test]
    fn one_run_alone_is_no_choice() {
        assert_eq!(row(&[about(1.0), None]), None);
        let without_first = row(&[None, about(1.0), about(2.0)]).expect("two runs have it");
        assert_eq!((without_first.fastest, without_first.gain), (vec![1], None));
    }
}
