//! The products of short numbers, and the kernels of each.

use super::bfloat16::Bf16;
use super::kernel::{Kernel, Tables};
use super::plain;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use super::{tiles, vectors};

/// A product of short numbers. It cannot be implemented elsewhere.
pub trait ShortProduct: Sized + 'static {
    /// A number of A.
    type A: Copy + Sync;
    /// A number of B.
    type B: Copy + Sync;
    /// A sum.
    type Sum: Copy + Send;

    /// Tables of kernels, the fastest first; the last runs everywhere.
    #[doc(hidden)]
    fn tables() -> Tables<Self::A, Self::B, Self::Sum>;

    /// Every kernel, the fastest first.
    #[doc(hidden)]
    fn kernels() -> impl Iterator<Item = &'static Kernel<Self::A, Self::B, Self::Sum>> {
        Self::tables().iter().copied().flatten()
    }
}

/// bfloat16 times bfloat16, summed in binary32.
#[derive(Debug)]
pub struct Bf16Product;

/// Unsigned bytes times signed bytes, summed in 32 bits, which wrap.
#[derive(Debug)]
pub struct Int8Product;

impl ShortProduct for Bf16Product {
    type A = Bf16;
    type B = Bf16;
    type Sum = f32;

    fn tables() -> Tables<Self::A, Self::B, Self::Sum> {
        &[
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            tiles::BF16,
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            vectors::BF16,
            plain::BF16,
        ]
    }
}

impl ShortProduct for Int8Product {
    type A = u8;
    type B = i8;
    type Sum = i32;

    fn tables() -> Tables<Self::A, Self::B, Self::Sum> {
        &[
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            tiles::INT8,
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            vectors::INT8,
            plain::INT8,
        ]
    }
}
