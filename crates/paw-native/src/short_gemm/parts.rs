//! Who packs and computes what: strips of A and panels of B, shared out among workers.

use std::ops::Range;

use crate::partition::part;

/// A grid of workers over the strips and panels of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    strips: usize,
    panels: usize,
    /// Workers side by side along the strips, and along the panels.
    grid: [usize; 2],
    workers: usize,
}

impl Parts {
    /// The grid whose largest part has the fewest blocks; among those the one that reads the fewest strips and panels.
    pub(super) fn choose([strips, panels]: [usize; 2], workers: usize) -> Self {
        let cost = |rows: usize| {
            let (high, wide) = (strips.div_ceil(rows), panels.div_ceil(workers / rows));
            (high * wide, high + wide)
        };
        let rows = (1..=workers).min_by_key(|rows| cost(*rows)).unwrap_or(1);
        Self { strips, panels, grid: [rows, workers / rows], workers }
    }

    /// The strips and panels that `worker` packs.
    pub(super) fn shares(&self, worker: usize) -> (Range<usize>, Range<usize>) {
        if worker >= self.workers {
            return (0..0, 0..0);
        }
        (part(self.strips, self.workers, 1, worker), part(self.panels, self.workers, 1, worker))
    }

    /// The strips and panels whose blocks `worker` computes.
    pub(super) fn part(&self, worker: usize) -> (Range<usize>, Range<usize>) {
        let [rows, columns] = self.grid;
        if worker >= rows * columns {
            return (0..0, 0..0);
        }
        (part(self.strips, rows, 1, worker / columns), part(self.panels, columns, 1, worker % columns))
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;

    #[test]
    fn every_block_is_computed_and_everything_packed_once() {
        for (strips, panels) in [(1, 1), (5, 3), (1, 40), (64, 2)] {
            for workers in 1..9 {
                let parts = Parts::choose([strips, panels], workers);
                let mut blocks = vec![0; strips * panels];
                let (mut packed_strips, mut packed_panels) = (0, 0);
                for worker in 0..workers {
                    let (rows, columns) = parts.part(worker);
                    rows.for_each(|row| columns.clone().for_each(|column| blocks[row * panels + column] += 1));
                    let (rows, columns) = parts.shares(worker);
                    packed_strips += rows.len();
                    packed_panels += columns.len();
                }
                assert!(blocks.iter().all(|count| *count == 1), "{strips} x {panels} over {workers}");
                assert_eq!((packed_strips, packed_panels), (strips, panels));
            }
        }
    }
}
