//! Jobs of several ranks under both launchers.

use std::fs;
use std::process::Command;

use mock_mpi::Launch;

use crate::rank::{EVERY_CALL, START};
use crate::tools::{HANGS, Launcher, ROLE, built, installed, job, output, rank_command};

const OPEN_MPI: &str = "libmpi.so.40";

fn check(launcher: Launcher, ranks: usize, version: &str) {
    let printed = output(&mut job(launcher, ranks, EVERY_CALL));
    let said = printed.matches(&format!("right: {version}")).count();
    assert_eq!(said, ranks, "every rank of {ranks} says that all was right:\n{printed}");
}

#[test]
fn every_call_is_right_under_open_mpi() {
    ::workplace::needs!(OPENMPI);
    (1..=4).for_each(|ranks| check(Launcher::OpenMpi, ranks, "Open MPI"));
}

#[test]
fn every_call_is_right_under_mpich() {
    ::workplace::needs!(MPICH);
    (1..=4).for_each(|ranks| check(Launcher::Mpich, ranks, "MPICH"));
}

/// What the ranks of a job under the mock, which has the standard ABI, print and whether all was right.
fn mocked(ranks: usize, role: &str, fault: Option<(&str, &str)>) -> (bool, String) {
    let mut launch = Launch::new(ranks, rank_command()).limit(HANGS).variable(ROLE, role);
    launch = launch.variable("PAW_MPI_LIBRARY", built("libmock_mpi.so"));
    if let Some((name, value)) = fault {
        launch = launch.variable(name, value);
    }
    let ended = launch.run().expect("the ranks start");
    assert!(!ended.timed_out, "the ranks end");
    let texts =
        ended.ranks.iter().flat_map(|rank| [&rank.stdout, &rank.stderr]).map(|text| String::from_utf8_lossy(text));
    (ended.ranks.iter().all(|rank| rank.status.success()), texts.collect())
}

#[test]
fn every_call_is_right_under_the_standard_abi() {
    for ranks in 1..=4 {
        let (right, said) = mocked(ranks, EVERY_CALL, None);
        assert!(right && said.matches("right: ").count() == ranks, "{said}");
    }
}

#[test]
fn a_library_that_garbles_a_message_fails_the_self_test() {
    let (right, said) = mocked(1, START, Some(("MOCK_MPI_CORRUPT", "0:5")));
    assert!(!right && said.contains("the self-test of") && said.contains("MPI_Waitall of 64 requests gave"), "{said}");
}

#[test]
fn a_library_of_another_launcher_is_found_out() {
    ::workplace::needs!(OPENMPI, MPICH);
    let ended = job(Launcher::Mpich, 2, START).env("PAW_MPI_LIBRARY", OPEN_MPI).output().expect("the launcher starts");
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
    ::workplace::needs!(OPENMPI, MPICH);
    let directory = tempfile::tempdir().expect("a directory for the test");
    let (source, tool) = (directory.path().join("tool.c"), directory.path().join("libtool.so"));
    fs::write(&source, TOOL).expect("the tool is written");
    output(
        Command::new(installed("gcc", "gcc"))
            .args(["-shared", "-fPIC", "-w", "-Wl,-z,lazy", "-o"])
            .arg(&tool)
            .arg(&source),
    );
    for launcher in [Launcher::OpenMpi, Launcher::Mpich] {
        let ended = job(launcher, 2, START).env("LD_PRELOAD", &tool).output().expect("the launcher starts");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(said.matches("barriers seen: 3").count(), 2, "{said}");
    }
}
