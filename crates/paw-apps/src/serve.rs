//! The launcher process: starts commands, times them, and accounts for them.
//!
//! It is small because exec folds the memory that a process held before into the peak that wait4(2) reports (`exec_mmap`
//! in Linux' fs/exec.c); a large parent would be every child's peak. It has one thread and one thing to do, so that
//! between the clock and the program there is the start of the program and nothing else.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use paw_measure::fault::Fault;
use paw_native::affinity;
use paw_perf::counting::{Counting, Start};
use paw_worker::guard::{self, GuardLost};

use crate::account::{self, MainThread};
use crate::control::Control;
use crate::fixed_layout::FixedLayout;
use crate::image::{CopyImage, Image};
use crate::launch::{Aslr, CopyResult, End, Launch, LaunchError, Observation, RunResult, ThreadSnapshots};
use crate::leftover;
use crate::output_pipe::OutputPipe;
use crate::processor_time;
use crate::protocol::{LauncherReply, LauncherRequest};
use crate::refusal;
use crate::supervisor::{self, ChildSignals, Course, RunningCopy, Timing};
use crate::sys::{self, Spawner};

/// Serves the `paw` that started this process until that closes its socket, and then kills every running command.
/// `paw __launcher` calls it while the process is small and has one thread.
pub fn serve() -> Result<(), Fault> {
    let broken =
        |error: io::Error| Fault::Broken(format!("a launcher is started by paw, with a socket as its input: {error}"));
    let control = Control::inherited().map_err(broken)?;
    guard::split(GuardLost::GoesOn).map_err(broken)?;
    let (spawner, signals) = sys::become_launcher().map_err(broken)?;
    let cpus = affinity::allowed().map_err(broken)?;
    Server { control, bell: ChildSignals::new(signals), spawner, cpus }.serve().map_err(broken)
}

struct Server {
    control: Control,
    bell: ChildSignals,
    spawner: Spawner,
    /// The processors that the launcher inherited.
    cpus: Vec<u32>,
}

impl Server {
    fn serve(&mut self) -> io::Result<()> {
        let floor_rss_bytes = account::rss_peak_bytes();
        self.control.answer(&LauncherReply::Ready { pid: std::process::id(), floor_rss_bytes })?;
        while let Some(request) = self.control.next()? {
            // A stop without a running command has no effect.
            let LauncherRequest::Run(launch) = request else { continue };
            let reply = match self.run(&launch) {
                Ok((Course::Abandoned, _)) => break,
                Ok((Course::Stopped, _)) => LauncherReply::Failed(LaunchError::Interrupted),
                Ok((Course::Finished, ran)) => LauncherReply::Ran { ran, floor_rss_bytes: account::rss_peak_bytes() },
                Err(error) => LauncherReply::Failed(error),
            };
            self.control.answer(&reply)?;
        }
        Ok(())
    }

    fn run(&mut self, launch: &Launch) -> Result<(Course, RunResult), LaunchError> {
        let mut image = Image::of(launch, std::env::vars_os().collect())?;
        let timeout = launch.timeout_s.map(timeout).transpose()?;
        let layout = layout(launch.aslr)?;
        let cpus = self.processors(&image);
        let busy_before_s = processor_time::busy_s(&cpus);
        // This thread never calls exec: its programs alone are counted.
        let counting = (!launch.count.is_empty()).then(|| Counting::open(&launch.count, Start::OnExec));
        let (mut running, refused) = self.start(&image);
        let mut pipes = image.take_pipes();
        drop(layout);
        if refused.is_some() {
            running.iter().for_each(|copy| sys::signal_group(copy.pid, libc::SIGKILL));
        }
        if launch.attention == Observation::Threads {
            running.iter_mut().for_each(|copy| copy.seen = Some(ThreadSnapshots::default()));
        }
        let limit = timeout.zip(running.first()).and_then(|(timeout, first)| first.started.checked_add(timeout));
        let course = supervisor::watch(&mut running, &mut pipes, limit, &mut self.bell, &mut self.control);
        drop(image);
        let busy_s = busy_before_s.and_then(|before_s| Some(processor_time::busy_s(&cpus)? - before_s));
        let mut ran = self.account(&running, busy_s);
        for (copy, pipes) in ran.copies.iter_mut().zip(pipes) {
            copy.left_out = kept(pipes)?;
        }
        ran.counts = counting.map_or_else(Vec::new, |counting| counting.read());
        refused.map_or(Ok((course, ran)), Err)
    }

    /// The processors that any copy may run on.
    fn processors(&self, image: &Image) -> Vec<u32> {
        let of = |copy: &CopyImage| if copy.cpus.is_empty() { self.cpus.clone() } else { copy.cpus.clone() };
        image.copies.iter().flat_map(of).collect::<BTreeSet<u32>>().into_iter().collect()
    }

