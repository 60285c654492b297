//! Files that are no MPI.

use std::fs;
use std::path::Path;

use paw_foreign::mpi::{Mpi, StartError, ThreadLevel};

fn check(path: &Path, expected: &str) {
    let error: StartError = Mpi::start(path, ThreadLevel::Single).expect_err("this is no MPI");
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn what_is_no_mpi_is_refused_by_name() {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let path = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, bytes).expect("the file is written");
        path
    };
    check(&directory.path().join("libmpi.so"), "there is no such file");
    check(&path("text.so", b"a text that is long enough to be a header"), "does not begin as an ELF file");
    check(&path("short.so", b"\x7fELF"), "too short");
    check(&path("narrow.so", b"\x7fELF\x01\x01\x01 and twenty bytes in all"), "32 bits");
    check(Path::new("libm.so.6"), "no MPI_Get_library_version");
    let own = fs::read("/proc/self/exe").expect("this program can be read");
    check(&path("cut.so", &own[..own.len() / 2]), "cut.so: cannot be loaded");
}
