//! `MPI_Send`, late, and the one it stands before.
//!
//! Handles are passed on as words: they are 32 bits in some libraries and 64 in others, and lie in the same registers either way.
#![allow(unsafe_code)]

use std::env;
use std::ffi::{CStr, c_int};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

type Send = unsafe extern "C" fn(usize, c_int, usize, c_int, c_int, usize) -> c_int;

/// Where launchers write a process's rank.
const RANKS: &[&str] = &["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"];

/// What is asked of this process.
fn delay() -> Duration {
    static DELAY: OnceLock<Duration> = OnceLock::new();
    *DELAY.get_or_init(|| {
        let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let rank = RANKS.iter().find_map(|name| number(name));
        let concerned = number("PAW_DELAY_RANK").is_none_or(|late| rank == Some(late));
        Duration::from_nanos(number("PAW_DELAY_NS").filter(|_| concerned).unwrap_or_default())
    })
}

/// The library's own function: `PMPI_Send`, or `MPI_Send` of a library without the profiling interface.
fn next() -> Option<Send> {
    static NEXT: OnceLock<Option<Send>> = OnceLock::new();
    *NEXT.get_or_init(|| [c"PMPI_Send", c"MPI_Send"].into_iter().find_map(find))
}

fn find(name: &CStr) -> Option<Send> {
    // SAFETY: the name ends with a zero; the answer is an address or null.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    // SAFETY: a symbol of this name has this signature, its handles apart, for which see above; null is `None`.
    unsafe { std::mem::transmute::<*mut libc::c_void, Option<Send>>(address) }
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
    let start = Instant::now();
    while start.elapsed() < delay() {
        std::hint::spin_loop();
    }
    // MPI_ERR_OTHER is not 0 in any library, which is all a caller can hold against it.
    let Some(next) = next() else { return 16 };
    // SAFETY: the arguments are the caller's, unchanged.
    unsafe { next(buffer, count, datatype, to, tag, comm) }
}
