//! Peaks that follow from what a device says it is: derived, not measured.

use crate::baseline::subject::is_subject;
use crate::machine::Device;
use crate::point::Point;
use crate::run::Run;

/// Benchmarks that count operations of one type, and the name of the type among a device's peaks.
const TYPES: &[(&str, &str)] = &[
    ("gpu_dgemm", "fp64"),
    ("gpu_sgemm", "fp32"),
    ("gpu_tf32gemm", "tf32"),
    ("gpu_bf16gemm", "bf16"),
    ("gpu_fp16gemm", "fp16"),
    ("gpu_int8gemm", "int8"),
    ("gpu_fp8gemm", "fp8"),
];

/// A derived peak, in operations per second, of a measured cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Peak {
    /// The benchmark.
    pub benchmark: String,
    /// The provider: the device.
    pub provider: String,
    /// The point.
    pub point: Point,
    /// Operations per second.
    pub value: f64,
    /// The processor of the machine.
    pub cpu: String,
    /// How it was derived, in one sentence without a full stop.
    pub derivation: String,
}

/// The peaks of the devices on which a subject of `run` ran, where the vendor's tables say how many operations a clock their units do.
/// Of processors paw knows no such number: it measures their peak.
pub fn peaks(run: &Run) -> Vec<Peak> {
    let subjects = run.records.iter().map(|record| &record.cell).filter(|cell| is_subject(cell));
    let peak = |cell: &crate::cell::Cell| {
        let (_, kind) = TYPES.iter().find(|(benchmark, _)| *benchmark == cell.benchmark)?;
        let device = run.header.machine.devices.iter().find(|device| device.id == cell.provider)?;
        let (value, derivation) = derived(device, kind)?;
        Some(Peak {
            benchmark: cell.benchmark.clone(),
            provider: cell.provider.clone(),
            point: cell.point.clone(),
            value,
            cpu: run.header.machine.identity.cpu.clone(),
            derivation,
        })
    };
    subjects.filter_map(peak).collect()
}

fn derived(device: &Device, kind: &str) -> Option<(f64, String)> {
    let (per_clock, clock_hz) = (*device.peaks.get(kind)?, device.clock_hz?);
    let value = per_clock * clock_hz;
    (value > 0.0 && value.is_finite()).then(|| {
        let ghz = clock_hz / 1e9;
        let product = &device.product;
        (
            value,
            format!(
                "derived, not measured: {product} does {per_clock} operations ({kind}) a clock at {ghz} GHz at most"
            ),
        )
    })
}
