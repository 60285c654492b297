//! rocBLAS: its calls, and their arguments for each type of product (rocblas-functions.h and rocblas-types.h, ROCm 5 to 7).
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use super::rocm::{self, ROCBLAS};
use crate::device::gpu::blas::{In, Raw, Scalar, Statuses, VectorProducts, order};
use crate::device::gpu::calls::Call;
use crate::device::gpu::services::{Addresses, Stream};
use crate::device::opened::{OpenedLibrary, library_calls};
use crate::device::{DeviceError, GemmKind};
use crate::object::text;

const TITLE: &str = "rocBLAS";

/// An open rocBLAS.
#[derive(Debug)]
pub(super) struct RocBlas {
    opened: OpenedLibrary,
    calls: Calls,
}

/// A handle of rocBLAS, bound to a queue and destroyed when dropped.
#[derive(Debug)]
pub(super) struct RocblasHandle {
    by: Arc<RocBlas>,
    raw: Raw,
}

library_calls! {
    create = "rocblas_create_handle"(*mut Raw);
    destroy = "rocblas_destroy_handle"(Raw);
    version = "rocblas_get_version_string"(*mut c_char, usize);
    set_stream = "rocblas_set_stream"(Raw, Stream);
    gemm_ex = "rocblas_gemm_ex"(
        Raw, c_int, c_int, c_int, c_int, c_int, In, In, c_int, c_int, In, c_int, c_int, In, In, c_int, c_int, Raw, c_int, c_int,
        c_int, c_int, i32, u32
    );
    dgemv = "rocblas_dgemv"(Raw, c_int, c_int, c_int, *const f64, In, c_int, In, c_int, *const f64, Raw, c_int);
    sgemv = "rocblas_sgemv"(Raw, c_int, c_int, c_int, *const f32, In, c_int, In, c_int, *const f32, Raw, c_int);
}

/// `rocblas_operation_none`.
const NORMAL: c_int = 111;
/// `rocblas_operation_transpose`.
const TRANSPOSED: c_int = 112;
/// `rocblas_gemm_algo_standard`: the library chooses the solution; with no index and no flags.
const ANY_ALGORITHM: (c_int, i32, u32) = (0, 0, 0);
/// Room for the library's version: `4.2.4.9a7dfd4b-dirty`.
const VERSION_BYTES: usize = 128;

/// Arguments of `rocblas_gemm_ex`.
struct GemmArguments {
    kind: GemmKind,
    /// `rocblas_datatype` of A and B.
    input: c_int,
    /// `rocblas_datatype` of C and D.
    output: c_int,
    /// `rocblas_datatype` of the sums.
    compute: c_int,
}

/// Values of `rocblas_datatype`. TF32 is a mode of rocBLAS on one architecture alone, and 8-bit floats are hipBLASLt's.
#[rustfmt::skip]
const ASKED: &[GemmArguments] = &[
    GemmArguments { kind: GemmKind::Fp64, input: 152, output: 152, compute: 152 },
    GemmArguments { kind: GemmKind::Fp32, input: 151, output: 151, compute: 151 },
    GemmArguments { kind: GemmKind::Bf16, input: 168, output: 168, compute: 151 },
    GemmArguments { kind: GemmKind::Fp16, input: 150, output: 150, compute: 151 },
    GemmArguments { kind: GemmKind::Int8, input: 160, output: 162, compute: 162 },
];

impl RocBlas {
    /// Opens rocBLAS beside the run-time library, or where else it is. The error is one sentence.
    pub(super) fn open(driver: &Path) -> Result<Self, String> {
        let opened = rocm::open(&ROCBLAS, &rocm::here(&ROCBLAS), Some(driver))?;
        let calls = Calls::find(&opened, "a rocBLAS of ROCm 5 or later")?;
        Ok(Self { opened, calls })
    }

    /// The file it was opened from.
    pub(super) fn path(&self) -> &Path {
        &self.opened.path
    }

    /// The version: `4.2.4`.
    pub(super) fn version(&self) -> Result<String, DeviceError> {
        let mut version = [0 as c_char; VERSION_BYTES];
        // SAFETY: there is room for as many bytes as are said to be.
        let answer = unsafe { (self.calls.version)(version.as_mut_ptr(), VERSION_BYTES) };
        done("rocblas_get_version_string", answer)?;
        // SAFETY: the library wrote a C string that fits, and nobody else knows of it.
        let version = unsafe { text(version.as_ptr()) };
        // Behind three numbers stands the revision it was built from.
        Ok(version.split('.').take(3).collect::<Vec<_>>().join("."))
    }

    /// A handle for the device that this thread has chosen.
    pub(super) fn handle(self: &Arc<Self>) -> Result<RocblasHandle, DeviceError> {
        let mut raw = ptr::null_mut();
        // SAFETY: the handle is written before the call returns.
        done("rocblas_create_handle", unsafe { (self.calls.create)(&raw mut raw) })?;
        Ok(RocblasHandle { by: Arc::clone(self), raw })
    }
}

