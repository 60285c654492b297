//! Types of matrix products.

use super::span::Span;

/// Types of a matrix product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GemmKind {
    /// Double precision.
    Fp64,
    /// Single precision.
    Fp32,
    /// Single precision, factors rounded to 10 bits of mantissa.
    Tf32,
    /// bfloat16 in, bfloat16 out, summed in single precision.
    Bf16,
    /// Half precision in and out, summed in single precision.
    Fp16,
    /// Signed bytes in, 32-bit integers out: exact.
    Int8,
    /// 8-bit floats (e4m3) in, bfloat16 out.
    Fp8,
}

/// How freely a library may compute a product in double or single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GemmMath {
    /// As it does where nobody asks for anything, which applications do.
    #[default]
    Default,
    /// In the prescribed precision and by standard arithmetic in every step.
    Pedantic,
    /// By tensor cores, which round the factors.
    Tensor,
}

impl GemmMath {
    /// Names on the axis, the default first.
    pub const NAMES: &'static [&'static str] = &["default", "pedantic", "tensor"];

    /// Its name on the axis.
    pub const fn name(self) -> &'static str {
        match self {
            GemmMath::Default => "default",
            GemmMath::Pedantic => "pedantic",
            GemmMath::Tensor => "tensor",
        }
    }

    /// The one of that name; the default of any other.
    pub fn named(name: Option<&str>) -> Self {
        [GemmMath::Pedantic, GemmMath::Tensor].into_iter().find(|math| Some(math.name()) == name).unwrap_or_default()
    }
}

/// The number type of a matrix's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    /// IEEE double.
    F64,
    /// IEEE single.
    F32,
    /// bfloat16.
    Bf16,
    /// IEEE half.
    F16,
    /// Signed byte.
    I8,
    /// Signed 32-bit integer.
    I32,
    /// 8 bits: sign, 4 of exponent, 3 of mantissa, no infinity (OCP e4m3).
    F8E4m3,
}

impl Element {
    /// Bytes of an element.
    pub const fn bytes(self) -> usize {
        match self {
            Element::F64 => 8,
            Element::F32 | Element::I32 => 4,
            Element::Bf16 | Element::F16 => 2,
            Element::I8 | Element::F8E4m3 => 1,
        }
    }
}

impl GemmKind {
    /// Every kind.
    pub const ALL: [GemmKind; 7] =
        [GemmKind::Fp64, GemmKind::Fp32, GemmKind::Tf32, GemmKind::Bf16, GemmKind::Fp16, GemmKind::Int8, GemmKind::Fp8];

    /// The kind's name: `fp64`.
    pub const fn name(self) -> &'static str {
        match self {
            GemmKind::Fp64 => "fp64",
            GemmKind::Fp32 => "fp32",
            GemmKind::Tf32 => "tf32",
            GemmKind::Bf16 => "bf16",
            GemmKind::Fp16 => "fp16",
            GemmKind::Int8 => "int8",
            GemmKind::Fp8 => "fp8",
        }
    }

    /// The elements of A and B.
    pub const fn input(self) -> Element {
        match self {
            GemmKind::Fp64 => Element::F64,
            GemmKind::Fp32 | GemmKind::Tf32 => Element::F32,
            GemmKind::Bf16 => Element::Bf16,
            GemmKind::Fp16 => Element::F16,
            GemmKind::Int8 => Element::I8,
            GemmKind::Fp8 => Element::F8E4m3,
        }
    }

    /// The elements of C.
    pub const fn output(self) -> Element {
        match self {
            GemmKind::Int8 => Element::I32,
            GemmKind::Fp8 => Element::Bf16,
            other => other.input(),
        }
    }

    /// Whether A is stored transposed: all matrices are column-major, and tensor cores read rows of A.
    pub const fn is_a_transposed(self) -> bool {
        !matches!(self, GemmKind::Fp64 | GemmKind::Fp32)
    }
}

/// The operands of C = A·B, or of y = A·x, in device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmOperands {
    /// A.
    pub a: Span,
    /// B, or x.
    pub b: Span,
    /// C, or y.
    pub c: Span,
}
