//! Plain data out of a JSON value.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The data that `value` is the JSON of: by way of its text, so that each type has one reader in the program, that of bytes. A second one
/// for values is a tenth of the program's code.
///
/// # Errors
/// It is not the JSON of a `T`.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    serde_json::from_slice(&serde_json::to_vec(value)?)
}
