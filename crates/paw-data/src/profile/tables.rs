//! The time of functions, loops, lines and threads, added up from stacks.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use paw_sort::OrderBy;

use super::{Place, Profile, Share, Stack};

/// The time of a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionTime {
    /// Index in [`Profile::functions`].
    pub function: u32,
    /// In its own code.
    pub own: Share,
    /// In its own code and in what it called, as far as callers are known.
    pub total: Share,
}

/// The time of a loop, those inside it left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoopTime {
    /// Index in [`Profile::loops`].
    pub index: u32,
    /// Its time.
    pub own: Share,
}

/// The time of a source line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineTime {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// Index in [`Profile::functions`] of the function in which most of it was found.
    pub function: u32,
    /// Its time.
    pub own: Share,
}

/// The time of a thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadTime {
    /// Index in [`Profile::threads`].
    pub thread: u32,
    /// Its time.
    pub own: Share,
}

impl Profile {
    /// Functions by their own time, the longest first.
    pub fn function_times(&self) -> Vec<FunctionTime> {
        let mut own: BTreeMap<u32, u64> = BTreeMap::new();
        let mut total: BTreeMap<u32, u64> = BTreeMap::new();
        for stack in &self.stacks {
            let functions = stack.places.iter().filter_map(|place| Some(self.place(*place)?.function));
            let functions: Vec<u32> = functions.collect();
            functions.first().into_iter().for_each(|first| *own.entry(*first).or_default() += stack.samples);
            // A function that calls itself counts once.
            let each: BTreeSet<u32> = functions.into_iter().collect();
            each.into_iter().for_each(|function| *total.entry(function).or_default() += stack.samples);
        }
        let known = total.into_iter().filter(|(function, _)| (*function as usize) < self.functions.len());
        let mut times: Vec<FunctionTime> = known
            .map(|(function, samples)| {
                let own = self.share(own.get(&function).copied().unwrap_or(0));
                FunctionTime { function, own, total: self.share(samples) }
            })
            .collect();
        times.order_by(|a, b| {
            (b.own.samples, b.total.samples, a.function).cmp(&(a.own.samples, a.total.samples, b.function))
        });
        times
    }

    /// Loops by their own time, the longest first.
    pub fn loop_times(&self) -> Vec<LoopTime> {
        let found = self.added(|_, place| place.within.filter(|index| (*index as usize) < self.loops.len()));
        found.into_iter().map(|(index, samples)| LoopTime { index, own: self.share(samples) }).collect()
    }

    /// Source lines by their own time, the longest first.
    pub fn line_times(&self) -> Vec<LineTime> {
        let found = self.added(|_, place| (place.line > 0).then(|| (place.file.clone(), place.line)));
        let mut functions: BTreeMap<(&str, u32), u32> = BTreeMap::new();
        for place in self.stacks.iter().filter_map(|stack| self.innermost(stack)) {
            functions.entry((&place.file, place.line)).or_insert(place.function);
        }
        let time = |((file, line), samples): ((String, u32), u64)| LineTime {
            function: functions.get(&(file.as_str(), line)).copied().unwrap_or(u32::MAX),
            own: self.share(samples),
            file,
            line,
        };
        found.into_iter().map(time).collect()
    }

    /// Threads by their time, the longest first.
    pub fn thread_times(&self) -> Vec<ThreadTime> {
        let is_known = |thread: &u32| (*thread as usize) < self.threads.len();
        let found = self.added(|stack, _| Some(stack.thread).filter(is_known));
        found.into_iter().map(|(thread, samples)| ThreadTime { thread, own: self.share(samples) }).collect()
    }

    /// The place of a stack's samples themselves.
    pub fn innermost(&self, stack: &Stack) -> Option<&Place> {
        self.place(*stack.places.first()?)
    }

    /// The place with this index.
    pub fn place(&self, index: u32) -> Option<&Place> {
        self.places.get(index as usize)
    }

    fn added<K: Ord + Clone + Hash>(&self, key: impl Fn(&Stack, &Place) -> Option<K>) -> Vec<(K, u64)> {
        let mut sums: BTreeMap<K, u64> = BTreeMap::new();
        for stack in &self.stacks {
            if let Some(key) = self.innermost(stack).and_then(|place| key(stack, place)) {
                *sums.entry(key).or_default() += stack.samples;
            }
        }
        let mut sums: Vec<(K, u64)> = sums.into_iter().collect();
        sums.order_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
        sums
    }
}
