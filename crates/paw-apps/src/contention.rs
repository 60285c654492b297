//! Whether other work kept a program from its processors, from the accounts of its runs.
//!
//! A wait alone proves nothing: a program's own threads may wait for each other's processors. What proves contention is that the
//! program waited *and* others used its processors meanwhile.

use paw_data::outcome::Caveat;
use paw_data::trust::CONTENDED;
use paw_measure::caveat;

/// Share of a run that is lost to waits from which the run is contended: the tolerance of k-best.
const LOST: f64 = 0.05;
/// Of the waits, the least part during which others must have used the processors. The processors' times are counted in ticks,
/// whose errors average out over the runs of a cell.
const BY_OTHERS: f64 = 0.5;
/// Seconds that a preempted thread waits at least: the shortest time slice of the kernel's scheduler.
const SLICE_S: f64 = 0.003;
/// Involuntary switches of a run that nothing disturbs: the kernel moves a new process to another processor.
const SWITCHES_FREE: f64 = 2.0;
/// Share of all time above which preemptions alone, without a wait of the main thread, show contention.
const PREEMPTED: f64 = 0.10;
/// Resolution of the processors' times in seconds: USER_HZ is 100.
const TICK_S: f64 = 0.01;

/// Times and switches of one run of the program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RunAccount {
    /// Wall time in seconds.
    pub(crate) wall_s: f64,
    /// The longest run delay of a copy's main thread in seconds.
    pub(crate) waited_s: f64,
    /// Processor time that others used on the program's processors, in seconds; `None` where the kernel does not report them.
    pub(crate) others_s: Option<f64>,
    /// Involuntary context switches of all its threads and processes.
    pub(crate) switches: u64,
}

/// The caveat `other-work` of a program with these counted runs, `None` where nothing proves contention. `bound` is the number of
/// processors that the program was bound to, 0 where it ran on any.
pub(crate) fn contention(runs: &[RunAccount], bound: usize) -> Option<Caveat> {
    let fastest = runs.iter().min_by(|a, b| a.wall_s.total_cmp(&b.wall_s))?;
    let sum = |of: fn(&RunAccount) -> f64| runs.iter().map(of).sum::<f64>();
    let (wall_s, waited_s) = (sum(|run| run.wall_s), sum(|run| run.waited_s));
    let others_s = runs.iter().map(|run| run.others_s).sum::<Option<f64>>()?;
    let lost = |run: &&RunAccount| run.waited_s > LOST * run.wall_s;
    let waiting = runs.iter().filter(lost).count();
    let often = waiting as f64 > CONTENDED * runs.len() as f64 || lost(&fastest);
    if often && others_s >= BY_OTHERS * waited_s {
        return Some(caveat::other_work(waiting, runs.len(), (fastest.waited_s, fastest.wall_s), others_s));
    }
    // Waits of other threads and processes are not accounted; their preemptions are. Where the program runs on any processor,
    // others use some of them without disturbing it.
    let count = runs.len() as f64;
    let switches = sum(|run| run.switches as f64);
    let preempted_s = (SLICE_S * (switches - SWITCHES_FREE * count)).min(others_s);
    let noise_s = 2.0 * TICK_S * (count * bound as f64).sqrt();
    let proven = bound > 0 && others_s > noise_s && preempted_s > PREEMPTED * wall_s;
    proven.then(|| caveat::preempted(switches, runs.len(), others_s, wall_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(run: RunAccount) -> Vec<RunAccount> {
        vec![run; 16]
    }

    fn is_contended(run: RunAccount, bound: usize) -> bool {
        contention(&runs(run), bound).is_some()
    }

    /// A run of 12 ms of processor time beside three others on the only processor.
    const CROWDED: RunAccount = RunAccount { wall_s: 0.0321, waited_s: 0.0201, others_s: Some(0.02), switches: 5 };

    #[test]
    fn a_program_that_shares_its_processor_is_contended_and_the_caveat_has_the_numbers() {
        let found = contention(&runs(CROWDED), 1).expect("it is");
        assert_eq!(found.id, "other-work");
        assert_eq!(
            found.cause,
            "other work ran on the program's processors: in 16 of 16 runs its main thread waited for more than 5 % of the time, in \
             the fastest for 20.100 ms of 32.100 ms; others used 320.000 ms of processor time there"
        );
        assert!(is_contended(CROWDED, 0), "also where it may run on any processor");
    }

    #[test]
    fn a_program_whose_own_threads_take_turns_is_not_contended() {
        // Eight threads on one processor: half of the time, and more, the main thread waits for its own.
        let own = RunAccount { wall_s: 0.2, waited_s: 0.17, others_s: Some(0.004), switches: 60 };
        assert!(!is_contended(own, 1));
        let untold = RunAccount { others_s: None, ..CROWDED };
        assert!(!is_contended(untold, 1), "nothing says whose the processors were");
    }

    #[test]
    fn a_program_that_sleeps_or_waits_for_a_disk_is_not_contended() {
        let asleep = RunAccount { wall_s: 0.5, waited_s: 2e-4, others_s: Some(0.01), switches: 1 };
        assert!(!is_contended(asleep, 1));
        let beside_a_load = RunAccount { others_s: Some(0.5), waited_s: 0.01, switches: 2, ..asleep };
        assert!(!is_contended(beside_a_load, 1), "it lost 2 % of its time");
    }

    #[test]
    fn a_thread_or_a_child_that_shares_its_processor_is_seen_by_its_preemptions() {
        let behind_a_shell = RunAccount { wall_s: 0.1, waited_s: 0.0, others_s: Some(0.06), switches: 12 };
        let found = contention(&runs(behind_a_shell), 1).expect("it is");
        assert!(found.cause.contains("12 times a run"), "{}", found.cause);
        assert!(!is_contended(behind_a_shell, 0), "on any processor, others may have used those it did not");
        assert!(!is_contended(RunAccount { others_s: Some(0.002), ..behind_a_shell }, 1), "its own threads took turns");
    }

    #[test]
    fn a_best_that_lost_nothing_is_not_contended_by_a_quarter_of_the_runs() {
        let clean = RunAccount { wall_s: 0.012, waited_s: 1e-5, others_s: Some(0.0), switches: 0 };
        let mut mixed = vec![clean; 12];
        mixed.extend([CROWDED; 4]);
        assert_eq!(contention(&mixed, 1), None);
        mixed.push(CROWDED);
        assert!(contention(&mixed, 1).is_some());
    }
}
