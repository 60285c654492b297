//! Instruction sets: those that kernels are written in, and those that this processor has.

/// An instruction set that kernels are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// One number at a time, without fused multiply-add: every processor has it.
    Scalar,
    /// 128-bit vectors of x86-64, without fused multiply-add.
    Sse2,
    /// 256-bit vectors of x86-64 with fused multiply-add.
    Avx2,
    /// 512-bit vectors of x86-64 (AVX-512 F, DQ, BW and VL).
    Avx512,
    /// 128-bit vectors of AArch64 with fused multiply-add.
    Neon,
}

/// Every instruction set that kernels are written in, narrowest first.
const ALL: [Isa; 5] = [Isa::Scalar, Isa::Sse2, Isa::Avx2, Isa::Avx512, Isa::Neon];

impl Isa {
    /// The instruction sets this processor and its operating system support, narrowest first.
    pub fn all_here() -> Vec<Isa> {
        ALL.into_iter().filter(|isa| isa.is_here()).collect()
    }

    /// The widest instruction set of this processor.
    pub fn best() -> Isa {
        ALL.into_iter().rfind(|isa| isa.is_here()).unwrap_or(Isa::Scalar)
    }

    /// Whether this processor and its operating system support it.
    pub fn is_here(self) -> bool {
        match self {
            Isa::Scalar => true,
            Isa::Sse2 => cfg!(target_arch = "x86_64"),
            Isa::Neon => cfg!(target_arch = "aarch64"),
            Isa::Avx2 => has_avx2(),
            Isa::Avx512 => has_avx512(),
        }
    }

    /// The name as it appears in results: `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Sse2 => "sse2",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Neon => "neon",
        }
    }

    /// The instruction set of that name.
    pub fn named(name: &str) -> Option<Isa> {
        ALL.into_iter().find(|isa| isa.name() == name)
    }

    /// Whether it multiplies and adds with one rounding.
    pub const fn fuses(self) -> bool {
        matches!(self, Isa::Avx2 | Isa::Avx512 | Isa::Neon)
    }

    /// Vector registers a kernel may use.
    pub(crate) const fn registers(self) -> usize {
        match self {
            Isa::Scalar | Isa::Sse2 | Isa::Avx2 => 16,
            Isa::Avx512 | Isa::Neon => 32,
        }
    }

    /// Bytes of one vector register; zero where numbers are worked on one at a time.
    pub fn vector_bytes(self) -> usize {
        match self {
            Isa::Scalar => 0,
            Isa::Sse2 | Isa::Neon => 16,
            Isa::Avx2 => 32,
            Isa::Avx512 => 64,
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

/// An instruction set that this processor has: proof that its instructions may run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DetectedIsa(Isa);

impl DetectedIsa {
    /// The proof, if this processor has `isa`.
    pub(crate) fn of(isa: Isa) -> Option<DetectedIsa> {
        isa.is_here().then_some(DetectedIsa(isa))
    }

    /// The proof for the widest instruction set of this processor.
    pub(crate) fn best() -> DetectedIsa {
        DetectedIsa(Isa::best())
    }

    /// The instruction set that was found.
    #[inline(always)]
    pub(crate) fn isa(self) -> Isa {
        self.0
    }
}
