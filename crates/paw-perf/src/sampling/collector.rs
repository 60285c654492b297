//! Counts samples by thread and stack, from records in the order of their times.

use std::collections::HashMap;

use paw_sort::OrderBy;

use super::address_space::{AddressSpace, parsed};
use super::sampled::{Image, ImageKind, Place, Sampled, StackCount, Thread};
use crate::record::{Body, Map, Mode, Record, Sample};

/// Most different stacks that are kept apart; of others the innermost place is kept.
const STACKS_MAX: usize = 200_000;

/// Counts of samples, and what is needed to know where they were.
///
/// Records of several rings come in any order: those of a reading wait until the next one, after which none older can come.
#[derive(Debug, Default)]
pub(super) struct Collector {
    waiting: Vec<Record>,
    /// The newest time of the last reading but one.
    horizon: u64,
    newest: u64,
    images: HashMap<Image, u32>,
    spaces: HashMap<u32, AddressSpace>,
    parents: HashMap<u32, u32>,
    processes: HashMap<u32, String>,
    executed: HashMap<u32, bool>,
    threads: HashMap<(u32, u32), u32>,
    names: HashMap<u32, String>,
    order: Vec<(u32, u32)>,
    stacks: HashMap<(u32, Box<[Place]>), u64>,
    found: Sampled,
    /// The process that samples, whose own time does not count.
    own: u32,
    are_older: bool,
}

/// When processes that are sampled began to run their programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    /// While the events sampled: records tell everything.
    Younger,
    /// Before, or while the events rested: what they mapped is asked of themselves.
    Older,
}

impl Collector {
    /// A collector of the process `own`, whose samples do not count. `age` is that of the processes that are sampled.
    pub fn new(own: u32, age: Age) -> Self {
        Self { own, are_older: age == Age::Older, ..Self::default() }
    }

    /// Takes a record of the present reading.
    pub fn take(&mut self, record: Record) {
        self.newest = self.newest.max(record.time);
        if let Body::Sample(sample) = &record.body
            && self.are_older
            && sample.pid != self.own
        {
            // Later it may have ended.
            self.space(sample.pid);
        }
        self.waiting.push(record);
    }

    /// Notes that records of a ring could not be read.
    pub fn damaged(&mut self) {
        self.found.damaged += 1;
    }

    /// Ends a reading: all rings were read once.
    pub fn end_reading(&mut self) {
        self.settle(self.horizon);
        self.horizon = self.newest;
    }

    fn settle(&mut self, until: u64) {
        self.waiting.order_by_key(|record| record.time);
        let ready = self.waiting.partition_point(|record| record.time <= until);
        let waiting = self.waiting.split_off(ready);
        for record in std::mem::replace(&mut self.waiting, waiting) {
            self.count(record.body);
        }
    }

    fn count(&mut self, body: Body) {
        match body {
            Body::Sample(sample) if sample.pid != self.own => self.sample(&sample),
            Body::Map(map) => self.map(&map),
            Body::Name { pid, tid, name, exec } => {
                if exec {
                    self.spaces.entry(pid).or_default().clear();
                    self.executed.insert(pid, true);
                }
                if pid == tid {
                    self.processes.insert(pid, name.clone());
                }
                self.names.insert(tid, name);
            }
            Body::Fork { pid, parent, tid } => self.fork(pid, parent, tid),
            Body::Lost(count) => self.found.lost = self.found.lost.saturating_add(count),
            Body::Throttle => self.found.throttled += 1,
            Body::Sample(_) | Body::Other => {}
        }
    }

    fn fork(&mut self, pid: u32, parent: u32, tid: u32) {
        if pid == parent {
            // A thread; until it gets a name of its own it has that of its process.
            self.names.remove(&tid);
            return;
        }
        self.parents.insert(pid, parent);
        self.executed.insert(pid, false);
        let space = self.space(parent).clone();
        self.spaces.insert(pid, space);
        match self.processes.get(&parent).cloned() {
            Some(name) => self.processes.insert(pid, name),
            None => self.processes.remove(&pid),
        };
    }

