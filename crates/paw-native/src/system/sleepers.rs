//! Two threads that take turns, and sleep until the other wakes them.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::ThreadCounts;

/// A word on which two threads take turns: who does not have the turn sleeps in the kernel (`futex`).
#[derive(Debug, Default)]
pub struct Sleepers {
    turn: AtomicU32,
    taken: AtomicU64,
    slept: AtomicU64,
    switched: AtomicU64,
}

/// What two threads did so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Played {
    /// Turns taken.
    pub turns: u64,
    /// Turns before which the thread slept in the kernel.
    pub slept: u64,
    /// Switches of a processor from one of the threads to another thread.
    pub switches: u64,
}

impl Sleepers {
    /// Takes `rounds` turns as thread `side`, 0 or 1; 0 has the first one. Both threads call it with the same number.
    pub fn play(&self, side: u32, rounds: u64) {
        let (mut slept, before) = (0, ThreadCounts::now().switches);
        for _ in 0..rounds {
            slept += u64::from(self.wait(side));
            self.turn.store(1 - side, Ordering::Release);
            wake(&self.turn);
        }
        self.taken.fetch_add(rounds, Ordering::Relaxed);
        self.slept.fetch_add(slept, Ordering::Relaxed);
        self.switched.fetch_add((ThreadCounts::now().switches - before).max(0) as u64, Ordering::Relaxed);
    }

    /// Returns once it is the turn of `side`, and whether the thread slept for it.
    fn wait(&self, side: u32) -> bool {
        let mut slept = false;
        while self.turn.load(Ordering::Acquire) != side {
            slept |= sleep_while(&self.turn, 1 - side);
        }
        slept
    }

    /// What both threads did in all games so far.
    pub fn played(&self) -> Played {
        let [turns, slept, switches] =
            [&self.taken, &self.slept, &self.switched].map(|count| count.load(Ordering::Relaxed));
        Played { turns, slept, switches }
    }
}

/// Sleeps while `word` is `value`, until it is woken; returns at once with `false` where it is another.
fn sleep_while(word: &AtomicU32, value: u32) -> bool {
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word outlives the call, which only reads it; a null timeout waits for ever.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, std::ptr::null::<libc::timespec>()) == 0 }
}

/// Wakes a thread that sleeps on `word`.
fn wake(word: &AtomicU32) {
    // SAFETY: the call uses the address of the word as a name only.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1) };
}

#[cfg(test)]
mod tests {
    use super::Sleepers;

    #[test]
    fn both_take_all_their_turns() {
        let sleepers = Sleepers::default();
        std::thread::scope(|scope| {
            scope.spawn(|| sleepers.play(1, 100));
            sleepers.play(0, 100);
        });
        let played = sleepers.played();
        assert_eq!(played.turns, 200);
        assert!(played.slept <= 200);
    }
}
