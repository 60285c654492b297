//! Values of a spec's names at one point, and the counts and arguments computed from them. Whole numbers are exact or refused.

use paw_formula::Formula;
use thiserror::Error;

use super::fill::plain;
use super::{Array, Fill, Parameter, PassedBy, Scalar, Signature};
use crate::element::Element;
use crate::job::{Argument, ArrayArgument};

/// Why a kernel does not exist at a size or point, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct PointError(pub(super) String);

/// The values of a spec's names at one point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Values<'a> {
    /// The point in words: `n = 88`.
    pub point: String,
    /// The name that an error advises to change: `n`.
    variable: &'static str,
    values: Vec<(&'a str, f64)>,
}

/// From 2⁵³ on, an `f64` may have been rounded from another whole number.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;

impl<'a> Values<'a> {
    pub fn new(point: String, variable: &'static str, values: Vec<(&'a str, f64)>) -> Self {
        Self { point, variable, values }
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Gives a name its value.
    pub fn add(&mut self, name: &'a str, value: f64) {
        self.values.push((name, value));
    }

    /// Gives every scalar its value, in order. Only floating-point parameters may be rounded.
    pub fn add_scalars(&mut self, scalars: &'a [Scalar], signature: &Signature) -> Result<(), PointError> {
        for scalar in scalars {
            let parameter = signature.parameters.iter().find(|parameter| parameter.name == scalar.name);
            let what = format!("the scalar {}", scalar.name);
            let value = match parameter.is_some_and(|parameter| parameter.element.is_float()) {
                true => self.rounded(&scalar.value, &what)?,
                false => self.exact(&scalar.value, &what)?,
            };
            self.add(&scalar.name, value);
        }
        Ok(())
    }

    fn none(&self, formula: &Formula, what: &str, why: &dyn std::fmt::Display) -> PointError {
        PointError(format!("`{formula}` ({what}) has no value at {}: {why}", self.point))
    }

    fn rounded(&self, formula: &Formula, what: &str) -> Result<f64, PointError> {
        formula.evaluate(&|name| self.get(name)).map_err(|why| self.none(formula, what, &why))
    }

    /// The value of a formula whose steps all stay below 2⁵³.
    fn exact(&self, formula: &Formula, what: &str) -> Result<f64, PointError> {
        formula.evaluate_exactly(&|name| self.get(name)).map_err(|why| self.none(formula, what, &why))
    }

    /// The value of a formula as a whole number of at least `least`, which is 0 or 1.
    pub fn count(&self, formula: &Formula, what: &str, least: u64) -> Result<u64, PointError> {
        let value = self.exact(formula, what)?;
        if value.fract() == 0.0 && value >= least as f64 {
            // Exact: below 2⁵³.
            return Ok(value as u64);
        }
        let wanted = if least == 0 { "a whole number from 0 on" } else { "a whole number above 0" };
        let (value, point) = (plain(value), &self.point);
        Err(PointError(format!("`{formula}` ({what}) is {value} at {point}: it must be {wanted}")))
    }

    /// The value of a formula for rates: at least 0, with a fraction, and possibly rounded.
    pub fn amount(&self, formula: &Formula, what: &str) -> Result<f64, PointError> {
        let value = self.rounded(formula, what)?;
        if value >= 0.0 {
            return Ok(value);
        }
        let (value, point) = (plain(value), &self.point);
        Err(PointError(format!("`{formula}` ({what}) is {value} at {point}: it must be a number from 0 on")))
    }

    /// Elements of an array.
    pub fn elements(&self, array: &Array) -> Result<u64, PointError> {
        self.count(&array.extent, &format!("elements of {}", array.name), 1)
    }

    /// The arguments of a call, in the order of the signature.
    pub fn arguments(&self, signature: &Signature, arrays: &[Array]) -> Result<Vec<Argument>, PointError> {
        signature.parameters.iter().map(|parameter| self.argument(parameter, arrays)).collect()
    }

    fn argument(&self, parameter: &Parameter, arrays: &[Array]) -> Result<Argument, PointError> {
        let Parameter { name, element, by } = parameter;
        if let Some(array) = arrays.iter().find(|array| array.name == *name) {
            return self.array(array).map(Argument::Array);
        }
        // The spec was checked: every parameter that is not an array has a value.
        let value = self.get(name).unwrap_or_default();
        if !element.holds(value) || (!element.is_float() && value.abs() >= EXACT_BELOW) {
            let (value, point, variable) = (plain(value), &self.point, self.variable);
            return Err(PointError(format!(
                "`{name}` is {value} at {point}, and {} holds {}: choose another {variable}, or another type in the signature",
                element.name(),
                element.range()
            )));
        }
        Ok(match (by, element) {
            (PassedBy::Address, _) => Argument::Address(*element, value),
            (PassedBy::Value, Element::F32) => Argument::Single(value as f32),
            (PassedBy::Value, Element::F64) => Argument::Double(value),
            (PassedBy::Value, _) => Argument::Whole(value as i64),
        })
    }

    fn array(&self, array: &Array) -> Result<ArrayArgument, PointError> {
        let Array { name, element, fill, file, output, input, written, .. } = array;
        let len = self.elements(array)?;
        let last = len - 1;
        if matches!(fill, Fill::Index | Fill::Permutation) && i128::from(last) > element.whole_range().1 {
            let (point, variable, element) = (&self.point, self.variable, element.name());
            return Err(PointError(format!(
                "the indices of `{name}` go to {last} at {point}, and {element} does not hold them all: choose a smaller {variable}"
            )));
        }
        Ok(ArrayArgument {
            name: name.clone(),
            element: *element,
            len,
            fill: *fill,
            file: file.clone(),
            output: *output,
            input: *input,
            written: *written,
        })
    }
}

/// The bytes of all arrays as the text of a [`Formula`]: `4*(n*n) + 8*(n)`; `0` without arrays.
pub fn footprint(arrays: &[Array]) -> String {
    let terms: Vec<String> =
        arrays.iter().map(|array| format!("{}*({})", array.element.bytes(), array.extent)).collect();
    if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
}
