//! Axes: how their values are written.

use std::fmt;
use std::ops::Range;

use paw_data::document::{Document, DocumentError, TableEntry};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::super::arrays::is_identifier;
use super::{Axis, BLOCK, CACHE, THREADS};

/// Names that mean something else.
const TAKEN: &[&str] = &[THREADS, BLOCK, CACHE];

/// The most values of an axis: more are a slip of the pen.
const VALUES_MAX: usize = 64;

/// How values are written, for messages.
const SHOWN: &str = "write whole numbers, `\"pow2:1..9\"` for 2, 4 … 512, or `\"8..512\"` for doubling";

/// The values of a number, a text, or a list of them, each once.
#[derive(Debug)]
pub(super) struct AxisValues {
    pub values: Vec<u64>,
    pub span: Range<usize>,
}

impl<'de> Deserialize<'de> for AxisValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let typed: Spanned<Typed> = Spanned::deserialize(deserializer)?;
        let span = typed.span();
        let mut values = Vec::new();
        for number in typed.into_inner().0 {
            if !values.contains(&number) {
                values.push(number);
            }
        }
        match values.len() {
            0 => Err(D::Error::custom(format!("has no value: {SHOWN}"))),
            count if count > VALUES_MAX => {
                Err(D::Error::custom(format!("has {count} values: at most {VALUES_MAX} are measured")))
            }
            _ => Ok(Self { values, span }),
        }
    }
}

struct Typed(Vec<u64>);

impl<'de> Deserialize<'de> for Typed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Values;
        impl<'de> Visitor<'de> for Values {
            type Value = Typed;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("whole numbers")
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Typed, E> {
                u64::try_from(number).map(|number| Typed(vec![number])).map_err(|_| no_value())
            }
            fn visit_f64<E: Error>(self, _: f64) -> Result<Typed, E> {
                Err(no_value())
            }
            fn visit_bool<E: Error>(self, _: bool) -> Result<Typed, E> {
                Err(no_value())
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Typed, E> {
                spelt(text).map(Typed).ok_or_else(no_value)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Typed, A::Error> {
                let mut all = Vec::new();
                while let Some(Typed(values)) = list.next_element()? {
                    all.extend(values);
                }
                Ok(Typed(all))
            }
        }
        deserializer.deserialize_any(Values)
    }
}

fn no_value<E: Error>() -> E {
    E::custom(format!("this is no value of an axis: {SHOWN}"))
}

/// The axes of `[axes]`.
pub(super) fn axes(document: &Document<'_>, entries: &[TableEntry<AxisValues>]) -> Result<Vec<Axis>, DocumentError> {
    let axis = |TableEntry { name, key, value }: &TableEntry<AxisValues>| {
        if !is_identifier(name) || TAKEN.contains(&name.as_str()) {
            let message = format!("`{name}` is no name of an axis: choose another of letters, digits and `_`");
            return Err(document.error(key.clone(), message));
        }
        Ok(Axis { name: name.clone(), values: value.values.clone() })
    };
    entries.iter().map(axis).collect()
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
