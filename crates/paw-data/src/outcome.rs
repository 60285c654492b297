//! How a cell ended.

use serde::{Deserialize, Serialize};

use crate::number;

/// Whether there is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The cell has a number.
    Measured,
    /// The machine lacks something that the cell needs; `why` names it.
    Skipped,
    /// The cell broke while it ran, or its answer is wrong; `why` says how.
    Failed,
}

/// Why a series stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The interval is as narrow as asked.
    Converged,
    /// k samples agree with the best.
    Valid,
    /// The number of samples asked for was taken.
    Complete,
    /// The interval stopped shrinking before it was as narrow as asked.
    NoisyStable,
    /// The most samples allowed were taken.
    MaxSamples,
    /// Every comparison with its alternatives has a verdict.
    Decided,
    /// k-best took the most samples allowed and k did not agree.
    Timeout,
    /// The time budget ran out.
    Budget,
    /// Too many samples were disturbed to go on.
    Disturbed,
    /// The user stopped it.
    Interrupted,
}

/// The result of checking a cell's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Check {
    /// How it was checked.
    pub method: String,
    /// The error found, in units of `bound`'s definition.
    #[serde(deserialize_with = "number::or_nan")]
    pub error: f64,
    /// The largest error that passes.
    #[serde(deserialize_with = "number::or_nan")]
    pub bound: f64,
    /// The verdict on the answer.
    pub verdict: CheckVerdict,
    /// One sentence where the verdict is not `Pass`: what is wrong, with the first place it shows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The differences from the reference answer, element by element, if they were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Box<Accuracy>>,
}

/// How an answer differs from another, element by element.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Accuracy {
    /// Elements compared.
    pub elements: u64,
    /// Elements that are not the same, bit for bit; a zero is a zero, whatever its sign, and a NaN a NaN.
    pub differing: u64,
    /// Elements beyond the tolerance.
    pub wrong: u64,
    /// Largest relative error: |x - r| / |r|; infinite where a zero, or a number, should be another kind.
    #[serde(deserialize_with = "number::or_infinite")]
    pub relative_max: f64,
    /// Largest distance in units in the last place of the elements' type; of whole numbers, the largest difference.
    pub ulp_max: u64,
    /// Elements that are NaN where the reference is not.
    pub nan: u64,
    /// Elements that are infinite where the reference is not.
    pub infinite: u64,
    /// The first element beyond the tolerance, or else the first that differs: `b[17]`; empty where none does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub first: String,
}

/// The verdict of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CheckVerdict {
    /// Right.
    Pass,
    /// Within the proved bound, but worse than healthy code: reduced precision?
    Warn,
    /// Wrong.
    Fail,
}

/// A reason to trust a number less, with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Caveat {
    /// Stable identifier: `too-short`, `unconverged` …
    pub id: String,
    /// The observation, with its numbers.
    pub cause: String,
    /// The one thing to do.
    pub action: String,
}

impl Caveat {
    /// The run ended before the answer was checked.
    pub const UNCHECKED: &str = "unchecked";
    /// No call of a kernel writes its answer.
    pub const ANSWER_UNWRITTEN: &str = "answer-unwritten";
    /// An answer of a kernel is NaN in every element.
    pub const ANSWER_NAN: &str = "answer-nan";

    /// A caveat with its three parts.
    pub fn new(id: &str, cause: impl Into<String>, action: impl Into<String>) -> Self {
        Self { id: id.to_owned(), cause: cause.into(), action: action.into() }
    }

    /// [`UNCHECKED`](Self::UNCHECKED), of a run that `ended` before its answer was checked: `was interrupted`, `was cut off`.
    pub fn unchecked(ended: &str) -> Self {
        let cause = format!("the run {ended} before the answer was checked");
        Self::new(Self::UNCHECKED, cause, "let the run finish before using the number")
    }
}

/// How a cell ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Outcome {
    /// Number of the cell.
    pub cell: u32,
    /// Whether there is a number.
    pub status: Status,
    /// Why the series stopped, where one was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Why there is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The result of checking the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// Reasons to trust the number less.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<Caveat>,
}

impl Outcome {
    /// Whether other work wanted the cell's processors: it has the caveat `other-work`.
    pub fn is_contended(&self) -> bool {
        self.caveats.iter().any(|caveat| caveat.id == "other-work")
    }

    /// Whether the answer of a kernel says nothing, so that its check does not either: no call writes it, or it is NaN throughout.
    pub fn is_empty_answer(&self) -> bool {
        self.caveats.iter().any(|caveat| [Caveat::ANSWER_UNWRITTEN, Caveat::ANSWER_NAN].contains(&caveat.id.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::Accuracy;

    #[test]
    fn an_infinite_error_comes_back() {
        for relative_max in [0.0, 0.1, f64::INFINITY] {
            let accuracy = Accuracy { relative_max, ..Accuracy::default() };
            let text = serde_json::to_string(&accuracy).expect("plain data");
            assert_eq!(serde_json::from_str::<Accuracy>(&text).expect("as it was written"), accuracy);
        }
    }
}
