//! The loops of STREAM and of reading alone, for vectors of any length.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::ops::Range;

use super::Stores;
use crate::vector::{Vector, VectorKernel};

/// Computes an element of a third array from those of two others.
pub(super) trait Elementwise {
    /// One vector of the result.
    fn of<V: Vector<Element = f64>>(&self, x: V, y: V) -> V;
}

/// The first array's element.
pub(super) struct Copy;
/// The first array's element times a number.
pub(super) struct Scale(pub(super) f64);
/// The sum of both.
pub(super) struct Add;
/// The first plus the second times a number.
pub(super) struct Triad(pub(super) f64);

impl Elementwise for Copy {
    #[inline(always)]
    fn of<V: Vector<Element = f64>>(&self, x: V, _: V) -> V {
        x
    }
}

impl Elementwise for Scale {
    #[inline(always)]
    fn of<V: Vector<Element = f64>>(&self, x: V, _: V) -> V {
        x.mul(V::splat(self.0))
    }
}

impl Elementwise for Add {
    #[inline(always)]
    fn of<V: Vector<Element = f64>>(&self, x: V, y: V) -> V {
        x.add(y)
    }
}

impl Elementwise for Triad {
    #[inline(always)]
    fn of<V: Vector<Element = f64>>(&self, x: V, y: V) -> V {
        y.mul_add(V::splat(self.0), x)
    }
}

/// Computes `to` from `from`, element by element.
pub(super) struct ElementwiseLoop<'a, E> {
    pub(super) passes: u64,
    pub(super) stores: Stores,
    pub(super) from: [&'a [f64]; 2],
    pub(super) to: &'a mut [f64],
    pub(super) each: E,
}

/// Where non-temporal stores must begin: a cache line, which also aligns the widest vector.
const LINE_BYTES: usize = 64;

impl<E: Elementwise> VectorKernel for ElementwiseLoop<'_, E> {
    type Element = f64;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = f64>>(self) {
        let (len, [x, y]) = (self.to.len(), self.from);
        assert!(x.len() == len && y.len() == len, "arrays of {}, {} and {len} elements", x.len(), y.len());
        let (x, y, to) = (x.as_ptr(), y.as_ptr(), self.to.as_mut_ptr());
        let head = to.align_offset(LINE_BYTES).min(len);
        let body = head + (len - head) / (2 * V::LANES) * (2 * V::LANES);
        for _ in 0..self.passes {
            // Each pass stores what the one before did, and is not to be left out.
            let to = black_box(to);
            one_by_one::<V>(0..head, [x, y], to, &self.each);
            for i in (head..body).step_by(2 * V::LANES) {
                let pair = [0, V::LANES].map(|offset| {
                    // SAFETY: `i + 2 LANES <= body <= len`, the length of both arrays.
                    let first = unsafe { V::load(x.wrapping_add(i + offset)) };
                    // SAFETY: as above.
                    let second = unsafe { V::load(y.wrapping_add(i + offset)) };
                    self.each.of(first, second)
                });
                match self.stores {
                    // SAFETY: the pair ends at `body` or before, `to` is ours, and `head` made `to + head` start a line,
                    // from which `i` is whole pairs away.
                    Stores::NonTemporal => unsafe { V::store_past_caches(pair, to.wrapping_add(i)) },
                    Stores::Normal => store_pair(pair, to, i),
                }
            }
            settle::<V>(self.stores);
            one_by_one::<V>(body..len, [x, y], to, &self.each);
        }
    }
}

/// Stores a pair at element `i`, which must end inside the array.
#[inline(always)]
fn store_pair<V: Vector<Element = f64>>(pair: [V; 2], to: *mut f64, i: usize) {
    // SAFETY: called only for pairs that end inside the array, by `ElementwiseLoop::run` and `Fill::run`.
    unsafe { pair[0].store(to.wrapping_add(i)) };
    // SAFETY: as above.
    unsafe { pair[1].store(to.wrapping_add(i + V::LANES)) };
}

/// The elements that fill no vector, with the same roundings; the range is inside the arrays of `ElementwiseLoop::run`.
#[inline(always)]
fn one_by_one<V: Vector<Element = f64>>(
    range: Range<usize>,
    [x, y]: [*const f64; 2],
    to: *mut f64,
    each: &impl Elementwise,
) {
    for i in range {
        // SAFETY: `i` is inside all three arrays.
        let first = unsafe { V::load_first(x.wrapping_add(i), 1) };
        // SAFETY: as above.
        let second = unsafe { V::load_first(y.wrapping_add(i), 1) };
        // SAFETY: as above, and `to` is ours.
        unsafe { each.of(first, second).store_first(to.wrapping_add(i), 1) };
    }
}

/// Stores one number everywhere.
pub(super) struct Fill<'a> {
    pub(super) passes: u64,
    pub(super) stores: Stores,
    pub(super) value: f64,
    pub(super) to: &'a mut [f64],
}

