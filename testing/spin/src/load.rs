//! Doing what was planned.

use std::os::unix::process::parent_id;
use std::time::{Duration, Instant};
use std::{hint, io, thread};

use crate::plan::{Bursts, Plan};
use crate::sys::thread_time;

/// What working means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A thread has had so much processor time: more threads than processors take turns.
    Cpu,
    /// So much time has passed: any number of threads scale on any machine.
    Sleep,
}

/// One run, on this thread and `threads − 1` others.
///
/// Sleeps end at moments fixed at the beginning: what one is late by, the next is shorter by.
///
/// # Errors
/// A thread cannot be started.
pub fn run(plan: &Plan, threads: u32, mode: Mode) -> io::Result<()> {
    let begin = Instant::now();
    work(mode, plan.serial, begin + plan.serial);
    let parallel_end = begin + plan.serial + plan.parallel;
    let part = || work(mode, plan.parallel, parallel_end);
    thread::scope(|scope| {
        for _ in 1..threads {
            thread::Builder::new().spawn_scoped(scope, part)?;
        }
        part();
        Ok::<(), io::Error>(())
    })?;
    match mode {
        Mode::Cpu => thread::sleep(plan.pause),
        Mode::Sleep => sleep_until(begin + plan.whole()),
    }
    Ok(())
}

/// Works and pauses by turns until the process that started this one is gone.
///
/// # Errors
/// Never; as other loads.
pub fn bursts(bursts: Bursts, mode: Mode) -> io::Result<()> {
    let parent = parent_id();
    for [busy, idle] in bursts.take_while(|_| parent_id() == parent) {
        work(mode, busy, Instant::now() + busy);
        thread::sleep(idle);
    }
    Ok(())
}

fn work(mode: Mode, length: Duration, end: Instant) {
    match mode {
        Mode::Cpu => {
            let enough = thread_time() + length;
            while thread_time() < enough {
                (0..100).for_each(|_| hint::spin_loop());
            }
        }
        Mode::Sleep => sleep_until(end),
    }
}

fn sleep_until(end: Instant) {
    thread::sleep(end.saturating_duration_since(Instant::now()));
}
