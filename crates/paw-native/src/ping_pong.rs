//! Two threads that take turns at one cache line.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::buffer::{Aligned, OutOfMemory, Pages};

/// How a thread takes its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// By compare-and-swap until it succeeds: the line moves to the thread that waits, at every attempt.
    CompareAndSwap,
    /// By loads until the other's store is seen, and a store: the line is shared while a thread waits.
    Flag,
}

/// Tries between two questions whether to go on.
const TRIES: u32 = 1 << 16;

/// A line on which two threads take turns, on a page of its own.
#[derive(Debug)]
pub struct PingPong {
    memory: Aligned<AtomicU64>,
    is_over: AtomicBool,
}

impl PingPong {
    /// A line that no thread has touched: its page is on the memory node of the first that does.
    ///
    /// # Errors
    /// Where the system refuses the memory.
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            memory: Aligned::try_new(Aligned::<AtomicU64>::PAGE_LEN, Pages::Plain)?,
            is_over: AtomicBool::new(false),
        })
    }

    /// Turns taken so far, by both threads.
    pub fn turns(&self) -> u64 {
        self.word().load(Ordering::Acquire)
    }

    /// Touches the page: the line is homed on the memory node of the calling thread if nobody touched it before.
    pub fn home(&self) {
        self.word().fetch_add(0, Ordering::AcqRel);
    }

    fn word(&self) -> &AtomicU64 {
        &self.memory[0]
    }

    /// Takes `rounds` turns as thread `side` (0 or 1) of a game that began after `first` turns; thread 0 has the first one. Both threads
    /// call it. Returns whether all turns were taken: the game is over for both where `goes_on`, asked now and then while a thread waits,
    /// says so, and stays over.
    pub fn play(&self, side: u64, first: u64, rounds: u64, turn: Turn, goes_on: impl Fn() -> bool) -> bool {
        (0..rounds).all(|round| self.take(first + 2 * round + side, turn, &goes_on))
    }

    /// Takes turn number `number` once the turns before it are taken.
    #[inline(always)]
    fn take(&self, number: u64, turn: Turn, goes_on: &impl Fn() -> bool) -> bool {
        let word = self.word();
        loop {
            for _ in 0..TRIES {
                // No pause between tries: on some processors it lasts as long as the line's way.
                let is_taken = match turn {
                    Turn::CompareAndSwap => {
                        word.compare_exchange(number, number + 1, Ordering::AcqRel, Ordering::Relaxed).is_ok()
                    }
                    Turn::Flag => {
                        let is_mine = word.load(Ordering::Acquire) == number;
                        if is_mine {
                            word.store(number + 1, Ordering::Release);
                        }
                        is_mine
                    }
                };
                if is_taken {
                    return true;
                }
            }
            if self.is_over.load(Ordering::Relaxed) || !goes_on() {
                self.is_over.store(true, Ordering::Relaxed);
                return false;
            }
            // Two threads on one processor take turns at it, too.
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PingPong, Turn};

    #[test]
    fn every_turn_is_taken_once() {
        for turn in [Turn::CompareAndSwap, Turn::Flag] {
            let game = PingPong::new().expect("a page");
            for first in [0, 200] {
                std::thread::scope(|scope| {
                    let other = scope.spawn(|| game.play(1, first, 100, turn, || true));
                    assert!(game.play(0, first, 100, turn, || true));
                    assert!(other.join().expect("it returns"));
                });
            }
            assert_eq!(game.turns(), 400);
        }
    }

    #[test]
    fn a_partner_who_never_comes_ends_the_game() {
        for turn in [Turn::CompareAndSwap, Turn::Flag] {
            let game = PingPong::new().expect("a page");
            assert!(!game.play(0, 0, 2, turn, || false), "the second turn waits for the partner");
            assert!(!game.play(1, 2, 1, turn, || true), "it is over for both");
            assert_eq!(game.turns(), 1);
        }
    }
}
