//! Disturbances of a timed region, and their limits.

/// Run delay, involuntary switches and migrations of the threads of a timed region.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Disturbance {
    /// Seconds the threads were runnable but not running, summed.
    pub run_delay_s: f64,
    /// Involuntary context switches.
    pub switches: u32,
    /// Moves of a thread to another processor.
    pub migrations: u32,
    /// Whether the other fields were read from the kernel.
    pub sight: Sight,
}

/// Whether the kernel's statistics could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sight {
    /// The kernel's numbers were read.
    Seen,
    /// The numbers are zero because they could not be read.
    #[default]
    Unknown,
}

/// How the threads of a region are placed on processors, which decides how disturbances are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Placement {
    /// Each thread is bound to its processor: a migration means that the binding did not hold.
    Pinned,
    /// The operating system places the threads.
    #[default]
    Free,
    /// A whole program, or a benchmark of threads that share a processor: they may wait for each other, which looks like waiting for
    /// another program.
    /// Disturbances raise caveats, and all samples count.
    Program,
    /// A benchmark whose method counts all samples, as PAW's do: waits of its threads are part of its number, and a caveat.
    Counted,
}

/// Run delay in seconds that scheduling itself costs: wall − cpu − run delay of undisturbed 10-ms loops has its 99th percentile
/// near 20 µs.
const DELAY_FLOOR_S: f64 = 20e-6;

/// Run delay as a share of the region: one per cent is what the default method resolves.
const DELAY_SHARE: f64 = 0.01;

impl Disturbance {
    /// Whether a region of `elapsed_s` seconds was disturbed: run delay above max(20 µs, 1 % of the region), or a migration while pinned.
    /// A region is never called disturbed for being slow.
    pub fn exceeds(&self, elapsed_s: f64, placement: Placement) -> bool {
        match placement {
            Placement::Pinned => self.migrations > 0 || is_late(self.run_delay_s, elapsed_s),
            Placement::Free => is_late(self.run_delay_s, elapsed_s),
            Placement::Program | Placement::Counted => false,
        }
    }
}

/// Whether threads waited for a processor for more than max(20 µs, 1 % of the region).
pub fn is_late(run_delay_s: f64, elapsed_s: f64) -> bool {
    run_delay_s > DELAY_FLOOR_S.max(DELAY_SHARE * elapsed_s)
}

/// Share of samples in which a process of a quiet machine waits for longer than the limits: its timer, its kernel's threads.
const QUIET_WAITS: f64 = 1e-4;

/// Share of a quiet machine's samples in which more ranks wait than [`usually_waiting`], at most.
const UNUSUAL: f64 = 0.01;

/// How many of `ranks` ranks wait for longer than the limits in all but a hundredth of the samples of a quiet machine: none of up to a
/// hundred, four of ten thousand. By Poisson's law, to which that of many ranks tends that seldom wait.
pub fn usually_waiting(ranks: usize) -> u32 {
    let mean = QUIET_WAITS * ranks as f64;
    let (mut waiting, mut of_so_many) = (0_u32, (-mean).exp());
    let mut up_to = of_so_many;
    while up_to < 1.0 - UNUSUAL && of_so_many > 0.0 {
        waiting += 1;
        of_so_many *= mean / f64::from(waiting);
        up_to += of_so_many;
    }
    waiting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_disturbed_samples_of_a_quiet_machine_does_not_grow_with_the_ranks() {
        let mut random = fastrand::Rng::with_seed(7);
        for ranks in [1, 16, 100, 1_000, 10_000] {
            let (usual, samples) = (usually_waiting(ranks), 2_000);
            let mut waiting = || (0..ranks).filter(|_| random.f64() < QUIET_WAITS).count() as u32;
            let disturbed = (0..samples).filter(|_| waiting() > usual).count();
            assert!(
                disturbed <= 3 * samples / 200,
                "{disturbed} of {samples} with {ranks} ranks, {usual} of which wait"
            );
        }
        assert_eq!([1, 100, 10_000].map(usually_waiting), [0, 0, 4]);
        assert!(usually_waiting(10_000_000) < 1_100, "the loop ends, and allows little more than the mean");
    }

    fn delayed(run_delay_s: f64) -> Disturbance {
        Disturbance { run_delay_s, sight: Sight::Seen, ..Disturbance::default() }
    }

    #[test]
    fn short_regions_are_judged_by_microseconds_and_long_ones_by_share() {
        assert!(!delayed(20e-6).exceeds(1e-3, Placement::Pinned));
        assert!(delayed(21e-6).exceeds(1e-3, Placement::Pinned));
        assert!(!delayed(0.009).exceeds(1.0, Placement::Pinned));
        assert!(delayed(0.011).exceeds(1.0, Placement::Pinned));
    }

    #[test]
    fn a_migration_disturbs_only_pinned_threads() {
        let moved = Disturbance { migrations: 1, ..Disturbance::default() };
        assert!(moved.exceeds(1.0, Placement::Pinned));
        assert!(!moved.exceeds(1.0, Placement::Free));
    }

    #[test]
    fn a_programs_samples_all_count() {
        assert!(!delayed(0.5).exceeds(1.0, Placement::Program));
        assert!(!delayed(0.5).exceeds(1.0, Placement::Counted));
    }
}
