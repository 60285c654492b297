//! Counting: events opened on this thread and on all that it starts, switched on by hand or by exec, and read.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::circumstances::Circumstances;
use crate::event::{Domain, Event};
use crate::sys::{self, Attributes, flag};

/// When events begin to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// When a program that this thread starts calls exec: this thread itself never counts.
    OnExec,
    /// When they are switched on.
    ByHand,
}

/// The count of one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventReading {
    /// The event's name in formulas.
    pub name: String,
    /// The event as typed.
    pub text: String,
    /// The count, or why there is none.
    pub count: Result<Count, String>,
}

/// A count, and for how long it was on a counter.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Count {
    /// The count in the event's unit, not scaled to the whole time.
    pub count: f64,
    /// Seconds, summed over threads, for which it was to be counted.
    pub enabled_s: f64,
    /// Seconds for which it was on a counter.
    pub running_s: f64,
}

/// Open events.
#[derive(Debug)]
pub struct Counting {
    events: Vec<(Event, Result<Vec<File>, String>)>,
}

impl Counting {
    /// Opens `events` on this thread and on all threads and processes that it starts from now on. An event that is refused has its
    /// reason in place of counts, and keeps no other from being counted.
    pub fn open(events: &[Event], start: Start) -> Self {
        let here = Circumstances::read(Path::new("/"));
        let mut opened: Vec<(Event, Result<Vec<File>, String>)> = Vec::with_capacity(events.len());
        for event in events {
            let leader = event.leader.as_ref().filter(|name| **name != event.name);
            let leader = leader.and_then(|name| {
                let (_, files) = opened.iter().find(|(other, _)| other.name == *name)?;
                files.as_ref().ok()?.first()
            });
            let files = open(event, start, leader).map_err(|error| Refusal::to_count(event, &error, &here).whole());
            opened.push((event.clone(), files));
        }
        Self { events: opened }
    }

    /// Counts while `region` runs; also returns its seconds by the monotonic clock.
    pub fn region<T>(&mut self, region: impl FnOnce() -> T) -> (T, f64, Vec<EventReading>) {
        let before = self.read();
        self.each(|file| sys::enable(file.as_fd()));
        let start = Instant::now();
        let result = region();
        let seconds = start.elapsed().as_secs_f64();
        self.each(|file| sys::disable(file.as_fd()));
        let mut after = self.read();
        for (after, before) in after.iter_mut().zip(&before) {
            if let (Ok(after), Ok(before)) = (&mut after.count, &before.count) {
                after.count -= before.count;
                after.enabled_s -= before.enabled_s;
                after.running_s -= before.running_s;
            }
        }
        (result, seconds, after)
    }

    /// The counts up to now, with those of threads and processes that have ended.
    pub fn read(&self) -> Vec<EventReading> {
        let reading = |(event, files): &(Event, Result<Vec<File>, String>)| EventReading {
            name: event.name.clone(),
            text: event.text.clone(),
            count: files.as_ref().map_err(Clone::clone).and_then(|files| summed(event, files)),
        };
        self.events.iter().map(reading).collect()
    }

    fn each(&self, switch: impl Fn(&File) -> io::Result<()>) {
        let files = self.events.iter().filter_map(|(_, files)| files.as_ref().ok()).flatten();
        // An event that cannot be switched reads as never on a counter, which its reader is told.
        files.for_each(|file| drop(switch(file)));
    }
}

fn summed(event: &Event, files: &[File]) -> Result<Count, String> {
    let mut sum = Count::default();
    for file in files {
        let [count, enabled, running] =
            sys::read::<3>(file).map_err(|error| format!("it could not be read: {error}"))?;
        sum.count += event.scaled(count);
        sum.enabled_s += enabled as f64 * 1e-9;
        sum.running_s += running as f64 * 1e-9;
    }
    Ok(sum)
}

