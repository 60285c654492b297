//! Checks that a program kept to its processors and its number of threads.

use paw_data::outcome::Caveat;
use paw_measure::caveat;

use crate::launch::ThreadSnapshots;

/// Fewest snapshots that show a thread count: threads may come and go between two of them.
const LOOKS_MIN: u32 = 10;
/// Share of snapshots with too many runnable threads up to which the surplus threads are idle helpers.
const CROWDED: f64 = 0.1;

/// Caveats of a program that was to use `asked` threads and to stay on `cpus` (empty: any processor).
pub(crate) fn caveats(asked: Option<u32>, cpus: &[u32], seen: &ThreadSnapshots) -> Vec<Caveat> {
    let astray: Vec<u32> = seen.cpus.iter().copied().filter(|cpu| !cpus.contains(cpu)).collect();
    let misplaced = (!cpus.is_empty() && !astray.is_empty()).then(|| caveat::misplaced(&astray, cpus));
    misplaced.into_iter().chain(asked.and_then(|asked| unheeded(asked, seen))).collect()
}

fn unheeded(asked: u32, seen: &ThreadSnapshots) -> Option<Caveat> {
    if seen.looks < LOOKS_MIN {
        return None;
    }
    let crowded: u32 = seen.running.iter().skip(asked as usize + 1).sum();
    if f64::from(crowded) > CROWDED * f64::from(seen.looks) {
        return Some(caveat::too_many_threads(asked, seen.running.len() as u32 - 1, crowded, seen.looks));
    }
    (seen.threads < asked).then(|| caveat::too_few_threads(asked, seen.threads))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(asked: Option<u32>, cpus: &[u32], seen: &ThreadSnapshots, ids: &[&str]) {
        let found: Vec<String> = caveats(asked, cpus, seen).into_iter().map(|caveat| caveat.id).collect();
        assert_eq!(found, ids, "{asked:?} threads on {cpus:?}: {seen:?}");
    }

    fn seen(cpus: &[u32], threads: u32, running: &[u32]) -> ThreadSnapshots {
        ThreadSnapshots {
            looks: running.iter().sum(),
            cpus: cpus.iter().copied().collect(),
            threads,
            running: running.to_vec(),
        }
    }

    #[test]
    fn a_compliant_program_has_no_caveat() {
        check(Some(2), &[0, 1], &seen(&[0, 1], 2, &[1, 5, 30]), &[]);
        // A third thread that waits for the others, and now and then does something.
        check(Some(2), &[0, 1], &seen(&[1], 3, &[0, 5, 30, 1]), &[]);
        check(None, &[], &seen(&[0, 1, 2], 64, &[0, 0, 0, 90]), &[]);
    }

    #[test]
    fn a_thread_elsewhere_is_misplaced() {
        check(Some(1), &[0], &seen(&[0, 3], 1, &[0, 2]), &["misplaced"]);
    }

    #[test]
    fn too_few_and_too_many_threads_need_more_than_chance() {
        check(Some(4), &[], &seen(&[0], 1, &[0, 30]), &["threads-unheeded"]);
        check(Some(4), &[], &seen(&[0], 1, &[0, 9]), &[]);
        check(Some(1), &[], &seen(&[0], 4, &[0, 1, 0, 0, 30]), &["threads-unheeded"]);
        check(Some(1), &[], &seen(&[0], 4, &[0, 30, 1]), &[]);
    }
}
