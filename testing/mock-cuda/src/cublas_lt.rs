//! cuBLASLt: products of 8-bit floats, by algorithms of different speed.
// The names and signatures are CUDA's.
#![allow(non_snake_case, clippy::too_many_arguments)]
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use mock_device::{Element, Product, load};

use crate::cublas::{INVALID_VALUE, NOT_INITIALIZED, NOT_SUPPORTED, SUCCESS, element, run};
use crate::driver::{answer, current};

/// What there is of each kind, by number.
#[derive(Debug, Default)]
struct Things {
    next: usize,
    /// Attributes of operations.
    operations: BTreeMap<usize, BTreeMap<c_int, u64>>,
    /// Types and orders of matrices.
    layouts: BTreeMap<usize, (c_int, u64)>,
}

impl Things {
    fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }
}

fn things() -> MutexGuard<'static, Things> {
    static THINGS: LazyLock<Mutex<Things>> = LazyLock::new(Mutex::default);
    THINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

const TRANSA: c_int = 3;
const A_SCALE_POINTER: c_int = 17;
const B_SCALE_POINTER: c_int = 18;
const E4M3: c_int = 28;
const BF16: c_int = 14;

/// `cublasLtMatmulHeuristicResult_t`.
#[repr(C)]
struct Proposal {
    algorithm: [u64; 8],
    workspace_bytes: usize,
    status: c_int,
    waves: f32,
    reserved: [c_int; 4],
}

/// Speeds of the algorithms that are proposed: the first is not the best, and one does not run.
const SPEEDS: &[f64] = &[0.5, 0.0, 1.0, 0.25];

#[unsafe(no_mangle)]
extern "C" fn cublasLtGetVersion() -> usize {
    120_405
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtCreate(handle: *mut usize) -> c_int {
    if current().is_ok() { answer(handle, 1) } else { NOT_INITIALIZED }
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtDestroy(_handle: usize) -> c_int {
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtMatmulDescCreate(operation: *mut usize, _compute: c_int, _scale: c_int) -> c_int {
    let mut things = things();
    let number = things.number();
    things.operations.insert(number, BTreeMap::new());
    answer(operation, number)
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtMatmulDescSetAttribute(operation: usize, which: c_int, value: *const u8, bytes: usize) -> c_int {
    let mut word = [0; 8];
    if value.is_null() || bytes > word.len() {
        return INVALID_VALUE;
    }
    // SAFETY: callers pass that many bytes.
    word[..bytes].copy_from_slice(unsafe { std::slice::from_raw_parts(value, bytes) });
    let mut things = things();
    let Some(attributes) = things.operations.get_mut(&operation) else { return INVALID_VALUE };
    attributes.insert(which, u64::from_le_bytes(word));
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtMatmulDescDestroy(operation: usize) -> c_int {
    things().operations.remove(&operation).map_or(INVALID_VALUE, |_| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtMatrixLayoutCreate(
    layout: *mut usize,
    element: c_int,
    rows: u64,
    _columns: u64,
    _ld: i64,
) -> c_int {
    let mut things = things();
    let number = things.number();
    things.layouts.insert(number, (element, rows));
    answer(layout, number)
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtMatrixLayoutDestroy(layout: usize) -> c_int {
    things().layouts.remove(&layout).map_or(INVALID_VALUE, |_| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtMatmulPreferenceCreate(preference: *mut usize) -> c_int {
    answer(preference, 1)
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtMatmulPreferenceSetAttribute(
    _p: usize,
    _which: c_int,
    _value: *const u8,
    _bytes: usize,
) -> c_int {
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtMatmulPreferenceDestroy(_preference: usize) -> c_int {
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtMatmulAlgoGetHeuristic(
    _handle: usize,
    _operation: usize,
    _a: usize,
    _b: usize,
    _c: usize,
    _d: usize,
    _preference: usize,
    asked: c_int,
    proposals: *mut Proposal,
    count: *mut c_int,
) -> c_int {
    let number = SPEEDS.len().min(asked.max(0) as usize);
    for at in 0..number {
        let algorithm = [at as u64, 0, 0, 0, 0, 0, 0, 0];
        let proposal = Proposal { algorithm, workspace_bytes: 0, status: 0, waves: 1.0, reserved: [0; 4] };
        // SAFETY: callers have room for as many proposals as they ask for.
        unsafe { proposals.add(at).write(proposal) };
    }
    answer(count, number as c_int)
}

#[unsafe(no_mangle)]
extern "C" fn cublasLtMatmul(
    _handle: usize,
    operation: usize,
    _alpha: *const c_void,
    a: usize,
    a_layout: usize,
    b: usize,
    _b_layout: usize,
    _beta: *const c_void,
    _c: usize,
    _c_layout: usize,
    d: usize,
    d_layout: usize,
    algorithm: *const u64,
    _workspace: usize,
    _workspace_bytes: usize,
    stream: usize,
) -> c_int {
    let things = things();
    let (Some(attributes), Some((input, n)), Some((output, _))) =
        (things.operations.get(&operation), things.layouts.get(&a_layout), things.layouts.get(&d_layout))
    else {
        return INVALID_VALUE;
    };
    // SAFETY: callers hand over an algorithm that was proposed.
    let speed = SPEEDS.get(unsafe { algorithm.read() } as usize).copied().unwrap_or(0.0);
    let is_a_transposed = attributes.get(&TRANSA) == Some(&1);
    if (*input, *output) != (E4M3, BF16) || !is_a_transposed || n % 16 != 0 || speed == 0.0 {
        return NOT_SUPPORTED;
    }
    let scale = |which| attributes.get(&which).map_or(f64::NAN, |at| load(Element::Single, *at as usize, 1)[0]);
    let scale = scale(A_SCALE_POINTER) * scale(B_SCALE_POINTER);
    let (Some(input), Some(output)) = (element(*input), element(*output)) else { return NOT_SUPPORTED };
    let n = *n as usize;
    let product = Product { sizes: (n, n, n), is_a_transposed, input, output, scale, at: (a, b, d) };
    run(product, stream, speed)
}
