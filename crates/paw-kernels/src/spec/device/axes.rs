//! The axes of a device kernel, and the notations of their values.

use std::ops::Range;

use paw_data::document::{Document, DocumentError, TableEntry};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::super::arrays::is_identifier;
use super::{Axis, BLOCK, CACHE, DeviceSpec, THREADS};

/// Names that an axis cannot have: formulas and points use them otherwise.
const TAKEN: &[&str] = &[THREADS, BLOCK, CACHE];

/// The most values of an axis: more are probably a typing error.
const VALUES_MAX: usize = 64;

/// The ways to write values, for messages.
const SHOWN: &str = "write whole numbers, `\"pow2:1..9\"` for 2, 4 … 512, or `\"8..512\"` for doubling";

/// Values of an axis, typed as a number, a text or a list of these; each is kept once.
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
        let typed = typed.into_inner().values();
        for number in typed.ok_or_else(|| D::Error::custom(format!("this is no value of an axis: {SHOWN}")))? {
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

/// Values as typed. A number that is none of an axis, such as -1, fits no form.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "this is no value of an axis: write whole numbers, `\"pow2:1..9\"` for 2, 4 … 512, or `\"8..512\"` for doubling"
)]
enum Typed {
    Number(u64),
    Text(String),
    List(Vec<Typed>),
}

impl Typed {
    /// All values in order; `None` if a text spells none.
    fn values(&self) -> Option<Vec<u64>> {
        match self {
            Self::Number(number) => Some(vec![*number]),
            Self::Text(text) => spelt(text),
            Self::List(list) => Some(list.iter().map(Self::values).collect::<Option<Vec<_>>>()?.concat()),
        }
    }
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

impl DeviceSpec {
    /// Replaces the values of an axis by typed ones.
    ///
    /// # Errors
    /// One sentence: there is no such axis, or the values cannot be read.
    pub fn set(&mut self, axis: &str, values: &str) -> Result<(), String> {
        let typed = spelt(values)
            .ok_or_else(|| format!("`{values}` is no value of an axis: write 64,128 or 8..512 or pow2:1..9"))?;
        if axis == BLOCK {
            let fits = |value: u64| u32::try_from(value).ok().filter(|value| *value > 0);
            let block: Option<Vec<u32>> = typed.into_iter().map(fits).collect();
            self.block = block.ok_or_else(|| format!("`{values}` is no number of threads of a block"))?;
            return Ok(());
        }
        let known: Vec<&str> = self.axes.iter().map(|axis| axis.name.as_str()).collect();
        let known = known.into_iter().chain([BLOCK]).collect::<Vec<_>>().join(", ");
        let found: Option<&mut Axis> = self.axes.iter_mut().find(|one| one.name == axis);
        found.ok_or_else(|| format!("there is no axis `{axis}`; there are {known}"))?.values = typed;
        Ok(())
    }
}

/// `pow2:1..9`, `8..512`, `64`, and several of them between commas.
fn spelt(text: &str) -> Option<Vec<u64>> {
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
