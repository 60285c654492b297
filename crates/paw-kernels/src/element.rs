//! Number types of arguments and results.

use serde::{Deserialize, Serialize};

/// The type of an array's elements, a scalar or a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
}

/// All types, with the names a spec gives them.
pub const ELEMENTS: &[(&str, Element)] = &[
    ("f32", Element::F32),
    ("f64", Element::F64),
    ("i8", Element::I8),
    ("i16", Element::I16),
    ("i32", Element::I32),
    ("i64", Element::I64),
    ("u8", Element::U8),
    ("u16", Element::U16),
    ("u32", Element::U32),
    ("u64", Element::U64),
];

impl Element {
    /// The type called `name` in a spec.
    pub fn named(name: &str) -> Option<Self> {
        ELEMENTS.iter().find(|(word, _)| *word == name).map(|(_, element)| *element)
    }

    /// Its name in a spec.
    pub fn name(self) -> &'static str {
        ELEMENTS.iter().find(|(_, element)| *element == self).map_or("", |(word, _)| word)
    }

    /// Bytes of an element.
    pub fn bytes(self) -> u64 {
        match self {
            Element::I8 | Element::U8 => 1,
            Element::I16 | Element::U16 => 2,
            Element::F32 | Element::I32 | Element::U32 => 4,
            Element::F64 | Element::I64 | Element::U64 => 8,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Element::F32 | Element::F64)
    }

    /// The least and the largest whole number between which it holds all exactly.
    pub fn whole_range(self) -> (i128, i128) {
        let bits = self.bytes() * 8;
        match self {
            Element::F32 => (-(1 << 24), 1 << 24),
            Element::F64 => (-(1 << 53), 1 << 53),
            Element::U8 | Element::U16 | Element::U32 | Element::U64 => (0, (1 << bits) - 1),
            Element::I8 | Element::I16 | Element::I32 | Element::I64 => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        }
    }

    /// Whether it can hold `value`: whole types exactly, floating-point types rounded.
    pub fn holds(self, value: f64) -> bool {
        let (least, largest) = self.whole_range();
        match self {
            Element::F32 => (value as f32).is_finite(),
            Element::F64 => value.is_finite(),
            // A whole f64 below 2¹²⁷ is exact as an i128; the cast saturates.
            _ => value.fract() == 0.0 && (least..=largest).contains(&(value as i128)),
        }
    }

    /// Its range in words.
    pub fn range(self) -> String {
        match (self, self.whole_range()) {
            (Element::F32, _) => "numbers up to 3.4e38".to_owned(),
            (Element::F64, _) => "numbers up to 1.8e308".to_owned(),
            (_, (least, largest)) => format!("whole numbers from {least} to {largest}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_holds_what_fits_its_bits() {
        for (element, value, holds) in [
            (Element::U8, 255.0, true),
            (Element::U8, 256.0, false),
            (Element::I8, -128.0, true),
            (Element::I8, -129.0, false),
            (Element::I64, -9_223_372_036_854_775_808.0, true),
            (Element::I64, 9_223_372_036_854_775_808.0, false),
            (Element::U64, 9_223_372_036_854_775_808.0, true),
            (Element::U64, 18_446_744_073_709_551_616.0, false),
            (Element::I32, 0.5, false),
            (Element::I32, f64::NAN, false),
            (Element::I32, f64::INFINITY, false),
            (Element::F32, 1e39, false),
            (Element::F32, 0.1, true),
            (Element::F64, f64::INFINITY, false),
        ] {
            assert_eq!(element.holds(value), holds, "{element:?} {value}");
        }
    }

    #[test]
    fn every_type_has_one_name() {
        for (name, element) in ELEMENTS {
            assert_eq!((Element::named(name), element.name()), (Some(*element), *name));
        }
    }
}
