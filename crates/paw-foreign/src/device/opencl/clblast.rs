//! CLBlast, found and called at run time.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use opencl_sys::{cl_command_queue, cl_event, cl_mem};

use super::library::{Api, variable};
use super::queues::Queue;
use super::status::name;
use crate::device::error::DeviceError;
use crate::object::{Scope, SharedObject};

/// File names of CLBlast.
const FILES: &[&str] = &["libclblast.so.1", "libclblast.so"];
/// `CLBlastLayoutColMajor` and `CLBlastTransposeNo` of its header clblast_c.h.
const COLUMN_MAJOR: i32 = 102;
const NOT_TRANSPOSED: i32 = 111;

#[rustfmt::skip]
type GemmCall<T> = unsafe extern "C" fn(i32, i32, i32, usize, usize, usize, T, cl_mem, usize, usize, cl_mem, usize, usize, T, cl_mem, usize, usize, *mut cl_command_queue, *mut cl_event) -> i32;
#[rustfmt::skip]
type GemvCall<T> = unsafe extern "C" fn(i32, i32, usize, usize, T, cl_mem, usize, usize, cl_mem, usize, usize, T, cl_mem, usize, usize, *mut cl_command_queue, *mut cl_event) -> i32;

/// CLBlast, open until the process ends.
pub(super) struct Clblast {
    /// Its file.
    pub(super) file: PathBuf,
    sgemm: GemmCall<f32>,
    dgemm: GemmCall<f64>,
    sgemv: GemvCall<f32>,
    dgemv: GemvCall<f64>,
}

/// A matrix or vector on the device: its buffer, and where it begins there in elements.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    /// The buffer.
    pub(super) buffer: cl_mem,
    /// Elements of the buffer before it.
    pub(super) begin: usize,
}

/// CLBlast, or why the embedded kernel is used; an outer error if the library that was named cannot be used.
type FoundClblast = Result<Result<Clblast, String>, String>;

/// CLBlast, opened once per process: `None` where none fits or it was declined.
///
/// # Errors
/// Where the library that was named cannot be used.
pub(super) fn clblast(api: &Api) -> Result<Option<&'static Clblast>, String> {
    found(api).as_ref().map(|found| found.as_ref().ok()).map_err(Clone::clone)
}

/// Where CLBlast was found, or why not.
pub(super) fn whereabouts(api: &Api) -> Result<String, String> {
    let portable = |why: &String| format!("{why}; the portable kernel of paw multiplies");
    let found = found(api).as_ref().map_err(Clone::clone)?;
    found.as_ref().map(|clblast| clblast.file.display().to_string()).map_err(portable)
}

fn found(api: &Api) -> &'static FoundClblast {
    static CLBLAST: OnceLock<FoundClblast> = OnceLock::new();
    CLBLAST.get_or_init(|| open(api))
}

