//! The grid of C's tiles, one for each worker.

use std::ops::Range;

use crate::partition::part;

/// Rows that tiles are cut at: the height of the widest kernel.
const ROWS: usize = 8;

/// A grid of tiles over C, at most one for each worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TileGrid {
    m: usize,
    n: usize,
    rows: usize,
    columns: usize,
    granule: usize,
}

impl TileGrid {
    /// The grid whose largest tile is smallest, and among those the one whose tiles are nearest to squares: they read
    /// the least of A and B for their work. `lanes` is the length of a vector; ties go to more rows where `prefers_rows`, else to more columns.
    pub(super) fn choose([m, n]: [usize; 2], lanes: usize, workers: usize, prefers_rows: bool) -> TileGrid {
        // A tile that is a vector or two wide wastes what its last vector does not use.
        let granule = lanes;
        let candidates = (1..=workers).map(|rows| TileGrid { m, n, rows, columns: workers / rows, granule });
        let cost = |grid: &TileGrid| {
            let (height, width) = (grid.height(), grid.width());
            (height * width, height + width, if prefers_rows { grid.columns } else { grid.rows })
        };
        candidates.min_by_key(cost).unwrap_or(TileGrid { m, n, rows: 1, columns: 1, granule })
    }

    fn height(&self) -> usize {
        part(self.m, self.rows, ROWS, 0).len().next_multiple_of(ROWS)
    }

    fn width(&self) -> usize {
        part(self.n, self.columns, self.granule, 0).len().next_multiple_of(self.granule)
    }

    /// The rows and columns of `worker`'s tile; `None` where there is no tile for it.
    pub(super) fn tile(&self, worker: usize) -> Option<(Range<usize>, Range<usize>)> {
        let (row, column) = (worker / self.columns, worker % self.columns);
        if row >= self.rows {
            return None;
        }
        let rows = part(self.m, self.rows, ROWS, row);
        let columns = part(self.n, self.columns, self.granule, column);
        (!rows.is_empty() && !columns.is_empty()).then_some((rows, columns))
    }
}

#[cfg(test)]
mod tests {
    use super::TileGrid;

    fn check(m: usize, n: usize, workers: usize, rows: usize, columns: usize) {
        let grid = TileGrid::choose([m, n], 8, workers, true);
        assert_eq!((grid.rows, grid.columns), (rows, columns), "{m} x {n} over {workers}");
    }

    #[test]
    fn tiles_are_nearly_square() {
        check(1024, 1024, 1, 1, 1);
        check(1024, 1024, 4, 2, 2);
        check(256, 256, 2, 2, 1);
        check(4096, 64, 4, 4, 1);
        check(64, 4096, 4, 1, 4);
        check(2048, 2048, 64, 8, 8);
    }

    #[test]
    fn a_tie_goes_to_the_side_that_is_preferred() {
        let of = |prefers_rows| TileGrid::choose([256, 256], 4, 2, prefers_rows);
        assert_eq!((of(true).rows, of(true).columns), (2, 1));
        assert_eq!((of(false).rows, of(false).columns), (1, 2));
    }

    #[test]
    fn tiles_cover_c_once() {
        for (m, n) in [(1, 1), (7, 300), (100, 100), (1000, 3)] {
            for workers in 1..9 {
                let grid = TileGrid::choose([m, n], 8, workers, true);
                let mut covered = vec![0; m * n];
                for (rows, columns) in (0..workers).filter_map(|worker| grid.tile(worker)) {
                    for row in rows {
                        columns.clone().for_each(|column| covered[row * n + column] += 1);
                    }
                }
                assert!(covered.iter().all(|&count| count == 1), "{m} x {n} over {workers}");
            }
        }
    }
}
