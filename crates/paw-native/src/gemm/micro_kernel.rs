//! The register-blocked kernel: a few rows by a few vectors of C, summed over k in registers.
#![allow(unsafe_code)]

use super::fetch::{Fetch, LINE_BYTES};
use super::last_vector::{AllLanes, FirstLanes, LastVector};
use super::panel_layout::{height, lanes, width};
use crate::isa::{DetectedIsa, Isa};
use crate::real::Real;
use crate::vector::{self, Vector, VectorKernel};

/// The parameters that all blocks of a pass share. Passed by reference: a copy for each panel, written in words and read back in
/// vectors, would defeat store forwarding.
pub(super) struct Pass<T> {
    /// Elements of A for each row by which the start of a block advances.
    pub(super) a_strip: usize,
    /// Elements of A from row to row within a block.
    pub(super) a_row: usize,
    /// Elements of A from step to step along k.
    pub(super) a_step: usize,
    /// Steps along k.
    pub(super) k: usize,
    /// Elements from row to row of C.
    pub(super) ldc: usize,
    pub(super) alpha: T,
    pub(super) update: Update<T>,
    /// Portions in which a block prefetches for later ones; zero where nothing needs it.
    pub(super) portions: usize,
    /// Elements of C from a block to the one after it.
    pub(super) next_c: usize,
    /// Lines of the next panel of B in each portion.
    pub(super) lines: usize,
}

/// Where the numbers of panels side by side come from and go to: element (i, p) of the block of A that begins at row r is
/// `a[r * a_strip + i * a_row + p * a_step]`, row p of the first panel of B begins at `b[p * b_step]`, that of each further one
/// `b_panel` elements on, and `rows` rows of C begin at `c`.
pub(super) struct PanelOperands<T> {
    pub(super) a: *const T,
    pub(super) b: *const T,
    pub(super) b_step: usize,
    pub(super) b_panel: usize,
    pub(super) c: *mut T,
    pub(super) rows: usize,
    pub(super) panels: usize,
}

/// Steps along k of packed operands in one turn of the loop.
const UNROLLED: usize = 4;

/// Steps for each row of a block from which on its prefetches are spread over them.
const STEPS_FOR_PORTIONS: usize = 3;

/// How the product is combined with C.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Update<T> {
    /// C is not read (beta is 0).
    Replace,
    /// The product is added to C (beta is 1).
    Add,
    /// C is multiplied by beta first.
    Blend(T),
}

impl<T: Real> Update<T> {
    pub(super) fn of(beta: T) -> Update<T> {
        if beta == T::ZERO {
            Update::Replace
        } else if beta == T::ONE {
            Update::Add
        } else {
            Update::Blend(beta)
        }
    }
}

impl<T: Real> Pass<T> {
    /// Whether sums begin with C, which then needs no arithmetic of its own: the fewer the steps along k, the more that saves.
    #[inline(always)]
    fn begins_with_c(&self) -> bool {
        self.update == Update::Add && self.alpha == T::ONE
    }

    /// Computes the blocks of panels `wide` vectors wide, one after the other; `last` elements of each last vector are in use.
    /// With `AHEAD` zero nothing is prefetched, and entering a block takes half the time. `DENSE` tells that A and B are packed: steps of
    /// known length let one pointer into each serve all elements. Instruction sets without a fused multiply-add do without either.
    ///
    /// # Safety
    /// The rows and k columns of A, k rows of B and rows of C of `place` must be readable, as wide as the panels, and C writable by the
    /// caller alone.
    #[inline(always)]
    pub(super) unsafe fn panels<const AHEAD: usize, const DENSE: bool>(
        &self,
        found: DetectedIsa,
        place: PanelOperands<T>,
        wide: usize,
        last: usize,
    ) {
        if found.isa().fuses() {
            self.panels_of::<AHEAD, DENSE>(found, &place, wide, last);
        } else {
            self.panels_of::<0, false>(found, &place, wide, last);
        }
    }

    #[inline(always)]
    fn panels_of<const AHEAD: usize, const DENSE: bool>(
        &self,
        found: DetectedIsa,
        place: &PanelOperands<T>,
        wide: usize,
        last: usize,
    ) {
        let (pass, whole) = (self, last == lanes::<T>(found.isa()));
        match (wide, whole) {
            (3, true) => vector::run(found, Panel::<_, _, 3, AHEAD, DENSE> { pass, place, last: AllLanes }),
            (3, false) => vector::run(found, Panel::<_, _, 3, AHEAD, DENSE> { pass, place, last: FirstLanes(last) }),
            (2, true) => vector::run(found, Panel::<_, _, 2, AHEAD, DENSE> { pass, place, last: AllLanes }),
            (2, false) => vector::run(found, Panel::<_, _, 2, AHEAD, DENSE> { pass, place, last: FirstLanes(last) }),
            (_, true) => vector::run(found, Panel::<_, _, 1, AHEAD, DENSE> { pass, place, last: AllLanes }),
            (_, false) => vector::run(found, Panel::<_, _, 1, AHEAD, DENSE> { pass, place, last: FirstLanes(last) }),
        }
    }
}

