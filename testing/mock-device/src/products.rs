//! Products of matrices: computed when the call is made, the time passes in the queue.

use crate::Refusal;
use crate::config::Config;
use crate::elements::{Element, load, store};
use crate::heat;
use crate::memory::device_at;
use crate::queue::{Command, Link};
use crate::time::world;

/// Columns of a result that are summed at once: they share each column of A.
const COLUMNS: usize = 4;

/// A product of two matrices, or of a matrix and a vector; all column-major without gaps.
#[derive(Debug, Clone, Copy)]
pub struct Product {
    /// A's rows and the result's; A's columns; the result's columns.
    pub sizes: (usize, usize, usize),
    /// A is stored by rows.
    pub is_a_transposed: bool,
    /// Of A and B.
    pub input: Element,
    /// Of the result.
    pub output: Element,
    /// What all entries are multiplied by.
    pub scale: f64,
    /// Addresses of A, B and the result.
    pub at: (usize, usize, usize),
}

impl Product {
    /// Makes it, and queues the time it takes at that share of the device's speed.
    pub fn run(self, queue: usize, speed: f64) -> Result<(), Refusal> {
        let (m, k, n) = self.sizes;
        let (a, b, c) = self.at;
        let (input, output) = (self.input.bytes(), self.output.bytes());
        let is_there = |at: usize, count: usize| device_at(at, count).is_some();
        let (Some(device), true, true) =
            (device_at(a, m * k * input), is_there(b, k * n * input), is_there(c, m * n * output))
        else {
            return Err(Refusal::Value);
        };
        let config = Config::chosen();
        // 10⁹ operations a second are operations a nanosecond.
        let computing_ns = heat::spent_ns(device, 2.0 * (m * k * n) as f64 / (config.gflops * speed));
        let fixed_ns = config.launch_us * 1e3 + computing_ns;
        let (link_rate, own_rate) = (f64::INFINITY, f64::INFINITY);
        let command = Command::Work { fixed_ns, bytes: 0.0, link: Link::Within(device), link_rate, own_rate };
        if !world(|world| world.push(queue, command)) {
            return Err(Refusal::Queue);
        }
        store(self.output, c, &self.computed());
        Ok(())
    }

    fn computed(self) -> Vec<f64> {
        let (m, k, n) = self.sizes;
        let (a, b) = (load(self.input, self.at.0, m * k), load(self.input, self.at.1, k * n));
        // A's columns one after the other: a column of the result is a sum of them, which vectorises.
        let a = if self.is_a_transposed { transposed(&a, m) } else { a };
        let mut c = vec![0.0; m * n];
        for (columns, factors) in c.chunks_mut((COLUMNS * m).max(1)).zip(b.chunks((COLUMNS * k).max(1))) {
            for (i, of_a) in a.chunks_exact(m.max(1)).enumerate() {
                for (column, factors) in columns.chunks_exact_mut(m.max(1)).zip(factors.chunks_exact(k.max(1))) {
                    column.iter_mut().zip(of_a).for_each(|(sum, element)| *sum += element * factors[i]);
                }
            }
        }
        c.iter_mut().for_each(|sum| *sum *= self.scale);
        spoil(&mut c);
        c
    }
}

/// A matrix of so many columns, each after the other, from the one whose rows they are.
fn transposed(rows: &[f64], columns: usize) -> Vec<f64> {
    let length = rows.len() / columns.max(1);
    (0..rows.len()).map(|at| rows[at / columns + at % columns * length]).collect()
}

/// Every product has a wrong entry, where anything shall be wrong.
fn spoil(c: &mut [f64]) {
    if Config::chosen().wrong != 0 {
        let at = c.len() / 3;
        c[at] += 1.0;
    }
}