// SAFETY: a handle may be used by any thread, one at a time; its holder sees to that.
unsafe impl Send for RocblasHandle {}

impl RocblasHandle {
    /// Queues later products in `stream`.
    pub(super) fn set_stream(&self, stream: Stream) -> Result<(), DeviceError> {
        // SAFETY: the handle lives, and the stream is one of its device.
        done("rocblas_set_stream", unsafe { (self.by.calls.set_stream)(self.raw, stream) })
    }

    /// Queues C = A·B of order `n`; C is read as well as D, with a factor of zero.
    pub(super) fn gemm(&self, kind: GemmKind, n: usize, at: Addresses) -> Result<(), DeviceError> {
        let (asked, order) = (asked(kind)?, order(TITLE, n)?);
        let transpose_a = if kind.is_a_transposed() { TRANSPOSED } else { NORMAL };
        let (one, zero) = (Scalar::new(kind, 1), Scalar::new(kind, 0));
        let (alpha, beta) = ((&raw const one).cast(), (&raw const zero).cast());
        let (a, b, c) = (at.a as In, at.b as In, at.c as Raw);
        let (algorithm, solution, flags) = ANY_ALGORITHM;
        // SAFETY: the handle lives; the addresses are of device memory that holds n × n elements each; α and β are read before the
        // call returns.
        let answer = unsafe {
            (self.by.calls.gemm_ex)(
                self.raw,
                transpose_a,
                NORMAL,
                order,
                order,
                order,
                alpha,
                a,
                asked.input,
                order,
                b,
                asked.input,
                order,
                beta,
                c,
                asked.output,
                order,
                c,
                asked.output,
                order,
                asked.compute,
                algorithm,
                solution,
                flags,
            )
        };
        done("rocblas_gemm_ex", answer)
    }

    /// Queues y = A·x of order `n`, in single or double precision.
    pub(super) fn gemv(&self, kind: GemmKind, n: usize, at: Addresses) -> Result<(), DeviceError> {
        let calls = &self.by.calls;
        let double = Call { name: "rocblas_dgemv", function: calls.dgemv };
        let single = Call { name: "rocblas_sgemv", function: calls.sgemv };
        let (handle, normal, statuses) = (self.raw, NORMAL, &STATUSES);
        VectorProducts { title: TITLE, handle, normal, double, single, statuses }.run(kind, n, at)
    }
}

impl Drop for RocblasHandle {
    fn drop(&mut self) {
        // SAFETY: the handle lives, and is not used again.
        unsafe { (self.by.calls.destroy)(self.raw) };
    }
}

/// Whether rocBLAS multiplies matrices of that kind and order.
pub(super) fn suits(kind: GemmKind, n: usize) -> Result<(), DeviceError> {
    asked(kind)?;
    order(TITLE, n).map(|_| ())
}

fn asked(kind: GemmKind) -> Result<&'static GemmArguments, DeviceError> {
    let row = ASKED.iter().find(|row| row.kind == kind);
    row.ok_or_else(|| {
        DeviceError::Unsupported(format!("rocblas_gemm_ex does not multiply {}; choose another type", kind.name()))
    })
}

/// Names of `rocblas_status`, as rocblas-types.h has them without the prefix.
static STATUSES: Statuses = Statuses {
    meanings: &[
        (1, "invalid handle"),
        (2, "not implemented"),
        (3, "invalid pointer"),
        (4, "invalid size"),
        (5, "memory error"),
        (6, "internal error"),
        (7, "performance degraded"),
        (11, "invalid value"),
        (14, "excluded from build"),
        (15, "architecture mismatch"),
    ],
    // `rocblas_status_not_implemented`, `…_excluded_from_build` and `…_arch_mismatch`: the device, or the library, has not what was asked
    // for.
    lacking: &[2, 14, 15],
};

fn done(call: &'static str, status: c_int) -> Result<(), DeviceError> {
    STATUSES.done(call, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_but_tf32_and_fp8_is_asked_of_gemm_ex() {
        for kind in GemmKind::ALL {
            assert_eq!(suits(kind, 64).is_ok(), !matches!(kind, GemmKind::Tf32 | GemmKind::Fp8), "{kind:?}");
        }
        assert!(suits(GemmKind::Fp64, 1 << 31).unwrap_err().to_string().contains("32 bits"));
    }

    #[test]
    fn what_a_device_has_not_is_unsupported_and_not_broken() {
        assert!(matches!(done("rocblas_gemm_ex", 2), Err(DeviceError::Unsupported(_))));
        let error = done("rocblas_create_handle", 5).unwrap_err().to_string();
        assert_eq!(error, "rocblas_create_handle failed with 5 (memory error)");
    }
}
