//! Whether threads have samples in proportion to their processor time.

use std::collections::HashMap;

/// Samples and processor time of the threads of processes.
///
/// The timer belongs to a process. Linux hands its signal to the thread that runs; one that blocks the signal leaves it to another, which
/// may have waited for hours.
#[derive(Debug, Default)]
pub(super) struct Proportion {
    threads: HashMap<u32, Vec<(u64, f64)>>,
}

/// Difference of the shares below which nothing is said.
const LEAST: f64 = 0.05;

impl Proportion {
    /// Adds a thread of the process `pid`.
    pub fn add(&mut self, pid: u32, samples: u64, seconds: f64) {
        self.threads.entry(pid).or_default().push((samples, seconds));
    }

    /// The part of a process's samples that its other threads should have; the largest of all processes, and `None` where chance explains it.
    pub fn misplaced(&self) -> Option<f64> {
        self.threads.values().filter_map(|threads| difference(threads)).reduce(f64::max)
    }
}

/// Half the sum of the differences between shares of samples and of time.
fn difference(threads: &[(u64, f64)]) -> Option<f64> {
    let samples = threads.iter().map(|(samples, _)| *samples).sum::<u64>() as f64;
    let seconds: f64 = threads.iter().map(|(_, seconds)| *seconds).sum();
    if samples == 0.0 || seconds <= 0.0 {
        return None;
    }
    let part = |(own, own_s): &(u64, f64)| (*own as f64 / samples - own_s / seconds).abs();
    let found = 0.5 * threads.iter().map(part).sum::<f64>();
    // A share of n samples has a standard deviation of √(p(1−p)/n); the sum over k threads is at most √(k/n).
    let chance = (threads.len() as f64 / samples).sqrt();
    (found > LEAST + chance).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(threads: &[(u64, f64)], expected: Option<f64>) {
        let mut proportion = Proportion::default();
        threads.iter().for_each(|(samples, seconds)| proportion.add(7, *samples, *seconds));
        let found = proportion.misplaced();
        let is_close = found.zip(expected).is_some_and(|(a, b)| (a - b).abs() < 1e-9);
        assert!(is_close || found.is_none() && expected.is_none(), "{threads:?}: {found:?}");
    }

    #[test]
    fn samples_of_a_thread_that_did_not_run_are_noticed() {
        check(&[(0, 3.0), (750, 0.0)], Some(1.0));
        check(&[(500, 1.0), (250, 2.0)], Some(1.0 / 3.0));
        check(&[(500, 2.0), (260, 1.0)], None);
        check(&[(3, 0.010), (0, 0.008)], None);
        check(&[(0, 0.0)], None);
    }
}
