//! Lengths of buffers that hold something for one rank, for some, or for every one.

use paw_measure::fault::Fault;

/// The length of a rank's buffer in a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// No elements.
    None,
    /// n elements.
    One,
    /// n elements for each of this many neighbours.
    Times(usize),
    /// n elements for every rank.
    All,
}

impl Extent {
    /// Elements on `ranks` ranks.
    pub fn elements(self, n: i32, ranks: usize) -> Result<i32, Fault> {
        let times = match self {
            Extent::None => 0,
            Extent::One => 1,
            Extent::Times(times) => times,
            Extent::All => ranks,
        };
        i32::try_from(times).ok().and_then(|times| n.checked_mul(times)).ok_or_else(|| {
            Fault::Missing(format!(
                "{n} elements for each of {times} ranks are more than MPI's int counts, {}; choose a smaller n",
                i32::MAX
            ))
        })
    }

    /// Elements on `ranks` ranks, in units of n.
    pub fn times(self, ranks: f64) -> f64 {
        match self {
            Extent::None => 0.0,
            Extent::One => 1.0,
            Extent::Times(times) => times as f64,
            Extent::All => ranks,
        }
    }
}
