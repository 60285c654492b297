//! One pass over a part of C: every block of it, summed over one range of k.
#![allow(unsafe_code)]

use super::cache_blocks::{ALIAS_BYTES, a_bytes, rows_first_bytes};
use super::fetch::LINE_BYTES;
use super::micro_kernel::{PanelOperands, Pass, Update};
use super::panel_layout::{PanelLayout, height, lanes, width};
use crate::isa::DetectedIsa;
use crate::real::Real;

/// A matrix A as blocks read it: element (i, p) of the strip that begins at row r is
/// `start[r * strip + i * row + p * step]`.
#[derive(Clone, Copy)]
pub(super) struct Strips<T> {
    pub(super) start: *const T,
    pub(super) strip: usize,
    pub(super) row: usize,
    pub(super) step: usize,
    /// Whether strips are packed, whole blocks high.
    pub(super) packed: bool,
}

/// A matrix B as blocks read it.
#[derive(Clone, Copy)]
pub(super) enum Panels<T> {
    /// As stored, with the number of elements from row to row.
    InPlace(*const T, usize),
    /// Copied by [`super::pack::pack_b`]: the columns of one block beside each other, row after row.
    Packed(*const T),
}

/// One pass over a part of C: A has m rows and k columns, B k rows and n columns, C m rows and n columns.
pub(super) struct MacroKernel<T> {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) a: Strips<T>,
    pub(super) b: Panels<T>,
    pub(super) c: *mut T,
    pub(super) ldc: usize,
    pub(super) alpha: T,
    pub(super) update: Update<T>,
    /// Whether C, of which this pass may compute a part, stays in the second-level cache: see [`at_hand`].
    pub(super) c_at_hand: bool,
}

/// The order in which a pass visits its blocks.
#[derive(Clone, Copy, PartialEq)]
enum LoopOrder {
    /// One panel of B's columns after the other, so that each is brought to the caches once.
    PanelsFirst,
    /// One strip of C's rows after the other, so that C is read and written in long runs, which prefetchers detect.
    RowsFirst,
}

/// Most steps along k with which rows go first: with more, a block computes long enough to hide the loads of C.
const ROWS_FIRST_STEPS: usize = 48;

/// The same where the rows of C fall into one set of the first-level cache: those of a few blocks evict each other before they are used.
const ROWS_FIRST_STEPS_ALIASED: usize = 128;

/// Fewest rows of C with which rows go first: fewer rows all use B in one pass over it.
const ROWS_FIRST_ROWS: usize = 64;

/// Most panels that stay one after the other all the same: runs of C as short as that are no stream.
const ROWS_FIRST_PANELS: usize = 3;

/// Largest C, in bytes, that needs no prefetching: it stays in the second-level cache.
const C_AT_HAND_BYTES: usize = 300 * 1024;

/// Steps along k in which a line comes from memory: blocks of fewer steps prefetch C several blocks ahead.
const STEPS_TO_MEMORY: usize = 48;

/// Whether a C of that size stays in the second-level cache.
#[inline(always)]
pub(super) fn at_hand<T>(elements: usize) -> bool {
    elements * size_of::<T>() <= C_AT_HAND_BYTES
}

impl<T: Real> MacroKernel<T> {
    /// Computes all blocks.
    ///
    /// # Safety
    /// A, B and C must be readable, and C writable by the caller alone.
    #[inline(always)]
    pub(super) unsafe fn run(&self, found: DetectedIsa) {
        let lanes = lanes::<T>(found.isa());
        if self.a.packed && matches!(self.b, Panels::Packed(_)) {
            // SAFETY: as above.
            unsafe { self.run_all::<1, true>(found, lanes) }
        } else if self.n <= width(found.isa()) * lanes && self.c_at_hand {
            // SAFETY: the caller guarantees the operands.
            unsafe { self.run_panel(found, lanes) }
        } else if self.c_at_hand {
            // SAFETY: as above.
            unsafe { self.run_all::<0, false>(found, lanes) }
        } else {
            // SAFETY: as above.
            unsafe { self.run_all::<1, false>(found, lanes) }
        }
    }

    /// Computes a product of one panel with minimal overhead: small products are called often.
    ///
    /// # Safety
    /// As for `run`.
    #[inline(always)]
    unsafe fn run_panel(&self, found: DetectedIsa, lanes: usize) {
        let &MacroKernel { m, n, k, a: Strips { start, strip, row, step, .. }, c, ldc, alpha, update, .. } = self;
        let wide = n.div_ceil(lanes);
        let (b, b_step) = match self.b {
            Panels::InPlace(start, stride) => (start, stride),
            Panels::Packed(start) => (start, wide * lanes),
        };
        let pass =
            Pass { a_strip: strip, a_row: row, a_step: step, k, ldc, alpha, update, portions: 0, next_c: 0, lines: 0 };
        let place = PanelOperands { a: start, b, b_step, b_panel: 0, c, rows: m, panels: 1 };
        // SAFETY: the panel is all of A, B and C, which the caller guarantees.
        unsafe { pass.panels::<0, false>(found, place, wide, n - (wide - 1) * lanes) };
    }

