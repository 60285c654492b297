//! The spec of a kernel for a device as a file.

use std::path::Path;

use paw_formula::Formula;

use super::super::data::{self, is_identifier};
use super::super::item::Item;
use super::super::page::{Page, Section};
use super::super::quoted::Quoted;
use super::super::signature::Declaration;
use super::super::{PassedBy, Scalar, SpecError, file, measure as words, variant};
use super::{Axis, BLOCK, DeviceArray, DeviceSpec, LANGUAGES, THREADS, axes, measure};
use crate::element::Element;

/// The outermost keys.
const KEYS: &[&str] = &[
    "paw",
    "name",
    "language",
    "source",
    "entry",
    "options",
    "signature",
    "threads",
    "block",
    "shared",
    "flops",
    "bytes",
    "axes",
    "arrays",
    "scalars",
    "reference",
    "tolerance",
    "measure",
];

/// What the table of an array may have.
const ARRAY_KEYS: &[&str] = &["type", "fill", "file", "output", "input"];

/// The most threads a block of any device has.
const BLOCK_MAX: u64 = 1 << 16;

/// Threads of a block that suit every device.
const BLOCK_USUAL: u32 = 256;

impl DeviceSpec {
    /// The spec of `text`, which stands in the file `path`; sources are looked for beside it.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(path: &Path, text: &str) -> Result<Self, SpecError> {
        let page = Page { path, text };
        let table = page.table()?;
        file::version(&page, &table)?;
        let top = Section::top(&page, &table, KEYS)?;
        let backend = top.need("language", "\"cuda\"")?.word(LANGUAGES)?;
        let typed = top.need("signature", "\"void scale(int n, float *a)\"")?.filled()?;
        let declared = declaration(&page, &typed)?;
        let axes = top.map("axes", axes::axes)?.unwrap_or_default();
        let scalars = top.map("scalars", |item| scalars(item, &axes))?.unwrap_or_default();
        let sizes = names(&axes, &scalars);
        let all: Vec<&str> = sizes.iter().copied().chain([THREADS, BLOCK]).collect();
        let formula = |item: &Item<'_>| item.formula(&all);
        let threads = top.need(THREADS, "\"n\"")?.formula(&sizes)?;
        let arrays = top.map("arrays", |item| arrays(item, &declared, &all))?.unwrap_or_default();
        let plain: Vec<_> = arrays.iter().map(|one| one.array.clone()).collect();
        data::complete(&page, &typed, &declared, &plain, &all)?;
        let stem =
            || path.file_stem().map_or_else(|| declared.function.clone(), |stem| stem.to_string_lossy().into_owned());
        let spec = Self {
            path: path.to_owned(),
            name: top.map("name", |item| Ok(item.filled()?.text.to_owned()))?.unwrap_or_else(stem),
            backend,
            source: variant::existing(top.need("source", "\"kernel.cu\"")?)?,
            entry: top.map("entry", entry)?.unwrap_or_else(|| declared.function.clone()),
            options: file::list(&top, "options")?,
            threads,
            block: top.map(BLOCK, block)?.unwrap_or_else(|| vec![BLOCK_USUAL]),
            shared: top.map("shared", formula)?,
            flops: top.map("flops", formula)?,
            bytes: top.map("bytes", formula)?,
            reference: top.map("reference", measure::reference)?.unwrap_or_default(),
            tolerance: top.map("tolerance", words::tolerance)?.unwrap_or_default(),
            measure: top.map("measure", measure::measure)?.unwrap_or_default(),
            signature: declared.signature,
            axes,
            scalars,
            arrays,
        };
        all_used(&top, &spec)?;
        Ok(spec)
    }
}

/// The declaration, if a device can be handed its parameters.
fn declaration(page: &Page<'_>, typed: &Quoted<'_>) -> Result<Declaration, SpecError> {
    let declared = Declaration::read(typed.text).map_err(|error| page.error(typed.span(error.range), error.message))?;
    if declared.signature.result.is_some() {
        return Err(page.error(typed.inside(), "a kernel returns nothing: begin the signature with `void`"));
    }
    for (parameter, (range, _)) in declared.signature.parameters.iter().zip(&declared.parameters) {
        let is_narrow = matches!(parameter.element, Element::I8 | Element::I16 | Element::U8 | Element::U16);
        if parameter.by == PassedBy::Value && is_narrow {
            let message =
                format!("`{}` is narrower than what is handed to a kernel by value: write `int`", parameter.name);
            return Err(page.error(typed.span(range.clone()), message));
        }
    }
    Ok(declared)
}

