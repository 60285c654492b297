//! Sampling by perf_event: an event of the processor's clock on every processor.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;

use super::collector::Age;
use super::reader::Reader;
use super::sampled::Sampled;
use super::{Chains, HZ_MAX, Options, Scope};
use crate::Refusal;
use crate::record::layout;
use crate::ring::Ring;
use crate::sys::{self, Attributes, Mapping, flag};

/// `PERF_TYPE_SOFTWARE` and `PERF_COUNT_SW_CPU_CLOCK`.
const SOFTWARE: u32 = 1;
const CPU_CLOCK: u64 = 0;
/// `CLOCK_MONOTONIC`: times can be compared with those of this process.
const MONOTONIC: i32 = 1;
/// Bytes of a ring, the largest first: an unprivileged user may lock half a mebibyte for each processor (`perf_event_mlock_kb`), other
/// profilers included.
const RINGS: [usize; 6] = [1 << 20, 1 << 19, 1 << 18, 1 << 17, 1 << 16, 1 << 15];

/// Events that sample, and the thread that reads them.
#[derive(Debug)]
pub(super) struct EventSampler {
    events: Vec<File>,
    reader: Reader,
    hz: u32,
    sees_kernel: bool,
    before: (f64, f64),
}

impl EventSampler {
    /// Opens the events on every processor, and begins to read them.
    ///
    /// # Errors
    /// The kernel refuses; the sentence says what would help.
    pub fn open(options: &Options) -> Result<Self, Refusal> {
        let targets = targets(options.scope)?;
        let cpus = online();
        let mut attr = attributes(options);
        let mut opened = open_all(&attr, &targets, &cpus);
        if matches!(&opened, Err(error) if is_denied(error)) {
            // An unprivileged user may sample programs, and the kernel on their behalf only where `perf_event_paranoid` is below 2.
            attr.flags |= flag::EXCLUDE_KERNEL;
            opened = open_all(&attr, &targets, &cpus);
        }
        let events = opened.map_err(|error| Refusal::to_open(&error))?;
        let rings = mapped(&events, attr.sample_type)?;
        let mut names = Vec::new();
        for event in &events {
            names.push(event.try_clone().map_err(|error| Refusal::to_open(&error))?);
        }
        let age = if options.scope == Scope::Programs { Age::Younger } else { Age::Older };
        let reader = Reader::start(names, rings, age).map_err(|error| Refusal::to_open(&error))?;
        let sampler = Self {
            events,
            reader,
            hz: options.hz,
            sees_kernel: attr.flags & flag::EXCLUDE_KERNEL == 0,
            before: sys::children_s(),
        };
        if matches!(options.scope, Scope::Process(_)) {
            sampler.resume();
        }
        Ok(sampler)
    }

    /// Lets the events sample.
    pub fn resume(&self) {
        // An event of a process that has ended needs no switch.
        self.events.iter().for_each(|event| drop(sys::enable(event.as_fd())));
    }

    /// Makes the events rest.
    pub fn pause(&self) {
        self.events.iter().for_each(|event| drop(sys::disable(event.as_fd())));
    }

    /// Ends the sampling and returns what was found. Children should have ended, and been waited for: their time in the kernel is theirs then.
    pub fn finish(self) -> Sampled {
        self.pause();
        let clock_ns = self
            .events
            .iter()
            .filter_map(|event| sys::read::<1>(event).ok())
            .fold(0_u64, |sum, [ns]| sum.saturating_add(ns));
        let after = sys::children_s();
        let mut sampled = self.reader.finish();
        sampled.hz = self.hz;
        sampled.clock_s = clock_ns as f64 * 1e-9;
        sampled.user_s = after.0 - self.before.0;
        sampled.system_s = after.1 - self.before.1;
        sampled.sees_kernel = self.sees_kernel;
        sampled
    }
}

fn attributes(options: &Options) -> Attributes {
    let mut flags = flag::DISABLED
        | flag::INHERIT
        | flag::EXCLUDE_HV
        | flag::EXCLUDE_CHAIN_OF_KERNEL
        | flag::MMAP
        | flag::MMAP2
        | flag::COMM
        | flag::COMM_EXEC
        | flag::TASK
        | flag::WATERMARK
        | flag::SAMPLE_ID_ALL
        | flag::USE_CLOCK_ID;
    if options.scope == Scope::Programs {
        flags |= flag::ENABLE_ON_EXEC;
    }
    let chain = match options.chains {
        Chains::None => 0,
        Chains::FramePointers => layout::CALL_CHAIN,
    };
    let mut attributes = Attributes::default();
    attributes.kind = SOFTWARE;
    attributes.config = CPU_CLOCK;
    // In nanoseconds: the clock's own period, which the kernel never adjusts.
    attributes.sample_period = 1_000_000_000 / u64::from(options.hz.clamp(1, HZ_MAX));
    attributes.sample_type = layout::IP | layout::TID | layout::TIME | chain;
    attributes.flags = flags;
    attributes.wakeup = (RINGS[RINGS.len() - 1] / 2) as u32;
    attributes.clockid = MONOTONIC;
    attributes
}

