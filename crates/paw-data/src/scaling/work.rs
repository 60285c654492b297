//! The operations of a point, by the formula that the user gave.

use paw_formula::Formula;

use crate::application::Application;
use crate::point::Point;

/// The formula of operations, parsed once.
#[derive(Debug, Clone)]
pub(super) struct Operations {
    formula: Option<Result<Formula, String>>,
}

impl Operations {
    /// The formula of `app`.
    pub fn of(app: &Application) -> Self {
        let parse = |text: &str| Formula::parse(text).map_err(|e| e.to_string());
        Self { formula: app.work.as_ref().map(|work| parse(&work.formula)) }
    }

    /// A sentence for a formula that cannot be parsed.
    pub fn problem(&self) -> Option<String> {
        let error = self.formula.as_ref()?.as_ref().err()?;
        Some(format!("No throughput: the formula of the work cannot be read: {error}."))
    }

    /// The operations of one run at `point`; `None` without a formula, or without a positive value.
    pub fn at(&self, point: &Point) -> Option<f64> {
        let formula = self.formula.as_ref()?.as_ref().ok()?;
        formula.evaluate(&|name| point.float(name)).ok().filter(|n| *n > 0.0)
    }
}
