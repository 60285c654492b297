//! What cuBLAS and rocBLAS have alike: factors by type of product, orders, matrix-vector products, statuses.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use super::calls::Call;
use super::services::Addresses;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::gemm::GemmKind;

/// A library's handle, and memory that it writes.
pub(in crate::device) type Raw = *mut c_void;
/// Memory that it reads.
pub(in crate::device) type In = *const c_void;

/// One and zero in the type that α and β have for the kind of product: that of the sums.
#[repr(C)]
pub(in crate::device) union Scalar {
    double: f64,
    single: f32,
    integer: i32,
}

impl Scalar {
    /// `value` in the type of α and β.
    pub(in crate::device) fn new(kind: GemmKind, value: i8) -> Self {
        match kind {
            GemmKind::Fp64 => Self { double: value.into() },
            GemmKind::Int8 => Self { integer: value.into() },
            _ => Self { single: value.into() },
        }
    }
}

/// An order as the library of that name counts.
pub(in crate::device) fn order(title: &str, n: usize) -> DeviceResult<c_int> {
    c_int::try_from(n).map_err(|_| {
        DeviceError::Unsupported(format!("{title} counts in 32 bits, and {n} is more; choose a smaller size"))
    })
}

/// The statuses of a library.
pub(in crate::device) struct Statuses {
    /// Their names, as its header has them without the prefix.
    pub(in crate::device) meanings: &'static [(c_int, &'static str)],
    /// Those that mean that the device, or the library, has not what was asked for.
    pub(in crate::device) lacking: &'static [c_int],
}

impl Statuses {
    /// What a call's status means.
    pub(in crate::device) fn done(&self, call: &'static str, status: c_int) -> DeviceResult {
        let meaning = self.meanings.iter().find(|(code, _)| *code == status).map_or("", |(_, meaning)| *meaning);
        match status {
            0 => Ok(()),
            code if self.lacking.contains(&code) => Err(DeviceError::Unsupported(format!(
                "{call} refuses this type of product on this device ({meaning}); choose another type or size"
            ))),
            code => Err(DeviceError::Refused { call, code: code.into(), meaning: meaning.to_owned() }),
        }
    }
}

/// A matrix-vector product of one type.
pub(in crate::device) type Gemv<T> =
    unsafe extern "C" fn(Raw, c_int, c_int, c_int, *const T, In, c_int, In, c_int, *const T, Raw, c_int) -> c_int;

/// The matrix-vector products of a library.
pub(in crate::device) struct VectorProducts {
    /// The library's name.
    pub(in crate::device) title: &'static str,
    /// A handle that lives as long as this.
    pub(in crate::device) handle: Raw,
    /// What says that a matrix is not transposed.
    pub(in crate::device) normal: c_int,
    pub(in crate::device) double: Call<Gemv<f64>>,
    pub(in crate::device) single: Call<Gemv<f32>>,
    pub(in crate::device) statuses: &'static Statuses,
}

static UNIT: (f64, f32) = (1.0, 1.0);
static NOTHING: (f64, f32) = (0.0, 0.0);

impl VectorProducts {
    /// Queues y = A·x of order `n`, in single or double precision.
    pub(in crate::device) fn run(&self, kind: GemmKind, n: usize, at: Addresses) -> DeviceResult {
        let (order, normal) = (order(self.title, n)?, self.normal);
        let (a, x, y) = (at.a as In, at.b as In, at.c as Raw);
        match kind {
            GemmKind::Fp64 => {
                let (call, one, zero) = (self.double, &raw const UNIT.0, &raw const NOTHING.0);
                // SAFETY: the handle lives; the addresses are of device memory that holds n × n and n elements; α and β are statics.
                let answer =
                    unsafe { (call.function)(self.handle, normal, order, order, one, a, order, x, 1, zero, y, 1) };
                self.statuses.done(call.name, answer)
            }
            GemmKind::Fp32 => {
                let (call, one, zero) = (self.single, &raw const UNIT.1, &raw const NOTHING.1);
                // SAFETY: as above.
                let answer =
                    unsafe { (call.function)(self.handle, normal, order, order, one, a, order, x, 1, zero, y, 1) };
                self.statuses.done(call.name, answer)
            }
            other => Err(DeviceError::Unsupported(format!(
                "{} has no matrix-vector product in {}; take fp64 or fp32",
                self.title,
                other.name()
            ))),
        }
    }
}