/// The threads whose events are opened; 0 is the calling thread.
fn targets(scope: Scope) -> Result<Vec<i32>, Refusal> {
    let Scope::Process(pid) = scope else { return Ok(vec![0]) };
    let threads = fs::read_dir(format!("/proc/{pid}/task")).map_err(|_| Refusal::of_absent(pid))?;
    let threads = threads.filter_map(|thread| thread.ok()?.file_name().to_str()?.parse().ok());
    Ok(threads.collect())
}

/// The processors that are online: /sys/devices/system/cpu/online, `0-3,8`.
fn online() -> Vec<i32> {
    let text = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<i32>().ok()?..=last.parse::<i32>().ok()?)
    };
    let cpus: Vec<i32> = text.trim().split(',').filter_map(range).flatten().collect();
    if !cpus.is_empty() {
        return cpus;
    }
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    (0..i32::try_from(count).unwrap_or(1)).collect()
}

/// An inherited event can be mapped only if it is bound to a processor: one event for each thread and processor.
fn open_all(attr: &Attributes, targets: &[i32], cpus: &[i32]) -> io::Result<Vec<File>> {
    let mut events = Vec::new();
    for pid in targets {
        for cpu in cpus {
            match sys::open(attr, *pid, *cpu) {
                Ok(event) => events.push(event),
                // A thread that has ended, or a processor that has gone offline meanwhile.
                Err(error) if targets.len() > 1 && error.raw_os_error() == Some(libc::ESRCH) => {}
                Err(error) if cpus.len() > 1 && error.raw_os_error() == Some(libc::ENODEV) => {}
                Err(error) => return Err(error),
            }
        }
    }
    if events.is_empty() { Err(io::Error::from_raw_os_error(libc::ESRCH)) } else { Ok(events) }
}

fn is_denied(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM))
}

/// The rings of `events`, all of the largest size that the kernel grants to all of them.
fn mapped(events: &[File], sample_type: u64) -> Result<Vec<Ring<Mapping>>, Refusal> {
    let page = sys::page_size();
    let mut refused = io::Error::from(io::ErrorKind::OutOfMemory);
    for bytes in RINGS {
        let pages = (bytes / page).max(1);
        let rings: io::Result<Vec<_>> = events.iter().map(|event| Mapping::new(event.as_fd(), pages)).collect();
        match rings {
            Ok(rings) => return Ok(rings.into_iter().map(|memory| Ring::new(memory, sample_type)).collect()),
            Err(error) => refused = error,
        }
    }
    Err(Refusal::to_map(&refused))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::sampling::collector::Collector;

    #[test]
    fn samples_that_a_full_ring_has_lost_show_in_the_processor_time() {
        let options = Options { hz: 10_000, scope: Scope::Programs, chains: Chains::None };
        let mut attr = attributes(&options);
        attr.flags |= flag::EXCLUDE_KERNEL;
        // Where perf_event is refused there is no ring.
        let Ok(events) = open_all(&attr, &[0], &online()) else { return };
        let rings = events.iter().map(|event| Ring::new(Mapping::new(event.as_fd(), 1).unwrap(), attr.sample_type));
        let mut rings: Vec<Ring<Mapping>> = rings.collect();
        let script = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", script]).status().unwrap().success());
        let clock_ns: u64 = events.iter().map(|event| sys::read::<1>(event).unwrap()[0]).sum();
        let mut collector = Collector::new(std::process::id(), Age::Younger);
        // Nobody has read them while the program ran.
        rings.iter_mut().for_each(|ring| assert!(ring.drain(|record| collector.take(record))));
        let found = Sampled { hz: options.hz, clock_s: clock_ns as f64 * 1e-9, ..collector.finish() };
        // A page has room for some hundred samples.
        assert!(found.samples > 10, "{found:?}");
        assert!((found.samples as f64) < 0.5 * found.expected(), "{} of {}", found.samples, found.expected());
    }
}
