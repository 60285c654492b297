//! cuBLAS: its calls, and their arguments for each type of product.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use crate::device::gpu::blas::{In, Raw, Scalar, Statuses, VectorProducts, order};
use crate::device::gpu::calls::Call;
use crate::device::{DeviceError, GemmKind, GemmMath};

use super::services::{Addresses, Stream};
use super::toolkit::{self, CUBLAS, OpenedLibrary, calls};

const TITLE: &str = "cuBLAS";

/// An open cuBLAS.
#[derive(Debug)]
pub(super) struct CuBlas {
    opened: OpenedLibrary,
    calls: Calls,
}

/// A handle of cuBLAS, bound to a queue and destroyed when dropped.
#[derive(Debug)]
pub(super) struct CublasHandle {
    by: Arc<CuBlas>,
    raw: Raw,
}

calls! {
    create = "cublasCreate_v2"(*mut Raw);
    destroy = "cublasDestroy_v2"(Raw);
    version = "cublasGetVersion_v2"(Raw, *mut c_int);
    set_stream = "cublasSetStream_v2"(Raw, Stream);
    set_workspace = "cublasSetWorkspace_v2"(Raw, Raw, usize);
    gemm_ex = "cublasGemmEx"(
        Raw, c_int, c_int, c_int, c_int, c_int, In, In, c_int, c_int, In, c_int, c_int, In, Raw, c_int, c_int, c_int, c_int
    );
    dgemv = "cublasDgemv_v2"(Raw, c_int, c_int, c_int, *const f64, In, c_int, In, c_int, *const f64, Raw, c_int);
    sgemv = "cublasSgemv_v2"(Raw, c_int, c_int, c_int, *const f32, In, c_int, In, c_int, *const f32, Raw, c_int);
}

/// `CUBLAS_OP_N`.
const NORMAL: c_int = 0;
/// `CUBLAS_OP_T`.
const TRANSPOSED: c_int = 1;
/// `CUBLAS_GEMM_DEFAULT`: the library chooses the algorithm.
const ANY_ALGORITHM: c_int = -1;

/// Arguments of `cublasGemmEx`.
struct GemmArguments {
    kind: GemmKind,
    math: GemmMath,
    /// `cudaDataType` of A and B.
    input: c_int,
    /// `cudaDataType` of C.
    output: c_int,
    /// `cublasComputeType_t`.
    compute: c_int,
    /// A number that must divide n.
    multiple: usize,
}

/// Values of library_types.h and cublas_api.h: CUBLAS_COMPUTE_64F is 70, 32F 68, and each pedantic one more; 32F_FAST_TF32 is 77.
#[rustfmt::skip]
const ASKED: &[GemmArguments] = &[
    GemmArguments { kind: GemmKind::Fp64, math: GemmMath::Default,  input: 1,  output: 1,  compute: 70, multiple: 1 },
    GemmArguments { kind: GemmKind::Fp64, math: GemmMath::Pedantic, input: 1,  output: 1,  compute: 71, multiple: 1 },
    GemmArguments { kind: GemmKind::Fp32, math: GemmMath::Default,  input: 0,  output: 0,  compute: 68, multiple: 1 },
    GemmArguments { kind: GemmKind::Fp32, math: GemmMath::Pedantic, input: 0,  output: 0,  compute: 69, multiple: 1 },
    GemmArguments { kind: GemmKind::Fp32, math: GemmMath::Tensor,   input: 0,  output: 0,  compute: 77, multiple: 1 },
    GemmArguments { kind: GemmKind::Tf32, math: GemmMath::Default,  input: 0,  output: 0,  compute: 77, multiple: 1 },
    GemmArguments { kind: GemmKind::Bf16, math: GemmMath::Default,  input: 14, output: 14, compute: 68, multiple: 1 },
    GemmArguments { kind: GemmKind::Fp16, math: GemmMath::Default,  input: 2,  output: 2,  compute: 68, multiple: 1 },
    GemmArguments { kind: GemmKind::Int8, math: GemmMath::Default,  input: 3,  output: 10, compute: 72, multiple: 4 },
];

impl CuBlas {
    /// Opens cuBLAS of the driver's major version or a lower one. The error is one sentence.
    pub(super) fn open(driver_major: Option<u32>) -> Result<Self, String> {
        let opened = toolkit::open(&CUBLAS, &toolkit::here(&CUBLAS), driver_major)?;
        let calls = Calls::find(&opened, "a cuBLAS of CUDA 11.2 or later")?;
        Ok(Self { opened, calls })
    }

    /// The file it was opened from.
    pub(super) fn path(&self) -> &Path {
        &self.opened.path
    }

    /// A handle for the context that is current.
    pub(super) fn handle(self: &Arc<Self>) -> Result<CublasHandle, DeviceError> {
        let mut raw = ptr::null_mut();
        // SAFETY: the handle is written before the call returns.
        done("cublasCreate", unsafe { (self.calls.create)(&raw mut raw) })?;
        Ok(CublasHandle { by: Arc::clone(self), raw })
    }
}

// SAFETY: a handle may be used by any thread, one at a time; its holder sees to that.
unsafe impl Send for CublasHandle {}

impl CublasHandle {
    /// The version: `12.4.5`.
    pub(super) fn version(&self) -> Result<String, DeviceError> {
        let mut version = 0;
        // SAFETY: the handle lives, and the number outlives the call.
        done("cublasGetVersion", unsafe { (self.by.calls.version)(self.raw, &raw mut version) })?;
        Ok(in_dots(version.unsigned_abs().into()))
    }

