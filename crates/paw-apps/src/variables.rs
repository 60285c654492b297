//! Environment variables that set a program's thread count and placement.

/// Variables of OpenMP, rayon, libraries and run times that set the thread count.
pub const COUNTS: &[&str] = &[
    "OMP_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "JULIA_NUM_THREADS",
    "GOMAXPROCS",
];

/// Variables that place OpenMP's threads; if the user has set one, ours would contradict it.
const PLACED: &[&str] = &["OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"];

/// The variables for `threads` threads on `cpus` (empty: the operating system places them). `is_set` is true for variables that the
/// user has set.
pub fn settings(threads: u32, cpus: &[u32], is_set: &dyn Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut settings: Vec<_> = COUNTS.iter().map(|name| ((*name).to_owned(), threads.to_string())).collect();
    if !cpus.is_empty() && !PLACED.iter().any(|name| is_set(name)) {
        settings.push(("OMP_PLACES".to_owned(), places(cpus)));
        settings.push(("OMP_PROC_BIND".to_owned(), "close".to_owned()));
    }
    settings
}

/// OpenMP's list of places (OpenMP 5.0, section 6.5), one for each distinct processor, in order: `{0},{2}`.
fn places(cpus: &[u32]) -> String {
    let mut seen = Vec::new();
    for cpu in cpus {
        if !seen.contains(cpu) {
            seen.push(*cpu);
        }
    }
    seen.iter().map(|cpu| format!("{{{cpu}}}")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(settings: &[(String, String)], name: &str) -> Option<String> {
        settings.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone())
    }

    #[test]
    fn every_run_time_hears_the_same_number() {
        let settings = settings(6, &[], &|_| false);
        assert!(COUNTS.iter().all(|name| value(&settings, name).as_deref() == Some("6")));
        assert_eq!(value(&settings, "OMP_PLACES"), None, "nothing is placed where the operating system does it");
    }

    #[test]
    fn openmp_threads_take_the_processors_in_order_each_once() {
        let settings = settings(4, &[2, 0, 2, 0], &|_| false);
        assert_eq!(value(&settings, "OMP_PLACES").as_deref(), Some("{2},{0}"));
        assert_eq!(value(&settings, "OMP_PROC_BIND").as_deref(), Some("close"));
    }

    #[test]
    fn what_the_user_placed_stays() {
        let settings = settings(4, &[0, 1], &|name| name == "GOMP_CPU_AFFINITY");
        assert_eq!(value(&settings, "OMP_PLACES"), None);
    }
}
