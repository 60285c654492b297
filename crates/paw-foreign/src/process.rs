//! This process as the kernel sees it: the files it has mapped and its threads.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Time between two counts: short compared with a first call's milliseconds, long enough to leave the processor to it.
const BETWEEN_COUNTS: Duration = Duration::from_micros(100);

/// Shared objects mapped into this process, by full path.
pub(crate) fn mapped_objects() -> BTreeSet<String> {
    objects(&fs::read_to_string("/proc/self/maps").unwrap_or_default())
}

fn objects(maps: &str) -> BTreeSet<String> {
    maps.lines()
        .filter_map(|line| line.find('/').map(|start| &line[start..]))
        .map(|path| path.trim_end_matches(" (deleted)"))
        .filter(|path| path.rsplit('/').next().is_some_and(is_shared_object))
        .map(str::to_owned)
        .collect()
}

/// Whether a file name is that of a shared object: `libx.so`, `libx.so.3.1`.
pub(crate) fn is_shared_object(name: &str) -> bool {
    name.rfind(".so").is_some_and(|at| name[at + 3..].chars().all(|c| c == '.' || c.is_ascii_digit()))
}

/// Threads of this process.
pub(crate) fn tasks() -> usize {
    fs::read_dir("/proc/self/task").map_or(1, Iterator::count)
}

/// The most threads that this process had while `call` ran, without the counting one. Counting during the call sees threads
/// that live for one call only, such as those of BLIS.
pub(crate) fn most_tasks_during(call: impl FnOnce()) -> usize {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let counting = scope.spawn(|| {
            let mut most = 0;
            while !ended.load(Ordering::Acquire) {
                most = most.max(tasks() - 1);
                thread::sleep(BETWEEN_COUNTS);
            }
            most.max(tasks() - 1)
        });
        call();
        ended.store(true, Ordering::Release);
        counting.join().unwrap_or(1)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn only_shared_objects_are_taken_from_maps() {
        let maps = "7f0 r-xp 0 08:01 12   /usr/lib/libm.so.6\n7f1 r--p 0 08:01 12   /usr/lib/libm.so.6\n\
                    7f2 rw-p 0 0 0 [heap]\n7f3 r--p 0 08:01 9 /usr/bin/paw\n7f4 r-xp 0 08:01 1 /a b/libmkl_def.so.3 (deleted)\n";
        assert_eq!(Vec::from_iter(objects(maps)), ["/a b/libmkl_def.so.3", "/usr/lib/libm.so.6"]);
    }

    #[test]
    fn threads_started_by_the_call_are_counted() {
        let (started, start) = mpsc::channel();
        let mut releases = Vec::new();
        let most = most_tasks_during(|| {
            for _ in 0..3 {
                let (release, released) = mpsc::channel::<()>();
                let started = started.clone();
                releases.push(release);
                thread::spawn(move || {
                    started.send(()).expect("the test listens");
                    released.recv().ok();
                });
            }
            assert_eq!(start.iter().take(3).count(), 3);
        });
        assert!(most >= 4, "{most}: this thread and the three it started");
    }
}
