//! A barrier of a pool's workers.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::yield_now;

/// Spins before a waiter offers its processor to others: a few microseconds, longer than any quiet arrival, short
/// enough that more workers than processors still get through.
const SPINS: u32 = 4096;

/// A point that all workers of a pool reach before any goes on; it can be used any number of times.
#[derive(Debug)]
pub struct Barrier {
    parties: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
}

impl Barrier {
    /// A barrier for `parties` workers.
    pub fn new(parties: usize) -> Barrier {
        Barrier { parties, arrived: AtomicUsize::new(0), round: AtomicUsize::new(0) }
    }

    /// Returns when all workers have called it: spinning first, then yielding the processor.
    pub fn wait(&self) {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.parties {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0;
        while self.round.load(Ordering::Acquire) == round {
            if spins < SPINS {
                spins += 1;
                spin_loop();
            } else {
                yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Barrier;

    #[test]
    fn nobody_passes_before_all_have_arrived() {
        let (barrier, arrivals) = (Barrier::new(4), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 1..=50 {
                        arrivals.fetch_add(1, Ordering::SeqCst);
                        barrier.wait();
                        assert!(arrivals.load(Ordering::SeqCst) >= 4 * round);
                        barrier.wait();
                    }
                });
            }
        });
        assert_eq!(arrivals.into_inner(), 200);
    }
}
