//! The two number types the kernels work on.

use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};

use crate::vector::VectorTypes;

/// A floating-point type that kernels exist for: `f64` or `f32`. It cannot be implemented elsewhere.
pub trait Real:
    VectorTypes
    + crate::buffer::sealed::Plain
    + Copy
    + Debug
    + Default
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + 'static
{
    /// The name as it appears in results: `f64`.
    const NAME: &'static str;
    /// Half the distance from one to the next larger number.
    const UNIT_ROUNDOFF: f64;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// The nearest number of this type.
    fn from_f64(value: f64) -> Self;

    /// The same number in double precision, exactly.
    fn to_f64(self) -> f64;
}

impl Real for f64 {
    const NAME: &'static str = "f64";
    const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    fn from_f64(value: f64) -> f64 {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }
}

impl Real for f32 {
    const NAME: &'static str = "f32";
    const UNIT_ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;

    fn from_f64(value: f64) -> f32 {
        value as f32
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}
