//! Errors of formulas, with their places in the text.

use thiserror::Error;

use crate::limits::{DEPTH_MAX, LENGTH_MAX};
use crate::operation;

/// An error in a formula, with its byte in the text; displayed as one sentence.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{fault}")]
pub struct FormulaError {
    /// The kind of error.
    pub fault: FormulaErrorKind,
    /// The byte of the text where the error begins; the text's length if something is missing at its end.
    pub position: usize,
    /// The formula as typed; only its beginning if it is too long.
    pub text: String,
}

/// The kinds of errors in a formula.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FormulaErrorKind {
    /// Nothing was typed.
    #[error("the formula is empty: write something like `8 * n^2`")]
    Empty,
    /// The text is longer than a formula may be.
    #[error("the formula has {0} bytes: at most {LENGTH_MAX} are read")]
    TooLong(usize),
    /// Parentheses, signs or powers are nested too deep.
    #[error("the formula is nested more than {DEPTH_MAX} deep")]
    TooDeep,
    /// A character that is not part of any formula.
    #[error("{0:?} has no meaning in a formula")]
    Character(char),
    /// An operator in the spelling of another language.
    #[error("`{typed}` has no meaning in a formula: write `{meant}`")]
    Spelling {
        /// The text as typed.
        typed: &'static str,
        /// Its most likely meaning.
        meant: &'static str,
    },
    /// A number beyond what an `f64` holds.
    #[error("`{0}` is too large a number")]
    Number(String),
    /// A value is missing.
    #[error("a value is missing before {0}")]
    ValueMissing(String),
    /// Two values follow each other.
    #[error("an operator is missing before {0}")]
    OperatorMissing(String),
    /// A parenthesis without its end.
    #[error("this parenthesis is never closed: add `)`")]
    Unclosed,
    /// A closing parenthesis without its beginning.
    #[error("this `)` closes nothing: remove it")]
    Unopened,
    /// A comma outside a function's parentheses.
    #[error("this `,` separates nothing: only values of a function are separated")]
    Comma,
    /// A comparison of a comparison.
    #[error("comparisons do not chain: write `a < b && b < c`")]
    Chain,
    /// A function that does not exist.
    #[error("there is no function `{0}`: there are {functions}", functions = operation::function_names())]
    Function(String),
    /// A function with too many or too few values.
    #[error("`{name}` takes {takes}, not {given}")]
    Values {
        /// The function.
        name: &'static str,
        /// How many values it takes, in words.
        takes: &'static str,
        /// How many it was given.
        given: usize,
    },
    /// A name that has no value.
    #[error("`{0}` has no value here: it is not a known name")]
    Unknown(String),
    /// A name whose value is infinite or not a number.
    #[error("the value of `{0}` is not a finite number")]
    Value(String),
    /// A step that has no finite value.
    #[error("{0} has no finite value")]
    Step(String),
    /// A step whose value is beyond the whole numbers that an `f64` holds exactly.
    #[error("{0} is too large to be exact: whole numbers are exact below 2^53, about 9.0e15")]
    Inexact(String),
}

impl FormulaError {
    pub(crate) fn new(fault: FormulaErrorKind, position: usize, text: &str) -> Self {
        Self { fault, position, text: text.to_owned() }
    }

    /// Two lines: the formula, and a caret below the place where it goes wrong.
    ///
    /// Control characters (a tab, a line's end) are shown as blanks, so that the caret is in the right column.
    pub fn caret(&self) -> String {
        let line: String = self.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let column = self.text.char_indices().take_while(|(at, _)| *at < self.position).count();
        format!("{line}\n{}^", " ".repeat(column))
    }
}
