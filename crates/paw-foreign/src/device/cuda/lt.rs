//! cuBLASLt: products of 8-bit floats, by the fastest of the algorithms it proposes.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use crate::device::DeviceError;

use super::cublas::{done, in_dots};
use super::services::{Addresses, DeviceServices, Stream};
use super::toolkit::{self, CUBLAS_LT, OpenedLibrary, calls};

/// An open cuBLASLt.
#[derive(Debug)]
pub(super) struct Lt {
    opened: OpenedLibrary,
    calls: Calls,
    version: String,
}

type Raw = *mut c_void;
type In = *const c_void;

calls! {
    create = "cublasLtCreate"(*mut Raw);
    destroy = "cublasLtDestroy"(Raw);
    operation_create = "cublasLtMatmulDescCreate"(*mut Raw, c_int, c_int);
    operation_set = "cublasLtMatmulDescSetAttribute"(Raw, c_int, In, usize);
    operation_destroy = "cublasLtMatmulDescDestroy"(Raw);
    layout_create = "cublasLtMatrixLayoutCreate"(*mut Raw, c_int, u64, u64, i64);
    layout_destroy = "cublasLtMatrixLayoutDestroy"(Raw);
    preference_create = "cublasLtMatmulPreferenceCreate"(*mut Raw);
    preference_set = "cublasLtMatmulPreferenceSetAttribute"(Raw, c_int, In, usize);
    preference_destroy = "cublasLtMatmulPreferenceDestroy"(Raw);
    propose = "cublasLtMatmulAlgoGetHeuristic"(Raw, Raw, Raw, Raw, Raw, Raw, Raw, c_int, *mut Proposal, *mut c_int);
    multiply = "cublasLtMatmul"(
        Raw, Raw, In, In, Raw, In, Raw, In, In, Raw, Raw, Raw, *const Algorithm, Raw, usize, Stream
    );
}

/// `cublasLtMatmulAlgo_t`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Algorithm([u64; 8]);

/// `cublasLtMatmulHeuristicResult_t`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Proposal {
    algorithm: Algorithm,
    workspace_bytes: usize,
    status: c_int,
    waves: f32,
    reserved: [c_int; 4],
}

// Values of cublasLt.h and library_types.h.
const COMPUTE_32F: c_int = 68;
const R_32F: c_int = 0;
const R_16BF: c_int = 14;
const R_8F_E4M3: c_int = 28;
const OP_T: c_int = 1;
const DESC_TRANSA: c_int = 3;
const DESC_A_SCALE_POINTER: c_int = 17;
const DESC_B_SCALE_POINTER: c_int = 18;
const DESC_FAST_ACCUM: c_int = 25;
const PREFERENCE_MAX_WORKSPACE_BYTES: c_int = 1;

/// How many algorithms are tried: the first proposal can be half as fast as the best.
const PROPOSALS: usize = 8;
/// How often each algorithm is timed.
const TRIES: u32 = 4;
/// Workspace for algorithms.
pub(super) const WORKSPACE_BYTES: usize = 32 << 20;
/// Bytes after the workspace, for the scale of A and B.
pub(super) const SCALE_BYTES: usize = 256;
/// A number that must divide the order.
const MULTIPLE: usize = 16;

/// A prepared product of order `n`.
#[derive(Debug)]
pub(super) struct Matmul {
    by: Arc<Lt>,
    handle: Object,
    operation: Object,
    /// Layout of A and B.
    input: Object,
    output: Object,
    algorithm: Algorithm,
    workspace: u64,
}

/// An object of the library, destroyed when dropped.
#[derive(Debug)]
struct Object {
    raw: Raw,
    give_up: unsafe extern "C" fn(Raw) -> c_int,
}

// SAFETY: objects of the library may be used by any thread, one at a time; their holder sees to that.
unsafe impl Send for Object {}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the object lives, and is not used again.
        unsafe { (self.give_up)(self.raw) };
    }
}

