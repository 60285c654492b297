//! Blocks in the vector registers of x86-64.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::mem::transmute;

use super::bfloat16::Bf16;
use super::format::{Pairs, Quads, WideBytes, WideFloat};
use super::kernel::{Block, Kernel, Update};
use super::pack::{CHUNK, Format, pack_a, pack_b};

/// Rows and vectors of a block: 24 sums leave eight of AVX-512's registers, 12 leave four of AVX2's; both hide the latency of units of
/// which there are two.
const ROWS_512: usize = 8;
const ROWS_256: usize = 4;
const WIDE: usize = 3;

/// Vectors of one length: words in integer registers, and sums of either kind.
macro_rules! block {
    ($name:ident, $features:literal, $rows:ident, words $words:ty [$splat:ident, $load:ident],
     sums $sums:ty [$zero:ident, $read:ident, $write:ident, $plus:ident] of $sum:ty [$add:expr],
     |$s:ident, $a:ident, $b:ident| $fuse:expr) => {
        /// # Safety
        /// The processor must have the features, and the block be as [`Block`] says.
        #[target_feature(enable = $features)]
        unsafe fn $name(block: &Block<$sum>) {
            const LANES: usize = size_of::<$words>() / size_of::<u32>();
            for row in 0..block.rows {
                let line = block.c.wrapping_add(row * block.ldc);
                _mm_prefetch::<_MM_HINT_T0>(line.cast());
                _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(LANES).cast());
                _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(2 * LANES).cast());
            }
            let mut sums: [[$sums; WIDE]; $rows] = [[$zero(); WIDE]; $rows];
            let (mut chunk, mut panel) = (block.a, block.b);
            let mut left = block.words;
            while left > 0 {
                for word in 0..left.min(CHUNK) {
                    // SAFETY: a panel holds three vectors for each word.
                    let beside: [$words; WIDE] = unsafe {
                        [$load(panel.cast()), $load(panel.add(LANES).cast()), $load(panel.add(2 * LANES).cast())]
                    };
                    for row in 0..$rows {
                        // SAFETY: a chunk of a strip holds that many words for each row.
                        let $a: $words = $splat(unsafe { *chunk.add(row * CHUNK + word) }.cast_signed());
                        for vector in 0..WIDE {
                            let ($s, $b) = (sums[row][vector], beside[vector]);
                            sums[row][vector] = $fuse;
                        }
                    }
                    panel = panel.wrapping_add(WIDE * LANES);
                }
                left = left.saturating_sub(CHUNK);
                chunk = chunk.wrapping_add($rows * CHUNK);
            }
            if block.rows < $rows || block.columns < WIDE * LANES {
                // SAFETY: vectors of sums are sums one after the other.
                let sums: [$sum; $rows * WIDE * LANES] = unsafe { transmute(sums) };
                // SAFETY: the caller guarantees C.
                return unsafe { block.store(&sums, WIDE * LANES, $add) };
            }
            for row in 0..$rows {
                for vector in 0..WIDE {
                    let c = block.c.wrapping_add(row * block.ldc + vector * LANES);
                    let sum = match block.update {
                        Update::Replace => sums[row][vector],
                        // SAFETY: the block is whole, and the caller guarantees C.
                        Update::Add => $plus(unsafe { $read(c.cast()) }, sums[row][vector]),
                    };
                    // SAFETY: as above.
                    unsafe { $write(c.cast(), sum) };
                }
            }
        }
    };
}

