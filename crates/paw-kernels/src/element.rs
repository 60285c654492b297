//! Types of numbers that a kernel takes and gives.

use serde::{Deserialize, Serialize};

/// Type of an element of an array, of a scalar, or of a result.
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

    /// Bytes of one.
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
}
