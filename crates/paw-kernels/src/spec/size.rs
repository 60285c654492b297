//! A spec at one size: how much it works on, and what it is called with. Whole numbers are exact or refused.

use paw_formula::{Formula, FormulaError};
use thiserror::Error;

use super::data::SIZE;
use super::fill::plain;
use super::{Array, Fill, Parameter, PassedBy, Spec};
use crate::element::Element;
use crate::job::{Argument, ArrayArgument};

/// Why a kernel has no such size, in one sentence.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SizeError {
    /// A formula without a value.
    #[error("{what} has no value at n = {n}: {why}")]
    Formula {
        /// The formula and what it counts.
        what: String,
        /// The size.
        n: u64,
        /// What is wrong with it.
        why: FormulaError,
    },
    /// A count that is none.
    #[error("{what} is {} at n = {n}: it must be a whole number above 0", plain(*value))]
    Count {
        /// The formula and what it counts.
        what: String,
        /// The size.
        n: u64,
        /// Its value.
        value: f64,
    },
    /// Operations or bytes below zero.
    #[error("{what} is {} at n = {n}: it must be a number from 0 on", plain(*value))]
    Negative {
        /// The formula and what it counts.
        what: String,
        /// The size.
        n: u64,
        /// Its value.
        value: f64,
    },
    /// A value that a parameter cannot hold.
    #[error(
        "`{name}` is {} at n = {n}, and {} holds {}: choose another n, or another type in the signature",
        plain(*value),
        element.name(),
        element.range()
    )]
    Value {
        /// The parameter.
        name: String,
        /// The size.
        n: u64,
        /// Its value.
        value: f64,
        /// Its type.
        element: Element,
    },
    /// Indices that the elements of an array cannot hold.
    #[error("the indices of `{name}` go to {last} at n = {n}, and {} does not hold them all: choose a smaller n", element.name())]
    Indices {
        /// The array.
        name: String,
        /// The size.
        n: u64,
        /// The largest index.
        last: u64,
        /// Its type.
        element: Element,
    },
}

/// The values of a spec's names at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Values<'a> {
    n: u64,
    values: Vec<(&'a str, f64)>,
}

impl Values<'_> {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The value of a formula without a step beyond the exact whole numbers.
    fn exact(&self, formula: &Formula, what: &str) -> Result<f64, SizeError> {
        let error = |why| SizeError::Formula { what: named(formula, what), n: self.n, why };
        formula.evaluate_exactly(&|name| self.get(name)).map_err(error)
    }

    fn count(&self, formula: &Formula, what: &str) -> Result<u64, SizeError> {
        let value = self.exact(formula, what)?;
        if value.fract() == 0.0 && value >= 1.0 {
            // Exact: below 2⁵³.
            return Ok(value as u64);
        }
        Err(SizeError::Count { what: named(formula, what), n: self.n, value })
    }

    /// An amount that only rates are made of; it may have a fraction, and be rounded.
    fn amount(&self, formula: &Formula, what: &str) -> Result<f64, SizeError> {
        let error = |why| SizeError::Formula { what: named(formula, what), n: self.n, why };
        let value = formula.evaluate(&|name| self.get(name)).map_err(error)?;
        if value >= 0.0 { Ok(value) } else { Err(SizeError::Negative { what: named(formula, what), n: self.n, value }) }
    }
}

fn named(formula: &Formula, what: &str) -> String {
    format!("`{formula}` ({what})")
}

impl Spec {
    /// The bytes of all arrays, as arithmetic over `n` and the scalars: `4*(n*n) + 8*(n)`; `0` without arrays. It can be read
    /// as a [`Formula`].
    pub fn footprint(&self) -> String {
        let terms: Vec<String> =
            self.arrays.iter().map(|array| format!("{}*({})", array.element.bytes(), array.extent)).collect();
        if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
    }

