//! Peak operations per clock of a device's units, by architecture.

use std::collections::BTreeMap;

use super::matrix_cores;
use crate::device::GemmKind;

/// Operations a clock of one compute unit, dense, a multiplication and an addition counted as two.
struct Row {
    architectures: &'static [&'static str],
    /// Compute units in what HIP counts as one: RDNA's work-group processor has two.
    compute_units: f64,
    fp64: f64,
    fp32: f64,
    tf32: f64,
    fp16: f64,
    bf16: f64,
    int8: f64,
    fp8: f64,
}

/// Peak rates of AMD's data sheets and white papers (Radeon Instinct MI60; CDNA, CDNA 2, CDNA 3 and CDNA 4 with MI100, MI250X, MI300X
/// and MI355X; Radeon RX 6900 XT, RX 7900 XTX), divided by compute units and peak clock, matrix cores where they have the type; the
/// table of operations per clock and compute unit in GPUOpen's articles on matrix cores agrees. 0 where a device lacks the type or
/// nothing that AMD has published says it: a TF32 that rocBLAS does not offer.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { architectures: &["gfx906"],            compute_units: 1.0, fp64: 64.0,  fp32: 128.0, tf32: 0.0, fp16: 256.0,  bf16: 0.0,    int8: 512.0,  fp8: 0.0 },
    Row { architectures: &["gfx908"],            compute_units: 1.0, fp64: 64.0,  fp32: 256.0, tf32: 0.0, fp16: 1024.0, bf16: 512.0,  int8: 1024.0, fp8: 0.0 },
    Row { architectures: &["gfx90a"],            compute_units: 1.0, fp64: 256.0, fp32: 256.0, tf32: 0.0, fp16: 1024.0, bf16: 1024.0, int8: 1024.0, fp8: 0.0 },
    Row { architectures: &["gfx942"],            compute_units: 1.0, fp64: 256.0, fp32: 256.0, tf32: 0.0, fp16: 2048.0, bf16: 2048.0, int8: 4096.0, fp8: 4096.0 },
    Row { architectures: &["gfx950"],            compute_units: 1.0, fp64: 128.0, fp32: 256.0, tf32: 0.0, fp16: 4096.0, bf16: 4096.0, int8: 8192.0, fp8: 8192.0 },
    Row { architectures: &["gfx1030", "gfx1031", "gfx1032"], compute_units: 2.0, fp64: 8.0, fp32: 128.0, tf32: 0.0, fp16: 256.0, bf16: 0.0, int8: 0.0, fp8: 0.0 },
    Row { architectures: &["gfx1100", "gfx1101", "gfx1102"], compute_units: 2.0, fp64: 8.0, fp32: 256.0, tf32: 0.0, fp16: 512.0, bf16: 512.0, int8: 512.0, fp8: 0.0 },
];

/// The variable that makes HIP count compute units one by one where it counts work-group processors.
pub(super) const COUNTED_BY: &str = "GPU_ENABLE_WGP_MODE";

/// Architectures whose 8-bit floats are not OCP's: their matrix cores have a peak, products of OCP's floats have none.
const OWN_FLOATS: &[&str] = &["gfx942"];

/// Operations a clock of products by all `units` of a device of that architecture; `None` where they are not known or there are none.
pub(super) fn per_clock(architecture: &str, units: u32, kind: GemmKind) -> Option<f64> {
    let has_own = kind == GemmKind::Fp8 && OWN_FLOATS.contains(&matrix_cores::name(architecture));
    if has_own { None } else { of_units(architecture, units, kind) }
}

/// Operations a clock of the matrix cores of all `units`; `None` where they are not known or there are none for the type.
pub(super) fn matrix_per_clock(architecture: &str, units: u32, kind: GemmKind) -> Option<f64> {
    matrix_cores::instruction(architecture, kind).and_then(|_| of_units(architecture, units, kind))
}