    fn map(&mut self, map: &Map) {
        let (map, image) = self.placed(map);
        self.space(map.pid).add(&map, image);
    }

    /// A mapping and its image. Code of no file is that of its process alone, and its places are addresses.
    fn placed(&mut self, map: &Map) -> (Map, u32) {
        if kind(&map.path) != ImageKind::Generated {
            return (map.clone(), self.image(&map.path, 0));
        }
        (Map { offset: map.start, ..map.clone() }, self.image(&map.path, map.pid))
    }

    /// What is known of a process; of one that was there before the events, what it says itself, as long as it runs.
    fn space(&mut self, pid: u32) -> &mut AddressSpace {
        if !self.spaces.contains_key(&pid) {
            let text = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
            let mut space = AddressSpace::default();
            for map in parsed(pid, &text) {
                let (map, image) = self.placed(&map);
                space.add(&map, image);
            }
            if let Some(parent) = parent(pid) {
                self.parents.entry(pid).or_insert(parent);
            }
            if let Ok(name) = std::fs::read_to_string(format!("/proc/{pid}/comm")) {
                self.processes.entry(pid).or_insert_with(|| name.trim_end().to_owned());
            }
            self.spaces.insert(pid, space);
        }
        self.spaces.get_mut(&pid).expect("it was just added")
    }

    fn image(&mut self, path: &str, pid: u32) -> u32 {
        let image = Image { path: path.to_owned(), kind: kind(path), pid };
        let next = self.images.len() as u32;
        *self.images.entry(image).or_insert(next)
    }

    fn sample(&mut self, sample: &Sample) {
        self.found.samples += 1;
        let next = self.threads.len() as u32;
        let thread = *self.threads.entry((sample.pid, sample.tid)).or_insert(next);
        if thread == next {
            self.order.push((sample.pid, sample.tid));
        }
        let mut frames = Vec::with_capacity(sample.chain.len() + 1);
        if sample.mode == Mode::Kernel {
            frames.push(Place { image: self.image(KERNEL, 0), offset: 0 });
        }
        for (depth, address) in sample.chain.iter().enumerate() {
            // A caller's address is that of the instruction after its call, which may lie in the next function.
            let address = if depth == 0 { *address } else { address.wrapping_sub(1) };
            match self.space(sample.pid).find(address) {
                Some((image, offset)) => frames.push(Place { image, offset }),
                // Without frame pointers a chain ends in numbers that are no addresses of code.
                None if depth > 0 => break,
                None => frames.push(Place { image: self.image(NOWHERE, 0), offset: address }),
            }
        }
        if self.stacks.len() >= STACKS_MAX {
            frames.truncate(1);
        }
        *self.stacks.entry((thread, frames.into_boxed_slice())).or_default() += 1;
    }

    /// All that was found.
    pub fn finish(mut self) -> Sampled {
        self.settle(u64::MAX);
        let mut images: Vec<(Image, u32)> = self.images.into_iter().collect();
        images.order_by_key(|(_, index)| *index);
        let stacks = self.stacks.into_iter();
        let mut stacks: Vec<StackCount> =
            stacks.map(|((thread, frames), samples)| StackCount { thread, frames, samples }).collect();
        stacks.order_by(|a, b| (b.samples, a.thread, &a.frames).cmp(&(a.samples, b.thread, &b.frames)));
        let thread = |(pid, tid): &(u32, u32)| {
            let process = self.processes.get(pid).cloned().unwrap_or_default();
            Thread {
                pid: *pid,
                tid: *tid,
                parent: self.parents.get(pid).copied().unwrap_or(0),
                name: self.names.get(tid).cloned().unwrap_or_else(|| process.clone()),
                process,
                has_executed: self.executed.get(pid).copied().unwrap_or(false),
            }
        };
        Sampled {
            images: images.into_iter().map(|(image, _)| image).collect(),
            threads: self.order.iter().map(thread).collect(),
            stacks,
            ..self.found
        }
    }
}

