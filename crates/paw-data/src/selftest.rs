//! Results of `paw selftest`: each check with its expected value, its limits, and the measured value.

use serde::{Deserialize, Serialize};

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// The measured value lies within the limits.
    Pass,
    /// The measured value lies outside the limits, and the machine does not explain it.
    Fail,
    /// The machine does not let the check decide: `why` says what is in the way.
    CannotTell,
}

impl CheckResult {
    /// The word that tables print.
    pub fn word(self) -> &'static str {
        match self {
            CheckResult::Pass => "pass",
            CheckResult::Fail => "FAIL",
            CheckResult::CannotTell => "cannot tell here",
        }
    }
}

/// One check of a self-test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SelftestCheck {
    /// The name of the check: `dependent multiply`.
    pub check: String,
    /// Unit of all values: `cycles`, `ns`, `%`.
    pub unit: String,
    /// The value expected.
    pub expected: f64,
    /// The smallest value that passes, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The largest value that passes, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The value measured; absent where nothing could be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// How it ended.
    pub result: CheckResult,
    /// Why the check could not tell, or what helps where it failed, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A self-test: all checks, in the order they were made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Selftest {
    /// The checks.
    pub checks: Vec<SelftestCheck>,
    /// Seconds that all of them took.
    pub elapsed_s: f64,
}

impl Selftest {
    /// Checks that ended with `result`.
    pub fn with(&self, result: CheckResult) -> impl Iterator<Item = &SelftestCheck> {
        self.checks.iter().filter(move |check| check.result == result)
    }

    /// One sentence without its full stop: `20 of 24 checks pass; FAIL: added multiply; cannot tell here: null call of MPI`.
    pub fn sentence(&self) -> String {
        let named = |result: CheckResult| {
            let names: Vec<&str> = self.with(result).map(|check| check.check.trim()).collect();
            if names.is_empty() { String::new() } else { format!("; {}: {}", result.word(), names.join(", ")) }
        };
        let passed = self.with(CheckResult::Pass).count();
        let rest = named(CheckResult::Fail) + &named(CheckResult::CannotTell);
        format!("{passed} of {} checks pass{rest}", self.checks.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, result: CheckResult) -> SelftestCheck {
        let unit = "cycles".to_owned();
        let (low, high) = (Some(2.97), Some(3.03));
        SelftestCheck { check: name.to_owned(), unit, expected: 3.0, low, high, measured: Some(3.0), result, why: None }
    }

    #[test]
    fn the_sentence_names_what_did_not_pass() {
        let mut selftest = Selftest { checks: vec![check("multiply", CheckResult::Pass)], elapsed_s: 1.0 };
        assert_eq!(selftest.sentence(), "1 of 1 checks pass");
        selftest.checks.push(check("sleep", CheckResult::Fail));
        selftest.checks.push(check("timer", CheckResult::CannotTell));
        assert_eq!(selftest.sentence(), "1 of 3 checks pass; FAIL: sleep; cannot tell here: timer");
    }

    #[test]
    fn a_check_is_read_back_as_it_was_written() {
        let mut written = check("multiply", CheckResult::CannotTell);
        (written.measured, written.low, written.why) = (None, None, Some("the clock moved".to_owned()));
        let text = serde_json::to_string(&written).unwrap();
        assert!(text.contains("\"cannot_tell\"") && !text.contains("measured"), "{text}");
        assert_eq!(serde_json::from_str::<SelftestCheck>(&text).unwrap(), written);
    }
}
