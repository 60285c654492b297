//! Cartesian grids of ranks, and exchange between neighbours.

/// A grid.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    pub(crate) extents: Vec<usize>,
    pub(crate) wraps: Vec<bool>,
}