/// The process that started `pid`: proc(5), field 4 of /proc/PID/stat, after the name in parentheses.
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

/// The name of the kernel's code.
const KERNEL: &str = "[kernel]";
/// The name of addresses of which nothing is known.
const NOWHERE: &str = "[unknown]";

fn kind(path: &str) -> ImageKind {
    match path {
        KERNEL => ImageKind::Kernel,
        NOWHERE => ImageKind::Unknown,
        "[vdso]" | "[vsyscall]" => ImageKind::Vdso,
        // Anonymous memory, memory files, and the stack or heap, where programs put code that they make.
        _ if !path.starts_with('/') || path.starts_with("//") || path.starts_with("/memfd:") || path == "/dev/zero" => {
            ImageKind::Generated
        }
        _ => ImageKind::File,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: u64, body: Body) -> Record {
        Record { time, body }
    }

    fn map(pid: u32, start: u64, path: &str) -> Body {
        Body::Map(Map { pid, start, bytes: 0x1000, offset: 0, path: path.to_owned() })
    }

    fn sample(pid: u32, tid: u32, chain: &[u64]) -> Body {
        Body::Sample(Sample { pid, tid, mode: Mode::User, address: chain[0], chain: chain.to_vec() })
    }

    /// No process has such a number: nothing is read of the machine.
    const PID: u32 = u32::MAX - 7;

    #[test]
    fn records_of_two_rings_are_taken_in_the_order_of_their_times() {
        let mut collector = Collector::default();
        // The ring of the sample is read before that of the mapping.
        collector.take(at(20, sample(PID, PID, &[0x1010])));
        collector.take(at(10, map(PID, 0x1000, "/bin/program")));
        collector.end_reading();
        collector.take(at(30, sample(PID, PID, &[0x1010, 0x1021, 0x99])));
        collector.end_reading();
        let found = collector.finish();
        assert_eq!(found.images[0].path, "/bin/program");
        let place = |offset| Place { image: 0, offset };
        let frames: Vec<_> = found.stacks.iter().map(|stack| stack.frames.to_vec()).collect();
        assert_eq!(frames, [vec![place(0x10)], vec![place(0x10), place(0x20)]], "the chain ends where no code is");
    }

    #[test]
    fn a_child_has_the_code_of_its_parent_until_it_becomes_another_program() {
        let child = PID - 1;
        let mut collector = Collector::default();
        let name = |pid, name: &str, exec| Body::Name { pid, tid: pid, name: name.to_owned(), exec };
        for (time, body) in [
            (1, name(PID, "shell", true)),
            (2, map(PID, 0x1000, "/bin/shell")),
            (3, Body::Fork { pid: child, parent: PID, tid: child }),
            (4, sample(child, child, &[0x1000])),
            (5, name(child, "program", true)),
            (6, sample(child, child, &[0x1000])),
            (7, map(child, 0x1000, "//anon")),
            (8, sample(child, child, &[0x1000])),
            (9, Body::Fork { pid: child, parent: child, tid: 5 }),
            (10, sample(child, 5, &[0x1000])),
            (11, Body::Lost(3)),
        ] {
            collector.take(at(time, body));
        }
        let found = collector.finish();
        let kinds: Vec<ImageKind> = found.images.iter().map(|image| image.kind).collect();
        assert_eq!(kinds, [ImageKind::File, ImageKind::Unknown, ImageKind::Generated]);
        assert_eq!(found.images[2].pid, child);
        let made = found.stacks.iter().map(|stack| stack.frames[0]).find(|place| place.image == 2);
        assert_eq!(made.map(|place| place.offset), Some(0x1000), "without a file a place is an address");
        assert_eq!((found.samples, found.lost), (4, 3));
        assert_eq!(found.threads.len(), 2);
        assert_eq!((found.threads[0].parent, found.threads[0].process.as_str()), (PID, "program"));
        assert_eq!((found.threads[1].tid, found.threads[1].name.as_str()), (5, "program"));
    }
}
