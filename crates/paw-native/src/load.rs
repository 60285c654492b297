//! A thread that keeps memory busy at a throttled rate.

use std::hint::{black_box, spin_loop};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::buffer::{Aligned, OutOfMemory, Pages};
use crate::stream::{READ_WINDOWS, Stores, StreamKernels};

/// Streams that a step goes through, as the benchmark `read` does.
const STREAMS: usize = READ_WINDOWS;
/// Doubles of one stream that a step goes through.
const STEP: usize = 128;
/// Doubles that a step reads, or of each of its arrays.
const STEP_LEN: usize = STREAMS * STEP;
/// Bytes of a step: what it reads, or has of each of its arrays.
pub const STEP_BYTES: u64 = (STEP_LEN * size_of::<f64>()) as u64;
/// Steps without a pause that are read in one go, which pays for the call and for the end of its sum once.
const AT_ONCE: usize = 16;
/// Steps' worth of bytes of which every mix has a whole number of rounds: its reads and writes are one to four parts of them.
pub const ROUND_STEPS: usize = 12;

/// What a loader does with memory, by the lines that it reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mix {
    /// It reads.
    Reads,
    /// It reads this number of lines for each line that it writes, which is one of them.
    InPlace(usize),
    /// It reads this number of arrays, two at most, and writes another past the caches: no line of it is read first.
    PastCaches(usize),
}

impl Mix {
    /// All mixes by their names, reads to writes: those of Intel's Memory Latency Checker.
    pub const NAMED: [(&str, Self); 7] = [
        ("1:0", Self::Reads),
        ("3:1", Self::InPlace(3)),
        ("2:1", Self::InPlace(2)),
        ("1:1", Self::InPlace(1)),
        ("2:1-nt", Self::PastCaches(2)),
        ("1:1-nt", Self::PastCaches(1)),
        ("0:1-nt", Self::PastCaches(0)),
    ];

    /// The mix of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(own, _)| *own == name).map(|(_, mix)| *mix)
    }

    /// Bytes that going once through data of `bytes` moves.
    pub fn moved(self, bytes: u64) -> u64 {
        if let Self::InPlace(reads) = self { bytes + bytes / reads as u64 } else { bytes }
    }

    /// Arrays that it goes through side by side.
    fn arrays(self) -> usize {
        if let Self::PastCaches(reads) = self { reads + 1 } else { 1 }
    }

    /// Steps of a loader of this mix that moves `bytes` when it goes through its data once.
    fn steps(self, bytes: u64) -> usize {
        let steps = bytes / STEP_BYTES;
        let steps = match self {
            Self::Reads => steps,
            // Of every `reads` steps one is counted twice.
            Self::InPlace(reads) => steps * reads as u64 / (reads as u64 + 1),
            Self::PastCaches(reads) => steps / (reads as u64 + 1),
        };
        steps.max(1) as usize
    }
}

/// What a loader has moved, in lines of its own, which another thread reads while it works.
#[repr(align(256))]
#[derive(Debug, Default)]
pub struct Moved {
    bytes: AtomicU64,
}

impl Moved {
    /// Bytes read and written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// Memory that one thread reads and writes over and over.
#[derive(Debug)]
pub struct Loader {
    /// The arrays one after the other, the one that is written past the caches first.
    data: Aligned<f64>,
    kernels: StreamKernels,
    mix: Mix,
    /// Steps that go through the data once.
    steps: usize,
    step: usize,
    /// How often it went through the data before.
    passes: u64,
    /// Elements that it has written, each write counted.
    written: u64,
}

impl Loader {
    /// Memory that the calling thread touches first, of which `bytes` or a little less are moved by going through it once.
    ///
    /// # Errors
    /// Where the system refuses the memory.
    pub fn try_new(bytes: u64, mix: Mix, pages: Pages) -> Result<Self, OutOfMemory> {
        let steps = mix.steps(bytes);
        let mut data = Aligned::try_new(steps * STEP_LEN * mix.arrays(), pages)?;
        data.fill_here(0.0);
        if let Mix::PastCaches(_) = mix {
            data[steps * STEP_LEN..].fill(1.0);
        }
        Ok(Self { data, kernels: StreamKernels::new(), mix, steps, step: 0, passes: 0, written: 0 })
    }

    /// The array.
    pub fn data(&self) -> &Aligned<f64> {
        &self.data
    }

    /// Loads memory until `is_over`, with a pause of `delay` after each step of [`STEP_BYTES`], and adds what it moves to `moved`.
    pub fn run(&mut self, delay: Duration, is_over: &AtomicBool, moved: &Moved) {
        let most = if delay.is_zero() { AT_ONCE } else { 1 };
        while !is_over.load(Ordering::Relaxed) {
            let (_, bytes) = self.go_on(most);
            // One writer: no atomic addition is needed.
            moved.bytes.store(moved.bytes() + bytes, Ordering::Relaxed);
            if !delay.is_zero() {
                pause(delay, is_over);
            }
        }
    }

