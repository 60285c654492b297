//! A spec at one point of its axes: threads, launch grid, arguments and work.

use std::path::PathBuf;

use paw_foreign::device::Grid;

use super::super::measure::Measure;
use super::super::values::{PointError, Values};
use super::super::{Language, Reference, Spec};
use super::{BLOCK, DeviceSpec, THREADS};
use crate::job::Argument;

/// One point of a spec's axes, with the value of every name.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchPoint<'a> {
    /// The axes with their values, in the order of the file.
    pub axes: Vec<(&'a str, u64)>,
    values: Values<'a>,
    /// Threads that have work.
    pub threads: u64,
    /// Threads of a block.
    pub block: u32,
}

impl DeviceSpec {
    /// The name of the device with this number: `cuda0`.
    pub fn device(&self, index: u32) -> String {
        format!("{}{index}", self.backend)
    }

    /// Every combination of the values of the axes, the last axis fastest.
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

    /// The point where the axes have these values, for blocks of `block` threads.
    ///
    /// # Errors
    /// A scalar or the number of threads has no value there, or an impossible one.
    pub fn launch_point(&self, point: &[u64], block: u32) -> Result<LaunchPoint<'_>, PointError> {
        let axes: Vec<(&str, u64)> =
            self.axes.iter().map(|axis| axis.name.as_str()).zip(point.iter().copied()).collect();
        let words: Vec<String> = axes.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let words = if words.is_empty() { self.name.clone() } else { words.join(" ") };
        let values = axes.iter().map(|(name, value)| (*name, *value as f64)).collect();
        let mut values = Values::new(words, "point", values);
        values.add_scalars(&self.scalars, &self.signature)?;
        let threads = values.count(&self.threads, "threads of a launch", 1)?;
        values.add(THREADS, threads as f64);
        values.add(BLOCK, f64::from(block));
        Ok(LaunchPoint { axes, values, threads, block })
    }

    /// The launch grid at `point`: as many blocks as hold all threads.
    ///
    /// # Errors
    /// The bytes of shared memory have no value there.
    pub fn grid(&self, point: &LaunchPoint<'_>) -> Result<Grid, PointError> {
        let shared = self.shared.as_ref().map(|shared| point.values.count(shared, "bytes of shared memory", 0));
        let shared = shared.transpose()?.unwrap_or_default();
        let shared_bytes = u32::try_from(shared)
            .map_err(|_| PointError(format!("{shared} bytes of shared memory fit no device: write fewer")))?;
        let blocks = point.threads.div_ceil(u64::from(point.block));
        Ok(Grid { blocks, threads: point.block, shared_bytes })
    }

    /// The arguments of a launch, in the order of the signature.
    ///
    /// # Errors
    /// A count or a value does not exist at this point, or does not fit its parameter.
    pub fn arguments(&self, point: &LaunchPoint<'_>) -> Result<Vec<Argument>, PointError> {
        point.values.arguments(&self.signature, &self.arrays)
    }

    /// Floating-point operations and bytes of one launch, each `None` if the spec has no formula for it.
    ///
    /// # Errors
    /// A formula has no value, or it is below 0.
    pub fn work(&self, point: &LaunchPoint<'_>) -> Result<(Option<f64>, Option<f64>), PointError> {
        let amount = |formula: &Option<_>, what| formula.as_ref().map(|formula| point.values.amount(formula, what));
        let flops = amount(&self.flops, "floating-point operations of a launch").transpose()?;
        Ok((flops, amount(&self.bytes, "bytes of a launch").transpose()?))
    }

    /// The reference function in `source` as a kernel for a processor, with the kernel's name and declaration and without sizes:
    /// its arguments come from [`DeviceSpec::arguments`].
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
