//! What a library says it is. One test alone in its process, because threads of this process are counted.

use paw_foreign::blas::diagnosis::{MeasuredLibrary, diagnose};
use paw_foreign::blas::family::Family;
use paw_foreign::blas::{Blas, Integers};

#[test]
fn a_library_is_known_by_what_it_says_and_by_what_it_does() {
    let path = std::env::current_exe().expect("a test has a path").with_file_name("libmock_fortran_blas.so");
    let blas = Blas::open(&path).expect("it is a BLAS");
    assert_eq!(blas.set_threads(3).as_deref(), Some("scipy_openblas_set_num_threads64_"));
    let identity = blas.identity();
    assert_eq!(identity.family, Family::OpenBlas);
    assert_eq!(identity.path, path.canonicalize().expect("it is there").display().to_string());
    assert_eq!(identity.version, "OpenBLAS 0.0.0 mock USE64BITINT");
    assert_eq!((identity.core.as_str(), identity.threading.as_str()), ("Haswell", "pthread"));
    assert_eq!(identity.integers, Integers::Bits64);
    assert_eq!((identity.threads_reported, identity.threads_counted, identity.threads), (Some(3), 1, 1));
    assert!(identity.mapped.iter().any(|file| file.ends_with("libmock_fortran_blas.so")), "{:?}", identity.mapped);

    let situation = MeasuredLibrary {
        identity: &identity,
        threads_asked: 3,
        share_of_peak: Some(0.01),
        isa: &["avx512f".to_owned()],
        environment: &[("OPENBLAS_CORETYPE".to_owned(), "Haswell".to_owned())],
    };
    let ids: Vec<_> = diagnose(&situation).into_iter().map(|finding| finding.id).collect();
    assert_eq!(ids, ["blas-env-cap", "blas-fewer-threads", "blas-narrow-kernels"]);
}
