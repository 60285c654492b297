//! Reads the spec of a kernel for a processor.

use paw_data::document::{Document, DocumentError, TableEntry, Text, Texts, entries};
use paw_data::kernel::Tolerance;
use paw_formula::Formula;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::arithmetic::Arithmetic;
use super::arrays::{self, ArrayEntry, Declared, split};
use super::measure::{Measure, tolerance};
use super::reference::ReferenceTable;
use super::source::sources;
use super::values::footprint;
use super::variant::{self, VariantTable, symbol};
use super::{Language, Reference, Spec};

/// The keys of the file, in the order in which a message lists them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "paw")]
    _version: IgnoredAny,
    name: Option<Text>,
    sources: Option<Texts>,
    #[serde(rename = "language")]
    _language: Option<IgnoredAny>,
    function: Option<Text>,
    signature: Option<Text>,
    iterations: Option<Arithmetic>,
    flops: Option<Arithmetic>,
    bytes: Option<Arithmetic>,
    #[serde(default)]
    always: Texts,
    #[serde(default)]
    compilers: Texts,
    #[serde(default)]
    flags: Texts,
    #[serde(default, deserialize_with = "entries")]
    arrays: Vec<TableEntry<ArrayEntry>>,
    #[serde(default, deserialize_with = "entries")]
    scalars: Vec<TableEntry<Arithmetic>>,
    #[serde(default, deserialize_with = "entries")]
    variants: Vec<TableEntry<VariantTable>>,
    #[serde(default)]
    reference: ReferenceTable,
    #[serde(default, deserialize_with = "tolerance")]
    tolerance: Tolerance,
    #[serde(default)]
    measure: Measure,
}

/// The name of the size.
const SIZE: &str = super::size::SIZE;

/// The kernel of `document`; `language` is that of its key, if it has one.
pub(super) fn processor(document: &Document<'_>, language: Option<Language>) -> Result<Spec, DocumentError> {
    let file: File = document.parse()?;
    let need = |key: &str, example: &str| arrays::missing(document, key, example);
    let typed = file.signature.ok_or_else(|| need("signature", "\"void scale(unsigned n, float a[n])\""))?;
    let declared = Declared::parse(document, &typed)?;
    let scalars = arrays::scalars(document, &file.scalars, &[SIZE], &|name| {
        (name == SIZE).then(|| "`n` is the size, which paw chooses: set what follows from it instead".to_owned())
    })?;
    let names: Vec<&str> = [SIZE].into_iter().chain(scalars.iter().map(|scalar| scalar.name.as_str())).collect();
    let arrays = declared.arrays(&file.arrays, &names)?;
    if let Some(input) = file.arrays.iter().find_map(|entry| entry.value.input.as_ref()) {
        return Err(document.key_error(&input.span(), "`input` belongs to kernels for devices: remove it"));
    }
    declared.complete(&arrays, &names)?;
    let formula = |typed: &Arithmetic| typed.formula(document, &names);
    let iterations = formula(&file.iterations.ok_or_else(|| need("iterations", "\"n*n\""))?)?;
    let flops = file.flops.as_ref().map(formula).transpose()?;
    let bytes = file.bytes.as_ref().map(formula).transpose()?;
    let sources_typed = file.sources.ok_or_else(|| need("sources", "[\"kernel.c\"]"))?;
    let (sources, language) = sources(document, &sources_typed, language)?;
    let variants = variant::variants(document, &file.variants)?;
    let reference = file.reference.reference(document, &variants)?;
    let function = file.function.as_ref().map(|typed| symbol(document, typed)).transpose()?;
    let function = function.unwrap_or_else(|| declared.function().to_owned());
    let formulas: Vec<&Formula> = [Some(&iterations), flops.as_ref(), bytes.as_ref()].into_iter().flatten().collect();
    arrays::all_used(document, &file.scalars, declared.signature(), (&formulas, &arrays, &scalars))?;
    Formula::parse(&footprint(&arrays))
        .map_err(|why| document.whole(format!("the extents of all arrays are too much for one formula: {why}")))?;
    let spec = Spec {
        path: document.path.to_owned(),
        name: arrays::name(document, file.name, declared.function()),
        function,
        sources,
        language,
        iterations,
        flops,
        bytes,
        reference,
        variants,
        tolerance: file.tolerance,
        measure: file.measure,
        compilers: arrays::list(document, "compilers", file.compilers)?,
        flags: file.flags.texts.iter().map(|text| split(document, text)).collect::<Result<_, _>>()?,
        always: arrays::list(document, "always", file.always)?,
        signature: declared.into_signature(),
        arrays,
        scalars,
    };
    first_computes(document, &file.variants, &spec)?;
    Ok(spec)
}

/// Checks that the reference variant computes something.
fn first_computes(
    document: &Document<'_>,
    typed: &[TableEntry<VariantTable>],
    spec: &Spec,
) -> Result<(), DocumentError> {
    let is_named = matches!(&spec.reference, Reference::Build { variant: Some(_), .. });
    match typed.first().filter(|first| first.value.residency && !is_named) {
        None => Ok(()),
        Some(first) => Err(document.error(
            first.key.clone(),
            format!(
                "the first variant is the reference, and `{}` only moves data: put another first, or name one under [reference]",
                first.name
            ),
        )),
    }
}
