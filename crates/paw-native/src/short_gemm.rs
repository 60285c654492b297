//! Matrix products of short numbers: C = A B of bfloat16 numbers summed in binary32, and of bytes summed in 32 bits, row-major.
//!
//! The instructions for them (VDPBF16PS, VPDPBUSD, tiles) add up neighbours along k, which row-major B has in different rows: all
//! threads together first pack A and B into words of neighbours (`pack`), and then each computes its part of C, block by block
//! (`kernel`). Both are part of the product.
#![allow(unsafe_code)]

mod bfloat16;
mod format;
mod kernel;
mod pack;
mod parts;
mod plain;
mod product;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod tiles;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod vectors;

pub use bfloat16::Bf16;
pub use product::{Bf16Product, Int8Product, ShortProduct};

use crate::buffer::{Aligned, OutOfMemory, Pages};
use crate::disjoint_ptr::DisjointPtr;
use crate::pool::ThreadPool;
use kernel::{Block, Kernel, Update};
use pack::CHUNK;
use parts::Parts;

/// Multiply-adds below which one thread is faster than two runs of the pool: some ten microseconds of work.
const WORK_FOR_THREADS: usize = 128 * 128 * 128;

/// Words along k that are summed at a time: a panel of B (96 KiB with AVX-512) leaves room in a second-level cache of 1 MiB.
const WORDS: usize = 32 * CHUNK;

/// A product of one size, with the room for its packed operands.
pub struct ShortGemm<P: ShortProduct> {
    kernel: &'static Kernel<P::A, P::B, P::Sum>,
    m: usize,
    n: usize,
    k: usize,
    a: Aligned<u32>,
    b: Aligned<u32>,
}

impl<P: ShortProduct> ShortGemm<P> {
    /// A product of m × k and k × n numbers by the fastest instructions of this processor; each thread of `pool` touches the room first
    /// that it will pack.
    ///
    /// # Errors
    /// Where the system refuses the memory.
    pub fn new([m, n, k]: [usize; 3], pool: &ThreadPool) -> Result<Self, OutOfMemory> {
        let fastest = P::kernels().find(|kernel| (kernel.is_here)());
        Self::by(fastest.expect("plain code runs everywhere"), [m, n, k], pool)
    }

    /// The same by the instructions of this name, where this processor has them.
    ///
    /// # Errors
    /// Where the system refuses the memory.
    pub fn with_isa(isa: &str, sizes: [usize; 3], pool: &ThreadPool) -> Option<Result<Self, OutOfMemory>> {
        let named = P::kernels().find(|kernel| kernel.isa == isa && (kernel.is_here)())?;
        Some(Self::by(named, sizes, pool))
    }

