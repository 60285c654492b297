//! Values of a campaign file: a number is accepted where a flag takes text, and a single value is a list of one.

use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of the format that this crate reads and writes.
pub const VERSION: &str = "app/1";

/// The version `app/1`; any other version is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Schema;

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(VERSION)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let version = String::deserialize(deserializer)?;
        let error = || D::Error::custom(format!("version `{version}` is not known here: this paw reads `{VERSION}`"));
        (version == VERSION).then_some(Schema).ok_or_else(error)
    }
}

/// One text or number, or a list of them, as texts.
struct Texts(Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Texts;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a number, or a list of them")
            }
            fn visit_str<E>(self, text: &str) -> Result<Texts, E> {
                Ok(Texts(vec![text.to_owned()]))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Texts, E> {
                Ok(Texts(vec![number.to_string()]))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Texts, E> {
                Ok(Texts(vec![number.to_string()]))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Texts, E> {
                Ok(Texts(vec![number.to_string()]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Texts, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = list.next_element_seed(Single)? {
                    texts.push(text);
                }
                Ok(Texts(texts))
            }
        }
        deserializer.deserialize_any(OneOrMany)
    }
}

/// Deserializes a text, or a number as a text.
struct Single;

impl<'de> serde::de::DeserializeSeed<'de> for Single {
    type Value = String;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Single {
    type Value = String;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a number")
    }
    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
    fn visit_i64<E>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }
    fn visit_u64<E>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }
    fn visit_f64<E>(self, number: f64) -> Result<String, E> {
        Ok(number.to_string())
    }
}

/// Deserializes an optional text or number.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    deserializer.deserialize_any(Single).map(Some)
}

/// Deserializes one text or number, or a list of them.
pub(super) fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Texts::deserialize(deserializer).map(|Texts(texts)| texts)
}

/// Deserializes texts as [`texts`] does, and splits each at its commas.
pub(super) fn counts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = texts(deserializer)?;
    Ok(texts.iter().flat_map(|text| text.split(',')).map(|count| count.trim().to_owned()).collect())
}

/// A seed: a number, or a text where TOML has no number that large.
pub(super) mod seed {
    use super::*;

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        paw_data::document::whole::<0, D>(deserializer).map(Some)
    }

    pub(in super::super) fn serialize<S: Serializer>(seed: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        match seed.map(|seed| (seed, i64::try_from(seed))) {
            None => serializer.serialize_none(),
            Some((_, Ok(number))) => serializer.serialize_i64(number),
            Some((seed, Err(_))) => serializer.serialize_str(&seed.to_string()),
        }
    }
}

/// A table of axes as pairs, in the order of the file.
pub(super) mod axes {
    use super::*;

    type Axes = Vec<(String, String)>;

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Axes, D::Error> {
        struct Table;
        impl<'de> Visitor<'de> for Table {
            type Value = Axes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of axes and their values: n = \"2..512\"")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Axes, M::Error> {
                let mut axes = Axes::new();
                while let Some((axis, Texts(values))) = map.next_entry()? {
                    axes.push((axis, values.join(",")));
                }
                Ok(axes)
            }
        }
        deserializer.deserialize_map(Table)
    }

    pub(in super::super) fn serialize<S: Serializer>(axes: &Axes, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(axes.iter().map(|(axis, values)| (axis, values)))
    }
}
