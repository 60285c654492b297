//! A check: what it measures, which values are expected, and how the outcome is judged.

use std::rc::Rc;

use paw_data::selftest::{CheckResult, SelftestCheck};

use super::activity::Activity;
use super::machine::Machine;

/// A check with its rows.
#[derive(Debug)]
pub struct Check {
    /// The values it measures, one for each row.
    pub rows: &'static [Row],
    /// Whether a busy machine can spoil it.
    pub evidence: Evidence,
    /// Measures a value for each row.
    pub measure: fn(&Rc<dyn Machine>) -> Measured,
}

/// A value for each row, or why this machine does not let them be measured.
pub type Measured = Result<Vec<f64>, String>;

/// One value of a check.
#[derive(Debug)]
pub struct Row {
    /// The name of the value, at most 31 characters.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The value expected.
    pub expected: f64,
    /// Which values pass.
    pub limits: Limits,
    /// Digits shown after the point.
    pub decimals: usize,
    /// What helps where it fails, in one sentence; empty if nothing is known to.
    pub help: &'static str,
}

/// Which values pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limits {
    /// Values that differ from the expected one by at most this.
    Within(f64),
    /// Values up to the expected one.
    AtMost,
    /// Values from the expected one on.
    AtLeast,
    /// Values between both ends.
    Between(f64, f64),
}

/// The conclusion from a value outside the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Something is wrong, unless other work kept the machine busy meanwhile.
    Timed,
    /// Something is wrong, whatever the machine did.
    Certain,
}

/// Attempts at a timed check: a passing disturbance does not come three times in a row, a defect does.
const ATTEMPTS: usize = 3;

impl Check {
    /// A check that a busy machine can spoil.
    pub const fn timed(rows: &'static [Row], measure: fn(&Rc<dyn Machine>) -> Measured) -> Self {
        Self { rows, evidence: Evidence::Timed, measure }
    }

    /// A check whose outcome proves something whatever the machine did.
    pub const fn certain(rows: &'static [Row], measure: fn(&Rc<dyn Machine>) -> Measured) -> Self {
        Self { rows, evidence: Evidence::Certain, measure }
    }

    /// Makes the check on `machine`. A timed value fails where every attempt failed and nothing disturbed any of them.
    pub fn judged(&self, machine: &Rc<dyn Machine>) -> Vec<SelftestCheck> {
        let attempts = if self.evidence == Evidence::Timed { ATTEMPTS } else { 1 };
        let mut rows = self.attempt(machine);
        let mut excuse = disturbed(&rows);
        for _ in 1..attempts {
            if rows.iter().all(|row| row.result == CheckResult::Pass) {
                break;
            }
            let again = self.attempt(machine);
            excuse = excuse.or_else(|| disturbed(&again));
            let failures = |rows: &[SelftestCheck]| rows.iter().filter(|row| row.result != CheckResult::Pass).count();
            if failures(&again) <= failures(&rows) {
                rows = again;
            }
        }
        if let Some(excuse) = excuse {
            for row in rows.iter_mut().filter(|row| row.result == CheckResult::Fail) {
                (row.result, row.why) = (CheckResult::CannotTell, Some(excuse.clone()));
            }
        }
        rows
    }

    fn attempt(&self, machine: &Rc<dyn Machine>) -> Vec<SelftestCheck> {
        let before = machine.activity();
        match (self.measure)(machine) {
            Ok(values) => {
                debug_assert_eq!(values.len(), self.rows.len());
                let passes = self.rows.iter().zip(&values).all(|(row, value)| row.passes(*value));
                let excuse = if passes || self.evidence == Evidence::Certain { None } else { busy(machine, &before) };
                self.rows.iter().zip(values).map(|(row, value)| row.judged(value, excuse.as_deref())).collect()
            }
            Err(why) => self.rows.iter().map(|row| row.recorded(None, CheckResult::CannotTell, Some(&why))).collect(),
        }
    }
}

/// What disturbed an attempt, if anything did.
fn disturbed(rows: &[SelftestCheck]) -> Option<String> {
    rows.iter().find(|row| row.result == CheckResult::CannotTell).and_then(|row| row.why.clone())
}

/// The other work on the machine since `before`, watched for [`WATCH_S`] at least: the kernel counts other work in ticks of 10 ms.
fn busy(machine: &Rc<dyn Machine>, before: &Activity) -> Option<String> {
    let rest_s = WATCH_S - (machine.activity().at_s - before.at_s);
    if rest_s > 0.0 {
        machine.sleep(rest_s);
    }
    Activity::between(before, &machine.activity()).busy()
}

/// Seconds over which other work shows in the kernel's counters.
const WATCH_S: f64 = 0.4;

impl Row {
    /// A value that passes within `limits`.
    pub const fn new(name: &'static str, unit: &'static str, expected: f64, limits: Limits, decimals: usize) -> Self {
        Self { name, unit, expected, limits, decimals, help: "" }
    }

    /// The row with what helps where it fails.
    pub const fn helped_by(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    /// A value that passes up to the expected one.
    pub const fn at_most(name: &'static str, unit: &'static str, expected: f64, decimals: usize) -> Self {
        Self::new(name, unit, expected, Limits::AtMost, decimals)
    }

    /// A value that passes from the expected one on.
    pub const fn at_least(name: &'static str, unit: &'static str, expected: f64, decimals: usize) -> Self {
        Self::new(name, unit, expected, Limits::AtLeast, decimals)
    }

    fn passes(&self, value: f64) -> bool {
        let (low, high) = self.ends();
        value.is_finite() && low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high)
    }

    /// The row with `value` measured; `excuse` says what else could explain a value outside the limits.
    fn judged(&self, value: f64, excuse: Option<&str>) -> SelftestCheck {
        let (result, why) = match excuse {
            _ if self.passes(value) => (CheckResult::Pass, None),
            Some(excuse) => (CheckResult::CannotTell, Some(excuse)),
            None => (CheckResult::Fail, Some(self.help).filter(|help| !help.is_empty())),
        };
        self.recorded(Some(value), result, why)
    }

    fn recorded(&self, measured: Option<f64>, result: CheckResult, why: Option<&str>) -> SelftestCheck {
        let (low, high) = self.ends();
        SelftestCheck {
            check: self.name.to_owned(),
            unit: self.unit.to_owned(),
            expected: self.expected,
            low,
            high,
            measured: measured.filter(|value| value.is_finite()),
            result,
            why: why.map(str::to_owned),
        }
    }

    fn ends(&self) -> (Option<f64>, Option<f64>) {
        match self.limits {
            Limits::Within(tolerance) => (Some(self.expected - tolerance), Some(self.expected + tolerance)),
            Limits::AtMost => (None, Some(self.expected)),
            Limits::AtLeast => (Some(self.expected), None),
            Limits::Between(low, high) => (Some(low), Some(high)),
        }
    }
}
