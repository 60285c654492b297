//! Programs that run on a device.

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
/// ([`Builtin::element_bytes`]); `n` counts elements and travels as [`Argument::I64`].
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
}

impl Builtin {
    /// Every embedded kernel.
    pub const ALL: [Builtin; 5] = [Builtin::Empty, Builtin::Copy, Builtin::Scale, Builtin::Add, Builtin::Triad];

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