fn open(api: &Api) -> FoundClblast {
    match variable("PAW_CLBLAST_LIBRARY").as_deref() {
        Some("none") => return Ok(Err("PAW_CLBLAST_LIBRARY is `none`".to_owned())),
        Some(named) => {
            let way_out = "name libclblast.so.1, or `none` for the portable kernel of paw";
            let why = |why| format!("PAW_CLBLAST_LIBRARY: {why}; {way_out}");
            return opened(Path::new(named), api).map(Ok).map_err(why);
        }
        None => {}
    }
    let mut refused = None;
    for file in FILES {
        match opened(Path::new(file), api) {
            Ok(clblast) => return Ok(Ok(clblast)),
            Err(why) if why.contains("No such file") => {}
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    let missing = || {
        let file = FILES[0];
        format!("{file} was not found (install it, libclblast1 on Debian, or name it in PAW_CLBLAST_LIBRARY)")
    };
    Ok(Err(refused.unwrap_or_else(missing)))
}

fn opened(path: &Path, api: &Api) -> Result<Clblast, String> {
    let shown = path.display();
    let object = SharedObject::open(path, Scope::Local).map_err(|why| format!("{shown} cannot be loaded: {why}"))?;
    let missing = |name: &str| format!("{shown} is not CLBlast: it has no {name}");
    // SAFETY: the type is that of CLBlast's header clblast_c.h; so below.
    let sgemm = unsafe { object.function("CLBlastSgemm") }.ok_or_else(|| missing("CLBlastSgemm"))?;
    // SAFETY: as above.
    let dgemm = unsafe { object.function("CLBlastDgemm") }.ok_or_else(|| missing("CLBlastDgemm"))?;
    // SAFETY: as above.
    let sgemv = unsafe { object.function("CLBlastSgemv") }.ok_or_else(|| missing("CLBlastSgemv"))?;
    // SAFETY: as above.
    let dgemv = unsafe { object.function("CLBlastDgemv") }.ok_or_else(|| missing("CLBlastDgemv"))?;
    // Objects of one loader are unknown to another.
    if let Some(bound) = object.file_of("clGetPlatformIDs").filter(|bound| *bound != api.file) {
        return Err(format!("{shown} is bound to the loader {}, and not to {}", bound.display(), api.file.display()));
    }
    let file = object.file_of("CLBlastSgemm").unwrap_or_else(|| path.to_owned());
    Ok(Clblast { file, sgemm, dgemm, sgemv, dgemv })
}

impl Clblast {
    /// Its name, with the version in its file name.
    pub(super) fn name(&self) -> String {
        let file = self.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let version = file.split_once(".so.").map(|(_, version)| format!(" {version}")).unwrap_or_default();
        format!("CLBlast{version}")
    }

    /// Queues C = A·B in double precision, all of order `n`.
    pub(super) fn dgemm(&self, queue: &Queue, n: usize, operands: [Operand; 3]) -> Result<(), DeviceError> {
        // SAFETY: the function is of doubles.
        unsafe { multiply("CLBlastDgemm", self.dgemm, (1.0, 0.0), queue, n, operands) }
    }

    /// Queues C = A·B in single precision, all of order `n`.
    pub(super) fn sgemm(&self, queue: &Queue, n: usize, operands: [Operand; 3]) -> Result<(), DeviceError> {
        // SAFETY: the function is of floats.
        unsafe { multiply("CLBlastSgemm", self.sgemm, (1.0, 0.0), queue, n, operands) }
    }

    /// Queues y = A·x in double precision.
    pub(super) fn dgemv(&self, queue: &Queue, n: usize, operands: [Operand; 3]) -> Result<(), DeviceError> {
        // SAFETY: the function is of doubles.
        unsafe { multiply_vector("CLBlastDgemv", self.dgemv, (1.0, 0.0), queue, n, operands) }
    }

    /// Queues y = A·x in single precision.
    pub(super) fn sgemv(&self, queue: &Queue, n: usize, operands: [Operand; 3]) -> Result<(), DeviceError> {
        // SAFETY: the function is of floats.
        unsafe { multiply_vector("CLBlastSgemv", self.sgemv, (1.0, 0.0), queue, n, operands) }
    }
}

/// # Safety
/// `call` must be CLBlast's GEMM for T.
unsafe fn multiply<T>(
    name: &'static str,
    call: GemmCall<T>,
    (one, zero): (T, T),
    queue: &Queue,
    n: usize,
    operands: [Operand; 3],
) -> Result<(), DeviceError> {
    let (mut raw, none, plain) = (queue.raw(), std::ptr::null_mut(), NOT_TRANSPOSED);
    let [(a, at), (b, bt), (c, ct)] = operands.map(|operand| (operand.buffer, operand.begin));
    // SAFETY: the caller vouches for the type; buffers are alive during the call, and CLBlast checks sizes against them.
    let status = unsafe {
        call(COLUMN_MAJOR, plain, plain, n, n, n, one, a, at, n, b, bt, n, zero, c, ct, n, &raw mut raw, none)
    };
    checked(name, status)
}

/// # Safety
/// `call` must be CLBlast's GEMV for T.
unsafe fn multiply_vector<T>(
    name: &'static str,
    call: GemvCall<T>,
    (one, zero): (T, T),
    queue: &Queue,
    n: usize,
    operands: [Operand; 3],
) -> Result<(), DeviceError> {
    let (mut raw, none, plain) = (queue.raw(), std::ptr::null_mut(), NOT_TRANSPOSED);
    let [(a, at), (x, xt), (y, yt)] = operands.map(|operand| (operand.buffer, operand.begin));
    // SAFETY: the caller vouches for the type; buffers are alive during the call, and CLBlast checks sizes against them.
    let status =
        unsafe { call(COLUMN_MAJOR, plain, n, n, one, a, at, n, x, xt, 1, zero, y, yt, 1, &raw mut raw, none) };
    checked(name, status)
}

/// A status is OpenCL's, or one of CLBlast's own (its header clblast_c.h).
fn checked(call: &'static str, status: i32) -> Result<(), DeviceError> {
    let meaning = match status {
        0 => return Ok(()),
        -2045 => "the device has no half precision",
        -2044 => "the device has no double precision",
        -2041 => "its database of parameters is broken",
        -2040 | -2039 => "an error that it does not know",
        _ => name(status),
    };
    Err(DeviceError::Refused { call, code: i64::from(status), meaning: meaning.to_owned() })
}
