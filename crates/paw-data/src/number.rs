//! Numbers as JSON can hold them: it has no NaN, so `null` stands for one.

use serde::{Deserialize, Deserializer};

/// A number, or NaN where the text says `null`.
pub(crate) fn or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
}