/// Panels of known width: see [`Pass::panels`].
struct Panel<'a, T, L, const WIDE: usize, const AHEAD: usize, const DENSE: bool> {
    pass: &'a Pass<T>,
    place: &'a PanelOperands<T>,
    last: L,
}

impl<T: Real, L: LastVector, const WIDE: usize, const AHEAD: usize, const DENSE: bool> VectorKernel
    for Panel<'_, T, L, WIDE, AHEAD, DENSE>
{
    type Element = T;
    type Out = ();

    #[inline(always)]
    fn run<V: Vector<Element = T>>(self) {
        // At most one of these is compiled: the conditions are known for each instruction set.
        if const { !is_used(V::ISA, WIDE, AHEAD, DENSE) || L::IS_PART && V::LANES == 1 } {
            unreachable!("`panels` asks for none of these");
        } else if const { height(V::ISA) == 8 } {
            self.strips::<V, 8, 4>();
        } else {
            self.strips::<V, 6, 4>();
        }
    }
}

/// Whether [`Pass::panels`] asks an instruction set for such panels.
const fn is_used(isa: Isa, wide: usize, ahead: usize, dense: bool) -> bool {
    wide <= width(isa) && (isa.fuses() || (ahead == 0 && !dense))
}

impl<T: Real, L: LastVector, const WIDE: usize, const AHEAD: usize, const DENSE: bool>
    Panel<'_, T, L, WIDE, AHEAD, DENSE>
{
    /// All blocks, panel after panel, `HIGH` rows each; the rows left over go through blocks of half the height or of one.
    #[inline(always)]
    fn strips<V: Vector<Element = T>, const HIGH: usize, const HALF: usize>(self) {
        let PanelOperands { rows: all, b_step, b_panel, panels, mut b, mut c, .. } = *self.place;
        for _ in 0..panels {
            let mut ahead = b.wrapping_add(b_step * self.pass.k);
            let mut row = 0;
            while row < all {
                let (rows, c) = (all - row, c.wrapping_add(row * self.pass.ldc));
                if rows >= HIGH {
                    self.block::<V, HIGH>(row, HIGH, b, c, ahead);
                } else if rows > HALF {
                    self.block::<V, HIGH>(row, rows, b, c, ahead);
                } else if rows > 1 {
                    self.block::<V, HALF>(row, rows, b, c, ahead);
                } else {
                    self.block::<V, 1>(row, 1, b, c, ahead);
                }
                row += HIGH;
                ahead = ahead.wrapping_add(self.pass.lines * HIGH * (LINE_BYTES / size_of::<T>()));
            }
            (b, c) = (b.wrapping_add(b_panel), c.wrapping_add(WIDE * V::LANES));
        }
    }

    /// The block of C at `c`: the `rows` rows (1 to `ROWS`) from `first` on, times the panel of B at `b`.
    #[inline(always)]
    fn block<V: Vector<Element = T>, const ROWS: usize>(
        &self,
        first: usize,
        rows: usize,
        mut b: *const T,
        c: *mut T,
        ahead: *const T,
    ) {
        let (pass, place, last) = (self.pass, self.place, self.last);
        let Pass { k, ldc, portions, next_c, lines, .. } = *pass;
        let mut fetch = Fetch { c: c.wrapping_add(next_c), ldc, b: ahead, lines, steps: k / ROWS, portions };
        // Rows that do not exist are computed from the last one that does, and not stored.
        let mut row = [0; ROWS];
        let mut a_row = [0; ROWS];
        for i in 0..ROWS {
            row[i] = i.min(rows - 1);
            a_row[i] = if DENSE { i } else { row[i] * pass.a_row };
        }
        let mut sums = [[V::splat(T::ZERO); WIDE]; ROWS];
        if pass.begins_with_c() {
            for (sums, row) in sums.iter_mut().zip(row) {
                // SAFETY: the caller of `panels` guarantees these rows of C.
                *sums = unsafe { load_row(c.wrapping_add(row * ldc), last) };
            }
        }
        // Of few steps, each portion would take longer to begin than to compute.
        let few = k < STEPS_FOR_PORTIONS * ROWS;
        if AHEAD != 0 && portions > 0 && few {
            for row in 0..ROWS {
                for vector in 0..WIDE {
                    V::prefetch(c.wrapping_add(next_c + row * ldc + vector * V::LANES));
                }
            }
        }
        let (mut a, mut left) = (place.a.wrapping_add(first * pass.a_strip), k);
        while left > 0 {
            let steps = if AHEAD == 0 || few { left } else { fetch.next::<V, WIDE>().min(left) };
            left -= steps;
            // SAFETY: the caller of `panels` guarantees these elements of A and rows of B.
            unsafe { self.steps(steps, &mut sums, &mut a, a_row, &mut b) };
        }
        for (i, sums) in sums.iter().enumerate() {
            if i >= rows {
                break;
            }
            if pass.begins_with_c() {
                // SAFETY: and for this row of C.
                unsafe { store_row(sums, c.wrapping_add(i * ldc), last) };
            } else {
                // SAFETY: as above.
                unsafe { finish_row(sums, c.wrapping_add(i * ldc), pass.alpha, pass.update, last) };
            }
        }
    }

    /// Adds `steps` steps along k to the sums, and moves A and B on.
    ///
    /// # Safety
    /// The elements of A and rows of B must be readable.
    #[inline(always)]
    unsafe fn steps<V: Vector<Element = T>, const ROWS: usize>(
        &self,
        steps: usize,
        sums: &mut [[V; WIDE]; ROWS],
        a: &mut *const T,
        a_row: [usize; ROWS],
        b: &mut *const T,
    ) {
        let (a_step, b_step) =
            if DENSE { (height(V::ISA), WIDE * V::LANES) } else { (self.pass.a_step, self.place.b_step) };
        let turns = if DENSE { steps / UNROLLED } else { 0 };
        for _ in 0..turns {
            for step in 0..UNROLLED {
                // SAFETY: as for this function.
                unsafe { self.step(sums, a.wrapping_add(step * a_step), a_row, b.wrapping_add(step * b_step)) };
            }
            (*a, *b) = (a.wrapping_add(UNROLLED * a_step), b.wrapping_add(UNROLLED * b_step));
        }
        for _ in turns * UNROLLED..steps {
            // SAFETY: as above.
            unsafe { self.step(sums, *a, a_row, *b) };
            (*a, *b) = (a.wrapping_add(a_step), b.wrapping_add(b_step));
        }
    }

    /// One step along k.
    ///
    /// # Safety
    /// As for `steps`.
    #[inline(always)]
    unsafe fn step<V: Vector<Element = T>, const ROWS: usize>(
        &self,
        sums: &mut [[V; WIDE]; ROWS],
        a: *const T,
        a_row: [usize; ROWS],
        b: *const T,
    ) {
        // SAFETY: the caller guarantees this row of B.
        let b_row: [V; WIDE] = unsafe { load_row(b, self.last) };
        for (sums, row) in sums.iter_mut().zip(a_row) {
            // SAFETY: and this element of A.
            let factor = V::splat(unsafe { a.wrapping_add(row).read() });
            for (sum, b) in sums.iter_mut().zip(b_row) {
                *sum = factor.mul_add(b, *sum);
            }
        }
    }
}

