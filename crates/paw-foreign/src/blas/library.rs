//! An open BLAS library.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::object::{Scope, SharedObject};
use crate::process;

use super::bound::{BoundGemm, BoundGemv};
use super::call::{Calls, Real, dot_of_ambiguous_length};
use super::convention::{Convention, Language};
use super::dimensions::{GemmDimensions, GemvDimensions, Refused};
use super::environment;
use super::short::{BoundShortGemm, ShortCalls};

/// A BLAS library, open until the process ends.
///
/// Open one per process: two OpenMP run-times in one process crash or deadlock, and idle threads that spin disturb the next
/// measurement.
#[derive(Debug)]
pub struct Blas {
    pub(super) object: SharedObject,
    pub(super) path: PathBuf,
    pub(super) convention: Convention,
    pub(super) integers: Integers,
    pub(super) double: Calls<f64>,
    pub(super) single: Calls<f32>,
    pub(super) short: ShortCalls,
    pub(super) before: ProcessSnapshot,
}

/// The process before the library was opened.
#[derive(Debug)]
pub(super) struct ProcessSnapshot {
    pub(super) mapped: BTreeSet<String>,
    pub(super) tasks: usize,
}

/// The width of a library's integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integers {
    /// 32 bits: LP64.
    Bits32,
    /// 64 bits: ILP64.
    Bits64,
}

/// Why a file cannot be used as a BLAS.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OpenError {
    /// There is no such file.
    #[error("{0}: there is no such file; `paw list --libraries` shows the libraries found here")]
    Missing(String),
    /// The loader refused the file; the message ends with the loader's own.
    #[error("{path}: cannot be loaded: {chain}")]
    NotLoaded {
        /// The path asked for.
        path: String,
        /// Everything the loader said.
        chain: String,
    },
    /// The file was loaded and has none of the calls.
    #[error(
        "{path}: not a BLAS: it has neither cblas_dgemm nor dgemm_, with prefix scipy_ or without, with suffix 64_, _64, 64 or without, nor dnnl_gemm_u8s8s32"
    )]
    NotBlas {
        /// The path asked for.
        path: String,
    },
}

impl Blas {
    /// Opens the library at `path` (or of that file name, where the loader finds it) and determines how to call it.
    pub fn open(path: &Path) -> Result<Blas, OpenError> {
        Self::open_as(path, Convention::all())
    }

    /// Opens the library at `path` and takes the first of `conventions` that it follows.
    pub fn open_as(path: &Path, conventions: impl IntoIterator<Item = Convention>) -> Result<Blas, OpenError> {
        let shown = path.display().to_string();
        if shown.contains('/') && !path.exists() {
            return Err(OpenError::Missing(shown));
        }
        let before = ProcessSnapshot { mapped: process::mapped_objects(), tasks: process::tasks() };
        environment::preload_runtime(path);
        let object = SharedObject::open(path, Scope::Local)
            .map_err(|chain| OpenError::NotLoaded { path: shown.clone(), chain })?;
        let mut may_be_c = false;
        for convention in conventions {
            may_be_c |= convention.language == Language::C;
            let double: Calls<f64> = Calls::find(&object, &convention);
            let single: Calls<f32> = Calls::find(&object, &convention);
            if double.is_any() || single.is_any() {
                let integers = integers(&object, &convention);
                let short = ShortCalls::find(&object, &convention);
                return Ok(Self { object, path: path.to_owned(), convention, integers, double, single, short, before });
            }
        }
        let (convention, integers) = (Convention::UNADORNED, Integers::Bits64);
        let short = ShortCalls::find(&object, &convention);
        if may_be_c && short.is_any() {
            // oneDNN: its sizes have 64 bits.
            let (double, single) = (Calls::NONE, Calls::NONE);
            return Ok(Self { object, path: path.to_owned(), convention, integers, double, single, short, before });
        }
        Err(OpenError::NotBlas { path: shown })
    }

    /// How its calls are named.
    pub fn convention(&self) -> Convention {
        self.convention
    }

    /// How wide its integers are.
    pub fn integers(&self) -> Integers {
        self.integers
    }

