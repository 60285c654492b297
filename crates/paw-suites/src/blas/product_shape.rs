//! Shapes of a matrix product: its rows and its depth at n columns of C.

use paw_data::axis;
use paw_data::point::Point;

use crate::benchmark::{Axis, Values};

/// The side that stays short: the block in which LAPACK factorises (`ILAENV`'s NB of ?GETRF), a whole number of vectors of every
/// processor.
const SHORT: usize = 64;

/// How many times the long side of a tall matrix exceeds the short one: enough that the short side alone decides how data are reused.
const TALL: usize = 64;

/// A shape. Goto and van de Geijn (Anatomy of High-Performance Matrix Multiplication, 2008) name products by which sides are long:
/// rank-k is their GEPP, panel their GEPM, inner their GEPDOT.
struct ProductShape {
    word: &'static str,
    /// Its sides, and where it occurs.
    meaning: &'static str,
    /// m and k at n.
    sides: fn(usize) -> (usize, usize),
}

const SHAPES: [ProductShape; 5] = [
    ProductShape { word: "square", meaning: "m = n, k = n", sides: |n| (n, n) },
    ProductShape {
        word: "rank-k",
        meaning: "m = n, k = 64: the update in which LU, Cholesky and QR spend their time",
        sides: |n| (n, SHORT),
    },
    ProductShape {
        word: "panel",
        meaning: "m = 64, k = n: a few rows times a large matrix, as of a batch through a layer",
        sides: |n| (SHORT, n),
    },
    ProductShape {
        word: "tall",
        meaning: "m = 64n, k = n: a tall and skinny matrix times a small one, as in block methods",
        sides: |n| (n.saturating_mul(TALL), n),
    },
    ProductShape {
        word: "inner",
        meaning: "m = n, k = 64n: long inner products, as of a tall matrix with itself",
        sides: |n| (n, n.saturating_mul(TALL)),
    },
];

/// The words of the axis, with their meaning.
const WORDS: [(&str, &str); SHAPES.len()] = {
    let mut words = [("", ""); SHAPES.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = (SHAPES[at].word, SHAPES[at].meaning);
        at += 1;
    }
    words
};

/// The axis of shapes; each decides m and k.
pub const SHAPE: Axis = Axis {
    name: axis::SHAPE,
    meaning: "shape of the product, which gives m and k",
    values: Values::Giving { words: &WORDS, axes: &[axis::M, axis::K] },
};

/// m, n and k of a point: as set, else as its shape has them.
pub fn sizes(point: &Point) -> (usize, usize, usize) {
    let n = point.int(axis::N).unwrap_or(0) as usize;
    let named = |shape: &&ProductShape| Some(shape.word) == point.text(axis::SHAPE);
    let (m, k) = (SHAPES.iter().find(named).unwrap_or(&SHAPES[0]).sides)(n);
    let size = |axis, given| point.int(axis).map_or(given, |set| set as usize);
    (size(axis::M, m), n, size(axis::K, k))
}

#[cfg(test)]
mod tests {
    use paw_data::axis;
    use paw_data::point::Point;

    use super::sizes;

    #[test]
    fn a_shape_gives_rows_and_depth() {
        let at = Point::new().with(axis::N, 100);
        let of = |shape: &str| sizes(&at.clone().with(axis::SHAPE, shape));
        assert_eq!(sizes(&at), (100, 100, 100));
        assert_eq!(of("square"), (100, 100, 100));
        assert_eq!(of("rank-k"), (100, 100, 64));
        assert_eq!(of("panel"), (64, 100, 100));
        assert_eq!(of("tall"), (6400, 100, 100));
        assert_eq!(of("inner"), (100, 100, 6400));
        assert_eq!(sizes(&at.with(axis::M, 3).with(axis::K, 7)), (3, 100, 7));
    }
}
