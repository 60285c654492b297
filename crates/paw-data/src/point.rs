//! One point of a benchmark's axes.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStr;

/// The value of one axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum AxisValue {
    /// A whole number: sizes, threads.
    Int(i64),
    /// A real number: alpha, beta.
    Float(f64),
    /// A word: `N`, `warm`.
    Text(SmolStr),
}

impl fmt::Display for AxisValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AxisValue::Int(v) => v.fmt(f),
            AxisValue::Float(v) => v.fmt(f),
            AxisValue::Text(v) => v.fmt(f),
        }
    }
}

impl From<i64> for AxisValue {
    fn from(v: i64) -> Self {
        AxisValue::Int(v)
    }
}

impl From<f64> for AxisValue {
    fn from(v: f64) -> Self {
        AxisValue::Float(v)
    }
}

impl From<&str> for AxisValue {
    fn from(v: &str) -> Self {
        AxisValue::Text(v.into())
    }
}

// Written by hand, because the derived form copies every value into a buffer and fails for NaN, which JSON writes as null.
impl<'de> Deserialize<'de> for AxisValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Scalar;
        impl Visitor<'_> for Scalar {
            type Value = AxisValue;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a word")
            }
            fn visit_i64<E>(self, v: i64) -> Result<AxisValue, E> {
                Ok(AxisValue::Int(v))
            }
            fn visit_u64<E>(self, v: u64) -> Result<AxisValue, E> {
                Ok(i64::try_from(v).map_or(AxisValue::Float(v as f64), AxisValue::Int))
            }
            fn visit_f64<E>(self, v: f64) -> Result<AxisValue, E> {
                Ok(AxisValue::Float(v))
            }
            fn visit_unit<E>(self) -> Result<AxisValue, E> {
                Ok(AxisValue::Float(f64::NAN))
            }
            fn visit_str<E>(self, v: &str) -> Result<AxisValue, E> {
                Ok(AxisValue::Text(v.into()))
            }
        }
        deserializer.deserialize_any(Scalar)
    }
}

/// Axis names with their values, in the order they were set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Point(Vec<(SmolStr, AxisValue)>);

impl Point {
    /// A point with no axis.
    pub fn new() -> Self {
        Self::default()
    }

    /// This point with `axis` set to `value`; an axis already there keeps its place.
    #[must_use]
    pub fn with(mut self, axis: &str, value: impl Into<AxisValue>) -> Self {
        self.set(axis, value.into());
        self
    }

    /// Sets `axis` to `value`; an axis already there keeps its place.
    pub fn set(&mut self, axis: &str, value: AxisValue) {
        self.place(axis.into(), value);
    }

    fn place(&mut self, axis: SmolStr, value: AxisValue) {
        match self.0.iter_mut().find(|(name, _)| *name == axis) {
            Some(slot) => slot.1 = value,
            None => self.0.push((axis, value)),
        }
    }

    /// The value of `axis`, if it is set.
    pub fn value(&self, axis: &str) -> Option<&AxisValue> {
        self.0.iter().find(|(name, _)| name == axis).map(|(_, v)| v)
    }

    /// The whole number `axis` is set to, if it is one.
    pub fn int(&self, axis: &str) -> Option<i64> {
        match self.value(axis)? {
            AxisValue::Int(v) => Some(*v),
            _ => None,
        }
    }

    /// The number `axis` is set to, if it is one.
    pub fn float(&self, axis: &str) -> Option<f64> {
        match self.value(axis)? {
            AxisValue::Int(v) => Some(*v as f64),
            AxisValue::Float(v) => Some(*v),
            AxisValue::Text(_) => None,
        }
    }

    /// The word `axis` is set to, if it is one.
    pub fn text(&self, axis: &str) -> Option<&str> {
        match self.value(axis)? {
            AxisValue::Text(v) => Some(v),
            _ => None,
        }
    }

    /// The axes and their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &AxisValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

/// `n=1024 threads=2`, as flags and tables write it.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (axis, value)) in self.0.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            write!(f, "{space}{axis}={value}")?;
        }
        Ok(())
    }
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (axis, value) in &self.0 {
            map.serialize_entry(axis, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Point {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Point".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <std::collections::BTreeMap<String, AxisValue>>::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Axes;
        impl<'de> Visitor<'de> for Axes {
            type Value = Point;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of axis names and values")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Point, M::Error> {
                let mut point = Point::new();
                while let Some((axis, value)) = map.next_entry()? {
                    point.place(axis, value);
                }
                point.0.shrink_to_fit();
                Ok(point)
            }
        }
        deserializer.deserialize_map(Axes)
    }
}
