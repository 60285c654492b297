//! The arrays and scalars of a spec, checked against the signature.

use std::ops::Range;

use paw_data::document::{Document, DocumentError, TableEntry, Text, TextOr, Texts};
use paw_data::spelling::closest;
use paw_formula::Formula;
use paw_sort::OrderBy;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::arithmetic::{Arithmetic, formula};
use super::signature::Declaration;
use super::source::existing;
use super::{Array, Fill, Parameter, PassedBy, Scalar, Signature};
use crate::element::{ELEMENTS, Element};

/// An array as its author writes it.
#[derive(Debug)]
pub(super) struct ArrayEntry {
    span: Range<usize>,
    kind: Option<Text>,
    fill: Option<Text>,
    file: Option<Text>,
    output: Option<Spanned<bool>>,
    pub input: Option<Spanned<bool>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArrayTable {
    #[serde(rename = "type")]
    kind: Option<Text>,
    fill: Option<Text>,
    file: Option<Text>,
    output: Option<Spanned<bool>>,
    input: Option<Spanned<bool>>,
}

impl<'de> Deserialize<'de> for ArrayEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let typed: Spanned<TextOr<ArrayTable>> = Spanned::deserialize(deserializer)?;
        let span = typed.span();
        Ok(match typed.into_inner() {
            TextOr::Text(text) => {
                let kind = Some(Text { text, span: span.clone() });
                Self { span, kind, fill: None, file: None, output: None, input: None }
            }
            TextOr::Other(ArrayTable { kind, fill, file, output, input }) => {
                Self { span, kind, fill, file, output, input }
            }
        })
    }
}

/// A declaration, and its place in the document.
pub(super) struct Declared<'a> {
    document: &'a Document<'a>,
    typed: &'a Text,
    declaration: Declaration,
}

impl<'a> Declared<'a> {
    /// Parses the declaration of a function for a processor.
    pub fn parse(document: &'a Document<'a>, typed: &'a Text) -> Result<Self, DocumentError> {
        Self::by(document, typed, Declaration::parse)
    }

    /// Parses the declaration of a kernel for a device.
    pub fn of_device(document: &'a Document<'a>, typed: &'a Text) -> Result<Self, DocumentError> {
        Self::by(document, typed, Declaration::of_device)
    }

    fn by(
        document: &'a Document<'a>,
        typed: &'a Text,
        read: fn(&str) -> Result<Declaration, super::signature::SignatureError>,
    ) -> Result<Self, DocumentError> {
        let wrong =
            |error: super::signature::SignatureError| document.error(document.part(typed, error.range), error.message);
        Ok(Self { document, typed, declaration: read(&typed.text).map_err(wrong)? })
    }

    pub fn function(&self) -> &str {
        &self.declaration.function
    }

    pub fn signature(&self) -> &Signature {
        &self.declaration.signature
    }

    pub fn into_signature(self) -> Signature {
        self.declaration.signature
    }

    /// The arrays, in the order of the signature.
    pub fn arrays(&self, entries: &[TableEntry<ArrayEntry>], names: &[&str]) -> Result<Vec<Array>, DocumentError> {
        let parameters = &self.signature().parameters;
        let mut found = Vec::new();
        for entry in entries {
            let key_error = |message| Err(self.document.error(entry.key.clone(), message));
            let Some(at) = parameters.iter().position(|parameter| parameter.name == entry.name) else {
                return key_error(no_parameter(&entry.name, parameters));
            };
            if parameters[at].by == PassedBy::Value {
                let name = &entry.name;
                return key_error(format!(
                    "`{name}` is handed over as a number: an array is a pointer in the signature"
                ));
            }
            found.push((at, self.array(entry, at, names)?));
        }
        found.order_by_key(|(at, _)| *at);
        Ok(found.into_iter().map(|(_, array)| array).collect())
    }