fn scalars(item: &Item<'_>, axes: &[Axis]) -> Result<Vec<Scalar>, SpecError> {
    let mut found: Vec<Scalar> = Vec::new();
    for entry in item.entries()? {
        let name = entry.name;
        let taken = [THREADS, BLOCK].contains(&name) || axes.iter().any(|axis| axis.name == name);
        if taken || !is_identifier(name) {
            let why = if taken { "has a value already" } else { "is no name" };
            let message = format!("`{name}` {why}: choose another of letters, digits and `_`");
            return Err(entry.page.error(entry.key.clone(), message));
        }
        let value = entry.formula(&names(axes, &found))?;
        found.push(Scalar { name: name.to_owned(), value });
    }
    Ok(found)
}

/// The names that formulas may use.
fn names<'a>(axes: &'a [Axis], scalars: &'a [Scalar]) -> Vec<&'a str> {
    let axes = axes.iter().map(|axis| axis.name.as_str());
    axes.chain(scalars.iter().map(|scalar| scalar.name.as_str())).collect()
}

fn arrays(item: &Item<'_>, declared: &Declaration, names: &[&str]) -> Result<Vec<DeviceArray>, SpecError> {
    let mut input = Vec::new();
    for entry in item.entries()?.into_iter().filter(|entry| !entry.is_text()) {
        let section = Section::within(&entry, ARRAY_KEYS)?;
        input.push((entry.name.to_owned(), section.map("input", Item::flag)?));
    }
    let found = data::arrays(item, declared, names, ARRAY_KEYS)?;
    let parameters = || declared.signature.parameters.iter().zip(&declared.parameters);
    let of = |array: super::super::Array| {
        let said = input.iter().find(|(name, _)| *name == array.name).and_then(|(_, said)| *said);
        let is_const = parameters().any(|(parameter, (_, is_const))| parameter.name == array.name && *is_const);
        DeviceArray { input: said.unwrap_or(!array.output), written: !is_const, array }
    };
    Ok(found.into_iter().map(of).collect())
}

fn entry(item: &Item<'_>) -> Result<String, SpecError> {
    Ok(item.filled()?.text.trim().to_owned())
}

fn block(item: &Item<'_>) -> Result<Vec<u32>, SpecError> {
    let values = axes::values(item)?;
    let fitting = |value: u64| {
        let fits = (1..=BLOCK_MAX).contains(&value);
        u32::try_from(value).ok().filter(|_| fits).ok_or_else(|| {
            item.error(format!("a block of {value} threads fits no device: write 1 to {BLOCK_MAX}, such as 256"))
        })
    };
    values.into_iter().map(fitting).collect()
}

/// Whether every axis and every scalar is a parameter or stands in a formula: one that is neither is misspelt.
fn all_used(top: &Section<'_>, spec: &DeviceSpec) -> Result<(), SpecError> {
    let mut formulas: Vec<&Formula> = vec![&spec.threads];
    formulas.extend([&spec.shared, &spec.flops, &spec.bytes].into_iter().flatten());
    formulas.extend(spec.arrays.iter().map(|one| &one.array.extent));
    formulas.extend(spec.scalars.iter().map(|scalar| &scalar.value));
    for key in ["axes", "scalars"] {
        for entry in top.map(key, Item::entries)?.unwrap_or_default() {
            let is_parameter = spec.signature.parameters.iter().any(|parameter| parameter.name == entry.name);
            if !is_parameter && !formulas.iter().any(|formula| formula.names().contains(&entry.name)) {
                let message =
                    format!("`{}` is no parameter and stands in no formula: remove it, or use it", entry.name);
                return Err(entry.page.error(entry.key.clone(), message));
            }
        }
    }
    Ok(())
}
