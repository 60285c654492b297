//! The order in which the cells of a group are timed.

use fastrand::Rng;

/// Orders of the cells, round by round: blocks of `m` rounds for `m` cells are random cyclic Latin squares, so that within a block
/// every cell has every position once and a drift over the block falls on all alike. For two cells that is ABBA or BAAB.
/// A plain shuffle leaves the positions to luck, which at 16 rounds is not even.
#[derive(Debug)]
pub struct Rounds {
    rng: Rng,
    cells: Vec<usize>,
    shifts: Vec<usize>,
    next: usize,
}

impl Rounds {
    /// The orders of `cells` cells that `seed` gives.
    pub fn new(seed: u64, cells: usize) -> Self {
        Self { rng: Rng::with_seed(seed), cells: (0..cells).collect(), shifts: (0..cells).collect(), next: 0 }
    }
}

/// Never ends, unless there is no cell.
impl Iterator for Rounds {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        if self.cells.is_empty() {
            return None;
        }
        if self.next == 0 {
            self.rng.shuffle(&mut self.cells);
            self.rng.shuffle(&mut self.shifts);
        }
        let mut order = self.cells.clone();
        order.rotate_left(self.shifts[self.next]);
        self.next = (self.next + 1) % self.shifts.len();
        Some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_order() {
        let orders = |seed| Rounds::new(seed, 5).take(20).collect::<Vec<_>>();
        assert_eq!(orders(8713), orders(8713));
        assert_ne!(orders(8713), orders(8714));
    }

    #[test]
    fn two_cells_alternate_as_abba_or_baab() {
        let orders: Vec<_> = Rounds::new(1, 2).take(40).collect();
        for block in orders.chunks(2) {
            assert_eq!([block[0][0], block[0][1]], [block[1][1], block[1][0]]);
        }
        let first: Vec<_> = orders.chunks(2).map(|block| block[0][0]).collect();
        assert!(first.contains(&0) && first.contains(&1), "both kinds of block come up: {first:?}");
    }

    #[test]
    fn within_a_block_every_cell_has_every_position_once() {
        let orders: Vec<_> = Rounds::new(42, 7).take(7 * 3).collect();
        for block in orders.chunks(7) {
            for position in 0..7 {
                let mut cells: Vec<_> = block.iter().map(|order| order[position]).collect();
                cells.sort_unstable();
                assert_eq!(cells, (0..7).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn no_cell_gives_no_round() {
        assert_eq!(Rounds::new(1, 0).next(), None);
    }
}
