//! Reads the spec of a kernel for a device.

use paw_data::bounded;
use paw_data::document::{Document, DocumentError, TableEntry, Text, Texts, entries};
use paw_data::kernel::Tolerance;
use paw_foreign::device::Backend;
use paw_formula::Formula;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::super::arithmetic::Arithmetic;
use super::super::arrays::{self, ArrayEntry, Declared};
use super::super::measure::tolerance;
use super::super::source::existing;
use super::axes::{AxisValues, axes};
use super::measure::DeviceMeasure;
use super::reference::ReferenceTable;
use super::{BLOCK, DeviceSpec, THREADS};

/// The keys of the file, in the order in which a message lists them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "paw")]
    _version: IgnoredAny,
    name: Option<Text>,
    #[serde(rename = "language")]
    _language: IgnoredAny,
    source: Option<Text>,
    entry: Option<Text>,
    #[serde(default)]
    options: Texts,
    signature: Option<Text>,
    threads: Option<Arithmetic>,
    block: Option<AxisValues>,
    shared: Option<Arithmetic>,
    flops: Option<Arithmetic>,
    bytes: Option<Arithmetic>,
    #[serde(default, deserialize_with = "entries")]
    axes: Vec<TableEntry<AxisValues>>,
    #[serde(default, deserialize_with = "entries")]
    arrays: Vec<TableEntry<ArrayEntry>>,
    #[serde(default, deserialize_with = "entries")]
    scalars: Vec<TableEntry<Arithmetic>>,
    #[serde(default)]
    reference: ReferenceTable,
    #[serde(default, deserialize_with = "tolerance")]
    tolerance: Tolerance,
    #[serde(default)]
    measure: DeviceMeasure,
}

/// The most threads of a block on any device.
const BLOCK_MAX: u64 = 1 << 16;

/// Most bytes of SPIR-V: a compiler makes less of any kernel.
const SPIRV_MAX: u64 = 16 << 20;
/// The default number of threads of a block, which suits every device.
const BLOCK_USUAL: u32 = 256;

impl DeviceSpec {
    /// The kernel of `document`, in the language of `backend`.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub(in super::super) fn of(document: &Document<'_>, backend: Backend) -> Result<Self, DocumentError> {
        let file: File = document.parse()?;
        let need = |key: &str, example: &str| arrays::missing(document, key, example);
        let typed = file.signature.ok_or_else(|| need("signature", "\"void scale(int n, float *a)\""))?;
        let declared = Declared::of_device(document, &typed)?;
        let axes = axes(document, &file.axes)?;
        let axis_names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
        let scalars = arrays::scalars(document, &file.scalars, &axis_names, &|name| {
            let is_taken = [THREADS, BLOCK].contains(&name) || axis_names.contains(&name);
            is_taken.then(|| format!("`{name}` has a value already: choose another name"))
        })?;
        let sizes: Vec<&str> =
            axis_names.iter().copied().chain(scalars.iter().map(|scalar| scalar.name.as_str())).collect();
        let all: Vec<&str> = sizes.iter().copied().chain([THREADS, BLOCK]).collect();
        let formula =
            |typed: &Option<Arithmetic>| typed.as_ref().map(|typed| typed.formula(document, &all)).transpose();
        let threads = file.threads.ok_or_else(|| need(THREADS, "\"n\""))?.formula(document, &sizes)?;
        let arrays = declared.arrays(&file.arrays, &all)?;
        declared.complete(&arrays, &all)?;
        let (shared, flops, bytes) = (formula(&file.shared)?, formula(&file.flops)?, formula(&file.bytes)?);
        let formulas: Vec<&Formula> = [&shared, &flops, &bytes].into_iter().flatten().chain([&threads]).collect();
        let used = (formulas.as_slice(), arrays.as_slice(), scalars.as_slice());
        arrays::all_used(document, &file.axes, declared.signature(), used)?;
        arrays::all_used(document, &file.scalars, declared.signature(), used)?;
        let source_typed = file.source.ok_or_else(|| need("source", "\"kernel.cu\""))?;
        let source = existing(document, &source_typed)?;
        let unreadable =
            |why| document.error(document.inside(&source_typed), format!("{} cannot be read: {why}", source.display()));
        let is_spirv = backend == Backend::LevelZero && source.extension().is_some_and(|ending| ending == "spv");
        let (text, words) = match is_spirv {
            true => (String::new(), bounded::bytes(&source, SPIRV_MAX).map_err(unreadable)?),
            false => (bounded::text(&source).map_err(unreadable)?, Vec::new()),
        };
        Ok(Self {
            path: document.path.to_owned(),
            name: arrays::name(document, file.name, declared.function()),
            backend,
            source,
            text,
            words,
            entry: file.entry.map_or_else(|| declared.function().to_owned(), |entry| entry.text.trim().to_owned()),
            options: arrays::list(document, "options", file.options)?,
            threads,
            block: file.block.map_or_else(|| Ok(vec![BLOCK_USUAL]), |block| fitting(document, &block))?,
            shared,
            flops,
            bytes,
            reference: file.reference.reference(document)?,
            tolerance: file.tolerance,
            measure: file.measure,
            signature: declared.into_signature(),
            axes,
            scalars,
            arrays,
        })
    }
}

fn fitting(document: &Document<'_>, block: &AxisValues) -> Result<Vec<u32>, DocumentError> {
    let fit = |value: &u64| {
        let fits = (1..=BLOCK_MAX).contains(value);
        u32::try_from(*value).ok().filter(|_| fits).ok_or_else(|| {
            let message = format!("a block of {value} threads fits no device: write 1 to {BLOCK_MAX}, such as 256");
            document.error(block.span.clone(), message)
        })
    };
    block.values.iter().map(fit).collect()
}
