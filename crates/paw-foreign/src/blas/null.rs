//! A BLAS whose functions return at once, to learn what paw adds to a call.
#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::path::PathBuf;

use super::call::{Calls, Gemm, Gemv, Real};
use super::convention::{Convention, Language};
use super::library::{Blas, Integers, ProcessSnapshot};
use super::short::{Bf16Gemm, Int8Gemm, ShortCalls};
use crate::object::SharedObject;

impl Blas {
    /// A BLAS of this interface whose functions return at once.
    pub fn null(language: Language) -> Blas {
        Blas {
            object: SharedObject::program(),
            path: PathBuf::from("null"),
            convention: Convention { language, prefix: "", suffix: "" },
            integers: Integers::Bits64,
            double: black_box(calls(language)),
            single: black_box(calls(language)),
            short: black_box(ShortCalls {
                bf16: Some(Bf16Gemm::Cblas(bf16_gemm)),
                int8: Some(Int8Gemm::Cblas(int8_gemm)),
            }),
            before: ProcessSnapshot { mapped: BTreeSet::new(), tasks: 0 },
        }
    }
}

fn calls<T: Real>(language: Language) -> Calls<T> {
    match language {
        Language::C => Calls { gemm: Some(Gemm::C(c_gemm)), gemv: Some(Gemv::C(c_gemv)) },
        Language::Fortran => Calls { gemm: Some(Gemm::Fortran(fortran_gemm)), gemv: Some(Gemv::Fortran(fortran_gemv)) },
    }
}

#[rustfmt::skip]
pub(crate) unsafe extern "C" fn c_gemm<T>(
    _: i32, _: i32, _: i32, _: i64, _: i64, _: i64, _: T, _: *const T, _: i64, _: *const T, _: i64, _: T, _: *mut T, _: i64,
) {}

#[rustfmt::skip]
pub(crate) unsafe extern "C" fn c_gemv<T>(
    _: i32, _: i32, _: i64, _: i64, _: T, _: *const T, _: i64, _: *const T, _: i64, _: T, _: *mut T, _: i64,
) {}

#[rustfmt::skip]
pub(crate) unsafe extern "C" fn fortran_gemm<T>(
    _: *const u8, _: *const u8, _: *const i64, _: *const i64, _: *const i64, _: *const T, _: *const T, _: *const i64,
    _: *const T, _: *const i64, _: *const T, _: *mut T, _: *const i64, _: usize, _: usize,
) {}

#[rustfmt::skip]
pub(crate) unsafe extern "C" fn fortran_gemv<T>(
    _: *const u8, _: *const i64, _: *const i64, _: *const T, _: *const T, _: *const i64, _: *const T, _: *const i64,
    _: *const T, _: *mut T, _: *const i64, _: usize,
) {}

#[rustfmt::skip]
pub(crate) unsafe extern "C" fn bf16_gemm(
    _: i32, _: i32, _: i32, _: i64, _: i64, _: i64, _: f32, _: *const u16, _: i64, _: *const u16, _: i64, _: f32, _: *mut f32,
    _: i64,
) {}

#[rustfmt::skip]
pub(crate) unsafe extern "C" fn int8_gemm(
    _: i32, _: i32, _: i32, _: i32, _: i64, _: i64, _: i64, _: f32, _: *const u8, _: i64, _: i8, _: *const i8, _: i64, _: i8,
    _: f32, _: *mut i32, _: i64, _: *const i32,
) {}
