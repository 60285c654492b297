//! Faults come when and where they are asked for, and messages are counted.

use std::fs;
use std::os::unix::process::ExitStatusExt;

use crate::mpi::*;
use crate::{launch, passed, words};

/// Round a ring, ten times; every rank prints what was wrong of it.
pub fn ring() {
    ok!(MPI_Comm_set_errhandler(WORLD, ERRORS_RETURN));
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let (next, last) = ((rank + 1) % size, (rank + size - 1) % size);
    let mut wrong = 0;
    for round in 0..10 {
        let (out, mut here) = ([round; 100], [-1; 100]);
        ok!(MPI_Send(sent(&out), 100, INT, next, 0, WORLD));
        ok!(MPI_Recv(got(&mut here), 100, INT, last, 0, WORLD, std::ptr::null_mut()));
        wrong += i32::from(here != out);
    }
    ok!(MPI_Barrier(WORLD));
    println!("\nwrong: {wrong}");
}

#[test]
fn one_payload_is_corrupted_on_one_rank() {
    for (fault, expected) in [("1:3", [0.0, 1.0, 0.0]), ("2:8+", [0.0, 0.0, 3.0]), ("0:1:401", [0.0; 3])] {
        let ended = launch("faulty", 3).variable("MOCK_MPI_CORRUPT", fault).run().expect("ranks start");
        passed(&ended);
        assert_eq!([0, 1, 2].map(|rank| words(&ended, rank, "wrong:")[0]), expected, "{fault}");
    }
}

#[test]
fn a_rank_dies_and_the_others_are_ended() {
    let ended = launch("faulty", 3).variable("MOCK_MPI_DIE", "1:MPI_Send:3").run().expect("ranks start");
    assert!(!ended.timed_out);
    assert_eq!(ended.code(), 128 + 9);
    assert_eq!(ended.ranks[1].status.signal(), Some(9));
}

#[test]
fn messages_and_bytes_are_counted_by_call() {
    let folder = std::env::temp_dir().join(format!("mock-mpi-counts-{}", std::process::id()));
    for ranks in [2usize, 5, 64] {
        passed(&launch("faulty", ranks).variable("MOCK_MPI_COUNTS", &folder).run().expect("ranks start"));
        let rounds = ranks.next_power_of_two().ilog2();
        for rank in 0..ranks {
            let table = fs::read_to_string(folder.join(format!("rank-{rank:04}.csv"))).expect("every rank counts");
            let has = |line: &str| assert!(table.lines().any(|l| l == line), "{line} is not in\n{table}");
            has("MPI_Send,10,10,4000");
            has("MPI_Recv,10,0,0");
            has(&format!("MPI_Barrier,1,{rounds},0"));
        }
    }
    fs::remove_dir_all(folder).expect("the counts are there");
}