fn of_units(architecture: &str, units: u32, kind: GemmKind) -> Option<f64> {
    let name = matrix_cores::name(architecture);
    let row = ROWS.iter().find(|row| row.architectures.contains(&name))?;
    if row.compute_units > 1.0 && std::env::var_os(COUNTED_BY).is_some() {
        return None;
    }
    let of_unit = match kind {
        GemmKind::Fp64 => row.fp64,
        GemmKind::Fp32 => row.fp32,
        GemmKind::Tf32 => row.tf32,
        GemmKind::Bf16 => row.bf16,
        GemmKind::Fp16 => row.fp16,
        GemmKind::Int8 => row.int8,
        GemmKind::Fp8 => row.fp8,
    };
    (of_unit > 0.0).then_some(of_unit * row.compute_units * f64::from(units))
}

/// Every known peak, by the name of its kind.
pub(super) fn all(architecture: &str, units: u32) -> BTreeMap<String, f64> {
    let known = |kind: GemmKind| Some((kind.name().to_owned(), per_clock(architecture, units, kind)?));
    GemmKind::ALL.into_iter().filter_map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data sheets, in 10^12 operations a second.
    #[test]
    fn data_sheets_follow_from_units_and_clock() {
        let check = |architecture, units, kind, ghz: f64, tera: f64| {
            let reached = per_clock(architecture, units, kind).unwrap() * ghz / 1e3;
            assert!((reached / tera - 1.0).abs() < 0.02, "{architecture} {kind:?}: {reached}, said to be {tera}");
        };
        // MI60, MI100, one die of MI250X, MI210, MI300X, MI355X.
        check("gfx906:sramecc+:xnack-", 64, GemmKind::Fp64, 1.8, 7.4);
        check("gfx906:sramecc+:xnack-", 64, GemmKind::Int8, 1.8, 58.9);
        check("gfx908", 120, GemmKind::Fp64, 1.502, 11.5);
        check("gfx908", 120, GemmKind::Fp32, 1.502, 46.1);
        check("gfx908", 120, GemmKind::Bf16, 1.502, 92.3);
        check("gfx90a:sramecc+:xnack-", 110, GemmKind::Fp64, 1.7, 95.7 / 2.0);
        check("gfx90a", 110, GemmKind::Fp16, 1.7, 383.0 / 2.0);
        check("gfx90a", 104, GemmKind::Fp64, 1.7, 45.3);
        check("gfx942", 304, GemmKind::Fp64, 2.1, 163.4);
        check("gfx942", 304, GemmKind::Bf16, 2.1, 1307.4);
        check("gfx942", 304, GemmKind::Int8, 2.1, 2614.9);
        check("gfx950", 256, GemmKind::Fp64, 2.4, 78.6);
        check("gfx950", 256, GemmKind::Bf16, 2.4, 2516.6);
        check("gfx950", 256, GemmKind::Fp8, 2.4, 5033.2);
        // RX 6900 XT and RX 7900 XTX, of 40 and 48 work-group processors.
        check("gfx1030", 40, GemmKind::Fp32, 2.25, 23.04);
        check("gfx1030", 40, GemmKind::Fp64, 2.25, 1.44);
        check("gfx1100", 48, GemmKind::Fp32, 2.5, 61.4);
        check("gfx1100", 48, GemmKind::Fp16, 2.5, 122.8);
    }

    #[test]
    fn what_a_device_has_not_or_nobody_knows_has_no_peak() {
        assert_eq!(per_clock("gfx906", 60, GemmKind::Bf16), None);
        assert_eq!(per_clock("gfx942:sramecc+:xnack-", 304, GemmKind::Fp8), None);
        assert_eq!(matrix_per_clock("gfx942:sramecc+:xnack-", 304, GemmKind::Fp8), Some(304.0 * 4096.0));
        assert_eq!(matrix_per_clock("gfx908", 120, GemmKind::Fp64), None, "its vector units alone compute doubles");
        assert_eq!(per_clock("gfx1201", 32, GemmKind::Fp32), None);
        assert_eq!(per_clock("gfx90", 110, GemmKind::Fp64), None);
        assert!(all("gfx90a", 110).keys().eq(["bf16", "fp16", "fp32", "fp64", "int8"]));
    }
}
