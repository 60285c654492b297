//! Checks without a tolerance: an answer is right or wrong.

use paw_data::outcome::{Check, CheckVerdict};

/// A check by `method` that passed, or failed for the reason in `wrong`.
pub fn exact(method: &str, wrong: Option<String>) -> Check {
    let verdict = if wrong.is_none() { CheckVerdict::Pass } else { CheckVerdict::Fail };
    let error = if wrong.is_none() { 0.0 } else { 1.0 };
    Check { method: method.to_owned(), error, bound: 0.0, verdict, note: wrong.unwrap_or_default(), accuracy: None }
}
