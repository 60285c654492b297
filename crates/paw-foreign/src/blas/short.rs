//! Products of short numbers: C = A B of bfloat16 numbers, summed in f32, and of bytes, summed in 32 bits, row-major and dense.
//!
//! They are no part of BLAS; each make has calls of its own for them.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use crate::object::SharedObject;

use super::bound::{NO_TRANS, ROW_MAJOR};
use super::convention::Convention;
use super::dimensions::{GemmDimensions, Refused};

/// oneMKL's cblas_gemm_bf16bf16f32 and OpenBLAS's cblas_sbgemm.
#[rustfmt::skip]
pub(super) type Bf16Cblas = unsafe extern "C" fn(
    i32, i32, i32, i64, i64, i64, f32, *const u16, i64, *const u16, i64, f32, *mut f32, i64,
);
/// oneDNN's dnnl_gemm_bf16bf16f32, row-major; it returns a status.
#[rustfmt::skip]
type Bf16OneDnn = unsafe extern "C" fn(
    u8, u8, i64, i64, i64, f32, *const u16, i64, *const u16, i64, f32, *mut f32, i64,
) -> i32;
/// oneMKL's cblas_gemm_s8u8s32: named after column-major calls, it takes unsigned A and signed B in row-major ones. The offsets are added.
#[rustfmt::skip]
pub(super) type Int8Cblas = unsafe extern "C" fn(
    i32, i32, i32, i32, i64, i64, i64, f32, *const u8, i64, i8, *const i8, i64, i8, f32, *mut i32, i64, *const i32,
);
/// oneDNN's dnnl_gemm_u8s8s32, row-major; the offsets of A and B are subtracted, that of C added. It returns a status.
#[rustfmt::skip]
type Int8OneDnn = unsafe extern "C" fn(
    u8, u8, u8, i64, i64, i64, f32, *const u8, i64, u8, *const i8, i64, i8, f32, *mut i32, i64, *const i32,
) -> i32;

/// `CblasFixOffset` of oneMKL: one offset for all of C.
const FIX_OFFSET: i32 = 173;
/// The only offset of C.
const NO_OFFSET: i32 = 0;

/// The calls of a library; `None` where it lacks them.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShortCalls {
    pub(super) bf16: Option<Bf16Gemm>,
    pub(super) int8: Option<Int8Gemm>,
}

/// The call for bfloat16 numbers by either interface.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bf16Gemm {
    Cblas(Bf16Cblas),
    OneDnn(Bf16OneDnn),
}

/// The call for bytes by either interface.
#[derive(Debug, Clone, Copy)]
pub(super) enum Int8Gemm {
    Cblas(Int8Cblas),
    OneDnn(Int8OneDnn),
}

impl ShortCalls {
    /// The calls that `object` has, those of BLAS makes under `convention`.
    pub(super) fn find(object: &SharedObject, convention: &Convention) -> Self {
        let cblas = |name| {
            // SAFETY: oneMKL's reference and OpenBLAS's header give these names this signature.
            unsafe { object.function(&convention.symbol(name)) }.map(Bf16Gemm::Cblas)
        };
        // SAFETY: oneDNN's sources export the name with this signature.
        let onednn = || unsafe { object.function("dnnl_gemm_bf16bf16f32") }.map(Bf16Gemm::OneDnn);
        let bf16 = cblas("gemm_bf16bf16f32").or_else(|| cblas("sbgemm")).or_else(onednn);
        // SAFETY: oneMKL's reference gives the name this signature.
        let mkl = unsafe { object.function(&convention.symbol("gemm_s8u8s32")) }.map(Int8Gemm::Cblas);
        // SAFETY: oneDNN's reference gives the name this signature.
        let onednn = || unsafe { object.function("dnnl_gemm_u8s8s32") }.map(Int8Gemm::OneDnn);
        Self { bf16, int8: mkl.or_else(onednn) }
    }

    /// Whether the library has any of them.
    pub(super) fn is_any(&self) -> bool {
        self.bf16.is_some() || self.int8.is_some()
    }
}

/// A product of short numbers with operands that were checked against its dimensions.
#[derive(Debug)]
pub struct BoundShortGemm<'o> {
    call: Call,
    sizes: [i64; 3],
    operands: PhantomData<&'o mut ()>,
}

/// A function with its operands.
#[derive(Debug, Clone, Copy)]
enum Call {
    Bf16(Bf16Gemm, *const u16, *const u16, *mut f32),
    Int8(Int8Gemm, *const u8, *const i8, *mut i32),
}

impl<'o> BoundShortGemm<'o> {
    /// Checks the operands of a product of bfloat16 numbers and binds them.
    pub(super) fn bf16(
        function: Bf16Gemm,
        sizes: [usize; 3],
        (a, b, c): (&'o [u16], &'o [u16], &'o mut [f32]),
    ) -> Result<Self, Refused> {
        let sizes = checked(sizes, [a.len(), b.len(), c.len()])?;
        Ok(Self { call: Call::Bf16(function, a.as_ptr(), b.as_ptr(), c.as_mut_ptr()), sizes, operands: PhantomData })
    }

    /// Checks the operands of a product of bytes and binds them.
    pub(super) fn int8(
        function: Int8Gemm,
        sizes: [usize; 3],
        (a, b, c): (&'o [u8], &'o [i8], &'o mut [i32]),
    ) -> Result<Self, Refused> {
        let sizes = checked(sizes, [a.len(), b.len(), c.len()])?;
        Ok(Self { call: Call::Int8(function, a.as_ptr(), b.as_ptr(), c.as_mut_ptr()), sizes, operands: PhantomData })
    }

    /// C ← A B, by the library. What a status would say shows in the result.
    #[inline(always)]
    pub fn call(&mut self) {
        let [m, n, k] = self.sizes;
        let no = NO_TRANS;
        match self.call {
            Call::Bf16(Bf16Gemm::Cblas(gemm), a, b, c) => {
                // SAFETY: the operands were found large enough, and C, borrowed alone, overlaps neither A nor B.
                unsafe { gemm(ROW_MAJOR, no, no, m, n, k, 1.0, a, k, b, n, 0.0, c, n) }
            }
            Call::Bf16(Bf16Gemm::OneDnn(gemm), a, b, c) => {
                // SAFETY: as above.
                unsafe { gemm(b'N', b'N', m, n, k, 1.0, a, k, b, n, 0.0, c, n) };
            }
            Call::Int8(Int8Gemm::Cblas(gemm), a, b, c) => {
                // SAFETY: as above; one offset of C is read.
                unsafe { gemm(ROW_MAJOR, no, no, FIX_OFFSET, m, n, k, 1.0, a, k, 0, b, n, 0, 0.0, c, n, &NO_OFFSET) }
            }
            Call::Int8(Int8Gemm::OneDnn(gemm), a, b, c) => {
                // SAFETY: as above; `F` has one offset of C read.
                unsafe { gemm(b'N', b'N', b'F', m, n, k, 1.0, a, k, 0, b, n, 0, 0.0, c, n, &NO_OFFSET) };
            }
        }
    }
}

/// The sizes of a dense product, if the operands have them.
fn checked([m, n, k]: [usize; 3], [a, b, c]: [usize; 3]) -> Result<[i64; 3], Refused> {
    GemmDimensions::dense(m, n, k).check(a, b, c)?;
    Ok([m, n, k].map(|size| size as i64))
}
