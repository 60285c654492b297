//! What a kernel is called with: arrays and scalars, held against the signature.

use std::ops::Range;

use paw_data::spelling::closest;

use super::item::{Item, formula};
use super::page::{Page, Section};
use super::quoted::Quoted;
use super::signature::Declaration;
use super::{Array, Fill, Parameter, PassedBy, Scalar, SpecError};
use crate::element::{ELEMENTS, Element};

/// The size, which has no value of its own.
pub(super) const SIZE: &str = "n";

/// The scalars of `[scalars]`.
pub(super) fn scalars(item: &Item<'_>) -> Result<Vec<Scalar>, SpecError> {
    let mut found: Vec<Scalar> = Vec::new();
    for entry in item.entries()? {
        let key_error = |message| entry.page.error(entry.key.clone(), message);
        if entry.name == SIZE {
            return Err(key_error("`n` is the size, which paw chooses: set what follows from it instead".to_owned()));
        }
        if !is_identifier(entry.name) {
            return Err(key_error(format!("`{}` is no name: write letters, digits and `_`", entry.name)));
        }
        let value = entry.formula(&names(&found))?;
        found.push(Scalar { name: entry.name.to_owned(), value });
    }
    Ok(found)
}

/// The names that formulas may use.
pub(super) fn names(scalars: &[Scalar]) -> Vec<&str> {
    std::iter::once(SIZE).chain(scalars.iter().map(|scalar| scalar.name.as_str())).collect()
}

/// The arrays of `[arrays]`, in the order of the signature.
///
/// `keys` are those that the table of an array may have.
pub(super) fn arrays(
    item: &Item<'_>,
    declared: &Declaration,
    names: &[&str],
    keys: &[&str],
) -> Result<Vec<Array>, SpecError> {
    let parameters = &declared.signature.parameters;
    let mut found = Vec::new();
    for entry in item.entries()? {
        let at = parameters.iter().position(|parameter| parameter.name == entry.name);
        let Some(at) = at else {
            return Err(entry.page.error(entry.key.clone(), no_parameter(entry.name, parameters)));
        };
        let parameter = &parameters[at];
        if parameter.by == PassedBy::Value {
            let message =
                format!("`{}` is handed over as a number: an array is a pointer in the signature", entry.name);
            return Err(entry.page.error(entry.key.clone(), message));
        }
        let is_const = declared.parameters.get(at).is_some_and(|(_, is_const)| *is_const);
        found.push((at, array(&entry, parameter, is_const, (names, keys))?));
    }
    found.sort_by_key(|(at, _)| *at);
    Ok(found.into_iter().map(|(_, array)| array).collect())
}

fn no_parameter(name: &str, parameters: &[Parameter]) -> String {
    let addresses = || parameters.iter().filter(|parameter| parameter.by == PassedBy::Address).map(|p| p.name.as_str());
    match closest(name, addresses()) {
        Some(near) => format!("the signature has no parameter `{name}`: did you mean `{near}`?"),
        None => format!("the signature has no parameter `{name}`: remove it, or name it there"),
    }
}

/// What the table of an array may have.
pub(super) const KEYS: &[&str] = &["type", "fill", "file", "output"];

fn array(
    entry: &Item<'_>,
    parameter: &Parameter,
    is_const: bool,
    (names, keys): (&[&str], &[&str]),
) -> Result<Array, SpecError> {
    let page = entry.page;
    let (typed, [fill, file, output]) = if entry.is_text() {
        (entry.filled()?, [None, None, None])
    } else {
        let section = Section::within(entry, keys)?;
        let typed = section.get("type").ok_or_else(|| {
            entry.error(format!("`{}` has no type: add `type = \"{}[n]\"`", entry.name, parameter.element.name()))
        })?;
        (typed.filled()?, ["fill", "file", "output"].map(|key| section.get(key).cloned()))
    };
    let (element, extent) = kind(page, &typed)?;
    if element != parameter.element {
        let length = typed.text.find('[').unwrap_or_default();
        let message = format!(
            "`{}` holds {} here and {} in the signature: make them agree",
            entry.name,
            element.name(),
            parameter.element.name()
        );
        return Err(page.error(typed.span(0..length), message));
    }
    let is_output = output.as_ref().map_or(Ok(false), Item::flag)?;
    if let Some(output) = output.filter(|_| is_output && is_const) {
        let message = format!("`{}` is const in the signature and cannot be an answer: remove one of both", entry.name);
        return Err(page.error(output.span, message));
    }
    let extent = formula(page, &typed, extent, names)?;
    let has_fill = fill.is_some();
    let fill = match &fill {
        None => Fill::usual(element, is_output),
        Some(item) => {
            let text = item.filled()?;
            Fill::parse(text.text, element).map_err(|message| page.error(text.inside(), message))?
        }
    };
    let file = match &file {
        Some(item) if has_fill => {
            return Err(page.error(item.key.clone(), "`file` and `fill` exclude each other: keep one of them"));
        }
        Some(item) => Some(super::variant::existing(item)?),
        None => None,
    };
    Ok(Array { name: entry.name.to_owned(), element, extent, fill, file, output: is_output })
}

/// Type of an element, and where the extent stands, in `f32[n*n]`.
fn kind(page: &Page<'_>, typed: &Quoted<'_>) -> Result<(Element, Range<usize>), SpecError> {
    let text = typed.text;
    let shape = || {
        let message = format!("`{text}` is no type of an array: write type and number of elements, as in `f32[n*n]`");
        page.error(typed.inside(), message)
    };
    let open = text.find('[').ok_or_else(shape)?;
    let close = text.trim_end().strip_suffix(']').ok_or_else(shape)?.len();
    let word = text[..open].trim();
    let element = Element::named(word).ok_or_else(|| page.error(typed.span(0..open), no_element(word)))?;
    if text[open + 1..close].trim().is_empty() {
        return Err(shape());
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

/// Whether every parameter has something to be called with.
pub(super) fn complete(
    page: &Page<'_>,
    typed: &Quoted<'_>,
    declared: &Declaration,
    arrays: &[Array],
    values: &[&str],
) -> Result<(), SpecError> {
    for (parameter, (range, _)) in declared.signature.parameters.iter().zip(&declared.parameters) {
        let Parameter { name, element, by } = parameter;
        let is_array = arrays.iter().any(|array| array.name == *name);
        let is_scalar = values.contains(&name.as_str());
        let message = match (is_array, is_scalar, by) {
            (true, true, _) => format!("`{name}` is an array and a scalar: keep one of both"),
            (false, false, PassedBy::Address) => {
                format!("`{name}` has no data: add `{name} = \"{}[n]\"` under [arrays]", element.name())
            }
            (false, false, PassedBy::Value) => format!("`{name}` has no value: add `{name} = 1` under [scalars]"),
            _ => continue,
        };
        return Err(page.error(typed.span(range.clone()), message));
    }
    if declared.signature.result.is_none() && !arrays.iter().any(|array| array.output) {
        let message =
            "nothing here is an answer that could be checked: add `output = true` to an array, or return a number";
        return Err(page.error(typed.inside(), message));
    }
    Ok(())
}

/// Whether a text is a name in C.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}
