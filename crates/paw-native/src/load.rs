//! A thread that keeps memory busy at a throttled rate.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::buffer::{Aligned, OutOfMemory, Pages};
use crate::stream::StreamKernels;

/// Streams that a step goes through, one after the other; the benchmark `read` has as many side by side.
const STREAMS: usize = 4;
/// Doubles of one stream that a step goes through.
const STEP: usize = 128;
/// Bytes that a step reads: of all streams.
pub const STEP_BYTES: u64 = (STREAMS * STEP * size_of::<f64>()) as u64;

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

/// An array that one thread reads, or reads and writes, over and over.
#[derive(Debug)]
pub struct Loader {
    data: Aligned<f64>,
    kernels: StreamKernels,
    /// One step in this many writes what it has read; with 0 no step writes.
    writes_every: usize,
    step: usize,
    written: u64,
}

impl Loader {
    /// An array of about `bytes`, zeros that the calling thread touches first, of which one step in `writes_every` writes what it has
    /// read, and of 0 none.
    ///
    /// # Errors
    /// Where the system refuses the memory.
    pub fn try_new(bytes: usize, writes_every: usize, pages: Pages) -> Result<Self, OutOfMemory> {
        let steps = (bytes as u64 / STEP_BYTES).max(1) as usize;
        let mut data = Aligned::try_new(steps * STREAMS * STEP, pages)?;
        data.fill_here(0.0);
        Ok(Self { data, kernels: StreamKernels::new(), writes_every, step: 0, written: 0 })
    }

    /// Loads memory until `is_over`, with a pause of `delay` after each step of [`STEP_BYTES`], and adds what it moves to `moved`.
    pub fn run(&mut self, delay: Duration, is_over: &AtomicBool, moved: &Moved) {
        while !is_over.load(Ordering::Relaxed) {
            let bytes = self.step();
            // One writer: no atomic addition is needed.
            moved.bytes.store(moved.bytes() + bytes, Ordering::Relaxed);
            if !delay.is_zero() {
                pause(delay, is_over);
            }
        }
    }

    /// Goes on by a step in every stream, and returns the bytes it has moved.
    fn step(&mut self) -> u64 {
        let stream = self.data.len() / STREAMS;
        let from = self.step * STEP;
        let writes = self.writes_every > 0 && self.step.is_multiple_of(self.writes_every);
        for index in 0..STREAMS {
            let part = &mut self.data[index * stream + from..][..STEP];
            match writes {
                true => part.iter_mut().for_each(|element| *element += 1.0),
                false => drop(black_box(self.kernels.read(1, part))),
            }
        }
        self.step = (self.step + 1) % (stream / STEP);
        self.written += u64::from(writes) * (STREAMS * STEP) as u64;
        STEP_BYTES * (1 + u64::from(writes))
    }

    /// Whether every write has left its mark: the elements, each of which counts its own writes, count all.
    pub fn is_right(&self) -> bool {
        self.data.iter().sum::<f64>() == self.written as f64
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

    use super::{Loader, Moved, STEP_BYTES};
    use crate::buffer::Pages;

    #[test]
    fn the_bytes_of_a_mix_are_those_of_its_reads_and_writes() {
        // Reads to writes: no write, as many, twice and three times as many.
        for (writes_every, ratio) in [(0, f64::INFINITY), (1, 1.0), (2, 2.0), (3, 3.0)] {
            let mut loader =
                Loader::try_new(12 * STEP_BYTES as usize, writes_every, Pages::Plain).expect("there is room");
            let bytes: u64 = (0..24).map(|_| loader.step()).sum();
            let (read, written) = (24 * STEP_BYTES, bytes - 24 * STEP_BYTES);
            assert_eq!(read as f64 / written as f64, ratio, "one in {writes_every}");
            assert_eq!(loader.written * 8, written);
            assert!(loader.is_right());
            loader.forget();
            assert!(!loader.is_right());
        }
    }

    #[test]
    fn a_loader_that_is_over_moves_nothing() {
        let mut loader = Loader::try_new(1, 1, Pages::Plain).expect("there is room");
        let moved = Moved::default();
        loader.run(std::time::Duration::ZERO, &AtomicBool::new(true), &moved);
        assert_eq!(moved.bytes(), 0);
    }
}
