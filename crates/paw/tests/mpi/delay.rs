//! A preloaded tool that makes messages later makes the measured latency larger by as much.

use crate::job::{self, Job, Mpi};
use crate::mock::{self, least_s};

const DELAY_NS: f64 = 20_000.0;
/// Launches differ by where ranks sit and by what else runs, which makes messages late and never early: over so many the least holds.
const LAUNCHES: u32 = 20;

/// Nanoseconds of the fastest message of a launch.
fn latency_ns(mpi: &Mpi, delay_ns: f64) -> f64 {
    let job = Job::new();
    let (shim, delay) = (mock::built("libpmpi_fault.so"), delay_ns.to_string());
    let variables = [("LD_PRELOAD", shim.to_str().unwrap()), ("PMPI_DELAY_NS", &delay)];
    let ran = job.paw_with(mpi, 2, &variables, "run latency --reps 40 --loops 10 --quiet --out r");
    assert_eq!(ran.code, 0, "{}: {}{}", mpi.name, ran.out, ran.err);
    least_s(&job, "r", &job.lines("r", "cell")[0]) / 2.0 * 1e9
}

#[test]
fn latency_moves_by_what_is_injected() {
    for mpi in job::debian() {
        let mut least_ns = [f64::INFINITY; 2];
        let moved_ns = (0..LAUNCHES).map(|_| {
            for (least_ns, delay_ns) in least_ns.iter_mut().zip([0.0, DELAY_NS]) {
                *least_ns = least_ns.min(latency_ns(&mpi, delay_ns));
            }
            least_ns[1] - least_ns[0]
        });
        let near = |moved_ns: &f64| (moved_ns / DELAY_NS - 1.0).abs() <= 0.05;
        let tried: Vec<f64> = moved_ns.take_while(|moved_ns| !near(moved_ns)).collect();
        assert!(tried.len() < LAUNCHES as usize, "{}: {DELAY_NS} ns moved the latency by {tried:?} ns", mpi.name);
    }
}

/// Longer than a turn of six ranks on two processors.
const SLOW_RANK_NS: &str = "20000000";

#[test]
fn a_rank_that_sends_late_is_the_one_whose_links_lie_apart() {
    // Open MPI yields the processor where ranks share it, so that a turn does not last a slice.
    for mpi in job::debian().iter().filter(|mpi| mpi.name == "openmpi") {
        let job = Job::new();
        let shim = mock::built("libpmpi_fault.so");
        let variables =
            [("LD_PRELOAD", shim.to_str().unwrap()), ("PMPI_DELAY_NS", SLOW_RANK_NS), ("PMPI_DELAY_RANK", "3")];
        let args = "run pair_matrix --set n=1 --set load=none --reps 8 --loops 1 --quiet --out r";
        let ran = job.paw_with(mpi, 6, &variables, args);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = "most links of these ranks lie apart from the others in this job: 3 ";
        assert!(words.contains(told), "{words}");
        assert!(job.lines("r", "outcome").iter().all(|outcome| outcome["check"]["verdict"] == "pass"));
    }
}
