//! A formula: its text, and the instructions that evaluate it.

use std::fmt;

use crate::error::{FormulaError, FormulaErrorKind};
use crate::instruction::{Instruction, Opcode};
use crate::operation::{Compute, truth};
use crate::parser;

/// A parsed formula over names. It displays as typed, and two formulas are equal if their texts are.
#[derive(Debug, Clone)]
pub struct Formula {
    text: String,
    names: Vec<String>,
    steps: Vec<Instruction>,
}

/// From 2⁵³ on, an `f64` may stand for two neighbouring whole numbers.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;

impl Formula {
    /// Parses a formula; the crate's documentation has the grammar.
    ///
    /// # Errors
    /// The first thing that is wrong with the text, and where.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let (names, steps) = parser::parse(text)?;
        Ok(Self { text: text.to_owned(), names, steps })
    }

    /// The names in it, each once, in the order they are first met.
    pub fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// Checks that all its names are `known`.
    ///
    /// # Errors
    /// The first name that is not, and its position.
    pub fn check_names(&self, known: &dyn Fn(&str) -> bool) -> Result<(), FormulaError> {
        for step in &self.steps {
            if let Opcode::Name(index) = step.act
                && let Some(name) = self.names.get(index).filter(|name| !known(name))
            {
                return Err(FormulaError::new(FormulaErrorKind::Unknown(name.clone()), step.position, &self.text));
            }
        }
        Ok(())
    }

    /// The formula's value, always finite; `lookup` gives the values of names.
    ///
    /// # Errors
    /// A name without a value, with one that is infinite or not a number, or a step without a finite value (a division by zero).
    /// The right side of `&&` and `||` is evaluated only if the left one does not decide: use [`Formula::check_names`] to
    /// find a mistyped name at once.
    pub fn evaluate(&self, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<f64, FormulaError> {
        self.run(lookup, f64::INFINITY)
    }

    /// The value as by [`Formula::evaluate`], refused if an intermediate result reaches 2⁵³: a formula of whole numbers alone is
    /// then exact.
    ///
    /// # Errors
    /// As for [`Formula::evaluate`], and a step that is too large.
    pub fn evaluate_exactly(&self, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<f64, FormulaError> {
        self.run(lookup, EXACT_BELOW)
    }

    fn run(&self, lookup: &dyn Fn(&str) -> Option<f64>, below: f64) -> Result<f64, FormulaError> {
        let mut stack = Stack::default();
        let mut at = 0;
        while let Some(step) = self.steps.get(at) {
            at += 1;
            match step.act {
                Opcode::Skip { when, to } if (stack.last() != 0.0) == when => {
                    stack.pop();
                    stack.0.push(truth(when));
                    at = to;
                }
                _ => {
                    let error = |fault| FormulaError::new(fault, step.position, &self.text);
                    let value = self.act(&step.act, &mut stack, lookup, below).map_err(error)?;
                    stack.0.extend(value);
                }
            }
        }
        Ok(stack.last())
    }

    /// Whether the formula's value is not zero: for conditions such as `threads <= 8 && n % threads == 0`.
    ///
    /// # Errors
    /// As for [`Formula::evaluate`].
    pub fn holds(&self, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<bool, FormulaError> {
        Ok(self.evaluate(lookup)? != 0.0)
    }

    /// The value that an instruction pushes, after it popped its operands; `None` if it pushes none.
    fn act(
        &self,
        act: &Opcode,
        stack: &mut Stack,
        lookup: &dyn Fn(&str) -> Option<f64>,
        below: f64,
    ) -> Result<Option<f64>, FormulaErrorKind> {
        let value = match *act {
            Opcode::Number(number) => held(number, below, || plain(number))?,
            Opcode::Name(index) => {
                let value = self.value(index, lookup)?;
                held(value, below, || format!("{} = {}", self.names[index], plain(value)))?
            }
            Opcode::Negate => -stack.pop(),
            Opcode::Not => truth(stack.pop() == 0.0),
            Opcode::Operator(operator) => {
                let (right, left) = (stack.pop(), stack.pop());
                let shown = || format!("{} {} {}", plain(left), operator.sign, plain(right));
                held((operator.compute)(left, right), below, shown)?
            }
            Opcode::Function(function, given) => {
                let values = stack.0.split_off(stack.0.len() - given);
                let shown = || {
                    let values: Vec<String> = values.iter().map(|v| plain(*v)).collect();
                    format!("{}({})", function.name, values.join(", "))
                };
                held(call(function.compute, &values), below, shown)?
            }
            // The left side did not decide: both sides go to the operator.
            Opcode::Skip { .. } => return Ok(None),
        };
        Ok(Some(value))
    }

    fn value(&self, index: usize, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<f64, FormulaErrorKind> {
        let name = &self.names[index];
        match lookup(name) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(FormulaErrorKind::Value(name.clone())),
            None => Err(FormulaErrorKind::Unknown(name.clone())),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// Operands not yet used. The parser emits no instruction that finds too few of them.
#[derive(Default)]
struct Stack(Vec<f64>);

impl Stack {
    fn last(&self) -> f64 {
        self.0.last().copied().unwrap_or_default()
    }

    fn pop(&mut self) -> f64 {
        self.0.pop().unwrap_or_default()
    }
}

fn call(compute: Compute, values: &[f64]) -> f64 {
    let found = match compute {
        Compute::One(compute) => values.first().map(|v| compute(*v)),
        Compute::Several(compute) => values.iter().copied().reduce(compute),
    };
    found.unwrap_or(f64::NAN)
}

/// `value`, if it is finite and its magnitude is less than `below`; else the error of the step `shown`.
fn held(value: f64, below: f64, shown: impl Fn() -> String) -> Result<f64, FormulaErrorKind> {
    match value {
        _ if !value.is_finite() => Err(FormulaErrorKind::Step(shown())),
        _ if value.abs() >= below => Err(FormulaErrorKind::Inexact(shown())),
        _ => Ok(value),
    }
}

/// A number for a message: `3`, not `3.0`.
fn plain(value: f64) -> String {
    let readable = value == 0.0 || (1e-5..1e15).contains(&value.abs());
    if readable { value.to_string() } else { format!("{value:e}") }
}
