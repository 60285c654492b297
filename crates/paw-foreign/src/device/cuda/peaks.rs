//! Peak operations per clock of a device's units.

use std::collections::BTreeMap;

use crate::device::{FmaKind, GemmKind};

/// Operations a clock of one streaming multiprocessor, dense, a multiplication and an addition counted as two.
struct Row {
    compute: (u32, u32),
    fp64: f64,
    fp32: f64,
    tf32: f64,
    /// bfloat16 and half precision, summed in single precision.
    half: f64,
    int8: f64,
    fp8: f64,
}

/// NVIDIA's white papers of Volta, Turing, Ampere (GA100, GA102), Ada, Hopper and Blackwell (data centre, RTX), the technical brief of
/// Jetson AGX Orin (8.7), the data sheets of HGX B200 and B300 (10.0, 10.3) and Jetson Thor (11.0): peak rates divided by units and
/// boost clock; of Pascal, the table of arithmetic throughput in the CUDA C++ Programming Guide, twice its results. FP64 is that of the
/// tensor cores where they have it. 0 where a device lacks the type, or where none of these documents says: of Orin and Thor neither
/// FP64 nor TF32, of GB10 (12.1, Hot Chips 2025) nothing but FP32; of INT8 on 10.3 they contradict each other.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { compute: (6, 0),  fp64: 64.0,  fp32: 128.0, tf32: 0.0,    half: 0.0,    int8: 0.0,     fp8: 0.0 },
    Row { compute: (6, 1),  fp64: 8.0,   fp32: 256.0, tf32: 0.0,    half: 0.0,    int8: 0.0,     fp8: 0.0 },
    Row { compute: (6, 2),  fp64: 8.0,   fp32: 256.0, tf32: 0.0,    half: 0.0,    int8: 0.0,     fp8: 0.0 },
    Row { compute: (7, 0),  fp64: 64.0,  fp32: 128.0, tf32: 0.0,    half: 1024.0, int8: 0.0,     fp8: 0.0 },
    Row { compute: (7, 5),  fp64: 4.0,   fp32: 128.0, tf32: 0.0,    half: 1024.0, int8: 2048.0,  fp8: 0.0 },
    Row { compute: (8, 0),  fp64: 128.0, fp32: 128.0, tf32: 1024.0, half: 2048.0, int8: 4096.0,  fp8: 0.0 },
    Row { compute: (8, 6),  fp64: 4.0,   fp32: 256.0, tf32: 512.0,  half: 1024.0, int8: 2048.0,  fp8: 0.0 },
    Row { compute: (8, 7),  fp64: 0.0,   fp32: 256.0, tf32: 0.0,    half: 2048.0, int8: 4096.0,  fp8: 0.0 },
    Row { compute: (8, 9),  fp64: 4.0,   fp32: 256.0, tf32: 512.0,  half: 1024.0, int8: 2048.0,  fp8: 2048.0 },
    Row { compute: (9, 0),  fp64: 256.0, fp32: 256.0, tf32: 2048.0, half: 4096.0, int8: 8192.0,  fp8: 8192.0 },
    Row { compute: (10, 0), fp64: 128.0, fp32: 256.0, tf32: 4096.0, half: 8192.0, int8: 16384.0, fp8: 16384.0 },
    Row { compute: (10, 3), fp64: 4.0,   fp32: 256.0, tf32: 4096.0, half: 8192.0, int8: 0.0,     fp8: 16384.0 },
    Row { compute: (11, 0), fp64: 0.0,   fp32: 256.0, tf32: 0.0,    half: 8192.0, int8: 16384.0, fp8: 16384.0 },
    Row { compute: (12, 0), fp64: 4.0,   fp32: 256.0, tf32: 512.0,  half: 1024.0, int8: 2048.0,  fp8: 2048.0 },
    Row { compute: (12, 1), fp64: 0.0,   fp32: 256.0, tf32: 0.0,    half: 0.0,    int8: 0.0,     fp8: 0.0 },
];

/// Operations a clock of one streaming multiprocessor outside its tensor cores: of FP64, FP32, FP16 and 32-bit integers.
type VectorRow = ((u32, u32), [f64; 4]);

