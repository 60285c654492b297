//! Values as users write them, with the place of each.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

/// A text that is not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Its value.
    pub text: String,
    /// Its bytes in the document, quotation marks included.
    pub span: Range<usize>,
}

impl Text {
    fn new(spanned: Spanned<String>) -> Self {
        Self { span: spanned.span(), text: spanned.into_inner() }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Self::new(Spanned::deserialize(deserializer)?);
        if text.text.trim().is_empty() {
            return Err(D::Error::custom("is empty: write something, or leave the key away"));
        }
        Ok(text)
    }
}

/// Texts in a list, each blank or not; a text alone is a list of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts {
    /// The texts.
    pub texts: Vec<Text>,
    /// The bytes of the list in the document.
    pub span: Range<usize>,
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let typed: Spanned<TextOr<Vec<Spanned<String>>>> = Spanned::deserialize(deserializer)?;
        let span = typed.span();
        let texts = match typed.into_inner() {
            TextOr::Text(text) => vec![Text { text, span: span.clone() }],
            TextOr::Other(texts) => texts.into_iter().map(Text::new).collect(),
        };
        Ok(Self { texts, span })
    }
}

/// A text, or in its place a list or a table. Unlike serde's untagged enums it keeps the spans within.
#[derive(Debug)]
pub enum TextOr<T> {
    /// A text.
    Text(String),
    /// A list or a table.
    Other(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for TextOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = TextOr<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a list or a table")
            }
            fn visit_str<E>(self, text: &str) -> Result<TextOr<T>, E> {
                Ok(TextOr::Text(text.to_owned()))
            }
            // Scalars go on to `T`, whose refusal says what it expects.
            fn visit_bool<E: Error>(self, is: bool) -> Result<TextOr<T>, E> {
                T::deserialize(is.into_deserializer()).map(TextOr::Other)
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<TextOr<T>, E> {
                T::deserialize(number.into_deserializer()).map(TextOr::Other)
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<TextOr<T>, E> {
                T::deserialize(number.into_deserializer()).map(TextOr::Other)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<TextOr<T>, A::Error> {
                T::deserialize(SeqAccessDeserializer::new(list)).map(TextOr::Other)
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<TextOr<T>, M::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(TextOr::Other)
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}

/// A key that the author chose, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableEntry<T> {
    /// The key.
    pub name: String,
    /// The bytes of the key in the document.
    pub key: Range<usize>,
    /// Its value.
    pub value: T,
}

/// The keys and values of a table, in the order of the document.
///
/// # Errors
/// The value is no table, or holds a value that is no `T`.
pub fn entries<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<TableEntry<T>>, D::Error> {
    struct Table<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Table<T> {
        type Value = Vec<TableEntry<T>>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table")
        }
        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let mut entries = Vec::new();
            while let Some((key, value)) = map.next_entry::<Spanned<String>, T>()? {
                entries.push(TableEntry { key: key.span(), name: key.into_inner(), value });
            }
            Ok(entries)
        }
    }
    deserializer.deserialize_any(Table(PhantomData))
}

/// A whole number from `LEAST` on. TOML ends at 2⁶³-1: larger ones are written as text.
///
/// # Errors
/// The value is not a whole number, or below `LEAST`.
pub fn whole<'de, const LEAST: u64, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    struct WholeNumber<const LEAST: u64>;
    impl<const LEAST: u64> Visitor<'_> for WholeNumber<LEAST> {
        type Value = u64;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a whole number from {LEAST} to 2^64-1")
        }
        fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
            if number >= LEAST { Ok(number) } else { Err(E::invalid_value(Unexpected::Unsigned(number), &self)) }
        }
        fn visit_i64<E: Error>(self, number: i64) -> Result<u64, E> {
            let wrong = |_| E::invalid_value(Unexpected::Signed(number), &self);
            u64::try_from(number).map_err(wrong).and_then(|number| self.visit_u64(number))
        }
        fn visit_f64<E: Error>(self, number: f64) -> Result<u64, E> {
            Err(E::invalid_value(Unexpected::Float(number), &self))
        }
        fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
            let wrong = |_| E::invalid_value(Unexpected::Str(text), &self);
            text.parse().map_err(wrong).and_then(|number| self.visit_u64(number))
        }
    }
    deserializer.deserialize_any(WholeNumber::<LEAST>)
}

/// A finite number.
///
/// # Errors
/// The value is not a number, or not finite.
pub fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(deserializer)?;
    if number.is_finite() { Ok(number) } else { Err(D::Error::custom("must be a finite number")) }
}

/// A finite number from 0 on.
///
/// # Errors
/// The value is not a number, not finite, or below 0.
pub fn non_negative<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(deserializer)?;
    let fits = number.is_finite() && number >= 0.0;
    if fits { Ok(number) } else { Err(D::Error::custom("must be a finite number from 0 on")) }
}