    /// The instructions that this processor can compute such products by, the fastest first.
    pub fn isas() -> Vec<&'static str> {
        P::kernels().filter(|kernel| (kernel.is_here)()).map(|kernel| kernel.isa).collect()
    }

    /// Bytes of the room for packed operands, by the fastest instructions of this processor.
    pub fn room_bytes(sizes: [usize; 3]) -> f64 {
        let Some(kernel) = P::kernels().find(|kernel| (kernel.is_here)()) else { return 0.0 };
        kernel.room(sizes).iter().map(|words| *words as f64 * size_of::<u32>() as f64).sum()
    }

    fn by(
        kernel: &'static Kernel<P::A, P::B, P::Sum>,
        [m, n, k]: [usize; 3],
        pool: &ThreadPool,
    ) -> Result<Self, OutOfMemory> {
        let [a, b] = kernel.room([m, n, k]);
        let room = |words| Aligned::try_filled(words, Pages::Huge, pool, |_| 0);
        Ok(Self { kernel, m, n, k, a: room(a)?, b: room(b)? })
    }

    /// The instructions it computes by.
    pub fn isa(&self) -> &'static str {
        self.kernel.isa
    }

    /// C = A B. The old C is not read.
    ///
    /// # Panics
    /// Where an operand has not as many elements as its matrix.
    pub fn run(&mut self, pool: &ThreadPool, a: &[P::A], b: &[P::B], c: &mut [P::Sum]) {
        let Self { kernel, m, n, k, .. } = *self;
        assert!(
            (a.len(), b.len(), c.len()) == (m * k, k * n, m * n),
            "A, B and C have {}, {} and {} elements, which are not {m} x {k}, {k} x {n} and {m} x {n}",
            a.len(),
            b.len(),
            c.len()
        );
        if m == 0 || n == 0 {
            return;
        }
        let (packed_a, packed_b) = (DisjointPtr::new(&mut self.a), DisjointPtr::new(&mut self.b));
        let workers = if m * n * k < WORK_FOR_THREADS { 1 } else { pool.threads() };
        let pass = Pass::<P> { kernel, m, n, k, a: packed_a, b: packed_b, c: DisjointPtr::new(c) };
        let parts = Parts::choose([m.div_ceil(kernel.rows), n.div_ceil(kernel.columns)], workers);
        let pack = |worker| {
            let (strips, panels) = parts.shares(worker);
            for strip in strips {
                let at = strip * kernel.strip_words(k);
                // SAFETY: the room has `strip_words` for each strip, and each strip belongs to one worker.
                let to = unsafe { std::slice::from_raw_parts_mut(packed_a.at(at), kernel.strip_words(k)) };
                // SAFETY: a product is made only with a kernel whose instruction set this processor has.
                unsafe { (kernel.pack_a)(a, k, strip * kernel.rows, kernel.rows, to) };
            }
            for panel in panels {
                let at = panel * kernel.panel_words(k);
                // SAFETY: the room has `panel_words` for each panel, and each panel belongs to one worker.
                let to = unsafe { std::slice::from_raw_parts_mut(packed_b.at(at), kernel.panel_words(k)) };
                // SAFETY: as above.
                unsafe { (kernel.pack_b)(b, n, panel * kernel.columns, kernel.columns, to) };
            }
        };
        // SAFETY: packing has ended before the pass begins, and no two workers have a common part of C.
        let compute = |worker| unsafe { pass.part(&parts, worker) };
        if workers == 1 {
            return pool.run_on_caller(|| {
                pack(0);
                compute(0);
            });
        }
        pool.run(pack);
        pool.run(compute);
    }
}

/// The packed operands and the result.
struct Pass<P: ShortProduct> {
    kernel: &'static Kernel<P::A, P::B, P::Sum>,
    m: usize,
    n: usize,
    k: usize,
    a: DisjointPtr<u32>,
    b: DisjointPtr<u32>,
    c: DisjointPtr<P::Sum>,
}

impl<P: ShortProduct> Pass<P> {
    /// Computes the part of C that belongs to `worker`.
    ///
    /// # Safety
    /// The operands must be packed, and nobody else may access that part of C.
    unsafe fn part(&self, parts: &Parts, worker: usize) {
        let &Self { kernel, k, .. } = self;
        let (strips, panels) = parts.part(worker);
        let words = k.div_ceil(kernel.depth);
        let high = (kernel.a_bytes / (size_of::<u32>() * kernel.rows * WORDS)).max(1);
        // SAFETY: a product is made only with a kernel whose instruction set this processor has.
        unsafe { (kernel.begin)() };
        // The rows of C that a group of strips computes are passed over once for each depth, before the next group's.
        for strip in strips.clone().step_by(high) {
            for first in (0..words.max(1)).step_by(WORDS) {
                let count = WORDS.min(words - first.min(words));
                for panel in panels.clone() {
                    for strip in strip..(strip + high).min(strips.end) {
                        // SAFETY: strip and panel are packed, and their block of C is this worker's.
                        unsafe { (kernel.block)(&self.block(strip, panel, first, count)) };
                    }
                }
            }
        }
        // SAFETY: as above.
        unsafe { (kernel.end)() };
    }

    fn block(&self, strip: usize, panel: usize, first: usize, words: usize) -> Block<P::Sum> {
        let &Self { kernel, m, n, k, .. } = self;
        let (row, column) = (strip * kernel.rows, panel * kernel.columns);
        Block {
            a: self.a.at(strip * kernel.strip_words(k) + first * kernel.rows).cast_const(),
            b: self.b.at(panel * kernel.panel_words(k) + first * kernel.columns).cast_const(),
            words,
            c: self.c.at(row * n + column),
            ldc: n,
            rows: kernel.rows.min(m - row),
            columns: kernel.columns.min(n - column),
            update: if first == 0 { Update::Replace } else { Update::Add },
        }
    }
}