    /// # Safety
    /// As for `run`.
    #[inline(never)]
    unsafe fn run_all<const AHEAD: usize, const DENSE: bool>(&self, found: DetectedIsa, lanes: usize) {
        let high = height(found.isa());
        let (wide, panelling) = (width(found.isa()), PanelLayout::of(self.n.div_ceil(lanes), found.isa()));
        let order = self.order(found, wide * lanes);
        // Panels go over as much of A at a time as stays in the second-level cache.
        let strip = if order == LoopOrder::RowsFirst {
            high
        } else {
            (a_bytes(found.isa()) / size_of::<T>() / self.k / high * high).max(high)
        };
        // Panels that are alike are one call: it costs as much as several steps along k.
        let alike = panelling.whole.min(self.n / (wide * lanes));
        let pass = self.pass(found, wide * lanes, order);
        let mut row = 0;
        while row < self.m {
            let rows = strip.min(self.m - row);
            if alike > 0 {
                // SAFETY: the panels are inside A, B and C, which the caller guarantees.
                unsafe {
                    pass.panels::<AHEAD, DENSE>(found, self.place(0, wide * lanes, row, rows, alike), wide, lanes)
                };
            }
            for panel in alike..panelling.panels {
                let (vector, wide) = panelling.panel(panel);
                let (column, columns) = (vector * lanes, wide * lanes);
                let last = (self.n - column).min(columns) - (columns - lanes);
                // SAFETY: as above.
                unsafe { pass.panels::<AHEAD, DENSE>(found, self.place(column, columns, row, rows, 1), wide, last) };
            }
            row += rows;
        }
    }

    fn order(&self, found: DetectedIsa, columns: usize) -> LoopOrder {
        let is_aliased = (self.ldc * size_of::<T>()).is_multiple_of(ALIAS_BYTES);
        let steps = if is_aliased { ROWS_FIRST_STEPS_ALIASED } else { ROWS_FIRST_STEPS };
        let few_steps = self.k <= steps && self.n * self.k * size_of::<T>() <= rows_first_bytes(found.isa());
        let many_rows = (is_aliased || self.m > ROWS_FIRST_ROWS) && !self.c_at_hand;
        if few_steps && many_rows && self.n > ROWS_FIRST_PANELS * columns {
            LoopOrder::RowsFirst
        } else {
            LoopOrder::PanelsFirst
        }
    }

    /// The parameters of all blocks. While a block is computed, it prefetches the next block of C and, where panels are finished
    /// one by one, a share of the next panel of B.
    #[inline(always)]
    fn pass(&self, found: DetectedIsa, columns: usize, order: LoopOrder) -> Pass<T> {
        let &MacroKernel { m, k, a: Strips { strip, row, step, .. }, ldc, alpha, update, .. } = self;
        let high = height(found.isa());
        let (portions, next_c) = if self.c_at_hand {
            (0, 0)
        } else {
            (high, if order == LoopOrder::RowsFirst { blocks_ahead(k) * columns } else { high * ldc })
        };
        let in_panel = columns * k * size_of::<T>() / LINE_BYTES;
        let packed = matches!(self.b, Panels::Packed(_)) && order == LoopOrder::PanelsFirst;
        let lines = if packed { in_panel.div_ceil(m.next_multiple_of(high)) } else { 0 };
        Pass { a_strip: strip, a_row: row, a_step: step, k, ldc, alpha, update, portions, next_c, lines }
    }

    /// The rows and columns of panels from here on.
    #[inline(always)]
    fn place(&self, column: usize, columns: usize, row: usize, rows: usize, panels: usize) -> PanelOperands<T> {
        let (b, b_step, b_panel) = match self.b {
            Panels::InPlace(start, stride) => (start.wrapping_add(column), stride, columns),
            Panels::Packed(start) => (start.wrapping_add(column * self.k), columns, columns * self.k),
        };
        let a = self.a.start.wrapping_add(row * self.a.strip);
        PanelOperands { a, b, b_step, b_panel, c: self.c.wrapping_add(row * self.ldc + column), rows, panels }
    }
}

/// Blocks of `k` steps from the one that asks for lines of C to the one that uses them.
fn blocks_ahead(k: usize) -> usize {
    STEPS_TO_MEMORY.div_ceil(k.max(8))
}
