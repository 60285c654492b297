//! How the elements of a message lie in memory: one after the other, or with gaps that a derived datatype describes.

use paw_data::axis;
use paw_data::point::Point;
use paw_foreign::mpi::{Datatype, DerivedDatatype, Mpi};
use paw_measure::fault::Fault;

use super::error::broken;
use crate::benchmark::{Axis, Values};

/// The axis of layouts: the same payload, described to the library by different datatypes.
pub const DATATYPE: Axis = Axis {
    name: axis::DATATYPE,
    meaning: "how the elements lie on both sides: one after the other (contiguous), every second place (vector, MPI_Type_vector), or 2 to 4 places apart (indexed, MPI_Type_indexed)",
    values: Values::Words(&[axis::CONTIGUOUS, "vector", "indexed"]),
};

/// How the elements of a message lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementLayout {
    /// One after the other.
    Contiguous,
    /// Every second place.
    Vector,
    /// 2 to 4 places apart, in no order that repeats: one of the first two of every three places.
    Indexed,
}

impl ElementLayout {
    /// The layout of a point; without gaps if it has none.
    pub fn of(point: &Point) -> Self {
        match point.text(axis::DATATYPE) {
            Some("vector") => Self::Vector,
            Some("indexed") => Self::Indexed,
            _ => Self::Contiguous,
        }
    }

    /// Places of memory for each element.
    pub fn places(self) -> usize {
        match self {
            Self::Contiguous => 1,
            Self::Vector => 2,
            Self::Indexed => 3,
        }
    }

    /// The place of element `index`.
    pub fn place(self, index: usize) -> usize {
        let shift = if self == Self::Indexed { shift(index) } else { 0 };
        index * self.places() + shift
    }

    /// The index of the element at `place`; nothing in a gap.
    pub fn element(self, place: usize) -> Option<usize> {
        let index = place / self.places();
        (self.place(index) == place).then_some(index)
    }

    /// The datatype that describes `count` elements to the library; nothing where they lie one after the other.
    pub fn datatype(self, mpi: &'static Mpi, count: i32, kind: Datatype) -> Result<Option<DerivedDatatype>, Fault> {
        let made = match self {
            Self::Contiguous => return Ok(None),
            Self::Vector => DerivedDatatype::vector(mpi, count, self.places() as i32, kind),
            Self::Indexed => {
                let displacements: Vec<i32> = (0..count).map(|index| self.place(index as usize) as i32).collect();
                DerivedDatatype::indexed(mpi, &displacements, kind)
            }
        };
        made.map(Some).map_err(broken)
    }
}

/// 0 or 1, by a bit of the index times 2^64 divided by the golden ratio, whose bits follow no period.
fn shift(index: usize) -> usize {
    ((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_found_at_its_place_and_nothing_in_gaps() {
        for layout in [ElementLayout::Contiguous, ElementLayout::Vector, ElementLayout::Indexed] {
            let found: Vec<usize> = (0..100 * layout.places()).filter_map(|place| layout.element(place)).collect();
            assert_eq!(found, (0..100).collect::<Vec<_>>(), "{layout:?}");
        }
    }

    #[test]
    fn indexed_elements_touch_nowhere_and_have_no_stride() {
        let places: Vec<usize> = (0..1000).map(|index| ElementLayout::Indexed.place(index)).collect();
        let mut distances: Vec<usize> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
        for period in 1..20 {
            assert!(distances.windows(period + 1).any(|some| some[0] != some[period]), "a period of {period}");
        }
        distances.sort_unstable();
        distances.dedup();
        assert_eq!(distances, [2, 3, 4]);
    }
}
