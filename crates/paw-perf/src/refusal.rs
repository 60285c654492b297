//! Why something could not be sampled or counted, and what would make it possible: the words of all of paw's sampling and counting.

use std::fs;
use std::io;
use std::path::Path;

use crate::circumstances::Circumstances;
use crate::event::{Domain, Event, EventError};

/// Why something was refused: one sentence, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct Refusal {
    /// What was refused, and why.
    pub sentence: String,
    /// What makes it possible.
    pub hint: String,
}

/// The setting of the security module Yama that says who may trace whom.
const TRACE_SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";

impl Refusal {
    fn new(sentence: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), hint: hint.into() }
    }

    /// The sentence with its hint.
    pub fn whole(&self) -> String {
        format!("{}: {}", self.sentence, self.hint)
    }

    /// The refusal to open an event that samples.
    pub(crate) fn to_open(error: &io::Error) -> Self {
        Self::to_sample(error, &Circumstances::read(Path::new("/")))
    }

    fn to_sample(error: &io::Error, here: &Circumstances) -> Self {
        match error.raw_os_error() {
            Some(libc::ESRCH) => Self::new("the process has ended", "start it again, or let paw start it"),
            Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP) => {
                Self::new(format!("this machine does not have the event cpu-clock ({error})"), "another kernel has it")
            }
            _ => Self::of_any(error, "sampling your own programs", 2, here),
        }
    }

    /// The refusal to count `event`.
    pub(crate) fn to_count(event: &Event, error: &io::Error, here: &Circumstances) -> Self {
        let (what, most) = match event.domain {
            Domain::Processor | Domain::Software => ("counting your own programs in user space", 2),
            Domain::Kernel => ("counting what happens in the kernel", 1),
            Domain::Package(_) => ("counting a whole package", 0),
        };
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) if event.is_of_processor() && !here.counters => {
                Self::without_counters(here)
            }
            Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) => Self::new(
                format!("this processor does not count `{}`", event.text),
                "choose another group, or a raw event of its manual",
            ),
            Some(libc::EINVAL) => Self::new(
                format!("the processor refuses `{}`", event.text),
                "look its fields up in the processor's manual",
            ),
            Some(libc::EBUSY) => Self::new(
                "another program holds the counter",
                "`sudo sysctl kernel.nmi_watchdog=0` frees one that the kernel itself may hold",
            ),
            _ => Self::of_any(error, what, most, here),
        }
    }

    /// The refusal of an event that has no number here.
    pub fn of_unresolved(error: &EventError, here: &Circumstances) -> String {
        match error {
            EventError::NoUnit(unit) if unit.starts_with("cpu") && !here.counters => {
                Self::without_counters(here).whole()
            }
            EventError::NoUnit(unit) => {
                format!("this machine has no unit `{unit}`, or its kernel shows none to {}", here.kind())
            }
            other => other.to_string(),
        }
    }

    /// The refusal of a processor without counters.
    fn without_counters(here: &Circumstances) -> Self {
        match here.paranoid {
            None => Self::without_perf_event(),
            Some(_) => Self::new(
                format!("this machine has no hardware counters ({})", here.kind()),
                "group SW works, and --simulate counts by cachegrind",
            ),
        }
    }

    fn without_perf_event() -> Self {
        Self::new(
            "this kernel has no perf_event (CONFIG_PERF_EVENTS)",
            "cachegrind simulates counters (--simulate), and time and memory are measured without it",
        )
    }

    /// What sampling and counting have in common; `what` needs a `perf_event_paranoid` of `most`.
    fn of_any(error: &io::Error, what: &str, most: i32, here: &Circumstances) -> Self {
        match (error.raw_os_error(), here.paranoid) {
            (Some(libc::ENOSYS), _) | (_, None) => Self::without_perf_event(),
            (Some(libc::EACCES | libc::EPERM), Some(level)) if level > most => Self::new(
                format!(
                    "perf_event_open was refused: kernel.perf_event_paranoid is {level}, and {what} needs at most {most}"
                ),
                format!("`sudo sysctl kernel.perf_event_paranoid={most}`, or the capability CAP_PERFMON"),
            ),
            (Some(libc::EACCES | libc::EPERM), Some(level)) => Self::new(
                format!(
                    "perf_event_open was refused, although kernel.perf_event_paranoid is {level}: a sandbox forbids it"
                ),
                "a container needs `--cap-add PERFMON`, or a seccomp profile that allows perf_event_open",
            ),
            (Some(libc::EMFILE | libc::ENFILE), _) => Self::new(
                "an event needs an open file for each processor, and there are too many open files",
                "`ulimit -n 4096` allows more",
            ),
            _ => Self::new(format!("perf_event_open failed: {error}"), "`dmesg` may say more"),
        }
    }

    /// The refusal to map even the smallest ring.
    pub(crate) fn to_map(error: &io::Error) -> Self {
        Self::new(
            format!("the ring of an event could not be mapped: {error}"),
            "other profilers use up the memory of kernel.perf_event_mlock_kb: end them, or raise it",
        )
    }

    /// The refusal to sample a process that does not run.
    pub(crate) fn of_absent(pid: u32) -> Self {
        Self::new(format!("there is no process {pid}"), "`ps` lists those that run")
    }

    /// The refusal to trace a process, by which signals sample.
    pub(crate) fn to_trace(error: &io::Error) -> Self {
        let scope = fs::read_to_string(TRACE_SCOPE).ok().and_then(|text| text.trim().parse().ok());
        Self::of_tracing(error, scope)
    }

    fn of_tracing(error: &io::Error, scope: Option<i32>) -> Self {
        match (error.raw_os_error(), scope) {
            (Some(libc::EPERM | libc::EACCES), Some(level @ 2..)) => Self::new(
                format!("ptrace was refused: kernel.yama.ptrace_scope is {level}"),
                "`sudo sysctl kernel.yama.ptrace_scope=1` lets every user trace what he starts",
            ),
            (Some(libc::EPERM | libc::EACCES), _) => Self::new(
                "ptrace was refused: a sandbox forbids it, or a debugger traces the program already",
                "a container needs `--cap-add SYS_PTRACE`, or a seccomp profile that allows ptrace",
            ),
            _ => Self::new(format!("ptrace failed: {error}"), "`dmesg` may say more"),
        }
    }

    /// This refusal and another one, which keeps the way around it shut.
    pub(crate) fn and(&self, other: &Self) -> Self {
        Self::new(
            format!("{}; sampling by SIGPROF is not possible either: {}", self.sentence, other.sentence),
            format!("{}; or {}", self.hint, other.hint),
        )
    }

    /// This refusal of sampling a process that runs already, with the way around it.
    pub(crate) fn of_running(self) -> Self {
        let around = "a process of somebody else needs root; `paw profile -- CMD` samples a program that it starts by SIGPROF, without perf_event";
        Self::new(self.sentence, format!("{}; {around}", self.hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(paranoid: Option<i32>) -> Circumstances {
        Circumstances { paranoid, virtual_machine: true, counters: false }
    }

    fn error(errno: i32) -> io::Error {
        io::Error::from_raw_os_error(errno)
    }

    #[test]
    fn a_refusal_to_sample_names_the_setting_and_the_way_out() {
        let of = |errno, paranoid| Refusal::to_sample(&error(errno), &here(paranoid));
        let strict = of(libc::EACCES, Some(3));
        assert!(
            strict.sentence.contains("perf_event_paranoid is 3, and sampling your own programs needs at most 2"),
            "{strict}"
        );
        assert!(strict.hint.contains("sysctl kernel.perf_event_paranoid=2"), "{}", strict.hint);
        let sandbox = of(libc::EPERM, Some(2));
        assert!(sandbox.sentence.contains("sandbox") && sandbox.hint.contains("PERFMON"), "{sandbox}");
        assert!(of(libc::ENOSYS, None).sentence.contains("CONFIG_PERF_EVENTS"));
        assert!(of(libc::EMFILE, Some(2)).hint.contains("ulimit"));
        assert!(of(libc::EINVAL, Some(2)).sentence.contains("failed"));
    }

    fn check(paranoid: i32, domain: Domain, errno: i32, expected: &str) {
        let event = Event {
            name: "A".to_owned(),
            text: "instructions".to_owned(),
            kind: 0,
            config: [0; 3],
            domain,
            scale: 1.0,
            leader: None,
        };
        let said = Refusal::to_count(&event, &error(errno), &here(Some(paranoid))).whole();
        assert!(said.contains(expected), "{said}");
    }

    #[test]
    fn a_refusal_to_count_names_the_smallest_setting_that_suffices() {
        check(3, Domain::Processor, libc::EACCES, "is 3, and counting your own programs in user space needs at most 2");
        check(3, Domain::Software, libc::EACCES, "kernel.perf_event_paranoid=2`");
        check(2, Domain::Kernel, libc::EACCES, "needs at most 1: `sudo sysctl kernel.perf_event_paranoid=1`");
        check(1, Domain::Package(vec![0]), libc::EPERM, "needs at most 0");
        check(-1, Domain::Processor, libc::EACCES, "--cap-add PERFMON");
    }

    #[test]
    fn a_virtual_machine_without_counters_names_what_works() {
        check(2, Domain::Processor, libc::ENOENT, "no hardware counters (a virtual machine): group SW works");
        check(2, Domain::Software, libc::ENOENT, "does not count `instructions`");
    }

    #[test]
    fn a_refusal_of_both_samplers_names_both_ways_out() {
        let tracing = |scope| Refusal::of_tracing(&error(libc::EPERM), scope);
        let both = Refusal::to_sample(&error(libc::EPERM), &here(Some(3))).and(&tracing(Some(3)));
        assert!(
            both.sentence.contains("perf_event_paranoid is 3") && both.sentence.contains("ptrace_scope is 3"),
            "{both}"
        );
        assert!(both.hint.contains("perf_event_paranoid=2") && both.hint.contains("ptrace_scope=1"), "{}", both.hint);
        assert!(tracing(Some(1)).hint.contains("SYS_PTRACE") && tracing(None).sentence.contains("a debugger"));
    }
}
