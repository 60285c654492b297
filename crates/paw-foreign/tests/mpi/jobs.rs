//! Jobs of several ranks under both launchers.

use std::fs;
use std::process::Command;

use crate::rank::{EVERY_CALL, START};
use crate::tools::{Launch, installed, job, output};

const OPEN_MPI: &str = "libmpi.so.40";

fn check(launch: Launch, ranks: usize, version: &str) {
    let printed = output(&mut job(launch, ranks, EVERY_CALL));
    let said = printed.matches(&format!("right: {version}")).count();
    assert_eq!(said, ranks, "every rank of {ranks} says that all was right:\n{printed}");
}

#[test]
fn every_call_is_right_under_open_mpi() {
    (1..=4).for_each(|ranks| check(Launch::OpenMpi, ranks, "Open MPI"));
}

#[test]
fn every_call_is_right_under_mpich() {
    (1..=4).for_each(|ranks| check(Launch::Mpich, ranks, "MPICH"));
}

#[test]
fn a_library_of_another_launcher_is_found_out() {
    let ended = job(Launch::Mpich, 2, START).env("PAW_MPI_LIBRARY", OPEN_MPI).output().expect("the launcher starts");
    let said = String::from_utf8_lossy(&ended.stderr) + String::from_utf8_lossy(&ended.stdout);
    assert!(!ended.status.success(), "{said}");
    for words in ["hydra) started 2 ranks", "Open MPI v", "--mpi-library", "sees rank 0 of 1"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// A tool in the way of PMPI: it counts barriers, and says at the end how many there were.
const TOOL: &str = "#include <stdio.h>\nint PMPI_Barrier(long); int PMPI_Finalize(void);\nstatic int barriers;\n\
    int MPI_Barrier(long comm) { barriers += 1; return PMPI_Barrier(comm); }\n\
    int MPI_Finalize(void) { fprintf(stderr, \"barriers seen: %d\\n\", barriers); return PMPI_Finalize(); }\n";

#[test]
fn a_preloaded_tool_sees_the_calls() {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let (source, tool) = (directory.path().join("tool.c"), directory.path().join("libtool.so"));
    fs::write(&source, TOOL).expect("the tool is written");
    output(
        Command::new(installed("gcc", "gcc"))
            .args(["-shared", "-fPIC", "-w", "-Wl,-z,lazy", "-o"])
            .arg(&tool)
            .arg(&source),
    );
    for launch in [Launch::OpenMpi, Launch::Mpich] {
        let ended = job(launch, 2, START).env("LD_PRELOAD", &tool).output().expect("the launcher starts");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(said.matches("barriers seen: 3").count(), 2, "{said}");
    }
}