    /// The values of `n` and the scalars. Only what is a floating-point parameter may be rounded.
    ///
    /// # Errors
    /// A scalar without a value, or with one that is too large to be exact.
    pub fn values(&self, n: u64) -> Result<Values<'_>, SizeError> {
        // Above 2⁵³ this rounds to something that is refused where it is used.
        let mut values = Values { n, values: vec![(SIZE, n as f64)] };
        for scalar in &self.scalars {
            let parameter = self.signature.parameters.iter().find(|parameter| parameter.name == scalar.name);
            let what = format!("the scalar {}", scalar.name);
            let value = if parameter.is_some_and(|parameter| parameter.element.is_float()) {
                let error = |why| SizeError::Formula { what: named(&scalar.value, &what), n, why };
                scalar.value.evaluate(&|name| values.get(name)).map_err(error)?
            } else {
                values.exact(&scalar.value, &what)?
            };
            values.values.push((&scalar.name, value));
        }
        Ok(values)
    }

    /// Iterations of one call.
    ///
    /// # Errors
    /// They have no value, or are no whole number above 0.
    pub fn iterations_at(&self, n: u64) -> Result<u64, SizeError> {
        self.values(n)?.count(&self.iterations, "iterations of a call")
    }

    /// Bytes of all arrays.
    ///
    /// # Errors
    /// The elements of an array have no value, or are no whole number above 0.
    pub fn footprint_bytes(&self, n: u64) -> Result<u64, SizeError> {
        let values = self.values(n)?;
        // No overflow: a signature has six arrays at most, each below 2⁵³ elements of at most 2³ bytes.
        self.arrays.iter().map(|array| Ok(elements(array, &values)? * array.element.bytes())).sum()
    }

    /// Floating-point operations of one call, where the spec tells them.
    ///
    /// # Errors
    /// They have no value, or one below 0.
    pub fn flops_at(&self, n: u64) -> Result<Option<f64>, SizeError> {
        let values = self.values(n)?;
        self.flops.as_ref().map(|flops| values.amount(flops, "floating-point operations of a call")).transpose()
    }

    /// Bytes moved in one call: as the spec tells, else the footprint.
    ///
    /// # Errors
    /// They have no value, or one below 0.
    pub fn bytes_at(&self, n: u64) -> Result<f64, SizeError> {
        match &self.bytes {
            Some(bytes) => self.values(n)?.amount(bytes, "bytes of a call"),
            None => self.footprint_bytes(n).map(|bytes| bytes as f64),
        }
    }

    /// What the function is called with, in the order of the signature.
    ///
    /// # Errors
    /// A count or a value that is none, or that its parameter cannot hold.
    pub fn arguments(&self, n: u64) -> Result<Vec<Argument>, SizeError> {
        let values = self.values(n)?;
        self.signature.parameters.iter().map(|parameter| self.argument(parameter, &values)).collect()
    }

    fn argument(&self, parameter: &Parameter, values: &Values<'_>) -> Result<Argument, SizeError> {
        let Parameter { name, element, by } = parameter;
        if let Some(array) = self.arrays.iter().find(|array| array.name == *name) {
            return array_argument(array, values).map(Argument::Array);
        }
        // Every parameter that is no array has a value: the spec was read so.
        let value = values.get(name).unwrap_or_default();
        if !element.holds(value) || (!element.is_float() && value.abs() >= EXACT_BELOW) {
            return Err(SizeError::Value { name: name.clone(), n: values.n, value, element: *element });
        }
        Ok(match (by, element) {
            (PassedBy::Address, _) => Argument::Address(*element, value),
            (PassedBy::Value, Element::F32) => Argument::Single(value as f32),
            (PassedBy::Value, Element::F64) => Argument::Double(value),
            (PassedBy::Value, _) => Argument::Whole(value as i64),
        })
    }
}

/// From 2⁵³ on, an `f64` may stand for another whole number than was meant.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;

fn elements(array: &Array, values: &Values<'_>) -> Result<u64, SizeError> {
    values.count(&array.extent, &format!("elements of {}", array.name))
}

fn array_argument(array: &Array, values: &Values<'_>) -> Result<ArrayArgument, SizeError> {
    let Array { name, element, fill, file, output, .. } = array;
    let len = elements(array, values)?;
    let last = len - 1;
    let is_indexed = matches!(fill, Fill::Index | Fill::Permutation);
    if is_indexed && i128::from(last) > element.whole_range().1 {
        return Err(SizeError::Indices { name: name.clone(), n: values.n, last, element: *element });
    }
    Ok(ArrayArgument { name: name.clone(), element: *element, len, fill: *fill, file: file.clone(), output: *output })
}

#[cfg(test)]
mod tests;
