//! Layout of C's columns in panels, and the size of a block.

use crate::isa::Isa;

/// Numbers in a vector.
#[inline(always)]
pub(super) fn lanes<T>(isa: Isa) -> usize {
    (isa.vector_bytes() / size_of::<T>()).max(1)
}

/// Rows of a block. With [`width`] vectors in each, their sums fill the registers but for one row of B, an element of A and, of sixteen
/// registers, one more: where four rows of three vectors took all sixteen, compilers kept a sum in memory, at half the speed.
#[inline(always)]
pub(super) const fn height(isa: Isa) -> usize {
    if isa.registers() == 32 { 8 } else { 6 }
}

/// Vectors in a row of a block.
#[inline(always)]
pub(super) const fn width(isa: Isa) -> usize {
    if isa.registers() == 32 { 3 } else { 2 }
}

/// The columns of C as blocks divide them: panels as wide as a block, and the last ones of two vectors or one.
#[derive(Clone, Copy)]
pub(super) struct PanelLayout {
    /// How many panels are as wide as a block.
    pub(super) whole: usize,
    /// How many panels there are.
    pub(super) panels: usize,
    vectors: usize,
    width: usize,
}

impl PanelLayout {
    /// Divides `vectors` vectors. A panel one vector wide loads more than it computes: four vectors become two panels of two.
    #[inline(always)]
    pub(super) fn of(vectors: usize, isa: Isa) -> PanelLayout {
        let width = width(isa);
        let pairs = vectors % width == 1 && vectors > width && width > 2;
        let whole = vectors / width - usize::from(pairs);
        PanelLayout { whole, panels: whole + (vectors - width * whole).div_ceil(2), vectors, width }
    }

    /// The first vector of a panel, and how many it has.
    #[inline(always)]
    pub(super) fn panel(&self, index: usize) -> (usize, usize) {
        if index < self.whole {
            return (self.width * index, self.width);
        }
        let first = self.width * self.whole + 2 * (index - self.whole);
        (first, (self.vectors - first).min(2))
    }
}

#[cfg(test)]
mod tests {
    use super::PanelLayout;
    use crate::isa::Isa;

    fn widths(vectors: usize, isa: Isa) -> Vec<usize> {
        let panelling = PanelLayout::of(vectors, isa);
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
        let widths = |vectors| widths(vectors, Isa::Avx512);
        assert_eq!(widths(0), []);
        assert_eq!(widths(1), [1]);
        assert_eq!(widths(2), [2]);
        assert_eq!(widths(3), [3]);
        assert_eq!(widths(4), [2, 2]);
        assert_eq!(widths(5), [3, 2]);
        assert_eq!(widths(7), [3, 2, 2]);
        assert_eq!(widths(9), [3, 3, 3]);
    }

    #[test]
    fn sixteen_registers_have_panels_of_two_vectors() {
        assert_eq!(widths(4, Isa::Avx2), [2, 2]);
        assert_eq!(widths(5, Isa::Avx2), [2, 2, 1]);
    }
}
