//! Arithmetic over names: formulas that a user types, such as `8 * n^2 <= memory`, parsed once and evaluated often.
//!
//! Every value is an `f64`: whole numbers up to 2⁵³ are exact, and so are comparisons,
//! `%` and whole powers of them.
//!
//! | what | how |
//! |---|---|
//! | numbers | `3`, `0.5`, `.5`, `1e6`; with a unit of bytes behind them, `32 KiB`, `1.5GB` (`KiB MiB GiB TiB`, `kB MB GB TB`) |
//! | names | a letter or `_`, then letters, digits, `_` and `.` |
//! | arithmetic | `+ - * / %`, `^` (power, from the right), unary `-`, parentheses |
//! | comparisons | `< <= > >= == !=`: 1 where they hold, else 0; they do not chain |
//! | logic | `&& || !`: 0 is false, everything else true; the right side is not looked at where the left one decides |
//! | functions | `min max` (of two or more), `sqrt log2 ln ceil floor round abs` |
//!
//! Precedence, loosest first: `||`, `&&`, comparisons, `+ -`, `* / %`, `- !` before a value, `^`; so `-2^2` is -4. `%` has the
//! sign of its left side, and `round` goes away from zero at one half. A result is always a finite
//! number: a step without a finite value is an error that names the step.
#![forbid(unsafe_code)]

mod error;
mod formula;
mod instruction;
mod inverse;
mod limits;
mod operation;
mod parser;
mod token;

pub use error::{FormulaError, FormulaErrorKind};
pub use formula::Formula;