    fn array(&self, entry: &TableEntry<ArrayEntry>, at: usize, names: &[&str]) -> Result<Array, DocumentError> {
        let (document, parameter) = (self.document, &self.signature().parameters[at]);
        let is_const = self.declaration.parameters.get(at).is_some_and(|(_, is_const)| *is_const);
        let (name, typed) = (&entry.name, &entry.value);
        let declared = parameter.element.name();
        let kind = typed.kind.as_ref().ok_or_else(|| {
            document.error(typed.span.clone(), format!("`{name}` has no type: add `type = \"{declared}[n]\"`"))
        })?;
        let (element, extent) = element_and_extent(document, kind)?;
        if element != parameter.element {
            let length = kind.text.find('[').unwrap_or_default();
            let held = element.name();
            let message = format!("`{name}` holds {held} here and {declared} in the signature: make them agree");
            return Err(document.error(document.part(kind, 0..length), message));
        }
        let output = typed.output.as_ref().is_some_and(|output| *output.get_ref());
        if let Some(said) = typed.output.as_ref().filter(|_| output && is_const) {
            let message = format!("`{name}` is const in the signature and cannot be an answer: remove one of both");
            return Err(document.error(said.span(), message));
        }
        let extent = formula(document, kind, extent, names)?;
        let fill = match &typed.fill {
            None => Fill::usual(element, output),
            Some(text) => {
                Fill::parse(&text.text, element).map_err(|message| document.error(document.inside(text), message))?
            }
        };
        if let Some(file) = typed.file.as_ref().filter(|_| typed.fill.is_some()) {
            return Err(document.key_error(&file.span, "`file` and `fill` exclude each other: keep one of them"));
        }
        let file = typed.file.as_ref().map(|file| existing(document, file)).transpose()?;
        let input = typed.input.as_ref().map_or(!output, |input| *input.get_ref());
        Ok(Array { name: name.clone(), element, extent, fill, file, output, input, written: !is_const })
    }

    /// Checks that every parameter has an array or a value, and that the kernel has an answer.
    pub fn complete(&self, arrays: &[Array], values: &[&str]) -> Result<(), DocumentError> {
        let (document, typed) = (self.document, self.typed);
        for (parameter, (range, _)) in self.signature().parameters.iter().zip(&self.declaration.parameters) {
            let Parameter { name, element, by } = parameter;
            let is_array = arrays.iter().any(|array| array.name == *name);
            let is_scalar = values.contains(&name.as_str());
            let message = match (is_array, is_scalar, by) {
                (true, true, _) => format!("`{name}` is an array and a scalar: keep one of both"),
                (false, false, PassedBy::Address) => {
                    format!("`{name}` has no data: add `{name} = \"{}[n]\"` under [arrays]", element.name())
                }
                (false, false, PassedBy::Value) => {
                    format!("`{name}` has no value: add `{name} = 1` under [scalars]")
                }
                _ => continue,
            };
            return Err(document.error(document.part(typed, range.clone()), message));
        }
        if self.signature().result.is_some() || arrays.iter().any(|array| array.output) {
            return Ok(());
        }
        let message =
            "nothing here is an answer that could be checked: add `output = true` to an array, or return a number";
        Err(document.error(document.inside(typed), message))
    }
}

fn no_parameter(name: &str, parameters: &[Parameter]) -> String {
    let addresses = parameters.iter().filter(|parameter| parameter.by == PassedBy::Address);
    match closest(name, addresses.map(|parameter| parameter.name.as_str())) {
        Some(near) => format!("the signature has no parameter `{name}`: did you mean `{near}`?"),
        None => format!("the signature has no parameter `{name}`: remove it, or name it there"),
    }
}

/// The type of an element, and the bytes of the extent in the text `f32[n*n]`.
fn element_and_extent(document: &Document<'_>, kind: &Text) -> Result<(Element, Range<usize>), DocumentError> {
    let text = &kind.text;
    let no_type = || {
        let message = format!("`{text}` is no type of an array: write type and number of elements, as in `f32[n*n]`");
        document.error(document.inside(kind), message)
    };
    let open = text.find('[').ok_or_else(no_type)?;
    let close = text.trim_end().strip_suffix(']').ok_or_else(no_type)?.len();
    let word = text[..open].trim();
    let no_element = || document.error(document.part(kind, 0..open), no_element(word));
    let element = Element::named(word).ok_or_else(no_element)?;
    if text[open + 1..close].trim().is_empty() {
        return Err(no_type());
    }
    Ok((element, open + 1..close))
}

