//! Peaks that follow from what a processor or device says it is: derived, not measured.

use crate::axis;
use crate::baseline::subject::is_subject;
use crate::cell::Cell;
use crate::machine::Machine;
use crate::point::{AxisValue, Point};
use crate::run::Run;

/// Who does the operations of a benchmark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doer {
    Device,
    Cores,
}

/// Benchmarks that count operations of one type, the name of the type among the peaks of a device or of a core, and who does them.
const TYPES: &[(&str, &str, Doer)] = &[
    ("gpu_dgemm", "fp64", Doer::Device),
    ("gpu_sgemm", "fp32", Doer::Device),
    ("gpu_tf32gemm", "tf32", Doer::Device),
    ("gpu_bf16gemm", "bf16", Doer::Device),
    ("gpu_fp16gemm", "fp16", Doer::Device),
    ("gpu_int8gemm", "int8", Doer::Device),
    ("gpu_fp8gemm", "fp8", Doer::Device),
    ("dgemm", "fp64", Doer::Cores),
    ("sgemm", "fp32", Doer::Cores),
    ("peak_f64", "fp64", Doer::Cores),
    ("peak_f32", "fp32", Doer::Cores),
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

/// The peaks of the devices and processors on which a subject of `run` ran, where tables say how many operations a clock their units do,
/// and the system how fast the clock can be.
pub fn peaks(run: &Run) -> Vec<Peak> {
    let machine = &run.header.machine;
    let subjects = run.records.iter().map(|record| &record.cell).filter(|cell| is_subject(cell));
    let peak = |cell: &Cell| {
        let (_, kind, doer) = TYPES.iter().find(|(benchmark, ..)| *benchmark == cell.benchmark)?;
        let (name, per_clock, clock_hz) = units(machine, cell, kind, *doer)?;
        let value = per_clock * clock_hz;
        (value > 0.0 && value.is_finite()).then(|| Peak {
            benchmark: cell.benchmark.to_string(),
            provider: cell.provider.to_string(),
            point: cell.point.clone(),
            value,
            cpu: machine.identity.cpu.clone(),
            derivation: format!(
                "derived, not measured: {name} does {per_clock} operations ({kind}) a clock at {} GHz at most",
                clock_hz / 1e9
            ),
        })
    };
    subjects.filter_map(peak).collect()
}

/// Who does the operations of `cell`, how many of type `kind` a clock, and the highest clock in Hz.
fn units(machine: &Machine, cell: &Cell, kind: &str, doer: Doer) -> Option<(String, f64, f64)> {
    if doer == Doer::Device {
        let device = machine.devices.iter().find(|device| device.id == cell.provider)?;
        return Some((device.product.clone(), *device.peaks.get(kind)?, device.clock_hz?));
    }
    let core = machine.core_peak.as_ref()?;
    let cores = match cell.point.value(axis::THREADS) {
        // More threads than cores share their units.
        Some(AxisValue::Int(threads)) => (*threads).min(i64::from(machine.identity.cores)),
        _ => i64::from(machine.identity.cores),
    };
    let of = if cores == 1 { "a core".to_owned() } else { format!("{cores} cores") };
    let name = format!("{of} of {}", core.microarchitecture);
    Some((name, *core.per_clock.get(kind)? * cores as f64, core.clock_max_hz? as f64))
}