    /// C ← α op(A) op(B) + β C, row-major, ready to be called: nothing is checked after this.
    pub fn bind_gemm<'o, T: Real>(
        &self,
        shape: &GemmDimensions,
        alpha: T,
        a: &'o [T],
        b: &'o [T],
        beta: T,
        c: &'o mut [T],
    ) -> Result<BoundGemm<'o, T>, Refused> {
        self.reaches(shape.largest())?;
        let function = T::calls(&self.double, &self.single).gemm.ok_or_else(|| self.lacks::<T>("gemm"))?;
        BoundGemm::new(function, shape, alpha, a, b, beta, c)
    }

    /// y ← α op(A) x + β y, row-major, ready to be called: nothing is checked after this.
    pub fn bind_gemv<'o, T: Real>(
        &self,
        shape: &GemvDimensions,
        alpha: T,
        a: &'o [T],
        x: &'o [T],
        beta: T,
        y: &'o mut [T],
    ) -> Result<BoundGemv<'o, T>, Refused> {
        self.reaches(shape.largest())?;
        let function = T::calls(&self.double, &self.single).gemv.ok_or_else(|| self.lacks::<T>("gemv"))?;
        BoundGemv::new(function, shape, alpha, a, x, beta, y)
    }

    /// C ← A B of bfloat16 numbers by their bits, row-major and dense, ready to be called: nothing is checked after this.
    pub fn bind_bf16_gemm<'o>(
        &self,
        [m, n, k]: [usize; 3],
        operands: (&'o [u16], &'o [u16], &'o mut [f32]),
    ) -> Result<BoundShortGemm<'o>, Refused> {
        self.reaches(m.max(n).max(k))?;
        let lacks = || self.lacks_any("cblas_gemm_bf16bf16f32, cblas_sbgemm and dnnl_gemm_bf16bf16f32");
        BoundShortGemm::bf16(self.short.bf16.ok_or_else(lacks)?, [m, n, k], operands)
    }

    /// C ← A B of unsigned and signed bytes, row-major and dense, ready to be called: nothing is checked after this.
    pub fn bind_int8_gemm<'o>(
        &self,
        [m, n, k]: [usize; 3],
        operands: (&'o [u8], &'o [i8], &'o mut [i32]),
    ) -> Result<BoundShortGemm<'o>, Refused> {
        self.reaches(m.max(n).max(k))?;
        let lacks = || self.lacks_any("cblas_gemm_s8u8s32 and dnnl_gemm_u8s8s32");
        BoundShortGemm::int8(self.short.int8.ok_or_else(lacks)?, [m, n, k], operands)
    }

    fn lacks_any(&self, symbols: &str) -> Refused {
        Refused(format!("{}: has none of {symbols}", self.path.display()))
    }

    fn reaches(&self, largest: usize) -> Result<(), Refused> {
        match self.integers {
            Integers::Bits32 if largest > i32::MAX as usize => Err(Refused(format!(
                "{}: its integers have 32 bits and a size of {largest} does not fit; take an ILP64 build",
                self.path.display()
            ))),
            _ => Ok(()),
        }
    }

    fn lacks<T: Real>(&self, name: &str) -> Refused {
        let symbol = self.convention.symbol(&format!("{}{name}", T::LETTER));
        Refused(format!("{}: has no {symbol}", self.path.display()))
    }
}

/// By the suffix of its names, else by a call; 32 bits where there is neither.
fn integers(object: &SharedObject, convention: &Convention) -> Integers {
    if !convention.suffix.is_empty() {
        return Integers::Bits64;
    }
    match dot_of_ambiguous_length(object, convention) {
        Some(0.0) => Integers::Bits64,
        _ => Integers::Bits32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_distinguished_from_one_that_cannot_be_loaded_and_from_one_that_is_no_blas() {
        let missing = Blas::open(Path::new("/nonexistent/libopenblas.so")).expect_err("it is not there");
        assert_eq!(missing, OpenError::Missing("/nonexistent/libopenblas.so".into()));
        let text = Blas::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))).expect_err("it is text");
        assert!(text.to_string().contains("does not begin as an ELF file"), "{text}");
        let libm = Blas::open(Path::new("libm.so.6")).expect_err("it is mathematics, but no BLAS");
        assert!(matches!(libm, OpenError::NotBlas { .. }), "{libm}");
    }
}
