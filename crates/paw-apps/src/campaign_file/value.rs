//! Values of a campaign file: a number is accepted where a flag takes text, and a single value is a list of one.

use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
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

/// A text, or a number that becomes one.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a text or a number")]
enum Scalar {
    Text(String),
    Whole(i64),
    Real(f64),
}

impl From<Scalar> for String {
    fn from(value: Scalar) -> Self {
        match value {
            Scalar::Text(text) => text,
            Scalar::Whole(number) => number.to_string(),
            Scalar::Real(number) => number.to_string(),
        }
    }
}

/// One text or number, or a list of them.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a text, a number, or a list of them")]
enum Texts {
    One(Scalar),
    Many(Vec<Scalar>),
}

impl From<Texts> for Vec<String> {
    fn from(values: Texts) -> Self {
        match values {
            Texts::One(value) => vec![value.into()],
            Texts::Many(values) => values.into_iter().map(String::from).collect(),
        }
    }
}

/// Deserializes an optional text or number.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Scalar::deserialize(deserializer).map(|value| Some(value.into()))
}

/// Deserializes one text or number, or a list of them.
pub(super) fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Texts::deserialize(deserializer).map(Vec::from)
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
                while let Some((axis, values)) = map.next_entry::<String, Texts>()? {
                    axes.push((axis, Vec::from(values).join(",")));
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
