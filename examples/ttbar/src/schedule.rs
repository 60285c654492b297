//! Sharing events among threads.
//!
//! Threads of the standard library and a dozen lines, not a pool that steals work: which thread takes which event is
//! what a user of this program wants to vary and measure.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{io, thread};

/// Who takes which items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// Settled beforehand: chunks are dealt in turn; without a chunk each thread has one run of items, all the same length.
    Static {
        /// Items in a chunk, at least 1.
        chunk: Option<usize>,
    },
    /// Settled on the way: who is free takes the next chunk.
    Dynamic {
        /// Items in a chunk, at least 1.
        chunk: usize,
    },
}

/// Runs `work` once for every item below `items` on `threads` threads, this one among them; returns what each has gathered.
///
/// # Errors
/// A thread cannot be started.
pub fn share<T: Default + Send>(
    items: usize,
    threads: usize,
    schedule: Schedule,
    work: impl Fn(usize, &mut T) + Sync,
) -> io::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let part = |thread: usize| {
        let mut gathered = T::default();
        let mut turn = 0;
        while let Some(range) = schedule.chunk(items, [thread, threads], turn, &next) {
            range.for_each(|item| work(item, &mut gathered));
            turn += 1;
        }
        gathered
    };
    thread::scope(|scope| {
        let start = |thread| thread::Builder::new().spawn_scoped(scope, move || part(thread));
        let others = (1..threads).map(start).collect::<io::Result<Vec<_>>>();
        if others.is_err() {
            // Those that did start need not finish what nobody will read.
            next.store(items, Ordering::Relaxed);
        }
        let others = others?;
        let own = part(0);
        let rest =
            others.into_iter().map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        Ok(std::iter::once(own).chain(rest).collect())
    })
}

impl Schedule {
    /// The chunk a thread takes in this turn; `None` when there is no more for it.
    fn chunk(
        self,
        items: usize,
        [thread, threads]: [usize; 2],
        turn: usize,
        next: &AtomicUsize,
    ) -> Option<Range<usize>> {
        let (start, end) = match self {
            Self::Static { chunk: None } if turn > 0 => return None,
            Self::Static { chunk: None } => (thread * items / threads, (thread + 1) * items / threads),
            Self::Static { chunk: Some(chunk) } => {
                let start = (turn * threads + thread).saturating_mul(chunk);
                (start, start.saturating_add(chunk))
            }
            Self::Dynamic { chunk } => {
                // fetch_add would wrap after many huge chunks.
                let start = next.try_update(Ordering::Relaxed, Ordering::Relaxed, |at| Some(at.saturating_add(chunk)));
                let start = start.unwrap_or(items);
                (start, start.saturating_add(chunk))
            }
        };
        (start < items).then(|| start..end.min(items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_taken_once_under_every_schedule() {
        let schedules = [None, Some(1), Some(3), Some(usize::MAX)].map(|chunk| Schedule::Static { chunk });
        let schedules = schedules.into_iter().chain([1, 3, usize::MAX].map(|chunk| Schedule::Dynamic { chunk }));
        for schedule in schedules {
            for (items, threads) in [(0, 1), (1, 4), (10, 1), (10, 3), (100, 7)] {
                let parts = share(items, threads, schedule, |item, taken: &mut Vec<usize>| taken.push(item));
                let parts = parts.expect("threads start");
                assert_eq!(parts.len(), threads);
                let mut taken: Vec<usize> = parts.concat();
                taken.sort_unstable();
                assert_eq!(taken, (0..items).collect::<Vec<_>>(), "{schedule:?} {items} {threads}");
            }
        }
    }

    #[test]
    fn a_static_schedule_settles_who_takes_what() {
        let take = |chunk| {
            let push = |item, taken: &mut Vec<usize>| taken.push(item);
            share(7, 2, Schedule::Static { chunk }, push).expect("threads start")
        };
        assert_eq!(take(None), [vec![0, 1, 2], vec![3, 4, 5, 6]]);
        assert_eq!(take(Some(2)), [vec![0, 1, 4, 5], vec![2, 3, 6]]);
    }
}
