//! Programs that run on a device.

use super::gemm::GemmKind;
use super::span::ObjectHandle;

/// The text of a program, and how it is compiled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// CUDA C++ or OpenCL C.
    pub text: String,
    /// SPIR-V in place of a text: Level Zero takes it as it is. Empty else.
    pub words: Vec<u8>,
    /// Its name in the compiler's messages: `kinfit.cu`.
    pub name: String,
    /// Options of the compiler, one a word.
    pub options: Vec<String>,
    /// Names of kernels that are asked for later and are not `extern "C"`: `kinfit<float>`.
    pub names: Vec<String>,
}

/// A kernel that every back-end embeds. Arrays are of doubles where the device has them, else of floats
/// ([`Builtin::element_bytes`]), unless the kernel has a type of its own; `n` counts elements and travels as [`Argument::I64`].
///
/// A back-end looks a kernel up by its [name](Builtin::name) and answers `Unsupported` where it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// Does nothing: `()`.
    Empty,
    /// `c[i] = a[i]`: `(c, a, n)`.
    Copy,
    /// `b[i] = s·c[i]`: `(b, c, s, n)`.
    Scale,
    /// `c[i] = a[i] + b[i]`: `(c, a, b, n)`.
    Add,
    /// `a[i] = b[i] + s·c[i]`: `(a, b, c, s, n)`.
    Triad,
    /// Chains of `x = x·a + b` in registers: `(out, a, b)`. Chain `c` of [`FmaKind::CHAINS`] begins at `c` and has
    /// [`FmaKind::STEPS`] steps; each thread writes the sum of its chains into its place of `out`.
    Fma(FmaKind),
    /// Chains of products of small matrices on matrix cores: `(out)`. All factors are ones, and each thread writes the sum of its elements,
    /// which counts its multiplications: [`Builtin::matrix_multiplications`], whatever shape the device's instruction has. Sums are
    /// doubles, integers, or floats.
    Matrix(GemmKind),
    /// `k` steps of `x = x·a + b` from each element: `out[i]` from `in[i]`, as `(out, in, a, b, k, n)`, `k` being [`Argument::I32`].
    /// There is one of doubles and one of floats.
    Intensity(FmaKind),
    /// `p = chain[p]` as often as `hops` says, by one thread; p begins at `state[0]` and is left there: `(state, chain, hops)`, all of
    /// 64-bit integers.
    Chase,
    /// For each unit `u` below `n` on which one of its blocks runs, `out[2u]` = cycles that the unit has counted and `out[2u + 1]` = the
    /// device's timer in nanoseconds: `(out, n)`, of 64-bit integers.
    Cycles,
    /// `table[z >> shift] ^= z`, at once for other threads, for the first `n` numbers z of the SplitMix64 stream of `seed`:
    /// `(table, shift, seed, n)`, all of 64-bit integers.
    Update,
}

/// The number type of a kernel of multiplications and additions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FmaKind {
    /// IEEE double.
    F64,
    /// IEEE single.
    F32,
    /// IEEE half, two at a time; `a` and `b` hold each twice, as [`Argument::I32`], and sums are floats.
    F16,
    /// Signed 32-bit integer, without a care for overflow.
    I32,
}

impl FmaKind {
    /// Independent chains of a thread: their latency of a few cycles is hidden even where few threads share a unit.
    pub const CHAINS: u32 = 8;
    /// Steps of a chain: with whole numbers, few enough for the eleven digits of a half.
    pub const STEPS: u32 = 1024;

    /// Operations of a thread of [`Builtin::Fma`]: a multiplication and an addition a step, of two numbers where they are halves.
    pub const fn operations(self) -> u64 {
        let numbers = if matches!(self, FmaKind::F16) { 2 } else { 1 };
        2 * numbers * (Self::CHAINS * Self::STEPS) as u64
    }

    /// Bytes of an element of an array, and of a thread's sum.
    pub const fn bytes(self) -> usize {
        if matches!(self, FmaKind::F64) { 8 } else { 4 }
    }
}

impl Builtin {
    /// The kernel's name in programs.
    pub const fn name(self) -> &'static str {
        match self {
            Builtin::Empty => "paw_empty",
            Builtin::Copy => "paw_copy",
            Builtin::Scale => "paw_scale",
            Builtin::Add => "paw_add",
            Builtin::Triad => "paw_triad",
            Builtin::Chase => "paw_chase",
            Builtin::Update => "paw_update",
            Builtin::Cycles => "paw_cycles",
            Builtin::Fma(FmaKind::F64) => "paw_fma_f64",
            Builtin::Fma(FmaKind::F32) => "paw_fma_f32",
            Builtin::Fma(FmaKind::F16) => "paw_fma_f16",
            Builtin::Fma(FmaKind::I32) => "paw_fma_i32",
            Builtin::Matrix(GemmKind::Fp64) => "paw_matrix_fp64",
            Builtin::Matrix(GemmKind::Fp32) => "paw_matrix_fp32",
            Builtin::Matrix(GemmKind::Tf32) => "paw_matrix_tf32",
            Builtin::Matrix(GemmKind::Bf16) => "paw_matrix_bf16",
            Builtin::Matrix(GemmKind::Fp16) => "paw_matrix_fp16",
            Builtin::Matrix(GemmKind::Int8) => "paw_matrix_int8",
            Builtin::Matrix(GemmKind::Fp8) => "paw_matrix_fp8",
            Builtin::Intensity(FmaKind::F64) => "paw_intensity_f64",
            Builtin::Intensity(FmaKind::F32) => "paw_intensity_f32",
            Builtin::Intensity(FmaKind::F16) => "paw_intensity_f16",
            Builtin::Intensity(FmaKind::I32) => "paw_intensity_i32",
        }
    }

    /// Multiplications of a thread of [`Builtin::Matrix`], with as many additions: a float counts them exactly, and one wave of threads
    /// after the other takes tens of microseconds.
    pub const fn matrix_multiplications(kind: GemmKind) -> u32 {
        if matches!(kind, GemmKind::Fp64) { 1 << 14 } else { 1 << 17 }
    }

    /// Bytes of an array's element, by whether the device has double precision; `s` is of the same type.
    pub const fn element_bytes(has_fp64: bool) -> usize {
        if has_fp64 { 8 } else { 4 }
    }
}

/// The threads of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Blocks, or work-groups.
    pub blocks: u64,
    /// Threads of a block, or work-items of a group.
    pub threads: u32,
    /// Bytes of shared memory a block gets beyond what the kernel declares.
    pub shared_bytes: u32,
}

/// One argument of a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Argument {
    /// A device memory, by handle.
    Memory(ObjectHandle),
    /// A 32-bit integer.
    I32(i32),
    /// A 64-bit integer.
    I64(i64),
    /// A float.
    F32(f32),
    /// A double.
    F64(f64),
}

/// Properties of a compiled kernel; `None` where unknown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KernelFacts {
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Bytes of shared memory a block has by declaration.
    pub shared_bytes: Option<u64>,
    /// Bytes of local memory of a thread: what registers could not hold.
    pub local_bytes: Option<u64>,
    /// The largest block it can be started with.
    pub block_max: Option<u32>,
    /// Threads that execute in lockstep.
    pub warp: Option<u32>,
    /// Share of the threads a unit can hold that this block size reaches, 0 to 1.
    pub occupancy: Option<f64>,
}
