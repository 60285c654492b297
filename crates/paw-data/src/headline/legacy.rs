//! Families and figures of runs that do not state them: older files, and files of PAW. By name; a new benchmark needs no entry.

use super::{AlternativesAxis, Family, HeadlineFigure, Pick, ReportPlace};
use crate::axis;
use crate::precision::Precision;

/// Benchmarks of ranks by the beginning of their names: the first that fits.
const FAMILIES: &[(&str, Family)] = &[
    ("p2p_send", Family::Pairs),
    ("p2p_isend", Family::Pairs),
    ("p2p_multitask", Family::Pairs),
    ("p2p_persistent", Family::Pairs),
    ("latency", Family::Pairs),
    ("multi_latency", Family::Pairs),
    ("exchange", Family::Pairs),
    ("p2p_mrate", Family::MessageRate),
    ("p2p_", Family::OneSided),
    ("col_acc", Family::OneSided),
    ("col_racc", Family::OneSided),
    ("col_init", Family::Startup),
    ("", Family::Collectives),
];

/// Benchmark, family, line, preference, label and pick of the figures.
const FIGURES: &[(&str, Family, u32, u32, &str, Pick)] = &[
    ("dgemm", Family::Blas, 10, 0, "dgemm", Pick::Best),
    ("dgemm_single", Family::Blas, 10, 1, "dgemm_single", Pick::Best),
    ("sgemm", Family::Blas, 10, 2, "sgemm", Pick::Best),
    ("dgemv", Family::Blas, 10, 3, "dgemv", Pick::Best),
    ("sgemv", Family::Blas, 10, 4, "sgemv", Pick::Best),
    ("stream_copy", Family::Memory, 20, 1, "stream_copy", Pick::Best),
    ("stream_scale", Family::Memory, 20, 1, "stream_scale", Pick::Best),
    ("stream_add", Family::Memory, 20, 1, "stream_add", Pick::Best),
    ("read", Family::Memory, 20, 1, "read", Pick::Best),
    ("stream_triad", Family::Memory, 20, 0, "stream_triad", Pick::Best),
    ("peak_f64", Family::Peak, 30, 0, "peak_f64", Pick::Best),
    ("peak_f32", Family::Peak, 31, 0, "peak_f32", Pick::Best),
    ("memory_latency", Family::Memory, 40, 0, "latency", Pick::Levels),
    ("gpu_in_pinned", Family::Devices, 50, 0, "gpu_in_pinned", Pick::Best),
    ("gpu_out_pinned", Family::Devices, 51, 0, "gpu_out_pinned", Pick::Best),
    ("device_triad", Family::Devices, 52, 0, "device_triad", Pick::Best),
    ("gpu_dgemm", Family::Devices, 53, 0, "gpu_dgemm", Pick::Best),
    ("gpu_bf16gemm", Family::Devices, 54, 0, "gpu_bf16gemm", Pick::Best),
    ("latency", Family::Pairs, 60, 0, "MPI latency", Pick::Smallest),
    ("p2p_send", Family::Pairs, 60, 1, "MPI latency", Pick::Smallest),
    ("p2p_isend", Family::Pairs, 60, 2, "MPI latency", Pick::Smallest),
    ("p2p_isend_ping", Family::Pairs, 60, 3, "MPI latency", Pick::Smallest),
    ("p2p_send", Family::Pairs, 61, 0, "MPI bandwidth", Pick::Best),
    ("p2p_isend", Family::Pairs, 61, 1, "MPI bandwidth", Pick::Best),
    ("p2p_isend_ping", Family::Pairs, 61, 2, "MPI bandwidth", Pick::Best),
    ("p2p_mrate", Family::MessageRate, 62, 0, "message rate", Pick::Best),
    ("p2p_mrate_bidir", Family::MessageRate, 62, 1, "message rate", Pick::Best),
    ("allreduce", Family::Collectives, 63, 0, "allreduce {size}", Pick::Smallest),
];

