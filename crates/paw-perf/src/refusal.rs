//! Why perf_event was refused, and what would make it possible.

use std::io;

/// Why perf_event was refused: one sentence, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct Refusal {
    /// What was refused, and why.
    pub sentence: String,
    /// What makes it possible.
    pub hint: String,
}

/// The setting that says who may open events.
const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";

impl Refusal {
    /// The refusal to open an event.
    pub(crate) fn to_open(error: &io::Error) -> Self {
        let paranoid = std::fs::read_to_string(PARANOID).ok().and_then(|text| text.trim().parse().ok());
        Self::of(error.raw_os_error().unwrap_or(0), &error.to_string(), paranoid)
    }

    /// The refusal with error number `errno`, where `perf_event_paranoid` is `paranoid`.
    pub(crate) fn of(errno: i32, error: &str, paranoid: Option<i32>) -> Self {
        let refusal = |sentence: String, hint: &str| Self { sentence, hint: hint.to_owned() };
        match (errno, paranoid) {
            (libc::EACCES | libc::EPERM, Some(level @ 3..)) => refusal(
                format!("perf_event_open was refused: kernel.perf_event_paranoid is {level}, which leaves it to root"),
                "`sudo sysctl kernel.perf_event_paranoid=2` lets every user sample programs of his own",
            ),
            (libc::EACCES | libc::EPERM, level) => {
                let level = level.map_or_else(|| "not known".to_owned(), |level| level.to_string());
                refusal(
                    format!(
                        "perf_event_open was refused, although kernel.perf_event_paranoid is {level}: a sandbox forbids it"
                    ),
                    "a container needs `--cap-add PERFMON`, or a seccomp profile that allows perf_event_open; a process of somebody else needs root",
                )
            }
            (libc::ENOSYS, _) | (_, None) => refusal(
                "this kernel has no perf_event_open (CONFIG_PERF_EVENTS)".to_owned(),
                "another kernel has it; nothing was sampled",
            ),
            (libc::EMFILE | libc::ENFILE, _) => refusal(
                "an event needs an open file for each processor, and there are too many open files".to_owned(),
                "`ulimit -n 4096` allows more",
            ),
            (libc::ESRCH, _) => refusal("the process has ended".to_owned(), "start it again, or let paw start it"),
            (libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP, _) => refusal(
                format!("this machine does not have the event ({error})"),
                "software events work everywhere: cpu-clock",
            ),
            _ => refusal(format!("perf_event_open failed: {error}"), "`dmesg` may say more"),
        }
    }

    /// The refusal to map even the smallest ring.
    pub(crate) fn to_map(error: &io::Error) -> Self {
        Self {
            sentence: format!("the ring of an event could not be mapped: {error}"),
            hint: "other profilers use up the memory of kernel.perf_event_mlock_kb: end them, or raise it".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_setting_and_the_way_out() {
        let of = |errno, paranoid| Refusal::of(errno, "refused", paranoid);
        let strict = of(libc::EACCES, Some(4));
        assert!(strict.sentence.contains("perf_event_paranoid is 4"), "{strict}");
        assert!(strict.hint.contains("sysctl kernel.perf_event_paranoid=2"), "{}", strict.hint);
        let sandbox = of(libc::EPERM, Some(2));
        assert!(sandbox.sentence.contains("sandbox") && sandbox.hint.contains("PERFMON"), "{sandbox}");
        assert!(of(libc::ENOSYS, None).sentence.contains("CONFIG_PERF_EVENTS"));
        assert!(of(libc::EMFILE, Some(2)).hint.contains("ulimit"));
        assert!(of(libc::EINVAL, Some(2)).sentence.contains("refused"));
    }
}
