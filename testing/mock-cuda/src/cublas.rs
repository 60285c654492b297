//! cuBLAS: matrix products, right or wrong.
// The names and signatures are CUDA's.
#![allow(non_snake_case, clippy::too_many_arguments)]
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use mock_device::{Element, Product};

use crate::driver::{answer, current, version as driver_version};

/// What calls of both libraries answer.
pub(crate) const SUCCESS: c_int = 0;
pub(crate) const NOT_INITIALIZED: c_int = 1;
pub(crate) const INVALID_VALUE: c_int = 7;
pub(crate) const NOT_SUPPORTED: c_int = 15;

/// The type of that number, as `cudaDataType` counts.
pub(crate) fn element(data_type: c_int) -> Option<Element> {
    Some(match data_type {
        0 => Element::Single,
        1 => Element::Double,
        2 => Element::Half,
        3 => Element::Byte,
        10 => Element::Integer,
        14 => Element::Brain,
        28 => Element::Eighth,
        _ => return None,
    })
}

/// Makes a product at that share of the device's speed.
pub(crate) fn run(product: Product, stream: usize, speed: f64) -> c_int {
    product.run(stream, speed).map_or(INVALID_VALUE, |()| SUCCESS)
}

/// Streams of handles.
#[derive(Debug, Default)]
struct Handles {
    next: usize,
    streams: BTreeMap<usize, usize>,
}

fn handles() -> MutexGuard<'static, Handles> {
    static HANDLES: LazyLock<Mutex<Handles>> = LazyLock::new(Mutex::default);
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stream(handle: usize) -> Option<usize> {
    handles().streams.get(&handle).copied()
}

#[unsafe(no_mangle)]
extern "C" fn cublasCreate_v2(handle: *mut usize) -> c_int {
    if current().is_err() {
        return NOT_INITIALIZED;
    }
    let mut handles = handles();
    handles.next += 1;
    let number = handles.next;
    handles.streams.insert(number, 0);
    answer(handle, number)
}

#[unsafe(no_mangle)]
extern "C" fn cublasDestroy_v2(handle: usize) -> c_int {
    handles().streams.remove(&handle).map_or(NOT_INITIALIZED, |_| SUCCESS)
}

/// That of the driver, release 5.
#[unsafe(no_mangle)]
extern "C" fn cublasGetVersion_v2(_handle: usize, version: *mut c_int) -> c_int {
    let driver = driver_version();
    answer(version, driver / 1000 * 10_000 + driver % 1000 / 10 * 100 + 5)
}

#[unsafe(no_mangle)]
extern "C" fn cublasSetStream_v2(handle: usize, stream: usize) -> c_int {
    handles().streams.insert(handle, stream).map_or(NOT_INITIALIZED, |_| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cublasSetWorkspace_v2(handle: usize, at: usize, _bytes: usize) -> c_int {
    if stream(handle).is_some() && at != 0 { SUCCESS } else { INVALID_VALUE }
}

/// Types of A and B, of C, and the types of sums with them that there are.
const KNOWN: &[(c_int, c_int, c_int)] =
    &[(1, 1, 70), (1, 1, 71), (0, 0, 68), (0, 0, 69), (0, 0, 77), (14, 14, 68), (2, 2, 68), (3, 10, 72)];

#[unsafe(no_mangle)]
extern "C" fn cublasGemmEx(
    handle: usize,
    transpose_a: c_int,
    _transpose_b: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    _alpha: *const c_void,
    a: usize,
    a_type: c_int,
    _lda: c_int,
    b: usize,
    _b_type: c_int,
    _ldb: c_int,
    _beta: *const c_void,
    c: usize,
    c_type: c_int,
    _ldc: c_int,
    compute: c_int,
    _algorithm: c_int,
) -> c_int {
    if !KNOWN.contains(&(a_type, c_type, compute)) {
        return NOT_SUPPORTED;
    }
    let (Some(stream), Some(input), Some(output)) = (stream(handle), element(a_type), element(c_type)) else {
        return NOT_INITIALIZED;
    };
    let sizes = (m as usize, k as usize, n as usize);
    let product = Product { sizes, is_a_transposed: transpose_a == 1, input, output, scale: 1.0, at: (a, b, c) };
    run(product, stream, 1.0)
}

fn gemv(handle: usize, element: Element, n: c_int, at: (usize, usize, usize)) -> c_int {
    let Some(stream) = stream(handle) else { return NOT_INITIALIZED };
    let sizes = (n as usize, n as usize, 1);
    let product = Product { sizes, is_a_transposed: false, input: element, output: element, scale: 1.0, at };
    run(product, stream, 1.0)
}

#[unsafe(no_mangle)]
extern "C" fn cublasDgemv_v2(
    handle: usize,
    _transpose: c_int,
    _m: c_int,
    n: c_int,
    _alpha: *const f64,
    a: usize,
    _lda: c_int,
    x: usize,
    _incx: c_int,
    _beta: *const f64,
    y: usize,
    _incy: c_int,
) -> c_int {
    gemv(handle, Element::Double, n, (a, x, y))
}

#[unsafe(no_mangle)]
extern "C" fn cublasSgemv_v2(
    handle: usize,
    _transpose: c_int,
    _m: c_int,
    n: c_int,
    _alpha: *const f32,
    a: usize,
    _lda: c_int,
    x: usize,
    _incx: c_int,
    _beta: *const f32,
    y: usize,
    _incy: c_int,
) -> c_int {
    gemv(handle, Element::Single, n, (a, x, y))
}