    /// Queues later products in `stream`. This resets the workspace.
    pub(super) fn set_stream(&self, stream: Stream) -> Result<(), DeviceError> {
        // SAFETY: the handle lives, and the stream is one of its context.
        done("cublasSetStream", unsafe { (self.by.calls.set_stream)(self.raw, stream) })
    }

    /// Sets the handle's workspace on the device.
    pub(super) fn set_workspace(&self, address: u64, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: the address is only handed over, and the caller keeps the memory as long as the handle works.
        done("cublasSetWorkspace", unsafe { (self.by.calls.set_workspace)(self.raw, address as Raw, bytes) })
    }

    /// Queues C = A·B of order `n`.
    pub(super) fn gemm(&self, (kind, math): (GemmKind, GemmMath), n: usize, at: Addresses) -> Result<(), DeviceError> {
        let (asked, order) = (asked(kind, math)?, order(TITLE, n)?);
        let transpose_a = if kind.is_a_transposed() { TRANSPOSED } else { NORMAL };
        let (one, zero) = (Scalar::new(kind, 1), Scalar::new(kind, 0));
        let (alpha, beta) = ((&raw const one).cast(), (&raw const zero).cast());
        let (a, b, c) = (at.a as In, at.b as In, at.c as Raw);
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
                asked.compute,
                ANY_ALGORITHM,
            )
        };
        done("cublasGemmEx", answer)
    }

    /// Queues y = A·x of order `n`, in single or double precision.
    pub(super) fn gemv(&self, kind: GemmKind, n: usize, at: Addresses) -> Result<(), DeviceError> {
        let calls = &self.by.calls;
        let double = Call { name: "cublasDgemv", function: calls.dgemv };
        let single = Call { name: "cublasSgemv", function: calls.sgemv };
        let (handle, normal, statuses) = (self.raw, NORMAL, &STATUSES);
        VectorProducts { title: TITLE, handle, normal, double, single, statuses }.run(kind, n, at)
    }
}

impl Drop for CublasHandle {
    fn drop(&mut self) {
        // SAFETY: the handle lives, and is not used again.
        unsafe { (self.by.calls.destroy)(self.raw) };
    }
}

/// Whether cuBLAS multiplies matrices of that kind and order.
pub(super) fn suits(kind: GemmKind, math: GemmMath, n: usize) -> Result<(), DeviceError> {
    let multiple = asked(kind, math)?.multiple;
    order(TITLE, n)?;
    match n % multiple {
        0 => Ok(()),
        _ => Err(DeviceError::Unsupported(format!(
            "cuBLAS multiplies {} matrices whose order is a multiple of {multiple}, and {n} is not",
            kind.name()
        ))),
    }
}

fn asked(kind: GemmKind, math: GemmMath) -> Result<&'static GemmArguments, DeviceError> {
    let row = ASKED.iter().find(|row| row.kind == kind && row.math == math);
    row.ok_or_else(|| {
        DeviceError::Unsupported(match (kind, math) {
            (GemmKind::Fp64, GemmMath::Tensor) => {
                "cuBLAS rounds no doubles for tensor cores; math=default uses those for doubles where the device has them"
                    .to_owned()
            }
            _ => format!("cublasGemmEx does not multiply {} with math={}", kind.name(), math.name()),
        })
    })
}

/// A version in dots, `12.4.5` for 120405, as cuBLAS counts from version 11 on.
pub(super) fn in_dots(version: u64) -> String {
    format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100)
}

/// Names of `cublasStatus_t`, as cublas_api.h has them without the prefix.
static STATUSES: Statuses = Statuses {
    meanings: &[
        (1, "not initialized: no usable driver or device, or a library newer than the driver"),
        (3, "allocation failed"),
        (7, "invalid value"),
        (8, "architecture mismatch"),
        (11, "mapping error"),
        (13, "execution failed"),
        (14, "internal error"),
        (15, "not supported"),
        (16, "license error"),
    ],
    // `CUBLAS_STATUS_ARCH_MISMATCH` and `…_NOT_SUPPORTED`: the device, or the library, has not what was asked for.
    lacking: &[8, 15],
};

pub(super) fn done(call: &'static str, status: c_int) -> Result<(), DeviceError> {
    STATUSES.done(call, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_the_library_writes_them() {
        assert_eq!([120_405, 130_002, 111_003].map(in_dots), ["12.4.5", "13.0.2", "11.10.3"]);
    }

    #[test]
    fn every_kind_but_fp8_is_asked_of_gemm_ex() {
        let default = GemmMath::Default;
        for kind in GemmKind::ALL {
            assert_eq!(suits(kind, default, 64).is_ok(), kind != GemmKind::Fp8, "{kind:?}");
        }
        assert!(suits(GemmKind::Int8, default, 6).unwrap_err().to_string().contains("multiple of 4"));
        assert!(suits(GemmKind::Fp64, default, 1 << 31).unwrap_err().to_string().contains("32 bits"));
    }

    #[test]
    fn singles_may_be_rounded_for_tensor_cores_and_doubles_may_not() {
        assert!(suits(GemmKind::Fp32, GemmMath::Tensor, 64).is_ok());
        let refused = suits(GemmKind::Fp64, GemmMath::Tensor, 64).unwrap_err().to_string();
        assert!(refused.contains("math=default"), "{refused}");
        assert!(suits(GemmKind::Bf16, GemmMath::Pedantic, 64).is_err());
    }

    #[test]
    fn what_a_device_has_not_is_unsupported_and_not_broken() {
        assert!(matches!(done("cublasGemmEx", 15), Err(DeviceError::Unsupported(_))));
        let error = done("cublasCreate", 1).unwrap_err().to_string();
        assert!(error.starts_with("cublasCreate failed with 1") && error.contains("newer than the driver"), "{error}");
    }
}