    /// Starts the copies, up to the first one that cannot be started.
    fn start(&mut self, image: &Image) -> (Vec<RunningCopy>, Option<LaunchError>) {
        let mut running = Vec::with_capacity(image.copies.len());
        let mut cpus = self.cpus.clone();
        let mut refused = None;
        for copy in &image.copies {
            if let Err(error) = self.go_to(copy, &mut cpus) {
                refused = Some(error);
                break;
            }
            let files = copy.files.each_ref().map(AsFd::as_fd);
            let started = Instant::now();
            match self.spawner.spawn(&image.program, files) {
                Ok(pid) => running.push(RunningCopy { pid, started, ended: None, timing: Timing::InTime, seen: None }),
                Err(error) => {
                    refused = Some(LaunchError::Refused(refusal::sentence(&image.path, error)));
                    break;
                }
            }
        }
        if cpus != self.cpus {
            // A failure shows in the next run, which checks its processors.
            let _ = affinity::pin(&self.cpus);
        }
        (running, refused)
    }

    /// Binds this process to the processors of `copy`, which inherits them: a program bound after its start would migrate
    /// while it is timed.
    fn go_to(&self, copy: &CopyImage, current: &mut Vec<u32>) -> Result<(), LaunchError> {
        let mut wanted = if copy.cpus.is_empty() { self.cpus.clone() } else { copy.cpus.clone() };
        wanted.sort_unstable();
        wanted.dedup();
        if wanted == *current {
            return Ok(());
        }
        // The kernel silently drops processors that it does not have.
        let there = affinity::pin(&wanted).and_then(|()| affinity::allowed());
        *current = there.unwrap_or_default();
        if *current == wanted {
            return Ok(());
        }
        Err(LaunchError::Refused(format!(
            "processors {wanted:?} are not all here: choose among {:?}, or see taskset and the limits of the container",
            self.cpus
        )))
    }

    /// Reaps the copies, reads their accounts, and kills the processes that they left behind.
    /// `busy_s` is the time for which their processors were busy.
    fn account(&mut self, running: &[RunningCopy], busy_s: Option<f64>) -> RunResult {
        let threads: Vec<MainThread> = running.iter().map(|copy| MainThread::of(copy.pid)).collect();
        // A group's id is not reused before its leader is reaped.
        running.iter().for_each(|copy| sys::signal_group(copy.pid, libc::SIGKILL));
        let copies: Vec<CopyResult> =
            running.iter().zip(threads).filter_map(|(copy, thread)| ran(copy, thread)).collect();
        let own_s: f64 = copies.iter().map(|copy| copy.user_s + copy.sys_s).sum();
        let leftover = leftover::clear(&mut self.bell);
        let first = running.first().map(|copy| copy.started);
        let last = running.iter().filter_map(|copy| copy.ended).max();
        let wall_s = first.zip(last).map_or(0.0, |(first, last)| (last - first).as_nanos() as f64 * 1e-9);
        RunResult { wall_s, copies, leftover, others_s: busy_s.map(|busy_s| busy_s - own_s), counts: Vec::new() }
    }
}

fn ran(copy: &RunningCopy, thread: MainThread) -> Option<CopyResult> {
    let (status, usage) = sys::reap(copy.pid).ok()?;
    let end = match copy.timing {
        Timing::InTime => account::end(status),
        Timing::Late => End::TimedOut,
    };
    Some(CopyResult {
        wall_s: (copy.ended? - copy.started).as_nanos() as f64 * 1e-9,
        end,
        user_s: account::seconds(usage.ru_utime),
        sys_s: account::seconds(usage.ru_stime),
        // Linux counts in KiB: getrusage(2).
        rss_bytes: usage.ru_maxrss as u64 * 1024,
        voluntary_switches: usage.ru_nvcsw as u64,
        involuntary_switches: usage.ru_nivcsw as u64,
        minor_faults: usage.ru_minflt as u64,
        major_faults: usage.ru_majflt as u64,
        run_delay_s: thread.run_delay_s,
        migrations: thread.migrations,
        left_out: [0; 2],
        seen: copy.seen.clone(),
    })
}

/// Reads what the outputs of a copy still hold, and keeps their ends; all writers have ended. Returns the bytes that were left out.
fn kept(pipes: [Option<OutputPipe>; 2]) -> Result<[u64; 2], LaunchError> {
    let mut left_out = [0; 2];
    for (pipe, left_out) in pipes.into_iter().zip(&mut left_out) {
        let Some(mut pipe) = pipe else { continue };
        pipe.drain();
        *left_out = pipe.keep().map_err(LaunchError::Refused)?;
    }
    Ok(left_out)
}

fn timeout(seconds: f64) -> Result<Duration, LaunchError> {
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        LaunchError::Refused(format!("{seconds} s is no time to wait for: give a positive number of seconds"))
    })
}

/// The layout that programs are started with; `None` where it stays random.
fn layout(aslr: Aslr) -> Result<Option<FixedLayout>, LaunchError> {
    if aslr == Aslr::Kept {
        return Ok(None);
    }
    FixedLayout::enter().map(Some).map_err(|error| {
        LaunchError::Refused(format!(
            "address space layout randomisation cannot be switched off: {error}; a container may forbid it, keep it on there"
        ))
    })
}
