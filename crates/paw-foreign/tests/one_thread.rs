//! A process that opens a library and identifies it keeps its only thread: no harness, which would start threads.

use paw_foreign::blas::Blas;
use paw_foreign::process;

fn main() {
    assert_eq!(process::is_single_threaded(), Some(true), "glibc 2.32 or later is the oldest that tells");
    let library = std::env::current_exe().expect("a test has a path").with_file_name("libmock_blas.so");
    let identity = Blas::open(&library).expect("it is a BLAS").identity();
    assert_eq!(identity.threads_counted, 1);
    assert_eq!(process::is_single_threaded(), Some(true), "opening or identifying a library started a thread");
}
