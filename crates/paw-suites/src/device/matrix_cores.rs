//! Multiplications and additions on matrix cores alone: `device_peak_matrix_f64`, `device_peak_matrix_f16`, `device_peak_matrix_bf16`,
//! `device_peak_matrix_int8`, `device_peak_matrix_fp8`.

use paw_data::precision::Precision;
use paw_foreign::device::GemmKind;

use super::fma::{self, COMMON, ChainUnits};
use crate::benchmark::{Benchmark, Common, Own};

/// Defines a benchmark for each type of factors.
macro_rules! peaks {
    ($($(#[$doc:meta])* $constant:ident: $name:literal, $kind:ident, $precision:ident, $formula:literal, $what:literal;)*) => {
        $(
            $(#[$doc])*
            pub const $constant: Benchmark = Own {
                name: $name,
                purpose: concat!("How many operations on ", $what, " do a device's matrix cores make?"),
                timed: TIMED,
                formula: $formula,
                work: |point| fma::work(point, ChainUnits::Matrix(GemmKind::$kind)),
                start: |start| fma::begin(start, ChainUnits::Matrix(GemmKind::$kind)),
            }
            .of(MATRIX)
            .precision(Precision::$precision);
        )*
    };
}

peaks! {
    /// Doubles.
    F64: "device_peak_matrix_f64", Fp64, Double,
        "8388608*blocks*devices; 256 threads a block, 16384 multiplications and additions each",
        "doubles";
    /// Halves.
    F16: "device_peak_matrix_f16", Fp16, Reduced,
        "67108864*blocks*devices; 256 threads a block, 131072 multiplications and additions each",
        "halves, summed in single precision,";
    /// bfloat16.
    BF16: "device_peak_matrix_bf16", Bf16, Reduced,
        "67108864*blocks*devices; 256 threads a block, 131072 multiplications and additions each",
        "bfloat16, summed in single precision,";
    /// Signed bytes.
    INT8: "device_peak_matrix_int8", Int8, Reduced,
        "67108864*blocks*devices; 256 threads a block, 131072 multiplications and additions each",
        "bytes, summed in 32-bit integers,";
    /// 8-bit floats.
    FP8: "device_peak_matrix_fp8", Fp8, Reduced,
        "67108864*blocks*devices; 256 threads a block, 131072 multiplications and additions each",
        "8-bit floats (e4m3), summed in single precision,";
}

const TIMED: &str = "C = A B + C of the shape of an instruction, in registers, factors all ones: 4 chains a wave, independent of each other, queued one kernel after the other and waited for";
/// HIP alone has kernels for them, so that a run of the whole suite leaves them out.
const MATRIX: Common = Common { variables: &["PAW_HIP_LIBRARY", "PAW_HIPRTC_LIBRARY"], by_name: true, ..COMMON };
