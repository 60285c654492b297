//! `[reference]`: what answers are compared with, and the build that it selects.

use paw_data::document::{Document, DocumentError, Text};
use serde::Deserialize;

use super::arrays::split;
use super::source::existing;
use super::variant::symbol;
use super::{Reference, Variant};

/// `[reference]` as its author writes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ReferenceTable {
    variant: Option<Text>,
    compiler: Option<Text>,
    flags: Option<Text>,
    file: Option<Text>,
    function: Option<Text>,
}

impl ReferenceTable {
    /// The reference, checked against the spec's variants.
    pub fn reference(&self, document: &Document<'_>, variants: &[Variant]) -> Result<Reference, DocumentError> {
        let Self { variant, compiler, flags, file, function } = self;
        let build = [("variant", variant), ("compiler", compiler), ("flags", flags)];
        let selected = build.into_iter().find(|(_, text)| text.is_some());
        let keys = [("file", file), ("function", function)].into_iter().chain(selected);
        match alone(document, keys)? {
            None => return Ok(Reference::First),
            Some(("file", file)) => return Ok(Reference::File(existing(document, file)?)),
            Some(("function", function)) => return Ok(Reference::Function(symbol(document, function)?)),
            Some(_) => {}
        }
        Ok(Reference::Build {
            variant: variant.as_ref().map(|typed| known(document, typed, variants)).transpose()?,
            compiler: compiler.as_ref().map(|typed| typed.text.clone()),
            flags: flags.as_ref().map(|typed| split(document, typed)).transpose()?,
        })
    }
}

/// The key of `keys` that was typed, with its text.
///
/// # Errors
/// Two of them were typed.
pub(super) fn alone<'t>(
    document: &Document<'_>,
    keys: impl IntoIterator<Item = (&'static str, &'t Option<Text>)>,
) -> Result<Option<(&'static str, &'t Text)>, DocumentError> {
    let mut typed = keys.into_iter().filter_map(|(key, text)| Some((key, text.as_ref()?)));
    let first = typed.next();
    let (Some((key, _)), Some((other, text))) = (first, typed.next()) else { return Ok(first) };
    Err(document.key_error(&text.span, format!("`{other}` and `{key}` exclude each other: keep one of them")))
}

fn known(document: &Document<'_>, typed: &Text, variants: &[Variant]) -> Result<String, DocumentError> {
    let name = &typed.text;
    let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
    let message = match variants.iter().find(|variant| variant.name == *name) {
        Some(variant) if variant.residency => {
            format!("`{name}` only moves data and cannot be the reference: name another variant")
        }
        Some(_) => return Ok(name.clone()),
        None if names.is_empty() => format!("there is no variant `{name}`: add it under [variants]"),
        None => format!("there is no variant `{name}`: there are {}", names.join(", ")),
    };
    Err(document.error(typed.span.clone(), message))
}

impl Reference {
    /// Whether a build is the reference, by its variant, compiler, and `flags`: as typed, and their label. Properties that the spec leaves open
    /// fit every build, and so do references that are no build: callers take the first that fits.
    pub fn fits(&self, variant: &str, compiler: &str, flags: [&str; 2]) -> bool {
        let Reference::Build { variant: named, compiler: asked, flags: typed } = self else { return true };
        named.as_deref().is_none_or(|named| named == variant)
            && asked.as_deref().is_none_or(|asked| is_called(compiler, asked))
            && typed.as_deref().is_none_or(|typed| flags.contains(&typed))
    }
}

/// Whether a compiler found as `found` is the one `asked` for: `clang` may have been found as `clang-19`.
fn is_called(found: &str, asked: &str) -> bool {
    found.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_open_fits_every_build() {
        let of = |variant: Option<&str>, compiler: Option<&str>, flags: Option<&str>| Reference::Build {
            variant: variant.map(str::to_owned),
            compiler: compiler.map(str::to_owned),
            flags: flags.map(str::to_owned),
        };
        let build = ("rows", "clang-19", ["-O2 -g", "base"]);
        let fits = |reference: Reference| reference.fits(build.0, build.1, build.2);
        assert!(fits(Reference::First) && fits(of(None, None, None)));
        assert!(
            fits(of(Some("rows"), Some("clang"), Some("base"))) && fits(of(None, Some("clang-19"), Some("-O2 -g")))
        );
        assert!(!fits(of(Some("plain"), None, None)) && !fits(of(None, Some("clang-1"), None)));
        assert!(!fits(of(None, None, Some("-O2"))));
    }
}
