//! The work of one iteration.

use serde::{Deserialize, Serialize};

use crate::number;
use crate::quantity::Quantity;

/// The work of one iteration; zero where a kind of work does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Work {
    /// Floating-point operations, by the field's usual count (2mnk for GEMM).
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "number::or_nan")]
    pub flops: f64,
    /// Floating-point operations by PAW's count (2N²(N+1) for GEMM, 2N(N+1) for GEMV); used by the `.dat` files.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "number::or_nan")]
    pub flops_paw: f64,
    /// Bytes moved, by the benchmark's stated convention.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "number::or_nan")]
    pub bytes: f64,
    /// Bytes of a collective as its caller counts them: what one rank ends up with, or, of an all-to-all, sends.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "number::or_nan")]
    pub bytes_algorithm: f64,
    /// Bytes that must cross the busiest link, whatever the algorithm: comparable between collectives and numbers of ranks.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "number::or_nan")]
    pub bytes_bus: f64,
    /// Messages sent.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "number::or_nan")]
    pub messages: f64,
    /// Random updates of memory.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "number::or_nan")]
    pub updates: f64,
    /// Core cycles, where the code's latency is known.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "number::or_nan")]
    pub cycles: f64,
    /// Operations whose time is asked for: 2 where an iteration is a message there and one back. 0 means 1.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "number::or_nan")]
    pub operations: f64,
}

// serde's `skip_serializing_if` hands a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl Work {
    /// The amount of `quantity` one iteration does; for [`Quantity::Time`] the operations it holds.
    pub fn amount(&self, quantity: Quantity) -> f64 {
        match quantity {
            Quantity::Time => self.operations(),
            Quantity::Flops => self.flops,
            Quantity::Bytes => self.bytes,
            Quantity::Messages => self.messages,
            Quantity::Updates => self.updates,
            Quantity::Cycles => self.cycles,
        }
    }

    /// The operations of one iteration, at least one.
    pub fn operations(&self) -> f64 {
        if self.operations > 0.0 { self.operations } else { 1.0 }
    }

    /// The value of `quantity` when one iteration takes `seconds`: the time of one operation, or work ÷ time.
    pub fn value(&self, quantity: Quantity, seconds: f64) -> f64 {
        match quantity {
            Quantity::Time => seconds / self.operations(),
            other => self.amount(other) / seconds,
        }
    }
}
