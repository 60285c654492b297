//! `kernel.toml`: a spec as a file.

use std::fs;
use std::path::Path;

use paw_formula::Formula;
use toml::de::DeTable;

use super::described::device;
use super::item::Item;
use super::page::{Page, Section};
use super::quoted::Quoted;
use super::signature::Declaration;
use super::{Array, Reference, Scalar, Spec, SpecError, data, measure, source, variant};

/// The version of the format that is read here.
pub const VERSION: &str = "kernel/1";

/// The outermost keys.
const KEYS: &[&str] = &[
    "paw",
    "name",
    "sources",
    "language",
    "function",
    "signature",
    "iterations",
    "flops",
    "bytes",
    "always",
    "compilers",
    "flags",
    "arrays",
    "scalars",
    "variants",
    "reference",
    "tolerance",
    "measure",
];

impl Spec {
    /// Reads a spec.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong: what, and where.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        let whole = |why: std::io::Error| Page { path, text: "" }.whole(format!("cannot be read: {why}"));
        Self::parse(path, &fs::read_to_string(path).map_err(whole)?)
    }

    /// The spec of `text`, which stands in the file `path`; sources are looked for beside it.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(path: &Path, text: &str) -> Result<Self, SpecError> {
        let page = Page { path, text };
        let table = page.table()?;
        version(&page, &table)?;
        if let Some(item) = device(&page, &table)? {
            return Err(item.error("this kernel runs on a device: `paw kernel measure` and `paw kernel check` take it"));
        }
        let top = Section::top(&page, &table, KEYS)?;
        let typed = top.need("signature", "\"void scale(unsigned n, float a[n])\"")?.filled()?;
        let declared =
            Declaration::parse(typed.text).map_err(|error| page.error(typed.span(error.range), error.message))?;
        let (arrays, scalars) = called_with(&page, &top, &typed, &declared)?;
        let names = data::names(&scalars);
        let formula = |item: &Item<'_>| item.formula(&names);
        let said = top.map("language", source::language)?;
        let (sources, language) = source::sources(top.need("sources", "[\"kernel.c\"]")?, said)?;
        let variants = top.map("variants", variant::variants)?.unwrap_or_default();
        let stem =
            || path.file_stem().map_or_else(|| declared.function.clone(), |stem| stem.to_string_lossy().into_owned());
        let spec = Self {
            path: path.to_owned(),
            name: top.map("name", |item| Ok(item.filled()?.text.to_owned()))?.unwrap_or_else(stem),
            function: top.map("function", variant::symbol)?.unwrap_or_else(|| declared.function.clone()),
            sources,
            language,
            iterations: formula(top.need("iterations", "\"n*n\"")?)?,
            flops: top.map("flops", formula)?,
            bytes: top.map("bytes", formula)?,
            reference: top.map("reference", |item| variant::reference(item, &variants))?.unwrap_or_default(),
            variants,
            tolerance: top.map("tolerance", measure::tolerance)?.unwrap_or_default(),
            measure: top.map("measure", measure::measure)?.unwrap_or_default(),
            compilers: list(&top, "compilers")?,
            flags: flags(&top)?,
            always: list(&top, "always")?,
            signature: declared.signature,
            arrays,
            scalars,
        };
        first_computes(&top, &spec)?;
        all_used(&top, &spec)?;
        Formula::parse(&spec.footprint())
            .map_err(|why| page.whole(format!("the extents of all arrays are too much for one formula: {why}")))?;
        Ok(spec)
    }
}

pub(super) fn version(page: &Page<'_>, table: &DeTable<'_>) -> Result<(), SpecError> {
    let Some(item) = Item::all(page, table).into_iter().find(|item| item.name == "paw") else {
        return Err(page.whole(format!("it is no kernel: begin it with the line `paw = \"{VERSION}\"`")));
    };
    let version = item.text()?.text;
    if version == VERSION {
        return Ok(());
    }
    Err(item.error(format!("version `{version}` is not known here: this paw reads `{VERSION}`")))
}

fn called_with(
    page: &Page<'_>,
    top: &Section<'_>,
    typed: &Quoted<'_>,
    declared: &Declaration,
) -> Result<(Vec<Array>, Vec<Scalar>), SpecError> {
    let scalars = top.map("scalars", data::scalars)?.unwrap_or_default();
    let arrays =
        top.map("arrays", |item| data::arrays(item, declared, &data::names(&scalars), data::KEYS))?.unwrap_or_default();
    data::complete(page, typed, declared, &arrays, &data::names(&scalars))?;
    Ok((arrays, scalars))
}

/// Texts, none of them blank.
pub(super) fn list(top: &Section<'_>, key: &str) -> Result<Vec<String>, SpecError> {
    let Some(item) = top.get(key) else { return Ok(Vec::new()) };
    let filled = |text: Quoted<'_>| {
        let error = || item.page.error(text.inside(), format!("`{key}` holds an empty text: remove it"));
        if text.text.trim().is_empty() { Err(error()) } else { Ok(text.text.to_owned()) }
    };
    item.texts()?.into_iter().map(filled).collect()
}

/// Sets of flags; an empty one is no flags.
fn flags(top: &Section<'_>) -> Result<Vec<String>, SpecError> {
    let Some(item) = top.get("flags") else { return Ok(Vec::new()) };
    item.texts()?.into_iter().map(|text| variant::split(item.page, text.text, text.inside())).collect()
}

/// Whether the variant that others are held against computes something.
fn first_computes(top: &Section<'_>, spec: &Spec) -> Result<(), SpecError> {
    let is_named = matches!(&spec.reference, Reference::Build { variant: Some(_), .. });
    let Some(first) = spec.variants.first().filter(|first| first.residency && !is_named) else { return Ok(()) };
    let entries = top.map("variants", Item::entries)?.unwrap_or_default();
    let Some(entry) = entries.first() else { return Ok(()) };
    let message = format!(
        "the first variant is the reference, and `{}` only moves data: put another first, or name one under [reference]",
        first.name
    );
    Err(entry.page.error(entry.key.clone(), message))
}

/// Whether every scalar is a parameter or stands in a formula: one that is neither is misspelt.
fn all_used(top: &Section<'_>, spec: &Spec) -> Result<(), SpecError> {
    let formulas = [Some(&spec.iterations), spec.flops.as_ref(), spec.bytes.as_ref()];
    let mut formulas: Vec<&Formula> = formulas.into_iter().flatten().collect();
    formulas.extend(spec.arrays.iter().map(|array| &array.extent));
    formulas.extend(spec.scalars.iter().map(|scalar| &scalar.value));
    for entry in top.map("scalars", Item::entries)?.unwrap_or_default() {
        let is_parameter = spec.signature.parameters.iter().any(|parameter| parameter.name == entry.name);
        if !is_parameter && !formulas.iter().any(|formula| formula.names().contains(&entry.name)) {
            let message = format!("`{}` is no parameter and stands in no formula: remove it, or use it", entry.name);
            return Err(entry.page.error(entry.key.clone(), message));
        }
    }
    Ok(())
}
