//! The thread that traces one process: each SIGPROF of the timer stops a running thread, whose place is noted.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitStatus;
use std::sync::Arc;

use super::frames::callers;
use super::stop::Stop;
use super::sys;
use super::tally::{End, Tally};
use crate::record::{Body, Map, Mode, Sample};
use crate::sampling::Chains;
use crate::sampling::address_space::parsed;

/// Samples between two looks at what changes seldom: mappings, names, and whether the program handles SIGPROF itself.
const BETWEEN_LOOKS: u64 = 16;

/// The tracer of a process.
#[derive(Debug)]
pub(super) struct Tracer {
    pid: u32,
    tally: Arc<Tally>,
    /// The process's side of the door, until its program has begun; what it says later is why that could not begin.
    stream: UnixStream,
    /// Its processor time when it was traced.
    from_s: f64,
    /// Samples of each thread that was seen.
    threads: BTreeMap<u32, u64>,
    samples: u64,
    maps: Vec<Map>,
    is_passed_on: bool,
}

impl Tracer {
    /// Traces the process `pid`, which waits at `stream`, until it ends.
    pub fn run(pid: u32, mut stream: UnixStream, tally: Arc<Tally>) {
        let period = match tally.trace(pid) {
            Ok(()) => tally.period.as_micros() as u32,
            // It may not be traced: no period.
            Err(_) => 0,
        };
        let from_s = sys::processor_s(pid).unwrap_or(0.0);
        // A process that does not listen has ended, which is noticed below.
        let _ = stream.write_all(&period.to_le_bytes());
        if period > 0 {
            let threads = BTreeMap::from([(pid, 0)]);
            Self { pid, tally, stream, from_s, threads, samples: 0, maps: Vec::new(), is_passed_on: false }.follow();
        }
    }

    fn follow(mut self) {
        while let Ok(coming) = sys::coming() {
            if coming.has_ended {
                self.thread_ends(coming.tid);
            }
            let clock_s = (coming.tid == self.pid && coming.has_ended).then(|| sys::processor_s(self.pid)).flatten();
            let Ok(taken) = sys::taken(coming.tid) else { break };
            let Some((status, usage_s)) = taken else { continue };
            match Stop::of(status) {
                Stop::Ended(status) if coming.tid == self.pid => return self.ends(status, clock_s, usage_s),
                Stop::Ended(_) => drop(self.threads.remove(&coming.tid)),
                stop => self.answer(coming.tid, stop),
            }
        }
        self.tally.ends(self.pid, End::default());
    }

    fn ends(&mut self, status: ExitStatus, clock_s: Option<f64>, usage_s: f64) {
        let clock_s = clock_s.unwrap_or(usage_s);
        let mut errno = [0; 4];
        let has_failed = self.stream.read_exact(&mut errno).is_ok();
        let end = End {
            status: Some(status),
            clock_s: (clock_s - self.from_s).max(0.0),
            children_s: (usage_s - clock_s).max(0.0),
            errno: has_failed.then(|| i32::from_le_bytes(errno)),
        };
        self.tally.ends(self.pid, end);
    }

    fn answer(&mut self, tid: u32, stop: Stop) {
        let done = match stop {
            Stop::Signal(libc::SIGPROF) if sys::signal_code(tid) == Some(libc::SI_KERNEL) => {
                if self.tally.is_wanted(self.pid) {
                    self.sample(tid);
                }
                sys::resume(tid, if self.is_passed_on { libc::SIGPROF } else { 0 })
            }
            Stop::Signal(signal) => sys::resume(tid, signal),
            Stop::Group => sys::listen(tid),
            Stop::Trap if !self.is_own(tid) => sys::detach(tid),
            Stop::Exec => {
                self.becomes_another_program();
                sys::resume(tid, 0)
            }
            Stop::Trap | Stop::Other | Stop::Ended(_) => sys::resume(tid, 0),
        };
        // A thread that was killed meanwhile cannot go on: its end comes next.
        drop(done);
    }

