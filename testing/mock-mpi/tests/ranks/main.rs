//! The mock is an MPI: exercises run by ranks, which are this program started again.
#![allow(unsafe_code)]

mod collectives;
mod faults;
mod grids;
mod mpi;
mod point_to_point;
mod windows;

use std::ffi::OsString;
use std::time::Duration;

use mock_mpi::{Ended, Launch, Others};
use mpi::*;

/// An exercise by its name.
const EXERCISES: &[(&str, fn())] = &[
    ("messages", point_to_point::messages),
    ("sizes", point_to_point::sizes),
    ("requests", point_to_point::requests),
    ("threads", point_to_point::threads),
    ("nodes", collectives::nodes),
    ("datatypes", point_to_point::datatypes),
    ("ping-pong", point_to_point::ping_pong),
    ("errors", point_to_point::errors),
    ("rooted", collectives::rooted),
    ("everywhere", collectives::everywhere),
    ("vectors", collectives::vectors),
    ("prefixes", collectives::prefixes),
    ("forms", collectives::forms),
    ("communicators", collectives::communicators),
    ("grids", grids::grids),
    ("fences", windows::fences),
    ("epochs", windows::epochs),
    ("locks", windows::locks),
    ("atomics", windows::atomics),
    ("dynamic", windows::dynamic),
    ("shared", windows::shared),
    ("faulty", faults::ring),
];

/// What a rank does; nothing where this is no rank.
#[test]
fn as_rank() {
    let Ok(name) = std::env::var("MOCK_EXERCISE") else { return };
    let (_, exercise) = EXERCISES.iter().find(|(known, _)| *known == name).expect("there is such an exercise");
    let mut provided = -1;
    ok!(MPI_Init_thread(std::ptr::null(), std::ptr::null(), 4096, &mut provided));
    if std::panic::catch_unwind(exercise).is_err() {
        // A signal ends the others too.
        std::process::abort();
    }
    ok!(MPI_Finalize());
}

/// `ranks` of an exercise.
fn launch(exercise: &str, ranks: usize) -> Launch {
    let program = std::env::current_exe().expect("a test has a path").into_os_string();
    let arguments = ["as_rank", "--exact", "--nocapture"].map(OsString::from);
    let command = std::iter::once(program).chain(arguments);
    Launch::new(ranks, command).variable("MOCK_EXERCISE", exercise).others(Others::Die).limit(Duration::from_secs(120))
}

fn passed(ended: &Ended) {
    for (rank, output) in ended.ranks.iter().enumerate() {
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !ended.timed_out, "rank {rank}: {}\n{text}", output.status);
    }
}

fn check(exercise: &str, ranks: &[usize]) {
    for ranks in ranks {
        passed(&launch(exercise, *ranks).run().expect("ranks start"));
    }
}

/// Standard output of a rank, its lines with that first word.
fn words(ended: &Ended, rank: usize, first: &str) -> Vec<f64> {
    let text = String::from_utf8_lossy(&ended.ranks[rank].stdout).into_owned();
    let line = text.lines().filter_map(|line| line.split_once(first)).map(|(_, rest)| rest);
    line.filter_map(|rest| rest.trim().parse().ok()).collect()
}

#[test]
fn messages_are_matched_by_source_and_tag_and_in_order() {
    check("messages", &[1, 2, 3, 4]);
}

#[test]
fn messages_of_any_size_arrive_whole() {
    check("sizes", &[2, 3]);
}

#[test]
fn requests_are_waited_for_tested_and_started_again() {
    check("requests", &[1, 2, 4]);
}

#[test]
fn threads_of_a_rank_send_and_receive_at_the_same_time() {
    check("threads", &[2]);
}

#[test]
fn elements_with_gaps_arrive_in_their_places() {
    check("datatypes", &[2]);
}

#[test]
fn ranks_pretend_to_live_on_several_nodes() {
    passed(&launch("nodes", 5).variable("MOCK_MPI_NODES", "2").run().expect("ranks start"));
}