    /// Goes through the data `passes` times, and returns the bytes it has moved.
    pub fn pass(&mut self, passes: u64) -> u64 {
        let (mut left, mut all_bytes) = (passes * self.steps as u64, 0);
        while left > 0 {
            let (steps, bytes) = self.go_on(left.min(AT_ONCE as u64) as usize);
            (left, all_bytes) = (left - steps as u64, all_bytes + bytes);
        }
        all_bytes
    }

    /// Goes on by a step, or where it reads alone by `most` of them, and returns how many and the bytes it has moved.
    fn go_on(&mut self, most: usize) -> (usize, u64) {
        let (steps, bytes) = match self.mix {
            Mix::PastCaches(reads) => (1, self.store_past_caches(reads)),
            Mix::InPlace(reads) if self.step.is_multiple_of(reads) => (1, self.increase()),
            Mix::InPlace(_) => (1, self.read(1)),
            Mix::Reads => {
                let steps = most.min(self.steps - self.step);
                (steps, self.read(steps))
            }
        };
        self.step += steps;
        if self.step == self.steps {
            (self.step, self.passes) = (0, self.passes + 1);
        }
        (steps, bytes)
    }

    /// The elements of each stream that the next `steps` have.
    fn window(&self, steps: usize) -> Range<usize> {
        self.step * STEP..(self.step + steps) * STEP
    }

    fn read(&self, steps: usize) -> u64 {
        black_box(self.kernels.read_windows(self.window(steps), &self.data));
        steps as u64 * STEP_BYTES
    }

    /// Adds one to the elements of this step, stream after stream.
    fn increase(&mut self) -> u64 {
        let (stream, window) = (self.data.len() / STREAMS, self.window(1));
        for part in self.data.chunks_exact_mut(stream) {
            self.kernels.increase(1.0, &mut part[window.clone()]);
        }
        self.written += STEP_LEN as u64;
        2 * STEP_BYTES
    }

    /// Writes the number of this pass into a part of the first array: from the second one, which holds ones, or the second and third.
    fn store_past_caches(&mut self, reads: usize) -> u64 {
        let (kernels, len, passes) = (self.kernels, self.steps * STEP_LEN, self.passes as f64);
        let own = self.step * STEP_LEN..(self.step + 1) * STEP_LEN;
        let (to, from) = self.data.split_at_mut(len);
        let to = &mut to[own.clone()];
        match reads {
            0 => kernels.write(Stores::NonTemporal, passes + 1.0, to),
            1 => kernels.scale(Stores::NonTemporal, passes + 1.0, &from[own], to),
            _ => kernels.triad(Stores::NonTemporal, passes, &from[own.clone()], &from[len..][own], to),
        }
        self.written += STEP_LEN as u64;
        STEP_BYTES * (reads as u64 + 1)
    }

    /// Whether every write has left its mark: the elements that are written, each of which counts its own writes, count all.
    pub fn is_right(&self) -> bool {
        // Of one array all elements may be written, of several the first array's.
        let written = &self.data[..self.steps * STEP_LEN];
        written.iter().sum::<f64>() == self.written as f64
    }

    /// Adds a write that was never made, for a test that spoils the count.
    pub fn forget(&mut self) {
        self.written += 1;
    }
}

/// Waits for `delay` without touching memory.
fn pause(delay: Duration, is_over: &AtomicBool) {
    let start = Instant::now();
    while start.elapsed() < delay && !is_over.load(Ordering::Relaxed) {
        spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::{Loader, Mix, Moved, ROUND_STEPS, STEP_BYTES};
    use crate::buffer::Pages;

    #[test]
    fn the_bytes_of_a_mix_are_those_of_its_reads_and_writes() {
        for (name, mix) in Mix::NAMED {
            let moved = 4 * ROUND_STEPS as u64 * STEP_BYTES;
            let mut loader = Loader::try_new(moved, mix, Pages::Plain).expect("there is room");
            assert_eq!(loader.pass(1), moved, "{name}");
            assert_eq!(mix.moved(8 * loader.data().len() as u64), moved, "{name}");
            let bytes = moved + loader.pass(2);
            let written = loader.written * 8;
            let (reads, writes) = name.trim_end_matches("-nt").split_once(':').expect("two numbers");
            let (reads, writes): (u64, u64) = (reads.parse().expect("a number"), writes.parse().expect("a number"));
            assert_eq!(written * (reads + writes), bytes * writes, "{name}");
            assert!(loader.is_right(), "{name}");
            loader.forget();
            assert!(!loader.is_right(), "{name}");
        }
    }

    #[test]
    fn a_loader_that_is_over_moves_nothing() {
        let mut loader = Loader::try_new(1, Mix::InPlace(1), Pages::Plain).expect("there is room");
        let moved = Moved::default();
        loader.run(std::time::Duration::ZERO, &AtomicBool::new(true), &moved);
        assert_eq!(moved.bytes(), 0);
    }
}
