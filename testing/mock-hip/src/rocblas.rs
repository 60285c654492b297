//! rocBLAS: matrix products, right or wrong.
// The names and signatures are rocBLAS's.
#![allow(non_snake_case, clippy::too_many_arguments)]
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use mock_device::{Element, Product};

use crate::runtime::{answer, current, tell};

/// `rocblas_status`.
const SUCCESS: c_int = 0;
const INVALID_HANDLE: c_int = 1;
const NOT_IMPLEMENTED: c_int = 2;
const INVALID_POINTER: c_int = 3;
const INVALID_SIZE: c_int = 4;
const INTERNAL_ERROR: c_int = 6;
const INVALID_VALUE: c_int = 11;

/// `rocblas_operation_none`, `rocblas_operation_transpose`.
const OPERATIONS: [c_int; 2] = [111, 112];

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

/// The type of that number, as `rocblas_datatype` counts.
fn element(data_type: c_int) -> Option<Element> {
    Some(match data_type {
        150 => Element::Half,
        151 => Element::Single,
        152 => Element::Double,
        160 => Element::Byte,
        162 => Element::Integer,
        168 => Element::Brain,
        _ => return None,
    })
}

#[unsafe(no_mangle)]
extern "C" fn rocblas_create_handle(handle: *mut usize) -> c_int {
    if current().is_err() {
        return INTERNAL_ERROR;
    }
    let mut handles = handles();
    handles.next += 1;
    let number = handles.next;
    handles.streams.insert(number, 0);
    answer(handle, number)
}

#[unsafe(no_mangle)]
extern "C" fn rocblas_destroy_handle(handle: usize) -> c_int {
    handles().streams.remove(&handle).map_or(INVALID_HANDLE, |_| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn rocblas_get_version_string(to: *mut c_char, room: usize) -> c_int {
    if tell(to, room, "4.3.0.9a7dfd4b") == SUCCESS { SUCCESS } else { INVALID_SIZE }
}

#[unsafe(no_mangle)]
extern "C" fn rocblas_set_stream(handle: usize, stream: usize) -> c_int {
    match handles().streams.get_mut(&handle) {
        Some(of) => {
            *of = stream;
            SUCCESS
        }
        None => INVALID_HANDLE,
    }
}

/// Types of A and B, of C and D, and of the sums that there are.
const KNOWN: &[(c_int, c_int, c_int)] =
    &[(152, 152, 152), (151, 151, 151), (168, 168, 151), (150, 150, 151), (160, 162, 162)];

#[unsafe(no_mangle)]
extern "C" fn rocblas_gemm_ex(
    handle: usize,
    transpose_a: c_int,
    transpose_b: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const c_void,
    a: usize,
    a_type: c_int,
    lda: c_int,
    b: usize,
    b_type: c_int,
    ldb: c_int,
    beta: *const c_void,
    c: usize,
    c_type: c_int,
    ldc: c_int,
    d: usize,
    d_type: c_int,
    ldd: c_int,
    compute: c_int,
    algorithm: c_int,
    _solution: i32,
    _flags: u32,
) -> c_int {
    let Some(stream) = stream(handle) else { return INVALID_HANDLE };
    if !OPERATIONS.contains(&transpose_a) || transpose_b != OPERATIONS[0] || algorithm != 0 {
        return INVALID_VALUE;
    }
    if alpha.is_null() || beta.is_null() || c == 0 {
        return INVALID_POINTER;
    }
    let a_rows = if transpose_a == OPERATIONS[1] { k } else { m };
    if lda < a_rows || ldb < k || ldc < m || ldd < m {
        return INVALID_SIZE;
    }
    let (Some(input), Some(output)) = (element(a_type), element(d_type)) else { return INVALID_VALUE };
    if !KNOWN.contains(&(a_type, d_type, compute)) || a_type != b_type || c_type != d_type {
        return NOT_IMPLEMENTED;
    }
    let sizes = (m as usize, k as usize, n as usize);
    let is_a_transposed = transpose_a == OPERATIONS[1];
    run(Product { sizes, is_a_transposed, input, output, scale: 1.0, at: (a, b, d) }, stream)
}

fn run(product: Product, stream: usize) -> c_int {
    product.run(stream, 1.0).map_or(INVALID_POINTER, |()| SUCCESS)
}

fn gemv(handle: usize, element: Element, n: c_int, at: (usize, usize, usize)) -> c_int {
    let Some(stream) = stream(handle) else { return INVALID_HANDLE };
    let sizes = (n as usize, n as usize, 1);
    run(Product { sizes, is_a_transposed: false, input: element, output: element, scale: 1.0, at }, stream)
}

#[unsafe(no_mangle)]
extern "C" fn rocblas_dgemv(
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
extern "C" fn rocblas_sgemv(
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
