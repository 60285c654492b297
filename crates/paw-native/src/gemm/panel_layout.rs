//! Layout of C's columns in panels, and the size of a block.

use crate::isa::Isa;

/// Numbers in a vector.
#[inline(always)]
pub(super) fn lanes<T>(isa: Isa) -> usize {
    (isa.vector_bytes() / size_of::<T>()).max(1)
}

/// Rows of a block: with three vectors in each, they and their operands fill the registers.
#[inline(always)]
pub(super) const fn height(isa: Isa) -> usize {
    if isa.registers() == 32 { 8 } else { 4 }
}

/// The columns of C as blocks divide them: panels of three vectors, and the last ones of two or one.
#[derive(Clone, Copy)]
pub(super) struct PanelLayout {
    /// How many panels have three vectors.
    pub(super) threes: usize,
    /// How many panels there are.
    pub(super) panels: usize,
    vectors: usize,
}

impl PanelLayout {
    /// Divides `vectors` vectors. A panel one vector wide loads more than it computes: four vectors become two panels of two.
    #[inline(always)]
    pub(super) fn of(vectors: usize) -> PanelLayout {
        let threes = if vectors % 3 == 1 && vectors > 3 { vectors / 3 - 1 } else { vectors / 3 };
        PanelLayout { threes, panels: threes + (vectors - 3 * threes).div_ceil(2), vectors }
    }

    /// The first vector of a panel, and how many it has.
    #[inline(always)]
    pub(super) fn panel(&self, index: usize) -> (usize, usize) {
        if index < self.threes {
            return (3 * index, 3);
        }
        let first = 3 * self.threes + 2 * (index - self.threes);
        (first, (self.vectors - first).min(2))
    }
}

#[cfg(test)]
mod tests {
    use super::PanelLayout;

    fn widths(vectors: usize) -> Vec<usize> {
        let panelling = PanelLayout::of(vectors);
        let mut next = 0;
        (0..panelling.panels)
            .map(|index| {
                let (first, wide) = panelling.panel(index);
                assert_eq!(first, next);
                next += wide;
                wide
            })
            .collect()
    }

    #[test]
    fn panels_are_three_vectors_wide_and_never_one_if_it_can_be_avoided() {
        assert_eq!(widths(0), []);
        assert_eq!(widths(1), [1]);
        assert_eq!(widths(2), [2]);
        assert_eq!(widths(3), [3]);
        assert_eq!(widths(4), [2, 2]);
        assert_eq!(widths(5), [3, 2]);
        assert_eq!(widths(7), [3, 2, 2]);
        assert_eq!(widths(9), [3, 3, 3]);
    }
}
