//! Variants of a source, and what answers are held against.

use std::path::Path;

use super::data::is_identifier;
use super::item::Item;
use super::page::{Page, Section};
use super::{Reference, Spec, SpecError, Variant};

const KEYS: &[&str] = &["define", "function", "residency"];
const REFERENCE_KEYS: &[&str] = &["variant", "compiler", "flags", "file", "function"];

/// The variants of `[variants]`.
pub(super) fn variants(item: &Item<'_>) -> Result<Vec<Variant>, SpecError> {
    let mut found: Vec<Variant> = Vec::new();
    for entry in item.entries()? {
        let key_error = |message: String| entry.page.error(entry.key.clone(), message);
        let is_plain = |c: char| c.is_alphanumeric() || "_-.+=".contains(c);
        if entry.name.is_empty() || !entry.name.chars().all(is_plain) {
            return Err(key_error(format!(
                "`{}` is no name of a variant: write letters, digits, `_ - . + =`",
                entry.name
            )));
        }
        let section = Section::within(&entry, KEYS)?;
        let residency = section.map("residency", Item::flag)?.unwrap_or(false);
        if let Some(other) = found.iter().find(|other| residency && other.residency) {
            return Err(key_error(format!("`{}` is the residency variant already: there can be one", other.name)));
        }
        let mut define = Vec::new();
        for text in section.map("define", Item::texts)?.unwrap_or_default() {
            if !is_identifier(text.text.split('=').next().unwrap_or_default()) {
                let message = format!("`{}` is no macro: write `NAME` or `NAME=value`", text.text);
                return Err(entry.page.error(text.inside(), message));
            }
            define.push(text.text.to_owned());
        }
        let function = section.map("function", symbol)?;
        found.push(Variant { name: entry.name.to_owned(), define, function, residency });
    }
    if let Some(first) = item.entries()?.first().filter(|_| found.iter().all(|variant| variant.residency)) {
        let message = format!("`{}` only moves data: add a variant that computes", first.name);
        return Err(item.page.error(first.key.clone(), message));
    }
    Ok(found)
}

/// The name of a function.
pub(super) fn symbol(item: &Item<'_>) -> Result<String, SpecError> {
    let name = item.filled()?;
    if name.text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(item.error(format!("`{}` is no name of a function", name.text)));
    }
    Ok(name.text.to_owned())
}

/// What `[reference]` says.
pub(super) fn reference(item: &Item<'_>, variants: &[Variant]) -> Result<Reference, SpecError> {
    let section = Section::within(item, REFERENCE_KEYS)?;
    let entries = item.entries()?;
    let alone = |key: &str| match entries.iter().find(|other| other.name != key) {
        Some(other) => Err(item
            .page
            .error(other.key.clone(), format!("`{}` and `{key}` exclude each other: keep one of them", other.name))),
        None => Ok(()),
    };
    if let Some(file) = section.get("file") {
        alone("file")?;
        return Ok(Reference::File(existing(file)?));
    }
    if let Some(function) = section.map("function", symbol)? {
        alone("function")?;
        return Ok(Reference::Function(function));
    }
    if entries.is_empty() {
        return Ok(Reference::First);
    }
    let text = |item: &Item<'_>| Ok(item.filled()?.text.to_owned());
    let variant = section.map("variant", |item| known(item, variants))?;
    Ok(Reference::Build { variant, compiler: section.map("compiler", text)?, flags: section.map("flags", flags)? })
}

/// Flags as a shell would read them.
pub(super) fn flags(item: &Item<'_>) -> Result<String, SpecError> {
    let typed = item.text()?;
    split(item.page, typed.text, typed.inside())
}

/// `typed`, where a shell could read it.
pub(super) fn split(page: &Page<'_>, typed: &str, span: std::ops::Range<usize>) -> Result<String, SpecError> {
    match shlex::split(typed) {
        Some(_) => Ok(typed.to_owned()),
        None => Err(page.error(span, format!("`{typed}` has a quotation mark that is never closed: close it"))),
    }
}

fn known(item: &Item<'_>, variants: &[Variant]) -> Result<String, SpecError> {
    let typed = item.filled()?.text;
    match variants.iter().find(|variant| variant.name == typed) {
        Some(variant) if variant.residency => {
            Err(item.error(format!("`{typed}` only moves data and cannot be the reference: name another variant")))
        }
        Some(_) => Ok(typed.to_owned()),
        None => {
            let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
            let rest = if names.is_empty() {
                "add it under [variants]".to_owned()
            } else {
                format!("there are {}", names.join(", "))
            };
            Err(item.error(format!("there is no variant `{typed}`: {rest}")))
        }
    }
}

/// A file that is there, by its path from the spec's.
pub(super) fn existing(item: &Item<'_>) -> Result<std::path::PathBuf, SpecError> {
    let typed = item.filled()?;
    found(item.page, typed.text, typed.inside())
}

/// The same, of a text at a place.
pub(super) fn found(
    page: &Page<'_>,
    typed: &str,
    span: std::ops::Range<usize>,
) -> Result<std::path::PathBuf, SpecError> {
    let directory = page.path.parent().unwrap_or(Path::new(""));
    let path = std::path::absolute(directory.join(typed)).unwrap_or_else(|_| directory.join(typed));
    if path.is_file() {
        return Ok(path);
    }
    Err(page
        .error(span, format!("there is no file {}: write its path as seen from this file's directory", path.display())))
}

impl Spec {
    /// The variant that speed-ups are held against: the one that the reference names, else the first that computes; `None`
    /// where the source has one form alone.
    pub fn reference_variant(&self) -> Option<&Variant> {
        let named = match &self.reference {
            Reference::Build { variant: Some(name), .. } => Some(name),
            _ => None,
        };
        self.variants.iter().find(|variant| named.map_or(!variant.residency, |name| variant.name == *name))
    }
}