/// Twice the results of the table of arithmetic throughput in the CUDA C++ Programming Guide (add, multiply, multiply-add; FP16 in pairs;
/// integers multiply-add), to 9.0; above that FP64 and FP32 of the data sheets, and FP16 of RTX Blackwell's white paper. 0 where neither
/// says, or where it takes several instructions.
#[rustfmt::skip]
const VECTOR: &[VectorRow] = &[
    ((6, 0),  [64.0,  128.0, 256.0, 0.0]),
    ((6, 1),  [8.0,   256.0, 4.0,   0.0]),
    ((6, 2),  [8.0,   256.0, 512.0, 0.0]),
    ((7, 0),  [64.0,  128.0, 256.0, 128.0]),
    ((7, 5),  [4.0,   128.0, 256.0, 128.0]),
    ((8, 0),  [64.0,  128.0, 512.0, 128.0]),
    ((8, 6),  [4.0,   256.0, 256.0, 128.0]),
    ((8, 7),  [0.0,   256.0, 0.0,   0.0]),
    ((8, 9),  [4.0,   256.0, 256.0, 128.0]),
    ((9, 0),  [128.0, 256.0, 512.0, 128.0]),
    ((10, 0), [128.0, 256.0, 0.0,   0.0]),
    ((10, 3), [4.0,   256.0, 0.0,   0.0]),
    ((11, 0), [0.0,   256.0, 0.0,   0.0]),
    ((12, 0), [4.0,   256.0, 256.0, 0.0]),
    ((12, 1), [0.0,   256.0, 0.0,   0.0]),
];

/// Operations a clock of all `units` of a device outside its tensor cores; `None` where they are not known.
pub(super) fn vector_per_clock(compute: (u32, u32), units: u32, kind: FmaKind) -> Option<f64> {
    let (_, [double, single, half, integer]) = VECTOR.iter().find(|(of, _)| *of == compute)?;
    let of_unit = match kind {
        FmaKind::F64 => double,
        FmaKind::F32 => single,
        FmaKind::F16 => half,
        FmaKind::I32 => integer,
    };
    (*of_unit > 0.0).then_some(of_unit * f64::from(units))
}

/// Compute capability from which bfloat16 is multiplied by tensor cores.
const BF16_FROM: (u32, u32) = (8, 0);

/// Operations a clock of all `units` of a device of that name; `None` where they are not known or there are none.
pub(super) fn per_clock(compute: (u32, u32), units: u32, name: &str, kind: GemmKind) -> Option<f64> {
    let row = ROWS.iter().find(|row| row.compute == compute)?;
    let of_unit = match kind {
        GemmKind::Fp64 => row.fp64,
        GemmKind::Fp32 => row.fp32,
        GemmKind::Tf32 => row.tf32,
        GemmKind::Bf16 if compute < BF16_FROM => 0.0,
        GemmKind::Bf16 | GemmKind::Fp16 => row.half,
        GemmKind::Int8 => row.int8,
        GemmKind::Fp8 => row.fp8,
    };
    let throttle = if is_halved(name, kind) { 0.5 } else { 1.0 };
    (of_unit > 0.0).then_some(of_unit * throttle * f64::from(units))
}

/// The tensor cores of GeForce boards do half where they sum in single precision; 8-bit floats are summed fast, in fewer digits.
fn is_halved(name: &str, kind: GemmKind) -> bool {
    let sums_in_single = matches!(kind, GemmKind::Tf32 | GemmKind::Bf16 | GemmKind::Fp16);
    sums_in_single && name.contains("GeForce")
}

