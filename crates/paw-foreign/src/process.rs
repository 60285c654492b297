//! This process as the kernel sees it: the files it has mapped and its threads.

use std::collections::BTreeSet;
use std::fs;

mod task_counter;

pub use task_counter::is_single_threaded;
pub(crate) use task_counter::most_tasks_during;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shared_objects_are_taken_from_maps() {
        let maps = "7f0 r-xp 0 08:01 12   /usr/lib/libm.so.6\n7f1 r--p 0 08:01 12   /usr/lib/libm.so.6\n\
                    7f2 rw-p 0 0 0 [heap]\n7f3 r--p 0 08:01 9 /usr/bin/paw\n7f4 r-xp 0 08:01 1 /a b/libmkl_def.so.3 (deleted)\n";
        assert_eq!(Vec::from_iter(objects(maps)), ["/a b/libmkl_def.so.3", "/usr/lib/libm.so.6"]);
    }
}
