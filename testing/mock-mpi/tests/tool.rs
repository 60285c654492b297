//! A preloaded tool comes before the mock if the mock is opened globally, and not if it is asked itself.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, OsString, c_int, c_void};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mock_mpi::Launch;

const DELAY_US: f64 = 300.0;

type Init = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
type Send = unsafe extern "C" fn(*const u8, c_int, usize, c_int, c_int, usize) -> c_int;

fn built(name: &str) -> PathBuf {
    std::env::current_exe().expect("a test has a path").with_file_name(name)
}

fn symbol(scope: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: the scope is an open library or the whole process; the name ends with a zero.
    let address = unsafe { libc::dlsym(scope, name.as_ptr()) };
    assert!(!address.is_null(), "{name:?} is there");
    address
}

/// The least time of a message to itself, by the function found in `scope`, in µs.
fn least_us(scope: *mut c_void) -> f64 {
    // SAFETY: a symbol of this name has this signature in the standard ABI.
    let send: Send = unsafe { std::mem::transmute(symbol(scope, c"MPI_Send")) };
    let times = (0..30).map(|_| {
        let start = Instant::now();
        // SAFETY: one byte to rank 0 of the world, which is this process; it is never received.
        assert_eq!(unsafe { send([7u8].as_ptr(), 1, 0x247, 0, 0, 0x101) }, 0);
        start.elapsed().as_secs_f64() * 1e6
    });
    times.fold(f64::INFINITY, f64::min)
}

/// What the one rank does; nothing where this is no rank.
#[test]
fn as_rank() {
    if std::env::var_os("MOCK_MPI_RANK").is_none() {
        return;
    }
    let path = CString::new(built("libmock_mpi.so").into_os_string().into_encoded_bytes()).expect("a path has no zero");
    // SAFETY: the library has no initialisers that do anything.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    assert!(!library.is_null(), "the mock can be opened");
    // SAFETY: a symbol of this name has this signature.
    let init: Init = unsafe { std::mem::transmute(symbol(library, c"MPI_Init")) };
    // SAFETY: both arguments may be null.
    assert_eq!(unsafe { init(std::ptr::null_mut(), std::ptr::null_mut()) }, 0);
    let (by_process, by_library) = (least_us(libc::RTLD_DEFAULT), least_us(library));
    assert!(by_process >= DELAY_US, "{by_process} µs: the tool is asked first");
    assert!(by_library < DELAY_US, "{by_library} µs: the library itself has no tool");
}

#[test]
fn a_preloaded_tool_makes_sends_late() {
    let program = std::env::current_exe().expect("a test has a path").into_os_string();
    let arguments = ["as_rank", "--exact", "--nocapture"].map(OsString::from);
    let launch = Launch::new(1, std::iter::once(program).chain(arguments)).limit(Duration::from_secs(60));
    let launch = launch.variable("LD_PRELOAD", built("libpmpi_fault.so"));
    let ended = launch.variable("PMPI_DELAY_NS", format!("{}", DELAY_US * 1e3)).run().expect("the rank starts");
    let text = String::from_utf8_lossy(&ended.ranks[0].stderr);
    assert_eq!(ended.code(), 0, "{text}");
}