/// One row of `WIDE` vectors.
///
/// # Safety
/// It must be readable.
#[inline(always)]
unsafe fn load_row<V: Vector, L: LastVector, const WIDE: usize>(from: *const V::Element, last: L) -> [V; WIDE] {
    // SAFETY: the caller guarantees the row.
    let mut row = [unsafe { last.load::<V>(from.wrapping_add((WIDE - 1) * V::LANES)) }; WIDE];
    for (vector, row) in row[..WIDE - 1].iter_mut().enumerate() {
        // SAFETY: as above.
        *row = unsafe { V::load(from.wrapping_add(vector * V::LANES)) };
    }
    row
}

/// Merges the sums of one row into C.
///
/// # Safety
/// The row must be readable, and writable by the caller alone.
#[inline(always)]
unsafe fn finish_row<V: Vector, L: LastVector, const WIDE: usize>(
    sums: &[V; WIDE],
    c: *mut V::Element,
    alpha: V::Element,
    update: Update<V::Element>,
    last: L,
) {
    let alpha = V::splat(alpha);
    let mut results = *sums;
    match update {
        Update::Replace => {
            for result in &mut results {
                *result = result.mul(alpha);
            }
        }
        Update::Add => {
            // SAFETY: the caller guarantees the row.
            let old = unsafe { load_row::<V, L, WIDE>(c, last) };
            for (result, old) in results.iter_mut().zip(old) {
                *result = result.mul_add(alpha, old);
            }
        }
        Update::Blend(beta) => {
            let beta = V::splat(beta);
            // SAFETY: the caller guarantees the row.
            let old = unsafe { load_row::<V, L, WIDE>(c, last) };
            for (result, old) in results.iter_mut().zip(old) {
                *result = old.mul_add(beta, result.mul(alpha));
            }
        }
    }
    // SAFETY: the caller guarantees the row.
    unsafe { store_row(&results, c, last) };
}

/// Writes one row of `WIDE` vectors.
///
/// # Safety
/// It must be writable by the caller alone.
#[inline(always)]
unsafe fn store_row<V: Vector, L: LastVector, const WIDE: usize>(row: &[V; WIDE], c: *mut V::Element, last: L) {
    for (vector, &result) in row.iter().enumerate() {
        let to = c.wrapping_add(vector * V::LANES);
        if vector + 1 < WIDE {
            // SAFETY: the caller guarantees the row.
            unsafe { result.store(to) };
        } else {
            // SAFETY: as above.
            unsafe { last.store(result, to) };
        }
    }
}
