//! Numbers as JSON can hold them: it has neither NaN nor infinity, so `null` means the one that the field can hold.

use serde::{Deserialize, Deserializer};

/// A number, or NaN where the text says `null`.
pub(crate) fn or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// A number, or infinity where the text says `null`: of what is never NaN.
pub(crate) fn or_infinite<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}