impl Lt {
    /// Opens cuBLASLt of the driver's major version or a lower one. The error is one sentence.
    pub(super) fn open(driver_major: Option<u32>) -> Result<Self, String> {
        let opened = toolkit::open(&CUBLAS_LT, &toolkit::here(&CUBLAS_LT), driver_major)?;
        let calls = Calls::find(&opened, "a cuBLASLt of CUDA 11 or later")?;
        // SAFETY: it takes nothing and returns a number, in all versions.
        let version = unsafe { opened.object.function::<unsafe extern "C" fn() -> usize>("cublasLtGetVersion") };
        // SAFETY: as above.
        let version = version.map_or_else(String::new, |version| in_dots(unsafe { version() } as u64));
        Ok(Self { opened, calls, version })
    }

    /// The file it was opened from.
    pub(super) fn path(&self) -> &Path {
        &self.opened.path
    }

    /// The version: `12.4.5`.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Whether it multiplies 8-bit floats of that order.
    pub(super) fn suits(n: usize) -> Result<(), DeviceError> {
        match n % MULTIPLE {
            0 => Ok(()),
            _ => Err(DeviceError::Unsupported(format!(
                "cuBLASLt multiplies fp8 matrices whose order is a multiple of {MULTIPLE}, and {n} is not"
            ))),
        }
    }

    /// Prepares a product of order `n`. At `workspace` lie [`WORKSPACE_BYTES`] to work in, and a single-precision one after them.
    pub(super) fn matmul(
        self: &Arc<Self>,
        ground: &dyn DeviceServices,
        stream: Stream,
        n: usize,
        workspace: u64,
    ) -> Result<Matmul, DeviceError> {
        Self::suits(n)?;
        let mut matmul = Matmul {
            by: Arc::clone(self),
            handle: self.object("cublasLtCreate", self.calls.destroy, |raw| {
                // SAFETY: the handle is written before the call returns.
                unsafe { (self.calls.create)(raw) }
            })?,
            operation: self.operation(workspace + WORKSPACE_BYTES as u64)?,
            input: self.layout(R_8F_E4M3, n)?,
            output: self.layout(R_16BF, n)?,
            algorithm: Algorithm::default(),
            workspace,
        };
        let proposals = matmul.proposals()?;
        matmul.algorithm = matmul.fastest(&proposals, ground, stream, n)?;
        Ok(matmul)
    }

    fn object(
        &self,
        call: &'static str,
        give_up: unsafe extern "C" fn(Raw) -> c_int,
        make: impl FnOnce(*mut Raw) -> c_int,
    ) -> Result<Object, DeviceError> {
        let mut raw = ptr::null_mut();
        done(call, make(&raw mut raw))?;
        Ok(Object { raw, give_up })
    }

    fn layout(&self, element: c_int, n: usize) -> Result<Object, DeviceError> {
        self.object("cublasLtMatrixLayoutCreate", self.calls.layout_destroy, |raw| {
            // SAFETY: the layout is written before the call returns.
            unsafe { (self.calls.layout_create)(raw, element, n as u64, n as u64, n as i64) }
        })
    }

    /// The description of a product: A transposed, fast accumulation, the scale at address `scale`.
    fn operation(&self, scale: u64) -> Result<Object, DeviceError> {
        let operation = self.object("cublasLtMatmulDescCreate", self.calls.operation_destroy, |raw| {
            // SAFETY: the description is written before the call returns.
            unsafe { (self.calls.operation_create)(raw, COMPUTE_32F, R_32F) }
        })?;
        self.set(&operation, DESC_TRANSA, &OP_T.to_ne_bytes())?;
        self.set(&operation, DESC_A_SCALE_POINTER, &scale.to_ne_bytes())?;
        self.set(&operation, DESC_B_SCALE_POINTER, &scale.to_ne_bytes())?;
        self.set(&operation, DESC_FAST_ACCUM, &1_i8.to_ne_bytes())?;
        Ok(operation)
    }

    fn set(&self, operation: &Object, attribute: c_int, value: &[u8]) -> Result<(), DeviceError> {
        // SAFETY: the description lives, and the value is copied before the call returns.
        let answer =
            unsafe { (self.calls.operation_set)(operation.raw, attribute, value.as_ptr().cast(), value.len()) };
        done("cublasLtMatmulDescSetAttribute", answer)
    }
}