    /// Whether `tid` is a thread of the process: clone(2) can make processes in the way of threads.
    fn is_own(&mut self, tid: u32) -> bool {
        let is_own = self.threads.contains_key(&tid) || fs::exists(self.of_thread(tid, "")).unwrap_or(true);
        if is_own {
            self.threads.entry(tid).or_default();
        }
        is_own
    }

    fn sample(&mut self, tid: u32) {
        let Some(registers) = sys::registers(tid) else { return };
        let mut chain = vec![registers.instruction];
        if self.tally.chains == Chains::FramePointers {
            chain.extend(callers(registers.stack, registers.frame, |frame| sys::words(self.pid, frame)));
        }
        let known = |map: &Map| (map.start..map.start.saturating_add(map.bytes)).contains(&registers.instruction);
        let mut seen = Vec::new();
        if self.samples.is_multiple_of(BETWEEN_LOOKS) || !self.maps.iter().any(known) {
            seen = self.looked();
        }
        let own = self.threads.entry(tid).or_default();
        *own += 1;
        if own.is_multiple_of(BETWEEN_LOOKS) || *own == 1 {
            seen.extend(self.name(tid));
        }
        self.samples += 1;
        let mode = if registers.is_in_call { Mode::Kernel } else { Mode::User };
        let sample = Sample { pid: self.pid, tid, mode, address: registers.instruction, chain };
        self.tally.take(seen.into_iter().chain([Body::Sample(sample)]));
    }

    /// What changes seldom, as it is now.
    fn looked(&mut self) -> Vec<Body> {
        let of_process = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", self.pid)).unwrap_or_default();
        self.maps = parsed(self.pid, &of_process("maps"));
        if !self.is_passed_on && catches(&of_process("status"), libc::SIGPROF) {
            self.is_passed_on = true;
            self.tally.handles_signal();
        }
        self.maps.iter().cloned().map(Body::Map).collect()
    }

    fn name(&self, tid: u32) -> Option<Body> {
        let name = fs::read_to_string(self.of_thread(tid, "comm")).ok()?;
        Some(Body::Name { pid: self.pid, tid, name: name.trim_end().to_owned(), exec: false })
    }

    fn of_thread(&self, tid: u32, file: &str) -> String {
        format!("/proc/{}/task/{tid}/{file}", self.pid)
    }

    fn becomes_another_program(&mut self) {
        // Its other threads are gone, and the one that is left has the number of the process.
        let main = self.threads.get(&self.pid).copied().unwrap_or(0);
        self.threads = BTreeMap::from([(self.pid, main)]);
        self.maps.clear();
        self.is_passed_on = false;
        let name = self.name(self.pid);
        self.tally.take(name.map(|body| match body {
            Body::Name { pid, tid, name, .. } => Body::Name { pid, tid, name, exec: true },
            other => other,
        }));
    }

    /// Notes what a thread that has ended used, and the name that it had.
    fn thread_ends(&mut self, tid: u32) {
        let Some(samples) = self.threads.get(&tid).copied() else { return };
        let used = fs::read_to_string(self.of_thread(tid, "schedstat")).unwrap_or_default();
        // Nanoseconds on a processor: Documentation/scheduler/sched-stats.
        if let Some(used_ns) = used.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()) {
            self.tally.thread(self.pid, samples, used_ns * 1e-9);
        }
        if samples > 0 {
            self.tally.take(self.name(tid));
        }
    }
}

/// Whether the /proc/PID/status of a process says that it has a handler for `signal`: proc(5), `SigCgt`.
fn catches(status: &str, signal: i32) -> bool {
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 << (signal - 1) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_is_seen_in_the_mask_of_caught_signals() {
        let status = "Name:\tpaw\nSigIgn:\t0000000004000000\nSigCgt:\t0000000004000002\n";
        assert!(catches(status, libc::SIGPROF) && catches(status, libc::SIGINT));
        assert!(!catches(status, libc::SIGTERM) && !catches("", libc::SIGPROF));
    }
}
