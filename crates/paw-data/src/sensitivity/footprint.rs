//! Bytes of a kernel's arrays as a function of its size, from the formula in the run.

use paw_formula::Formula;

use crate::kernel::SIZE;

/// The largest size: at a byte each it fills any memory.
const SIZE_MAX: f64 = 1e15;

/// The formula of the bytes; `None` if it cannot be read.
#[derive(Debug, Clone)]
pub(super) struct Footprint(Option<Formula>);

impl Footprint {
    /// The footprint with the formula `text`.
    pub fn of(text: &str) -> Self {
        Self(Formula::parse(text).ok())
    }

    /// Bytes at the size `n`; `None` if the formula has other names.
    pub fn bytes(&self, n: f64) -> Option<f64> {
        let formula = self.0.as_ref()?;
        formula.evaluate(&|name| (name == SIZE).then_some(n)).ok()
    }

    /// The largest size whose arrays have at most `bytes`.
    pub fn largest(&self, bytes: f64) -> Option<u64> {
        let found = self.0.as_ref()?.invert(SIZE, bytes, 0.0, SIZE_MAX, &|_| None)?;
        Some(found.floor() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_size_of_a_matrix_and_a_vector_in_32_kib_is_89() {
        let footprint = Footprint::of("4*(n*n) + 8*(n)");
        assert_eq!(footprint.largest(32768.0), Some(89));
        assert_eq!(footprint.bytes(89.0), Some(32396.0));
        assert_eq!(Footprint::of("4*n*m").largest(1e6), None);
        assert_eq!(Footprint::of("").bytes(8.0), None);
    }
}