impl Matmul {
    /// Queues C = A·B.
    pub(super) fn run(&self, stream: Stream, at: Addresses) -> Result<(), DeviceError> {
        done("cublasLtMatmul", self.run_by(&self.algorithm, stream, at))
    }

    fn run_by(&self, algorithm: &Algorithm, stream: Stream, at: Addresses) -> c_int {
        let (one, zero) = (1_f32, 0_f32);
        let (alpha, beta) = ((&raw const one).cast(), (&raw const zero).cast());
        let (handle, operation) = (self.handle.raw, self.operation.raw);
        let (input, output) = (self.input.raw, self.output.raw);
        let (a, b, c, workspace) = (at.a as In, at.b as In, at.c as Raw, self.workspace as Raw);
        // SAFETY: all objects live; the addresses are of device memory that holds n × n elements each; α and β are read before the
        // call returns.
        unsafe {
            (self.by.calls.multiply)(
                handle,
                operation,
                alpha,
                a,
                input,
                b,
                input,
                beta,
                c,
                output,
                c,
                output,
                algorithm,
                workspace,
                WORKSPACE_BYTES,
                stream,
            )
        }
    }

    fn proposals(&self) -> Result<Vec<Algorithm>, DeviceError> {
        let calls = &self.by.calls;
        let preference = self.by.object("cublasLtMatmulPreferenceCreate", calls.preference_destroy, |raw| {
            // SAFETY: the preference is written before the call returns.
            unsafe { (calls.preference_create)(raw) }
        })?;
        let bytes = WORKSPACE_BYTES.to_ne_bytes();
        // SAFETY: the preference lives, and the value is copied before the call returns.
        let answer = unsafe {
            (calls.preference_set)(preference.raw, PREFERENCE_MAX_WORKSPACE_BYTES, bytes.as_ptr().cast(), bytes.len())
        };
        done("cublasLtMatmulPreferenceSetAttribute", answer)?;
        let (mut proposals, mut count) = ([Proposal::default(); PROPOSALS], 0);
        let (input, output) = (self.input.raw, self.output.raw);
        // SAFETY: all objects live, and there is room for as many proposals as are asked for.
        let answer = unsafe {
            (calls.propose)(
                self.handle.raw,
                self.operation.raw,
                input,
                input,
                output,
                output,
                preference.raw,
                PROPOSALS as c_int,
                proposals.as_mut_ptr(),
                &raw mut count,
            )
        };
        done("cublasLtMatmulAlgoGetHeuristic", answer)?;
        let proposed = proposals.iter().take(count.max(0) as usize).filter(|proposal| proposal.status == 0);
        Ok(proposed.map(|proposal| proposal.algorithm).collect())
    }

    /// The fastest algorithm by the device's clock; the first proposal where there is no memory to try them.
    fn fastest(
        &self,
        proposals: &[Algorithm],
        ground: &dyn DeviceServices,
        stream: Stream,
        n: usize,
    ) -> Result<Algorithm, DeviceError> {
        let none = || DeviceError::Unsupported("cuBLASLt has no algorithm for fp8 on this device".to_owned());
        let first = *proposals.first().ok_or_else(none)?;
        // A byte an element for A and B each, two bytes for C.
        let Ok(scratch) = ground.alloc(4 * n * n) else { return Ok(first) };
        let square = (n * n) as u64;
        let at = Addresses { a: scratch, b: scratch + square, c: scratch + 2 * square };
        let mut best = (f64::INFINITY, first);
        for algorithm in proposals {
            if let Ok(seconds) = self.time(algorithm, ground, stream, at)
                && seconds < best.0
            {
                best = (seconds, *algorithm);
            }
        }
        ground.free(scratch);
        Ok(best.1)
    }

    fn time(
        &self,
        algorithm: &Algorithm,
        ground: &dyn DeviceServices,
        stream: Stream,
        at: Addresses,
    ) -> Result<f64, DeviceError> {
        let run = || done("cublasLtMatmul", self.run_by(algorithm, stream, at));
        run()?;
        ground.time(stream, &mut || (0..TRIES).try_for_each(|_| run()))
    }
}
