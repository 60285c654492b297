//! Products as both libraries make them: computed when the call is made, the time passes in the queue.

use std::ffi::c_int;

use crate::config::Config;
use crate::elements::{Element, load, store};
use crate::memory::device_at;
use crate::queue::{Command, Link};
use crate::time::world;

/// What calls of both libraries answer.
pub(crate) const SUCCESS: c_int = 0;
pub(crate) const NOT_INITIALIZED: c_int = 1;
pub(crate) const INVALID_VALUE: c_int = 7;
pub(crate) const NOT_SUPPORTED: c_int = 15;

/// A product of two matrices, or of a matrix and a vector; all column-major without gaps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Product {
    /// A's rows and the result's; A's columns; the result's columns.
    pub(crate) sizes: (usize, usize, usize),
    pub(crate) is_a_transposed: bool,
    pub(crate) input: Element,
    pub(crate) output: Element,
    /// Of all products.
    pub(crate) scale: f64,
    pub(crate) at: (usize, usize, usize),
}

impl Product {
    /// Makes it, and queues the time it takes at that share of the device's speed.
    pub(crate) fn run(self, stream: usize, speed: f64) -> c_int {
        let (m, k, n) = self.sizes;
        let (a, b, c) = self.at;
        let (input, output) = (self.input.bytes(), self.output.bytes());
        let is_there = |at: usize, count: usize| device_at(at, count).is_some();
        let (Some(device), true, true) =
            (device_at(a, m * k * input), is_there(b, k * n * input), is_there(c, m * n * output))
        else {
            return INVALID_VALUE;
        };
        let config = Config::chosen();
        // 10⁹ operations a second are operations a nanosecond.
        let fixed_ns = config.launch_us * 1e3 + 2.0 * (m * k * n) as f64 / (config.gflops * speed);
        let (link_rate, own_rate) = (f64::INFINITY, f64::INFINITY);
        let command = Command::Work { fixed_ns, bytes: 0.0, link: Link::Within(device), link_rate, own_rate };
        if !world(|world| world.push(stream, command)) {
            return INVALID_VALUE;
        }
        store(self.output, c, &self.computed());
        SUCCESS
    }

    fn computed(self) -> Vec<f64> {
        let (m, k, n) = self.sizes;
        let (a, b) = (load(self.input, self.at.0, m * k), load(self.input, self.at.1, k * n));
        // A's rows one after the other.
        let row =
            |row: usize| (0..k).map(|i| a[if self.is_a_transposed { i + row * k } else { row + i * m }]).collect();
        let rows: Vec<Vec<f64>> = (0..m).map(row).collect();
        let dot = |row: &[f64], column: &[f64]| row.iter().zip(column).map(|(a, b)| a * b).sum::<f64>() * self.scale;
        let mut c: Vec<f64> =
            b.chunks_exact(k).flat_map(|column| rows.iter().map(|row| dot(row, column)).collect::<Vec<_>>()).collect();
        spoil(&mut c);
        c
    }
}

/// Every product has a wrong entry, where anything shall be wrong.
fn spoil(c: &mut [f64]) {
    if Config::chosen().wrong != 0 {
        let at = c.len() / 3;
        c[at] += 1.0;
    }
}
