//! Plain data out of a JSON value, and a value out of plain data: by way of the text, so that each type has one reader and one writer in the
//! program, those of bytes. A second reader of every type is a tenth of the program.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The data that `value` is the JSON of.
///
/// # Errors
/// It is not the JSON of a `T`.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    serde_json::from_slice(&serde_json::to_vec(value)?)
}

/// `data` as JSON; numbers that are none are null.
///
/// # Errors
/// It cannot be written as JSON: a key is no text.
pub fn to_value<T: Serialize>(data: &T) -> serde_json::Result<Value> {
    serde_json::from_slice(&serde_json::to_vec(data)?)
}
