//! A spec at one size: its work, its footprint and its arguments.

use super::Spec;
use super::values::{PointError, Values, footprint};
use crate::job::Argument;

/// The name of the size.
pub(super) const SIZE: &str = "n";

impl Spec {
    /// The bytes of all arrays, as arithmetic over `n` and the scalars: `4*(n*n) + 8*(n)`; `0` without arrays.
    pub fn footprint(&self) -> String {
        footprint(&self.arrays)
    }

    /// The values of `n` and the scalars. Only values of floating-point parameters may be rounded.
    pub(crate) fn values(&self, n: u64) -> Result<Values<'_>, PointError> {
        // Above 2⁵³ this rounds to a value that every use refuses.
        let mut values = Values::new(format!("n = {n}"), "n", vec![(SIZE, n as f64)]);
        values.add_scalars(&self.scalars, &self.signature)?;
        Ok(values)
    }

    /// Iterations of one call.
    ///
    /// # Errors
    /// The formula has no value, or it is not a whole number above 0.
    pub fn iterations_at(&self, n: u64) -> Result<u64, PointError> {
        self.values(n)?.count(&self.iterations, "iterations of a call", 1)
    }

    /// Bytes of all arrays.
    ///
    /// # Errors
    /// An extent has no value, or it is not a whole number above 0.
    pub fn footprint_bytes(&self, n: u64) -> Result<u64, PointError> {
        let values = self.values(n)?;
        // No overflow: a signature has six arrays at most, each below 2⁵³ elements of at most 2³ bytes.
        self.arrays.iter().map(|array| Ok(values.elements(array)? * array.element.bytes())).sum()
    }

    /// Floating-point operations of one call; `None` if the spec has no formula for them.
    ///
    /// # Errors
    /// The formula has no value, or it is below 0.
    pub fn flops_at(&self, n: u64) -> Result<Option<f64>, PointError> {
        let values = self.values(n)?;
        self.flops.as_ref().map(|flops| values.amount(flops, "floating-point operations of a call")).transpose()
    }

    /// Bytes moved in one call: by the spec's formula, else the footprint.
    ///
    /// # Errors
    /// The formula has no value, or it is below 0.
    pub fn bytes_at(&self, n: u64) -> Result<f64, PointError> {
        match &self.bytes {
            Some(bytes) => self.values(n)?.amount(bytes, "bytes of a call"),
            None => self.footprint_bytes(n).map(|bytes| bytes as f64),
        }
    }

    /// The arguments of a call, in the order of the signature.
    ///
    /// # Errors
    /// A count or a value does not exist at this size, or does not fit its parameter.
    pub fn arguments(&self, n: u64) -> Result<Vec<Argument>, PointError> {
        self.values(n)?.arguments(&self.signature, &self.arrays)
    }
}

#[cfg(test)]
mod tests;