block!(
    bf16_512, "avx512f,avx512bf16", ROWS_512, words __m512i [_mm512_set1_epi32, _mm512_loadu_si512],
    sums __m512 [_mm512_setzero_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps] of f32 [|c, sum| c + sum],
    // SAFETY: both types are 512 bits of any content.
    |s, a, b| _mm512_dpbf16_ps(s, unsafe { transmute::<__m512i, __m512bh>(a) }, unsafe { transmute::<__m512i, __m512bh>(b) })
);
block!(
    float_512, "avx512f", ROWS_512, words __m512i [_mm512_set1_epi32, _mm512_loadu_si512],
    sums __m512 [_mm512_setzero_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps] of f32 [|c, sum| c + sum],
    |s, a, b| _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), s)
);
block!(
    float_256, "avx2,fma", ROWS_256, words __m256i [_mm256_set1_epi32, _mm256_loadu_si256],
    sums __m256 [_mm256_setzero_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps] of f32 [|c, sum| c + sum],
    |s, a, b| _mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), s)
);
block!(
    vnni_512, "avx512f,avx512vnni", ROWS_512, words __m512i [_mm512_set1_epi32, _mm512_loadu_si512],
    sums __m512i [_mm512_setzero_si512, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_add_epi32] of i32 [i32::wrapping_add],
    |s, a, b| _mm512_dpbusd_epi32(s, a, b)
);
block!(
    vnni_256, "avx2,avxvnni", ROWS_256, words __m256i [_mm256_set1_epi32, _mm256_loadu_si256],
    sums __m256i [_mm256_setzero_si256, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi32] of i32 [i32::wrapping_add],
    |s, a, b| _mm256_dpbusd_avx_epi32(s, a, b)
);
block!(
    bytes_512, "avx512f,avx512bw", ROWS_512, words __m512i [_mm512_set1_epi32, _mm512_loadu_si512],
    sums __m512i [_mm512_setzero_si512, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_add_epi32] of i32 [i32::wrapping_add],
    |s, a, b| _mm512_add_epi32(s, _mm512_madd_epi16(a, b))
);
block!(
    bytes_256, "avx2", ROWS_256, words __m256i [_mm256_set1_epi32, _mm256_loadu_si256],
    sums __m256i [_mm256_setzero_si256, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi32] of i32 [i32::wrapping_add],
    |s, a, b| _mm256_add_epi32(s, _mm256_madd_epi16(a, b))
);

/// Packing in vectors of one length.
macro_rules! packing {
    ($a:ident, $b:ident, $features:literal) => {
        #[target_feature(enable = $features)]
        pub(super) fn $a<F: Format>(a: &[F::A], k: usize, first: usize, rows: usize, to: &mut [u32]) {
            pack_a::<F>(a, k, first, rows, to);
        }

        #[target_feature(enable = $features)]
        pub(super) fn $b<F: Format>(b: &[F::B], n: usize, first: usize, columns: usize, to: &mut [u32]) {
            pack_b::<F>(b, n, first, columns, to);
        }
    };
}

packing!(a_512, b_512, "avx512f,avx512bw");
packing!(a_256, b_256, "avx2");

/// Whether words can be packed and counted in 512 bits.
pub(super) fn has_512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")
}

/// A table row.
macro_rules! row {
    ($format:ident, $isa:literal, 512, $is_here:expr, $block:ident) => {
        Kernel::of::<$format>($isa, BLOCK_512, || has_512() && $is_here, (a_512::<$format>, b_512::<$format>), $block)
    };
    ($format:ident, $isa:literal, 256, $is_here:expr, $block:ident) => {
        Kernel::of::<$format>(
            $isa,
            BLOCK_256,
            || is_x86_feature_detected!("avx2") && $is_here,
            (a_256::<$format>, b_256::<$format>),
            $block,
        )
    };
}

/// Rows and columns of blocks of 512 and of 256 bits.
const BLOCK_512: [usize; 2] = [ROWS_512, WIDE * 16];
const BLOCK_256: [usize; 2] = [ROWS_256, WIDE * 8];

/// The kernels of products of bfloat16 numbers, the fastest first.
pub(super) const BF16: &[Kernel<Bf16, Bf16, f32>] = &[
    row!(Pairs, "avx512_bf16", 512, is_x86_feature_detected!("avx512bf16"), bf16_512),
    row!(WideFloat, "avx512", 512, true, float_512),
    row!(WideFloat, "avx2", 256, is_x86_feature_detected!("fma"), float_256),
];

/// The kernels of products of bytes, the fastest first. Without VNNI bytes are widened to 16 bits: the instructions for bytes that AVX2
/// has (VPMADDUBSW) saturate.
pub(super) const INT8: &[Kernel<u8, i8, i32>] = &[
    row!(Quads, "avx512_vnni", 512, is_x86_feature_detected!("avx512vnni"), vnni_512),
    row!(Quads, "avx_vnni", 256, is_x86_feature_detected!("avxvnni"), vnni_256),
    row!(WideBytes, "avx512", 512, true, bytes_512),
    row!(WideBytes, "avx2", 256, true, bytes_256),
];
