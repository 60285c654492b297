//! Products of tiles: the matrix unit of x86-64 (AMX).
#![allow(unsafe_code)]

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::LazyLock;

use super::{BF16_ONES, F16_ONES, INT8_ONES, Products, ShortNumber, ShortPeak};

/// Tiles that sums are kept in: a product takes some 52 cycles, and one begins every 16.
const SUMS: usize = 4;
/// Bytes of a row of a tile, and rows of a tile.
const ROW_BYTES: usize = 64;
const ROWS: usize = 16;

/// The shapes of eight tiles, all of 16 rows of 64 bytes (Intel's manual of the instruction set, LDTILECFG).
#[repr(C, align(64))]
struct TileConfig([u8; 64]);

impl TileConfig {
    const fn full() -> Self {
        let mut bytes = [0; 64];
        bytes[0] = 1;
        let mut tile = 0;
        while tile < 8 {
            bytes[16 + 2 * tile] = ROW_BYTES as u8;
            bytes[48 + tile] = ROWS as u8;
            tile += 1;
        }
        Self(bytes)
    }
}

static CONFIG: TileConfig = TileConfig::full();

/// A tile in memory.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Tile([u32; ROWS * ROW_BYTES / 4]);

impl Tile {
    const fn of(lane: u32) -> Self {
        Self([lane; ROWS * ROW_BYTES / 4])
    }
}

/// Whether Linux lets this process use tiles: it asks once (`arch_prctl`, ARCH_REQ_XCOMP_PERM of XTILEDATA).
pub fn may_use_tiles() -> bool {
    const REQUEST: libc::c_long = 0x1023;
    const TILE_DATA: libc::c_long = 18;
    // SAFETY: the call reads its numbers, and allows this process a larger save area.
    static ALLOWED: LazyLock<bool> =
        LazyLock::new(|| unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST, TILE_DATA) == 0 });
    const AMX_TILE: u32 = 1 << 24;
    leaf_7(0).3 & AMX_TILE != 0 && *ALLOWED
}

/// EAX, EBX, ECX and EDX of CPUID 7, where the processor has that leaf.
fn leaf_7(sub: u32) -> (u32, u32, u32, u32) {
    if __cpuid_count(0, 0).eax < 7 || sub > __cpuid_count(7, 0).eax {
        return (0, 0, 0, 0);
    }
    let found = __cpuid_count(7, sub);
    (found.eax, found.ebx, found.ecx, found.edx)
}

/// Whether products of bfloat16 numbers on tiles can run here.
pub(crate) fn has_bf16() -> bool {
    leaf_7(0).3 & (1 << 22) != 0 && may_use_tiles()
}

/// Whether products of bytes on tiles can run here.
pub(crate) fn has_int8() -> bool {
    leaf_7(0).3 & (1 << 25) != 0 && may_use_tiles()
}

/// Gives the calling thread eight tiles of 16 rows of 64 bytes, until it releases them.
///
/// # Safety
/// Tiles must be usable here, as [`may_use_tiles`] says.
pub(crate) unsafe fn configure() {
    // SAFETY: the instruction reads the 64 bytes of the shapes, and changes the tiles alone, which no compiled code uses.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const CONFIG, options(nostack, readonly, preserves_flags)) };
}

/// Gives the tiles of the calling thread back.
///
/// # Safety
/// As for [`configure`].
pub(crate) unsafe fn release() {
    // SAFETY: the instruction clears the tiles, which no compiled code uses.
    unsafe { asm!("tilerelease", options(nomem, nostack, preserves_flags)) };
}

/// A loop over four tiles of sums: a first round with one factor, and a second one with its negative.
macro_rules! products {
    ($name:ident, $op:literal, $ones:expr, $start:expr, $first:expr) => {
        fn $name(turns: u64) -> f64 {
            let mut sums: [Tile; SUMS] = std::array::from_fn(|index| Tile::of($start(index)));
            let [plus, minus] = $ones.map(Tile::of);
            // SAFETY: `ShortPeak::all_here` returns only loops whose instructions this processor has, and whose registers the system
            // saves; the loads and stores are of whole tiles, 16 rows of 64 bytes that follow each other.
            unsafe {
                asm!(
                    "ldtilecfg [{config}]",
                    "tileloadd tmm0, [{sums} + {row}*1]", "tileloadd tmm1, [{sums} + {row}*1 + 1024]",
                    "tileloadd tmm2, [{sums} + {row}*1 + 2048]", "tileloadd tmm3, [{sums} + {row}*1 + 3072]",
                    "tileloadd tmm4, [{x} + {row}*1]", "tileloadd tmm5, [{plus} + {row}*1]", "tileloadd tmm6, [{minus} + {row}*1]",
                    "2:",
                    concat!($op, " tmm0, tmm4, tmm5"), concat!($op, " tmm1, tmm4, tmm5"),
                    concat!($op, " tmm2, tmm4, tmm5"), concat!($op, " tmm3, tmm4, tmm5"),
                    concat!($op, " tmm0, tmm4, tmm6"), concat!($op, " tmm1, tmm4, tmm6"),
                    concat!($op, " tmm2, tmm4, tmm6"), concat!($op, " tmm3, tmm4, tmm6"),
                    "dec {turns}", "jnz 2b",
                    "tilestored [{sums} + {row}*1], tmm0", "tilestored [{sums} + {row}*1 + 1024], tmm1",
                    "tilestored [{sums} + {row}*1 + 2048], tmm2", "tilestored [{sums} + {row}*1 + 3072], tmm3",
                    "tilerelease",
                    config = in(reg) &raw const CONFIG, sums = in(reg) &raw mut sums, row = in(reg) ROW_BYTES,
                    x = in(reg) &raw const plus, plus = in(reg) &raw const plus, minus = in(reg) &raw const minus,
                    turns = inout(reg) turns => _,
                    out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _, out("tmm4") _, out("tmm5") _, out("tmm6") _,
                    options(nostack)
                )
            };
            sums.iter().map(|sum| $first(sum.0[0])).sum()
        }
    };
}

fn float_start(index: usize) -> u32 {
    (1.0 + index as f32).to_bits()
}

fn float(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

products!(bf16, "tdpbf16ps", BF16_ONES, float_start, float);
products!(f16, "tdpfp16ps", F16_ONES, float_start, float);
products!(int8, "tdpbssd", INT8_ONES, |index| 1 + index as u32, f64::from);

/// A table row.
const fn row(
    number: ShortNumber,
    isa: &'static str,
    depth: u64,
    is_here: fn() -> bool,
    turns: fn(u64) -> f64,
) -> ShortPeak {
    let products = Products::Each((ROWS * ROWS) as u64 * depth);
    ShortPeak { number, isa, instructions: 2 * SUMS as u64, products, is_here, turns, expected: 10.0 }
}

/// The loops, with the products that each sum takes up in an instruction.
pub(super) const LOOPS: &[ShortPeak] = &[
    row(ShortNumber::F16, "amx_fp16", 32, || leaf_7(1).0 & (1 << 21) != 0 && may_use_tiles(), f16),
    row(ShortNumber::Bf16, "amx_bf16", 32, has_bf16, bf16),
    row(ShortNumber::Int8, "amx_int8", 64, has_int8, int8),
];