/// Every known peak, by the name of its kind.
pub(super) fn all(compute: (u32, u32), units: u32, name: &str) -> BTreeMap<String, f64> {
    let known = |kind: GemmKind| Some((kind.name().to_owned(), per_clock(compute, units, name, kind)?));
    GemmKind::ALL.into_iter().filter_map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data sheets, in 10^12 operations a second.
    #[test]
    fn data_sheets_follow_from_units_and_clock() {
        let check = |compute, units, name: &str, kind, ghz: f64, tera: f64| {
            let reached = per_clock(compute, units, name, kind).unwrap() * ghz / 1e3;
            assert!((reached / tera - 1.0).abs() < 0.03, "{name} {kind:?}: {reached}, said to be {tera}");
        };
        check((6, 0), 56, "Tesla P100-SXM2-16GB", GemmKind::Fp64, 1.48, 5.3);
        check((6, 0), 56, "Tesla P100-SXM2-16GB", GemmKind::Fp32, 1.48, 10.6);
        check((6, 1), 30, "Tesla P40", GemmKind::Fp32, 1.531, 11.76);
        check((7, 0), 80, "Tesla V100-SXM2-16GB", GemmKind::Fp64, 1.53, 7.8);
        check((7, 0), 80, "Tesla V100-SXM2-16GB", GemmKind::Fp16, 1.53, 125.0);
        check((7, 5), 40, "Tesla T4", GemmKind::Int8, 1.59, 130.0);
        check((8, 0), 108, "NVIDIA A100-SXM4-40GB", GemmKind::Fp64, 1.41, 19.5);
        check((8, 0), 108, "NVIDIA A100-SXM4-40GB", GemmKind::Tf32, 1.41, 156.0);
        check((8, 6), 84, "NVIDIA A40", GemmKind::Bf16, 1.74, 149.7);
        check((8, 6), 82, "NVIDIA GeForce RTX 3090", GemmKind::Fp16, 1.695, 71.0);
        check((8, 9), 142, "NVIDIA L40S", GemmKind::Fp8, 2.52, 733.0);
        check((9, 0), 132, "NVIDIA H100 80GB HBM3", GemmKind::Fp64, 1.98, 66.9);
        check((9, 0), 132, "NVIDIA H100 80GB HBM3", GemmKind::Bf16, 1.83, 989.4);
        check((9, 0), 132, "NVIDIA H100 80GB HBM3", GemmKind::Int8, 1.83, 1979.0);
        check((8, 7), 16, "Orin", GemmKind::Fp32, 1.3, 5.3);
        // 170 sparse.
        check((8, 7), 16, "Orin", GemmKind::Int8, 1.3, 85.0);
        check((10, 0), 148, "NVIDIA B200", GemmKind::Fp64, 1.965, 37.0);
        check((10, 0), 148, "NVIDIA B200", GemmKind::Bf16, 1.85, 2250.0);
        check((10, 3), 160, "NVIDIA GB300", GemmKind::Fp32, 1.953, 80.0);
        check((10, 3), 160, "NVIDIA GB300", GemmKind::Fp64, 1.953, 1.25);
        check((10, 3), 160, "NVIDIA GB300", GemmKind::Bf16, 1.953, 2500.0);
        // 1035 sparse.
        check((11, 0), 20, "NVIDIA Thor", GemmKind::Fp8, 1.575, 517.0);
        check((11, 0), 20, "NVIDIA Thor", GemmKind::Fp16, 1.575, 258.5);
        check((12, 0), 170, "NVIDIA GeForce RTX 5090", GemmKind::Fp32, 2.407, 104.8);
        check((12, 0), 170, "NVIDIA GeForce RTX 5090", GemmKind::Fp16, 2.407, 209.5);
        check((12, 0), 170, "NVIDIA GeForce RTX 5090", GemmKind::Int8, 2.407, 838.0);
        check((12, 0), 188, "NVIDIA RTX PRO 6000 Blackwell", GemmKind::Fp16, 2.617, 503.8);
        check((12, 1), 48, "NVIDIA GB10", GemmKind::Fp32, 2.52, 31.0);
    }

    /// White papers, in 10^12 operations a second outside tensor cores.
    #[test]
    fn vector_peaks_are_those_of_white_papers() {
        let check = |compute, units, kind, ghz: f64, tera: f64| {
            let reached = vector_per_clock(compute, units, kind).unwrap() * ghz / 1e3;
            assert!((reached / tera - 1.0).abs() < 0.03, "{compute:?} {kind:?}: {reached}, said to be {tera}");
        };
        check((7, 0), 80, FmaKind::F16, 1.53, 31.4);
        check((7, 0), 80, FmaKind::I32, 1.53, 15.7);
        check((8, 0), 108, FmaKind::F64, 1.41, 9.7);
        check((8, 0), 108, FmaKind::F16, 1.41, 78.0);
        check((8, 0), 108, FmaKind::I32, 1.41, 19.5);
        check((8, 6), 84, FmaKind::F16, 1.74, 37.4);
        check((9, 0), 132, FmaKind::F64, 1.98, 33.5);
        check((9, 0), 132, FmaKind::F16, 1.98, 133.8);
        check((9, 0), 132, FmaKind::I32, 1.98, 33.5);
        check((12, 0), 170, FmaKind::F16, 2.407, 104.8);
        assert_eq!(vector_per_clock((12, 1), 48, FmaKind::F64), None);
        assert_eq!(vector_per_clock((6, 0), 56, FmaKind::I32), None);
    }

    #[test]
    fn what_a_device_has_not_or_nobody_knows_has_no_peak() {
        assert_eq!(per_clock((7, 0), 80, "Tesla V100", GemmKind::Tf32), None);
        assert_eq!(per_clock((7, 5), 40, "Tesla T4", GemmKind::Bf16), None);
        assert_eq!(per_clock((6, 1), 28, "GeForce GTX 1080 Ti", GemmKind::Fp16), None);
        assert_eq!(per_clock((8, 7), 16, "Orin", GemmKind::Tf32), None);
        assert_eq!(per_clock((12, 1), 48, "NVIDIA GB10", GemmKind::Fp16), None);
        assert_eq!(per_clock((13, 0), 100, "a later one", GemmKind::Fp32), None);
        assert_eq!(all((7, 0), 80, "Tesla V100").len(), 3);
        assert_eq!(all((9, 0), 132, "NVIDIA H100").len(), GemmKind::ALL.len());
    }
}
