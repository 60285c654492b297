//! Processor affinity of threads: set, read back, restored.

use std::io;

use paw_native::affinity::{CALLER, allowed_of, pin_thread};
use rustix::io::Errno;

use crate::cpuset::CpuSet;
use crate::root::Root;

/// The threads whose processors are read or set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindTarget {
    /// The calling thread.
    Thread,
    /// Every thread of this process; threads started later inherit from their starter.
    Process,
    /// The thread with this kernel id, of any process.
    Tid(i32),
}

/// Why threads could not be bound.
#[derive(Debug, thiserror::Error)]
pub enum AffinityError {
    /// The set of processors is empty.
    #[error("cannot bind to no processor at all. hint: name at least one of the allowed processors")]
    Empty,
    /// None of the processors is online and allowed.
    #[error("cannot run on processors {cpus}: none of them is online and allowed here. hint: `paw machine` lists them")]
    NotAllowed {
        /// The processors asked for.
        cpus: CpuSet,
    },
    /// The kernel silently gave fewer processors than asked for.
    #[error(
        "asked for processors {asked}, was given {given}: the rest is offline or outside the cpuset. hint: `paw machine` lists the allowed ones"
    )]
    Narrowed {
        /// The processors asked for.
        asked: CpuSet,
        /// The processors given.
        given: CpuSet,
    },
    /// The kernel refused.
    #[error("the processors of thread {tid} cannot be {act}: {source}")]
    Refused {
        /// Kernel id of the thread; 0 is the caller.
        tid: i32,
        /// `read` or `set`.
        act: &'static str,
        /// The kernel's reason.
        source: io::Error,
    },
}

/// The processors that threads were allowed before they were bound.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "the binding stays until it is restored"]
pub struct Binding {
    before: Vec<(i32, CpuSet)>,
}

/// Processors that `target` may run on; for a process, those of any of its threads.
///
/// # Errors
/// Where the thread does not exist.
pub fn allowed(target: BindTarget) -> Result<CpuSet, AffinityError> {
    let mut all = CpuSet::new();
    for tid in tids(target) {
        all = all.union(&read(tid)?);
    }
    Ok(all)
}

/// Lets `target` run on `cpus` alone, and reads back that the kernel did so.
///
/// # Errors
/// Where no processor of `cpus` is allowed, where the kernel gave fewer than asked (what was there before is restored),
/// or where it refused.
pub fn bind(target: BindTarget, cpus: &CpuSet) -> Result<Binding, AffinityError> {
    if cpus.is_empty() {
        return Err(AffinityError::Empty);
    }
    let mut binding = Binding { before: Vec::new() };
    for tid in tids(target) {
        match bind_one(tid, cpus) {
            Ok(before) => binding.before.push((tid, before)),
            // A thread of the process may end while the others are bound.
            Err(AffinityError::Refused { source, .. })
                if target == BindTarget::Process && Errno::from_io_error(&source) == Some(Errno::SRCH) => {}
            Err(error) => {
                // The first failure is the one to report.
                let _ = binding.restore();
                return Err(error);
            }
        }
    }
    Ok(binding)
}

impl Binding {
    /// Gives every bound thread back the processors it had before.
    ///
    /// # Errors
    /// Where the kernel refuses for a thread that still lives.
    pub fn restore(self) -> Result<(), AffinityError> {
        for (tid, cpus) in self.before {
            match set(tid, &cpus) {
                Err(source) if Errno::from_io_error(&source) != Some(Errno::SRCH) => {
                    return Err(AffinityError::Refused { tid, act: "set", source });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Kernel ids of the target's threads; 0 is the calling thread.
fn tids(target: BindTarget) -> Vec<i32> {
    match target {
        BindTarget::Thread => vec![CALLER],
        BindTarget::Tid(tid) => vec![tid],
        BindTarget::Process => {
            let tasks = Root::host().numbered("/proc/self/task", "");
            // Without /proc the calling thread is the only one known.
            if tasks.is_empty() { vec![CALLER] } else { tasks.into_iter().map(u32::cast_signed).collect() }
        }
    }
}

/// Binds one thread and returns what it was allowed before.
fn bind_one(tid: i32, cpus: &CpuSet) -> Result<CpuSet, AffinityError> {
    let before = read(tid)?;
    set(tid, cpus).map_err(|source| match Errno::from_io_error(&source) {
        Some(Errno::INVAL) => AffinityError::NotAllowed { cpus: cpus.clone() },
        _ => AffinityError::Refused { tid, act: "set", source },
    })?;
    let given = read(tid)?;
    if given != *cpus {
        // Best effort: the error to report is the one that led here.
        let _ = set(tid, &before);
        return Err(AffinityError::Narrowed { asked: cpus.clone(), given });
    }
    Ok(before)
}

fn read(tid: i32) -> Result<CpuSet, AffinityError> {
    let cpus = allowed_of(tid).map_err(|source| AffinityError::Refused { tid, act: "read", source })?;
    Ok(cpus.into_iter().collect())
}

fn set(tid: i32, cpus: &CpuSet) -> io::Result<()> {
    pin_thread(tid, &cpus.iter().collect::<Vec<_>>())
}
