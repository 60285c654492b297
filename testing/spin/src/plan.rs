//! How long a run is meant to take, part by part.

use std::time::Duration;

/// What a run is to be like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Work of the run on one thread, without pauses.
    pub work: Duration,
    /// Part of the work that one thread does alone, 0 to 1.
    pub serial: f64,
    /// Threads that share the rest evenly, at least 1.
    pub threads: u32,
    /// Chance that a run has a pause, 0 to 1.
    pub pauses: f64,
    /// Mean length of a pause; lengths are distributed exponentially.
    pub pause: Duration,
    /// Beginning of all chance.
    pub seed: u64,
}

/// The parts of one run, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// One thread works.
    pub serial: Duration,
    /// All threads work, each for so long.
    pub parallel: Duration,
    /// Nobody works.
    pub pause: Duration,
}

impl Shape {
    /// The plan of this run: always the same for the same shape and number.
    pub fn plan(&self, run: u64) -> Plan {
        let serial = self.work.mul_f64(self.serial.clamp(0.0, 1.0));
        let parallel = (self.work - serial.min(self.work)) / self.threads.max(1);
        Plan { serial, parallel, pause: self.pause_of(run) }
    }

    fn pause_of(&self, run: u64) -> Duration {
        // An odd factor keeps runs of one seed apart; the first numbers of near seeds are alike, and are left.
        let mut random = fastrand::Rng::with_seed(self.seed ^ run.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.u64(..);
        let [chance, length] = [random.f64(), random.f64()];
        if chance < self.pauses { self.pause.mul_f64(-(1.0 - length).ln()) } else { Duration::ZERO }
    }
}

impl Plan {
    /// From the first to the last.
    pub fn whole(&self) -> Duration {
        self.serial + self.parallel + self.pause
    }
}

/// Busy and idle times by turns, without an end: exponentially distributed, from a seed.
#[derive(Debug, Clone)]
pub struct Bursts {
    busy: Duration,
    idle: Duration,
    random: fastrand::Rng,
}

impl Bursts {
    /// Turns of these mean lengths.
    pub fn new(busy: Duration, idle: Duration, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        // The first numbers of near seeds are alike, and are left.
        random.u64(..);
        Self { busy, idle, random }
    }
}

impl Iterator for Bursts {
    type Item = [Duration; 2];

    /// The next busy time, and the idle one after it.
    fn next(&mut self) -> Option<[Duration; 2]> {
        let [busy, idle] = [self.busy, self.idle].map(|mean| mean.mul_f64(-(1.0 - self.random.f64()).ln()));
        Some([busy, idle])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_have_the_means_asked_for_and_repeat() {
        let bursts = |seed| Bursts::new(Duration::from_millis(60), Duration::from_millis(20), seed);
        let turns: Vec<[Duration; 2]> = bursts(1).take(20_000).collect();
        let mean = |place: usize| turns.iter().map(|turn| turn[place].as_secs_f64()).sum::<f64>() / 20_000.0;
        assert!((mean(0) - 0.06).abs() < 0.002 && (mean(1) - 0.02).abs() < 0.001, "{} s, {} s", mean(0), mean(1));
        let first = |seed| bursts(seed).take(9).collect::<Vec<_>>();
        assert_eq!(first(7), first(7));
        assert_ne!(first(7), first(8));
    }
    use proptest::prelude::*;

    const SHAPE: Shape = Shape {
        work: Duration::from_millis(100),
        serial: 0.2,
        threads: 4,
        pauses: 0.0,
        pause: Duration::from_millis(30),
        seed: 1,
    };

    #[test]
    fn the_serial_part_stays_and_the_rest_is_divided() {
        let plan = SHAPE.plan(0);
        assert_eq!([plan.serial, plan.parallel, plan.pause].map(|d| d.as_millis()), [20, 20, 0]);
        assert_eq!(plan.whole().as_millis(), 40);
        assert_eq!(Shape { threads: 1, ..SHAPE }.plan(0).whole(), SHAPE.work);
        assert_eq!(Shape { serial: 1.0, threads: 16, ..SHAPE }.plan(0).whole(), SHAPE.work);
    }

    #[test]
    fn pauses_come_as_often_and_last_as_long_as_was_said() {
        let shape = Shape { pauses: 0.25, ..SHAPE };
        let pauses: Vec<f64> =
            (0..20_000).map(|run| shape.plan(run).pause.as_secs_f64()).filter(|p| *p > 0.0).collect();
        let share = pauses.len() as f64 / 20_000.0;
        assert!((share - 0.25).abs() < 0.01, "{share}");
        let mean = pauses.iter().sum::<f64>() / pauses.len() as f64;
        assert!((mean - 0.03).abs() < 0.002, "{mean} s");
        let long = pauses.iter().filter(|pause| **pause > 0.06).count() as f64 / pauses.len() as f64;
        assert!((long - (-2.0_f64).exp()).abs() < 0.015, "{long} are longer than two means");
    }

    #[test]
    fn chance_is_one_and_never_is_never() {
        let has_pause =
            |pauses| (0..1000).filter(|run| Shape { pauses, ..SHAPE }.plan(*run).pause > Duration::ZERO).count();
        assert_eq!(has_pause(0.0), 0);
        assert!(has_pause(1.0) >= 999);
    }

    proptest! {
        #[test]
        fn the_same_run_has_the_same_plan(seed in any::<u64>(), run in any::<u64>()) {
            let shape = Shape { pauses: 0.5, seed, ..SHAPE };
            prop_assert_eq!(shape.plan(run), shape.plan(run));
        }

        #[test]
        fn as_much_is_done_with_any_number_of_threads(threads in 1..64_u32, serial in 0.0..=1.0) {
            let plan = Shape { threads, serial, ..SHAPE }.plan(0);
            let done = plan.serial + plan.parallel * threads;
            prop_assert!(done.abs_diff(SHAPE.work) <= Duration::from_nanos(64), "{:?}", done);
        }
    }
}
