//! A spec at one point of its axes: how many threads, of what, on which data. Whole numbers are exact or refused.

use std::path::PathBuf;

use paw_foreign::device::Grid;
use paw_formula::Formula;
use thiserror::Error;

use super::super::fill::plain;
use super::super::{Fill, Language, Measure, PassedBy, Reference, Spec};
use super::{BLOCK, DeviceArray, DeviceSpec, THREADS};
use crate::element::Element;
use crate::job::{Argument, ArrayArgument};

/// Why a kernel has no such point, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct LaunchPointError(String);

/// One point of a spec's axes, with the value of every name.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchPoint<'a> {
    spec: &'a str,
    axes: Vec<(&'a str, u64)>,
    values: Vec<(&'a str, f64)>,
    /// Threads that have work.
    pub threads: u64,
    /// Threads of a block.
    pub block: u32,
}

/// From 2⁵³ on, an `f64` may stand for another whole number than was meant.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;

impl<'a> LaunchPoint<'a> {
    /// The axes with their values, in the order of the file.
    pub fn axes(&self) -> &[(&'a str, u64)] {
        &self.axes
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    fn said(&self) -> String {
        let axes = self.axes.iter().map(|(name, value)| format!("{name}={value}"));
        let said: Vec<String> = axes.collect();
        if said.is_empty() { self.spec.to_owned() } else { said.join(" ") }
    }

    fn exact(&self, formula: &Formula, what: &str) -> Result<f64, LaunchPointError> {
        let value = formula.evaluate_exactly(&|name| self.get(name));
        value.map_err(|why| LaunchPointError(format!("`{formula}` ({what}) has no value at {}: {why}", self.said())))
    }

    fn count(&self, formula: &Formula, what: &str, least: f64) -> Result<u64, LaunchPointError> {
        let value = self.exact(formula, what)?;
        if value.fract() == 0.0 && value >= least {
            // Exact: below 2⁵³.
            return Ok(value as u64);
        }
        let (value, place) = (plain(value), self.said());
        Err(LaunchPointError(format!(
            "`{formula}` ({what}) is {value} at {place}: it must be a whole number from {least} on"
        )))
    }

    /// An amount that only rates are made of; it may have a fraction, and be rounded.
    fn amount(&self, formula: &Formula, what: &str) -> Result<f64, LaunchPointError> {
        let value = formula
            .evaluate(&|name| self.get(name))
            .map_err(|why| LaunchPointError(format!("`{formula}` ({what}) has no value at {}: {why}", self.said())))?;
        if value >= 0.0 {
            return Ok(value);
        }
        let (value, place) = (plain(value), self.said());
        Err(LaunchPointError(format!("`{formula}` ({what}) is {value} at {place}: it must be a number from 0 on")))
    }
}

impl DeviceSpec {
    /// Every combination of the values of the axes, the last axis fastest, and each with every block.
    pub fn points(&self) -> Vec<Vec<u64>> {
        let mut points = vec![Vec::new()];
        for axis in &self.axes {
            let longer = |point: &Vec<u64>| {
                axis.values.iter().map(|value| point.iter().copied().chain([*value]).collect()).collect::<Vec<_>>()
            };
            points = points.iter().flat_map(longer).collect();
        }
        points
    }

    /// The point where the axes have these values, for blocks of so many threads.
    ///
    /// # Errors
    /// A scalar or the number of threads has no value there, or none that can be.
    pub fn launch_point(&self, point: &[u64], block: u32) -> Result<LaunchPoint<'_>, LaunchPointError> {
        let axes: Vec<(&str, u64)> =
            self.axes.iter().map(|axis| axis.name.as_str()).zip(point.iter().copied()).collect();
        let values = axes.iter().map(|(name, value)| (*name, *value as f64)).collect();
        let mut place = LaunchPoint { spec: &self.name, axes, values, threads: 0, block };
        for scalar in &self.scalars {
            let parameter = self.signature.parameters.iter().find(|parameter| parameter.name == scalar.name);
            let what = format!("the scalar {}", scalar.name);
            let value = if parameter.is_some_and(|parameter| parameter.element.is_float()) {
                let why = |why| {
                    LaunchPointError(format!("`{}` ({what}) has no value at {}: {why}", scalar.value, place.said()))
                };
                scalar.value.evaluate(&|name| place.get(name)).map_err(why)?
            } else {
                place.exact(&scalar.value, &what)?
            };
            place.values.push((&scalar.name, value));
        }
        place.threads = place.count(&self.threads, "threads of a launch", 1.0)?;
        place.values.extend([(THREADS, place.threads as f64), (BLOCK, f64::from(block))]);
        Ok(place)
    }

    /// How the kernel is launched at `place`: as many blocks as hold all threads.
    ///
    /// # Errors
    /// The bytes of shared memory have no value there.
    pub fn grid(&self, place: &LaunchPoint<'_>) -> Result<Grid, LaunchPointError> {
        let shared = self.shared.as_ref().map_or(Ok(0), |shared| place.count(shared, "bytes of shared memory", 0.0))?;
        let shared_bytes = u32::try_from(shared)
            .map_err(|_| LaunchPointError(format!("{shared} bytes of shared memory fit no device: write fewer")))?;
        let blocks = place.threads.div_ceil(u64::from(place.block));
        Ok(Grid { blocks, threads: place.block, shared_bytes })
    }

    /// What the kernel is called with, in the order of the signature.
    ///
    /// # Errors
    /// A count or a value that is none, or that its parameter cannot hold.
    pub fn arguments(&self, place: &LaunchPoint<'_>) -> Result<Vec<Argument>, LaunchPointError> {
        let argument = |parameter: &super::super::Parameter| {
            let name = &parameter.name;
            if let Some(one) = self.arrays.iter().find(|one| one.array.name == *name) {
                return array(one, place).map(Argument::Array);
            }
            // Every parameter that is no array has a value: the spec was read so.
            let value = place.get(name).unwrap_or_default();
            let element = parameter.element;
            if !element.holds(value) || (!element.is_float() && value.abs() >= EXACT_BELOW) {
                let (said, point, range) = (plain(value), place.said(), element.range());
                return Err(LaunchPointError(format!(
                    "`{name}` is {said} at {point}, and {} holds {range}: choose another point, or another type in the signature",
                    element.name()
                )));
            }
            Ok(match (parameter.by, element) {
                (PassedBy::Address, _) => Argument::Address(element, value),
                (PassedBy::Value, Element::F32) => Argument::Single(value as f32),
                (PassedBy::Value, Element::F64) => Argument::Double(value),
                (PassedBy::Value, _) => Argument::Whole(value as i64),
            })
        };
        self.signature.parameters.iter().map(argument).collect()
    }

    /// Floating-point operations and bytes of one launch, where the spec tells them.
    ///
    /// # Errors
    /// They have no value, or one below 0.
    pub fn work(&self, place: &LaunchPoint<'_>) -> Result<(Option<f64>, Option<f64>), LaunchPointError> {
        let flops = self.flops.as_ref().map(|flops| place.amount(flops, "floating-point operations of a launch"));
        let bytes = self.bytes.as_ref().map(|bytes| place.amount(bytes, "bytes of a launch"));
        Ok((flops.transpose()?, bytes.transpose()?))
    }
}

fn array(one: &DeviceArray, place: &LaunchPoint<'_>) -> Result<ArrayArgument, LaunchPointError> {
    let super::super::Array { name, element, extent, fill, file, output } = &one.array;
    let len = place.count(extent, &format!("elements of {name}"), 1.0)?;
    let last = len - 1;
    if matches!(fill, Fill::Index | Fill::Permutation) && i128::from(last) > element.whole_range().1 {
        return Err(LaunchPointError(format!(
            "the indices of `{name}` go to {last} at {}, and {} does not hold them all: choose a smaller point",
            place.said(),
            element.name()
        )));
    }
    Ok(ArrayArgument { name: name.clone(), element: *element, len, fill: *fill, file: file.clone(), output: *output })
}

impl DeviceSpec {
    /// The C function in `source` that answers are held against, as a kernel for a processor: it has the kernel's name and
    /// declaration, and sizes that only [`DeviceSpec::arguments`] knows.
    pub fn on_processor(&self, source: PathBuf) -> Spec {
        let function = self.signature.text.split('(').next().unwrap_or_default();
        let function = function.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).find(|word| !word.is_empty());
        Spec {
            path: self.path.clone(),
            name: self.name.clone(),
            function: function.unwrap_or_default().to_owned(),
            signature: self.signature.clone(),
            sources: vec![source],
            language: Language::C,
            arrays: Vec::new(),
            scalars: Vec::new(),
            iterations: self.threads.clone(),
            flops: None,
            bytes: None,
            variants: Vec::new(),
            reference: Reference::First,
            tolerance: self.tolerance,
            measure: Measure::default(),
            compilers: Vec::new(),
            flags: Vec::new(),
            always: vec!["-lm".to_owned()],
        }
    }
}