fn no_element(word: &str) -> String {
    const WORDS_OF_C: &[(&str, &str)] =
        &[("float", "f32"), ("double", "f64"), ("char", "i8"), ("int", "i32"), ("long", "i64")];
    match WORDS_OF_C.iter().find(|(typed, _)| *typed == word) {
        Some((_, meant)) => format!("there is no type `{word}` here: write `{meant}`"),
        None => {
            let all: Vec<&str> = ELEMENTS.iter().map(|(name, _)| *name).collect();
            format!("there is no type `{word}`; there are {}", all.join(", "))
        }
    }
}

/// The scalars, whose formulas may use `known` and the scalars above; `taken` says why a name is not free.
pub(super) fn scalars(
    document: &Document<'_>,
    entries: &[TableEntry<Arithmetic>],
    known: &[&str],
    taken: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Scalar>, DocumentError> {
    let mut found: Vec<Scalar> = Vec::new();
    for TableEntry { name, key, value } in entries {
        let not_a_name =
            || (!is_identifier(name)).then(|| format!("`{name}` is no name: write letters, digits and `_`"));
        if let Some(message) = taken(name).or_else(not_a_name) {
            return Err(document.error(key.clone(), message));
        }
        let names: Vec<&str> = known.iter().copied().chain(found.iter().map(|scalar| scalar.name.as_str())).collect();
        let value = value.formula(document, &names)?;
        found.push(Scalar { name: name.clone(), value });
    }
    Ok(found)
}

/// Checks that each of `entries` is a parameter or is used by a formula; any other name is misspelt.
pub(super) fn all_used<T>(
    document: &Document<'_>,
    entries: &[TableEntry<T>],
    signature: &Signature,
    (formulas, arrays, scalars): (&[&Formula], &[Array], &[Scalar]),
) -> Result<(), DocumentError> {
    let extents = arrays.iter().map(|array| &array.extent);
    let formulas: Vec<&Formula> =
        formulas.iter().copied().chain(extents).chain(scalars.iter().map(|scalar| &scalar.value)).collect();
    for TableEntry { name, key, .. } in entries {
        let is_parameter = signature.parameters.iter().any(|parameter| parameter.name == *name);
        if !is_parameter && !formulas.iter().any(|formula| formula.names().contains(&name.as_str())) {
            let message = format!("`{name}` is no parameter and stands in no formula: remove it, or use it");
            return Err(document.error(key.clone(), message));
        }
    }
    Ok(())
}

/// Texts, none of them blank.
pub(super) fn list(document: &Document<'_>, key: &str, texts: Texts) -> Result<Vec<String>, DocumentError> {
    match texts.texts.iter().find(|text| text.text.trim().is_empty()) {
        Some(blank) => Err(document.error(document.inside(blank), format!("`{key}` holds an empty text: remove it"))),
        None => Ok(texts.texts.into_iter().map(|text| text.text).collect()),
    }
}

/// The flags of `typed`, checked: a shell could split them into words.
pub(super) fn split(document: &Document<'_>, typed: &Text) -> Result<String, DocumentError> {
    match shlex::split(&typed.text) {
        Some(_) => Ok(typed.text.clone()),
        None => {
            let message = format!("`{}` has a quotation mark that is never closed: close it", typed.text);
            Err(document.error(document.inside(typed), message))
        }
    }
}

/// The kernel's name: the one typed, else the file's, else the function's.
pub(super) fn name(document: &Document<'_>, typed: Option<Text>, function: &str) -> String {
    let stem =
        || document.path.file_stem().map_or_else(|| function.to_owned(), |stem| stem.to_string_lossy().into_owned());
    typed.map_or_else(stem, |name| name.text)
}

/// The error of a missing key, with an example of its line.
pub(super) fn missing(document: &Document<'_>, key: &str, example: &str) -> DocumentError {
    document.whole(format!("the key `{key}` is missing: add a line like `{key} = {example}`"))
}

/// Whether a text is a name in C.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}