impl VectorKernel for Fill<'_> {
    type Element = f64;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = f64>>(self) {
        let value = V::splat(self.value);
        let head = match self.stores {
            Stores::NonTemporal => self.to.as_ptr().align_offset(LINE_BYTES).min(self.to.len()),
            Stores::Normal => 0,
        };
        for _ in 0..self.passes {
            let (head, body) = black_box(&mut *self.to).split_at_mut(head);
            head.fill(self.value);
            let mut pairs = body.chunks_exact_mut(2 * V::LANES);
            for pair in &mut pairs {
                let to = pair.as_mut_ptr();
                match self.stores {
                    // SAFETY: the pair is ours, and `head` made the first one start a line, from which this one is whole pairs away.
                    Stores::NonTemporal => unsafe { V::store_past_caches([value; 2], to) },
                    Stores::Normal => store_pair([value; 2], to, 0),
                }
            }
            pairs.into_remainder().fill(self.value);
            settle::<V>(self.stores);
        }
    }
}

/// Adds a number to every element.
pub(super) struct Increase<'a> {
    pub(super) passes: u64,
    pub(super) by: f64,
    pub(super) data: &'a mut [f64],
}

impl VectorKernel for Increase<'_> {
    type Element = f64;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = f64>>(self) {
        let by = V::splat(self.by);
        for _ in 0..self.passes {
            let mut pairs = self.data.chunks_exact_mut(2 * V::LANES);
            for pair in &mut pairs {
                let at = pair.as_mut_ptr();
                let sums = [0, V::LANES].map(|offset| {
                    // SAFETY: the pair has two vectors.
                    unsafe { V::load(at.wrapping_add(offset)) }.add(by)
                });
                store_pair(sums, at, 0);
            }
            pairs.into_remainder().iter_mut().for_each(|element| *element += self.by);
        }
    }
}

/// Orders stores past the caches; normal ones are in order, and do not wait for each other at the end of a loop.
#[inline(always)]
fn settle<V: Vector>(stores: Stores) {
    if stores == Stores::NonTemporal {
        V::settle();
    }
}

/// Sums an array, read as several streams.
pub(super) struct StreamSum<'a> {
    pub(super) passes: u64,
    pub(super) streams: usize,
    pub(super) data: &'a [f64],
}

impl VectorKernel for StreamSum<'_> {
    type Element = f64;
    type Out = f64;

    #[inline(always)]
    fn run<V: Vector<Element = f64>>(self) -> f64 {
        // Eight sums or more in all: two loads a cycle times a latency of four.
        match self.streams {
            1 => self.sum::<V, 1, 8>(),
            2 => self.sum::<V, 2, 4>(),
            3 => self.sum::<V, 3, 3>(),
            4 => self.sum::<V, 4, 2>(),
            5 => self.sum::<V, 5, 2>(),
            6 => self.sum::<V, 6, 2>(),
            7 => self.sum::<V, 7, 1>(),
            8 => self.sum::<V, 8, 1>(),
            other => panic!("reading as {other} streams is not offered; ask for 1 to {}", super::READ_STREAMS_MAX),
        }
    }
}

impl StreamSum<'_> {
    /// The sum of all elements, read as `STREAMS` streams of whole steps, and of the rest behind them.
    #[inline(always)]
    fn sum<V: Vector<Element = f64>, const STREAMS: usize, const ABREAST: usize>(self) -> f64 {
        let stream = self.data.len() / STREAMS / (ABREAST * V::LANES) * (ABREAST * V::LANES);
        let body = sum_side_by_side::<V, STREAMS, ABREAST>(self.data, stream, 0..stream, self.passes);
        let rest = &self.data[STREAMS * stream..];
        (0..self.passes).fold(body, |sum, _| rest.iter().fold(sum, |sum, &value| sum + value))
    }
}

/// Sums the elements of a window of each of [`WINDOWS`] streams, which are side by side in an array.
pub(super) struct WindowSum<'a> {
    /// Whole steps of the widest vector there is.
    pub(super) window: Range<usize>,
    pub(super) data: &'a [f64],
}

/// Streams of [`WindowSum`].
pub(super) const WINDOWS: usize = 4;

impl VectorKernel for WindowSum<'_> {
    type Element = f64;
    type Out = f64;

    #[inline(always)]
    fn run<V: Vector<Element = f64>>(self) -> f64 {
        sum_side_by_side::<V, WINDOWS, 2>(self.data, self.data.len() / WINDOWS, self.window, 1)
    }
}

/// The sum of the elements `window`, whole steps of `ABREAST` vectors, of each of `STREAMS` streams that begin every `distance` elements.
#[inline(always)]
fn sum_side_by_side<V: Vector<Element = f64>, const STREAMS: usize, const ABREAST: usize>(
    data: &[f64],
    distance: usize,
    window: Range<usize>,
    passes: u64,
) -> f64 {
    let step = ABREAST * V::LANES;
    assert!(
        window.end <= distance && STREAMS * distance <= data.len(),
        "a window past its stream, or streams past the data"
    );
    assert!(window.len().is_multiple_of(step), "a window of {} elements is no whole steps of {step}", window.len());
    let mut sums = [[V::splat(0.0); ABREAST]; STREAMS];
    for _ in 0..passes {
        for i in window.clone().step_by(step) {
            for (number, sums) in sums.iter_mut().enumerate() {
                for (vector, sum) in sums.iter_mut().enumerate() {
                    let from = data.as_ptr().wrapping_add(number * distance + i + vector * V::LANES);
                    // SAFETY: the vector ends inside the window, that inside stream `number`, and all streams end inside `data`.
                    *sum = sum.add(unsafe { V::load(from) });
                }
            }
        }
    }
    sums.into_iter().flatten().fold(V::splat(0.0), V::add).sum()
}
