//! Axes: how their values are written.

use toml::Spanned;
use toml::de::{DeArray, DeValue};

use super::super::data::is_identifier;
use super::super::item::Item;
use super::super::quoted::Quoted;
use super::super::{SpecError, page::Page};
use super::{Axis, BLOCK, CACHE, THREADS};

/// Names that mean something else.
const TAKEN: &[&str] = &[THREADS, BLOCK, CACHE];

/// An axis has at most so many values: more are a slip of the pen.
const VALUES_MAX: usize = 64;

/// What is said where a value is none.
const SHOWN: &str = "write whole numbers, `\"pow2:1..9\"` for 2, 4 … 512, or `\"8..512\"` for doubling";

/// The axes of `[axes]`.
pub(super) fn axes(item: &Item<'_>) -> Result<Vec<Axis>, SpecError> {
    let axis = |entry: Item<'_>| {
        let name = entry.name;
        if !is_identifier(name) || TAKEN.contains(&name) {
            let message = format!("`{name}` is no name of an axis: choose another of letters, digits and `_`");
            return Err(entry.page.error(entry.key.clone(), message));
        }
        Ok(Axis { name: name.to_owned(), values: values(&entry)? })
    };
    item.entries()?.into_iter().map(axis).collect()
}

/// The values of a number, a text, or a list of them.
pub(super) fn values(item: &Item<'_>) -> Result<Vec<u64>, SpecError> {
    let mut found = Vec::new();
    match item.value {
        DeValue::Array(list) => each(item, list, &mut found)?,
        value => one(item.page, value, item.span.clone(), &mut found)?,
    }
    match found.len() {
        0 => Err(item.error(format!("`{}` has no value: {SHOWN}", item.name))),
        count if count > VALUES_MAX => {
            Err(item.error(format!("`{}` has {count} values: at most {VALUES_MAX} are measured", item.name)))
        }
        _ => Ok(found),
    }
}

fn each<'a>(item: &Item<'a>, list: &'a DeArray<'a>, found: &mut Vec<u64>) -> Result<(), SpecError> {
    list.iter().try_for_each(|value: &Spanned<DeValue<'_>>| one(item.page, value.get_ref(), value.span(), found))
}

fn one(
    page: &Page<'_>,
    value: &DeValue<'_>,
    span: std::ops::Range<usize>,
    found: &mut Vec<u64>,
) -> Result<(), SpecError> {
    let read = match value {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok().map(|n| vec![n]),
        DeValue::String(text) => spelt(Quoted::new(page, text, span.clone()).text),
        _ => None,
    };
    let read = read.ok_or_else(|| page.error(span, format!("this is no value of an axis: {SHOWN}")))?;
    for number in read {
        if !found.contains(&number) {
            found.push(number);
        }
    }
    Ok(())
}

/// `pow2:1..9`, `8..512`, `64`, and several of them between commas.
pub fn spelt(text: &str) -> Option<Vec<u64>> {
    let mut found = Vec::new();
    for part in text.split(',').map(str::trim) {
        found.extend(range(part)?);
    }
    Some(found)
}

fn range(text: &str) -> Option<Vec<u64>> {
    let powers = text.strip_prefix("pow2:");
    let ends = powers.unwrap_or(text);
    let (from, to) = ends.split_once("..").unwrap_or((ends, ends));
    let (from, to): (u64, u64) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    if from > to {
        return None;
    }
    if powers.is_some() {
        // An f64 holds whole numbers up to 2⁵³ exactly.
        return (to <= 52).then(|| (from..=to).map(|power| 1 << power).collect());
    }
    if from == to {
        return Some(vec![from]);
    }
    if from == 0 {
        return None;
    }
    let mut ladder: Vec<u64> =
        std::iter::successors(Some(from), |n| n.checked_mul(2)).take_while(|n| *n < to).collect();
    ladder.push(to);
    Some(ladder)
}

#[cfg(test)]
mod tests {
    use super::spelt;

    #[test]
    fn powers_ranges_and_lists_are_spelt() {
        assert_eq!(spelt("pow2:1..3"), Some(vec![2, 4, 8]));
        assert_eq!(spelt("8..20, 100"), Some(vec![8, 16, 20, 100]));
        assert_eq!(spelt("pow2:0..0"), Some(vec![1]));
        for wrong in ["", "a", "9..1", "pow2:1..53", "0..8", "-1", "1.5"] {
            assert_eq!(spelt(wrong), None, "{wrong}");
        }
    }
}