/// Precision of the benchmarks that count operations in one.
const PRECISIONS: &[(&str, Precision)] = &[
    ("dgemm", Precision::Double),
    ("dgemm_single", Precision::Double),
    ("dgemv", Precision::Double),
    ("sgemm", Precision::Single),
    ("sgemv", Precision::Single),
    ("peak_f64", Precision::Double),
    ("peak_f32", Precision::Single),
    ("gpu_dgemm", Precision::Double),
    ("gpu_sgemm", Precision::Single),
    ("gpu_tf32gemm", Precision::Reduced),
    ("gpu_bf16gemm", Precision::Reduced),
    ("gpu_fp16gemm", Precision::Reduced),
    ("gpu_int8gemm", Precision::Reduced),
    ("gpu_fp8gemm", Precision::Reduced),
];

/// Benchmarks with an axis whose values do the same work: the axis, and the value that the others are compared with.
const ALTERNATIVES: [(&str, &str, &str); 11] = [
    ("p2p_isend_ping", axis::DIRECTION, axis::FORWARD),
    ("p2p_send", axis::DATATYPE, axis::CONTIGUOUS),
    ("allgather", axis::PLACE, axis::SEPARATE),
    ("allreduce", axis::PLACE, axis::SEPARATE),
    ("alltoall", axis::PLACE, axis::SEPARATE),
    ("gather", axis::PLACE, axis::SEPARATE),
    ("reduce", axis::PLACE, axis::SEPARATE),
    ("scatter", axis::PLACE, axis::SEPARATE),
    ("reduce_scatter", axis::PLACE, axis::SEPARATE),
    ("scan", axis::PLACE, axis::SEPARATE),
    ("exscan", axis::PLACE, axis::SEPARATE),
];

impl ReportPlace {
    /// The place of a benchmark that does not state it, by its name and that of its suite.
    pub fn named(suite: &str, benchmark: &str) -> Option<Self> {
        let family = Family::named(suite, benchmark)?;
        let figure =
            |line, preference, label: &str, pick| HeadlineFigure { line, preference, label: label.to_owned(), pick };
        let own = FIGURES.iter().filter(|(known, family_of, ..)| *known == benchmark && *family_of == family);
        Some(Self {
            family,
            figures: own
                .map(|(_, _, line, preference, label, pick)| figure(*line, *preference, label, *pick))
                .collect(),
            alternatives: ALTERNATIVES
                .iter()
                .find(|(known, ..)| *known == benchmark)
                .map(|(_, axis, base)| AlternativesAxis { axis: (*axis).to_owned(), base: (*base).to_owned() }),
            precision: Precision::named(suite, benchmark),
        })
    }
}

impl Family {
    /// The family of a benchmark that does not state it, by its name and that of its suite.
    pub fn named(suite: &str, benchmark: &str) -> Option<Self> {
        Some(match suite {
            "peak" => Family::Peak,
            "memory" => Family::Memory,
            "blas" => Family::Blas,
            "device" => Family::Devices,
            "system" => Family::System,
            "mpi" => FAMILIES.iter().find(|(start, _)| benchmark.starts_with(start))?.1,
            _ => return None,
        })
    }
}

impl Precision {
    /// The precision of the operations of a benchmark that does not state it, by its name and that of its suite.
    pub fn named(suite: &str, benchmark: &str) -> Option<Self> {
        Family::named(suite, benchmark)?;
        PRECISIONS.iter().find(|(known, _)| *known == benchmark).map(|(_, precision)| *precision)
    }
}

#[cfg(test)]
mod tests {
    use crate::cell::Cell;
    use crate::point::Point;
    use crate::quantity::Quantity;

    use super::*;

    #[test]
    fn a_run_that_states_a_place_without_a_precision_has_it_by_name() {
        let mut cell = Cell::new("blas", "sgemm", "openblas", Quantity::Flops, Point::new());
        let stated =
            |precision| Some(ReportPlace { family: Family::Blas, figures: Vec::new(), alternatives: None, precision });
        for (report, precision) in [
            (None, Precision::Single),
            (stated(None), Precision::Single),
            (stated(Some(Precision::Double)), Precision::Double),
        ] {
            cell.report = report;
            assert_eq!(cell.precision(), Some(precision));
        }
    }
}
