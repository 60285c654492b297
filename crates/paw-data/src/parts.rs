//! Work on many items that the processors share.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

use paw_sort::OrderBy;

/// Fewest items of small work, such as a row of a table, for which another thread is started.
pub const ITEMS_A_THREAD: usize = 2000;

/// What `of` makes of each of the items, in their order; another thread is started for `least` of them or more.
pub fn each<'i, T: Sync, R: Send>(items: &'i [T], least: usize, of: impl Fn(&'i T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut parts = items.chunks(items.len().div_ceil(threads).max(least));
    let first = parts.next().unwrap_or_default();
    let made = |part: &'i [T]| part.iter().map(&of).collect::<Vec<R>>();
    let made = &made;
    thread::scope(|scope| {
        let others: Vec<_> = parts.map(|part| (part, started(scope, move || made(part)))).collect();
        let mut all = made(first);
        all.reserve_exact(items.len() - first.len());
        for (part, other) in others {
            all.extend(other.map_or_else(|| made(part), joined));
        }
        all
    })
}

/// What `of` makes of each of the lists, in their order: a thread takes the next one as soon as it has done its last.
pub fn lists<T: Send, R: Send>(lists: Vec<Vec<T>>, of: impl Fn(Vec<T>) -> R + Sync) -> Vec<R> {
    let items: usize = lists.iter().map(Vec::len).sum();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.div_ceil(ITEMS_A_THREAD));
    let next = Mutex::new(lists.into_iter().enumerate());
    let work = || {
        let mut made = Vec::new();
        loop {
            let taken = next.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((place, list)) = taken else { return made };
            made.push((place, of(list)));
        }
    };
    let mut made: Vec<(usize, R)> = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map_while(|_| started(scope, work)).collect();
        let mut made = work();
        made.extend(others.into_iter().flat_map(joined));
        made
    });
    made.order_by_key(|(place, _)| *place);
    made.into_iter().map(|(_, own)| own).collect()
}

/// What `a` and `b` make, at the same time where there are items enough for another thread.
pub fn both<A: Send, B>(items: usize, a: impl Fn() -> A + Sync, b: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let other = if items < ITEMS_A_THREAD { None } else { started(scope, &a) };
        let b = b();
        (other.map_or_else(&a, joined), b)
    })
}

/// A thread that does `work`; `None` where the system starts no other, as for a user whose processes are limited: the caller does it.
pub fn started<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> R + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, R>> {
    Builder::new().spawn_scoped(scope, work).ok()
}

/// What a thread has made; if it panicked, the panic goes on here.
pub fn joined<R>(thread: ScopedJoinHandle<'_, R>) -> R {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::{ITEMS_A_THREAD, both, each, lists};

    #[test]
    fn lists_come_back_in_their_order() {
        for n in [0, 1, 7] {
            let given: Vec<Vec<usize>> = (0..n).map(|i| vec![i; ITEMS_A_THREAD]).collect();
            let sums: Vec<usize> = (0..n).map(|i| i * ITEMS_A_THREAD).collect();
            assert_eq!(lists(given, |list| list.into_iter().sum::<usize>()), sums);
        }
    }

    #[test]
    fn both_are_made_whether_or_not_another_thread_helps() {
        for items in [0, ITEMS_A_THREAD] {
            assert_eq!(both(items, || "a", || "b"), ("a", "b"));
        }
    }

    #[test]
    fn few_items_and_many_come_back_in_their_order() {
        for n in [0, 1, ITEMS_A_THREAD, 5 * ITEMS_A_THREAD + 3] {
            let items: Vec<usize> = (0..n).collect();
            assert_eq!(
                each(&items, ITEMS_A_THREAD, |item| item * 2),
                items.iter().map(|item| item * 2).collect::<Vec<_>>()
            );
        }
    }
}
