//! Variants of a source.

use paw_data::document::{Document, DocumentError, TableEntry, Text, Texts};
use serde::Deserialize;

use super::arrays::{is_identifier, split};
use super::{Reference, Spec, Variant};

/// A variant as its author writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VariantTable {
    #[serde(default)]
    define: Texts,
    #[serde(default)]
    flags: Texts,
    function: Option<Text>,
    #[serde(default)]
    pub residency: bool,
}

/// The variants of `[variants]`.
pub(super) fn variants(
    document: &Document<'_>,
    entries: &[TableEntry<VariantTable>],
) -> Result<Vec<Variant>, DocumentError> {
    let mut found: Vec<Variant> = Vec::new();
    for TableEntry { name, key, value } in entries {
        let key_error = |message: String| document.error(key.clone(), message);
        let is_plain = |c: char| c.is_alphanumeric() || "_-.+=".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(key_error(format!("`{name}` is no name of a variant: write letters, digits, `_ - . + =`")));
        }
        if let Some(other) = found.iter().find(|other| value.residency && other.residency) {
            return Err(key_error(format!("`{}` is the residency variant already: there can be one", other.name)));
        }
        let is_macro = |text: &&Text| is_identifier(text.text.split('=').next().unwrap_or_default());
        if let Some(text) = value.define.texts.iter().find(|text| !is_macro(text)) {
            let message = format!("`{}` is no macro: write `NAME` or `NAME=value`", text.text);
            return Err(document.error(document.inside(text), message));
        }
        let define = value.define.texts.iter().map(|text| text.text.clone()).collect();
        let function = value.function.as_ref().map(|typed| symbol(document, typed)).transpose()?;
        let flags: Vec<String> =
            value.flags.texts.iter().map(|text| split(document, text)).collect::<Result<_, _>>()?;
        let flags = flags.iter().flat_map(|set| shlex::split(set).unwrap_or_default()).collect();
        found.push(Variant { name: name.clone(), define, flags, function, residency: value.residency });
    }
    if let Some(first) = entries.first().filter(|_| found.iter().all(|variant| variant.residency)) {
        let message = format!("`{}` only moves data: add a variant that computes", first.name);
        return Err(document.error(first.key.clone(), message));
    }
    Ok(found)
}

/// The name of a function.
pub(super) fn symbol(document: &Document<'_>, name: &Text) -> Result<String, DocumentError> {
    if name.text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(document.error(name.span.clone(), format!("`{}` is no name of a function", name.text)));
    }
    Ok(name.text.clone())
}

impl Spec {
    /// The reference variant of speed-ups: the one that `[reference]` names, else the first that computes; `None` if the source has
    /// only one form.
    pub fn reference_variant(&self) -> Option<&Variant> {
        let named = match &self.reference {
            Reference::Build { variant: Some(name), .. } => Some(name),
            _ => None,
        };
        self.variants.iter().find(|variant| named.map_or(!variant.residency, |name| variant.name == *name))
    }
}