#[test]
fn errors_come_back_where_that_is_asked() {
    check("errors", &[2]);
}

#[test]
fn rooted_collectives_are_right_for_every_root() {
    check("rooted", &[1, 2, 3, 4, 7]);
}

#[test]
fn collectives_without_root_are_right() {
    check("everywhere", &[1, 2, 3, 4, 7]);
}

#[test]
fn unequal_shares_go_where_they_belong() {
    check("vectors", &[1, 2, 3, 4]);
}

#[test]
fn prefixes_are_right() {
    check("prefixes", &[1, 2, 3, 4, 7]);
}

#[test]
fn collectives_are_the_same_in_their_three_forms() {
    check("forms", &[1, 2, 3, 4]);
}

#[test]
fn communicators_are_split_and_do_not_hear_each_other() {
    check("communicators", &[1, 2, 3, 4, 7]);
}

#[test]
fn neighbours_on_a_grid_exchange() {
    check("grids", &[1, 2, 3, 4, 6]);
}

#[test]
fn what_is_done_between_fences_is_there_after_them() {
    check("fences", &[1, 2, 3, 4]);
}

#[test]
fn posted_windows_are_reached_by_those_that_start() {
    check("epochs", &[2, 3, 4]);
}

#[test]
fn locked_windows_need_no_call_of_the_target_but_that_it_waits() {
    check("locks", &[1, 2, 3, 4]);
}

#[test]
fn atomic_operations_lose_nothing() {
    check("atomics", &[1, 2, 3, 4]);
}

#[test]
fn memory_that_is_not_attached_is_refused() {
    check("dynamic", &[1, 2, 3, 4]);
}

#[test]
fn ranks_of_several_nodes_share_no_memory() {
    check("shared", &[1, 2, 3]);
    passed(&launch("shared", 4).variable("MOCK_MPI_NODES", "2").run().expect("ranks start"));
}

#[test]
fn sixty_four_ranks_work_on_few_processors() {
    check("everywhere", &[64]);
    check("rooted", &[64]);
    check("communicators", &[64]);
    check("atomics", &[64]);
}

/// The least of half round trips of 8 and of 65,544 bytes at that cost, in µs, over launches until they are `enough`.
///
/// A busy machine makes messages late, never early: the minimum falls towards the cost, and launches are repeated until it is there.
fn least_us(alpha_ns: u32, beta: f64, enough: impl Fn([f64; 2]) -> bool) -> [f64; 2] {
    let mut least = [f64::INFINITY; 2];
    for _ in 0..200 {
        let launch = launch("ping-pong", 2).variable("MOCK_MPI_ALPHA_NS", alpha_ns.to_string());
        let ended = launch.variable("MOCK_MPI_BETA_NS_PER_BYTE", beta.to_string()).run().expect("ranks start");
        passed(&ended);
        for (least, size) in least.iter_mut().zip(["minimum of 8:", "minimum of 65544:"]) {
            *least = words(&ended, 0, size).into_iter().fold(*least, f64::min);
        }
        if enough(least) {
            break;
        }
    }
    least
}

#[test]
fn the_cost_of_a_message_is_what_was_asked() {
    for alpha_us in [20, 50] {
        let bound = f64::from(alpha_us) * 1.05;
        let [small, _] = least_us(alpha_us * 1000, 0.0, |[small, _]| small <= bound);
        assert!((f64::from(alpha_us)..=bound).contains(&small), "{small} µs where α is {alpha_us}");
    }
}

#[test]
fn the_cost_of_a_byte_is_what_was_asked() {
    let slope = |[small, large]: [f64; 2]| (large - small) * 1e3 / 65536.0;
    let least = least_us(20_000, 2.0, |least| (least[0] <= 21.0) && (1.9..2.1).contains(&slope(least)));
    assert!((1.9..2.1).contains(&slope(least)), "{} ns per byte where β is 2", slope(least));
}
