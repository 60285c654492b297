//! Notations of fills, and which element types each fits.

use std::fmt;

use super::Fill;
use crate::element::Element;

/// Each notation: name, number of values, and the fill they make.
const FORMS: &[(&str, usize, Form)] = &[
    ("zero", 0, |_| Fill::Zero),
    ("constant", 1, |v| Fill::Constant(v[0])),
    ("nan", 0, |_| Fill::Nan),
    ("index", 0, |_| Fill::Index),
    ("uniform", 2, |v| Fill::Uniform(v[0], v[1])),
    ("normal", 2, |v| Fill::Normal(v[0], v[1])),
    ("permutation", 0, |_| Fill::Permutation),
];

type Form = fn(&[f64]) -> Fill;

const SHOWN: &str = "`zero`, `constant(1)`, `nan`, `index`, `uniform(0, 1)`, `normal(0, 1)` or `permutation`";

impl Fill {
    /// Parses the fill of elements of a type.
    ///
    /// # Errors
    /// One sentence: the text is no fill, or does not fit the type.
    pub fn parse(text: &str, element: Element) -> Result<Self, String> {
        let (name, rest) = text.trim().split_once('(').unwrap_or((text.trim(), ")"));
        let name = name.trim();
        let Some((_, takes, form)) = FORMS.iter().find(|(known, ..)| *known == name) else {
            return Err(format!("there is no fill `{text}`: write {SHOWN}"));
        };
        let inside = rest.trim_end().strip_suffix(')').map(str::trim);
        let numbers: Option<Vec<f64>> = match inside {
            Some("") => Some(Vec::new()),
            Some(inside) => inside.split(',').map(number).collect(),
            None => None,
        };
        match numbers.filter(|numbers| numbers.len() == *takes) {
            Some(numbers) => form(&numbers).fits(element),
            None => Err(format!("`{text}` is no fill: write {SHOWN}")),
        }
    }

    /// The default fill of an array.
    pub fn usual(element: Element, output: bool) -> Self {
        match (output, element.is_float()) {
            (true, _) => Fill::Zero,
            (false, true) => Fill::Uniform(0.0, 1.0),
            (false, false) => Fill::Uniform(0.0, 100.0),
        }
    }

    fn fits(self, element: Element) -> Result<Self, String> {
        let values = match self {
            Fill::Uniform(low, high) if low > high => {
                return Err(format!("`{self}` ends before it begins: write `{}`", Fill::Uniform(high, low)));
            }
            Fill::Normal(_, deviation) if deviation < 0.0 => {
                return Err(format!("`{self}` has a negative standard deviation: write `normal(mean, deviation)`"));
            }
            Fill::Normal(..) if !element.is_float() => {
                return Err(format!("`{self}` fills no whole numbers: write `uniform(0, 100)`"));
            }
            Fill::Nan if !element.is_float() => {
                return Err(format!("`{self}` fills no whole numbers: write `constant(-1)`"));
            }
            Fill::Constant(value) => vec![value],
            Fill::Uniform(low, high) | Fill::Normal(low, high) => vec![low, high],
            Fill::Zero | Fill::Nan | Fill::Index | Fill::Permutation => Vec::new(),
        };
        match values.iter().find(|value| !element.holds(**value)) {
            Some(value) => Err(format!(
                "`{self}` does not fit {}, which holds {} and not {}",
                element.name(),
                element.range(),
                plain(*value)
            )),
            None => Ok(self),
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite())
}

/// A number as a user would type it: `3`, not `3.0`.
pub(super) fn plain(number: f64) -> String {
    let shown = format!("{number:?}");
    shown.strip_suffix(".0").unwrap_or(&shown).to_owned()
}

impl fmt::Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fill::Zero => f.write_str("zero"),
            Fill::Constant(value) => write!(f, "constant({})", plain(*value)),
            Fill::Nan => f.write_str("nan"),
            Fill::Index => f.write_str("index"),
            Fill::Uniform(low, high) => write!(f, "uniform({}, {})", plain(*low), plain(*high)),
            Fill::Normal(mean, deviation) => write!(f, "normal({}, {})", plain(*mean), plain(*deviation)),
            Fill::Permutation => f.write_str("permutation"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fill_is_written_as_it_is_read() {
        for text in ["zero", "nan", "constant(-2.5)", "index", "uniform(-1, 1)", "normal(0, 0.5)", "permutation"] {
            assert_eq!(Fill::parse(text, Element::F64).unwrap().to_string(), text);
        }
        assert_eq!(Fill::parse(" uniform ( 0,1e3 ) ", Element::U64), Ok(Fill::Uniform(0.0, 1000.0)));
        assert_eq!(Fill::parse("zero()", Element::I8), Ok(Fill::Zero));
    }

    #[test]
    fn what_is_no_fill_is_said() {
        for (text, element, message) in [
            ("unifrom(0, 1)", Element::F64, "there is no fill `unifrom(0, 1)`: write `zero`, "),
            ("uniform(0)", Element::F64, "`uniform(0)` is no fill: write `zero`, "),
            ("uniform(0, 1", Element::F64, "`uniform(0, 1` is no fill: write "),
            ("constant(inf)", Element::F64, "`constant(inf)` is no fill: write "),
            ("uniform(1, 0)", Element::F64, "`uniform(1, 0)` ends before it begins: write `uniform(0, 1)`"),
            (
                "uniform(-1, 1)",
                Element::U8,
                "`uniform(-1, 1)` does not fit u8, which holds whole numbers from 0 to 255 and not -1",
            ),
            (
                "constant(0.5)",
                Element::I32,
                "`constant(0.5)` does not fit i32, which holds whole numbers from -2147483648 to 2147483647 and not 0.5",
            ),
            ("constant(1e300)", Element::F32, "`constant(1e300)` does not fit f32"),
            ("normal(0, -1)", Element::F32, "`normal(0, -1)` has a negative standard deviation: "),
            ("nan", Element::I32, "`nan` fills no whole numbers: write `constant(-1)`"),
            ("normal(0, 1)", Element::I32, "`normal(0, 1)` fills no whole numbers: write `uniform(0, 100)`"),
        ] {
            let said = Fill::parse(text, element).unwrap_err();
            assert!(said.starts_with(message), "{text}: {said}");
        }
    }
}
