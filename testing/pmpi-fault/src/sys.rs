//! The calls that go wrong, and those of the library that they stand before.
//!
//! Handles are passed on as words: they are 32 bits in some libraries and 64 in others, and lie in the same registers either way.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::sync::OnceLock;
use std::time::Instant;

use crate::faults::Faults;

/// `MPI_ERR_OTHER` of Open MPI; no success in any library.
const ERROR: c_int = 16;

type Send = unsafe extern "C" fn(usize, c_int, usize, c_int, c_int, usize) -> c_int;
type Recv = unsafe extern "C" fn(*mut u8, c_int, usize, c_int, c_int, usize, usize) -> c_int;
type Allreduce = unsafe extern "C" fn(usize, usize, c_int, usize, usize, usize) -> c_int;
type Finalize = unsafe extern "C" fn() -> c_int;
type TypeSize = unsafe extern "C" fn(usize, *mut c_int) -> c_int;

/// The library's own function: by its profiling name, or by its plain name in a library without the profiling interface.
macro_rules! next {
    ($type:ty, $profiling:literal, $plain:literal) => {{
        static NEXT: OnceLock<Option<$type>> = OnceLock::new();
        *NEXT.get_or_init(|| {
            let address = [$profiling, $plain].into_iter().map(address).find(|address| !address.is_null())?;
            // SAFETY: a symbol of this name has this signature, its handles apart, for which see above.
            Some(unsafe { std::mem::transmute::<*mut libc::c_void, $type>(address) })
        })
    }};
}

fn address(name: &CStr) -> *mut libc::c_void {
    // SAFETY: the name ends with a zero; the answer is an address or null.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }
}

/// Whether the call that begins now fails. It does not return where it hangs.
fn fails(call: &str) -> bool {
    let faults = Faults::of_process();
    let strikes = |rule: &Option<crate::faults::Rule>| {
        let strikes = rule.as_ref().is_some_and(|rule| rule.strikes(call));
        if strikes && let Some(sign) = &faults.sign {
            // A test that waits for the sign says by its end that it was not given.
            let _ = std::fs::write(sign, call);
        }
        strikes
    };
    if strikes(&faults.hang) {
        loop {
            // SAFETY: pause has no arguments and waits for a signal.
            unsafe { libc::pause() };
        }
    }
    strikes(&faults.fail)
}

/// MPI_Send, after the delay.
///
/// # Safety
/// As MPI defines the arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Send(
    buffer: usize,
    count: c_int,
    datatype: usize,
    to: c_int,
    tag: c_int,
    comm: usize,
) -> c_int {
    let (start, delay) = (Instant::now(), Faults::of_process().delay);
    while start.elapsed() < delay {
        std::hint::spin_loop();
    }
    let Some(next) = next!(Send, c"PMPI_Send", c"MPI_Send").filter(|_| !fails("MPI_Send")) else { return ERROR };
    // SAFETY: the arguments are the caller's, unchanged.
    unsafe { next(buffer, count, datatype, to, tag, comm) }
}

/// MPI_Recv, with a wrong byte in the middle where one is asked for.
///
/// # Safety
/// As MPI defines the arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Recv(
    buffer: *mut u8,
    count: c_int,
    datatype: usize,
    from: c_int,
    tag: c_int,
    comm: usize,
    status: usize,
) -> c_int {
    let Some(next) = next!(Recv, c"PMPI_Recv", c"MPI_Recv").filter(|_| !fails("MPI_Recv")) else { return ERROR };
    // SAFETY: the arguments are the caller's, unchanged.
    let code = unsafe { next(buffer, count, datatype, from, tag, comm, status) };
    if let (0, Some(rule)) = (code, &Faults::of_process().corrupt) {
        let mut element: c_int = 0;
        if let Some(size) = next!(TypeSize, c"PMPI_Type_size", c"MPI_Type_size") {
            // SAFETY: the caller's datatype, and a live local.
            unsafe { size(datatype, &raw mut element) };
        }
        let bytes = usize::try_from(count).unwrap_or(0) * usize::try_from(element).unwrap_or(0);
        if bytes > 0 && rule.concerns(bytes) {
            // SAFETY: the middle of the caller's buffer, which holds that many bytes.
            unsafe { *buffer.add(bytes / 2) ^= 0x40 };
        }
    }
    code
}

/// MPI_Allreduce.
///
/// # Safety
/// As MPI defines the arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Allreduce(
    from: usize,
    into: usize,
    count: c_int,
    datatype: usize,
    op: usize,
    comm: usize,
) -> c_int {
    let next = next!(Allreduce, c"PMPI_Allreduce", c"MPI_Allreduce").filter(|_| !fails("MPI_Allreduce"));
    let Some(next) = next else { return ERROR };
    // SAFETY: the arguments are the caller's, unchanged.
    unsafe { next(from, into, count, datatype, op, comm) }
}

/// MPI_Finalize.
///
/// # Safety
/// As MPI defines it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Finalize() -> c_int {
    let next = next!(Finalize, c"PMPI_Finalize", c"MPI_Finalize").filter(|_| !fails("MPI_Finalize"));
    let Some(next) = next else { return ERROR };
    // SAFETY: it has no arguments.
    unsafe { next() }
}