/// Opens an event, of a package on each of its processors.
fn open(event: &Event, start: Start, leader: Option<&File>) -> io::Result<Vec<File>> {
    let flags = match (&event.domain, start) {
        // A package counts from the moment it is opened, whoever calls exec.
        (Domain::Package(_), Start::OnExec) => 0,
        (Domain::Package(_), Start::ByHand) => flag::DISABLED,
        (_, Start::OnExec) => flag::DISABLED | flag::INHERIT | flag::ENABLE_ON_EXEC,
        (_, Start::ByHand) => flag::DISABLED | flag::INHERIT,
    };
    let user = match event.domain {
        Domain::Processor => flag::EXCLUDE_KERNEL | flag::EXCLUDE_HV,
        _ => 0,
    };
    let [config, config1, config2] = event.config;
    let mut attributes = Attributes::default();
    attributes.kind = event.kind;
    (attributes.config, attributes.config1, attributes.config2) = (config, config1, config2);
    attributes.flags = flags | user;
    attributes.read_format = sys::FORMAT_TIME_ENABLED | sys::FORMAT_TIME_RUNNING;
    if let Domain::Package(cpus) = &event.domain {
        return cpus.iter().map(|cpu| sys::open(&attributes, -1, *cpu as i32)).collect();
    }
    let opened = |attributes: &Attributes| match leader {
        Some(leader) => sys::open_in_group(attributes, 0, -1, leader.as_fd()),
        None => sys::open(attributes, 0, -1),
    };
    match opened(&attributes) {
        // Page faults and time have the same counts without the kernel's share, which needs more rights.
        Err(error) if event.domain == Domain::Software && error.kind() == io::ErrorKind::PermissionDenied => {
            attributes.flags |= flag::EXCLUDE_KERNEL;
            opened(&attributes)
        }
        other => other,
    }
    .map(|file| vec![file])
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn software(name: &str) -> Event {
        Event::parse(name, name, Path::new("/")).unwrap()
    }

    /// The count, or `None` where this machine refuses, with a sentence that names a way out.
    fn counted(reading: &EventReading) -> Option<Count> {
        match &reading.count {
            Ok(count) => Some(*count),
            Err(why) => {
                assert!(why.contains("perf_event_paranoid") || why.contains("no perf_event"), "{why}");
                None
            }
        }
    }

    #[test]
    fn faults_of_touched_memory_are_counted_and_those_before_are_not() {
        let mut counting = Counting::open(&[software("page-faults")], Start::ByHand);
        let touch = |megabytes: usize| std::hint::black_box(vec![1u8; megabytes << 20]);
        touch(64);
        let (_, seconds, readings) = counting.region(|| touch(32));
        assert!(seconds > 0.0);
        if let Some(count) = counted(&readings[0]) {
            // 4 KiB pages, or huge ones where the kernel gives them.
            assert!((16.0..=9000.0).contains(&count.count), "{count:?}");
        }
        let (_, _, readings) = counting.region(|| ());
        if let Some(count) = counted(&readings[0]) {
            assert!(count.count < 16.0, "{count:?}");
        }
    }

    #[test]
    fn a_program_is_counted_from_its_exec_with_its_children_and_paw_is_not() {
        let counting = Counting::open(&[software("page-faults"), software("task-clock")], Start::OnExec);
        std::hint::black_box(vec![1u8; 64 << 20]);
        if let Some(count) = counted(&counting.read()[0]) {
            assert_eq!(count.count, 0.0, "this thread itself does not count");
        }
        let shell = || Command::new("sh").args(["-c", "sh -c true; sh -c true; true"]).status().unwrap();
        assert!(shell().success());
        let [faults, clock] = &counting.read()[..] else { panic!("two events") };
        if let (Some(faults), Some(clock)) = (counted(faults), counted(clock)) {
            assert!((100.0..20_000.0).contains(&faults.count), "three shells: {faults:?}");
            // Nanoseconds.
            assert!((1e5..1e10).contains(&clock.count), "{clock:?}");
            assert!(clock.running_s > 0.0 && clock.enabled_s >= clock.running_s, "{clock:?}");
        }
    }

    #[test]
    fn a_program_that_exits_at_once_is_counted() {
        let counting = Counting::open(&[software("page-faults")], Start::OnExec);
        assert!(Command::new("true").status().unwrap().success());
        if let Some(count) = counted(&counting.read()[0]) {
            assert!(count.count > 10.0, "{count:?}");
        }
    }

    #[test]
    fn a_refused_event_keeps_its_reason_and_keeps_no_other_from_being_counted() {
        let nonsense = Event { kind: 9999, text: "nonsense".to_owned(), ..software("page-faults") };
        let mut counting = Counting::open(&[nonsense, software("task-clock")], Start::ByHand);
        let (_, _, readings) = counting.region(|| std::hint::black_box((0..100_000).sum::<u64>()));
        assert!(readings[0].count.is_err(), "{readings:?}");
        assert!(counted(&readings[1]).is_none_or(|count| count.count > 0.0));
    }
}
