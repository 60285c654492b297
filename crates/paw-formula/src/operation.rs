//! The tables of operators and functions.

/// An operator between two values.
#[derive(Debug)]
pub(crate) struct Operator {
    pub sign: &'static str,
    /// The operator's precedence: larger binds tighter.
    pub binding: u8,
    pub compute: fn(f64, f64) -> f64,
}

/// Precedence of `||`, the loosest.
pub(crate) const EITHER: u8 = 1;
/// Precedence of `&&`.
pub(crate) const BOTH: u8 = 2;
/// Precedence of comparisons.
pub(crate) const COMPARISON: u8 = 3;
/// Precedence of `^`, the tightest, and the only right-associative operator.
pub(crate) const POWER: u8 = 6;

pub(crate) const OPERATORS: &[Operator] = &[
    Operator { sign: "||", binding: EITHER, compute: |a, b| truth(a != 0.0 || b != 0.0) },
    Operator { sign: "&&", binding: BOTH, compute: |a, b| truth(a != 0.0 && b != 0.0) },
    Operator { sign: "<", binding: COMPARISON, compute: |a, b| truth(a < b) },
    Operator { sign: "<=", binding: COMPARISON, compute: |a, b| truth(a <= b) },
    Operator { sign: ">", binding: COMPARISON, compute: |a, b| truth(a > b) },
    Operator { sign: ">=", binding: COMPARISON, compute: |a, b| truth(a >= b) },
    Operator { sign: "==", binding: COMPARISON, compute: |a, b| truth(a == b) },
    Operator { sign: "!=", binding: COMPARISON, compute: |a, b| truth(a != b) },
    Operator { sign: "+", binding: 4, compute: |a, b| a + b },
    Operator { sign: "-", binding: 4, compute: |a, b| a - b },
    Operator { sign: "*", binding: 5, compute: |a, b| a * b },
    Operator { sign: "/", binding: 5, compute: |a, b| a / b },
    // The remainder of truncated division, which floating point has exactly (IEEE 754, 5.3.1, C's fmod).
    Operator { sign: "%", binding: 5, compute: |a, b| a % b },
    Operator { sign: "^", binding: POWER, compute: power },
];

/// A function of one argument, or of two or more.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: &'static str,
    pub compute: Compute,
}

/// The computation of a function.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Compute {
    /// Of its only argument.
    One(fn(f64) -> f64),
    /// A fold: of the first two arguments, then of the result and the next one.
    Several(fn(f64, f64) -> f64),
}

pub(crate) const FUNCTIONS: &[Function] = &[
    Function { name: "min", compute: Compute::Several(f64::min) },
    Function { name: "max", compute: Compute::Several(f64::max) },
    Function { name: "sqrt", compute: Compute::One(f64::sqrt) },
    Function { name: "log2", compute: Compute::One(f64::log2) },
    Function { name: "ln", compute: Compute::One(f64::ln) },
    Function { name: "ceil", compute: Compute::One(f64::ceil) },
    Function { name: "floor", compute: Compute::One(f64::floor) },
    Function { name: "round", compute: Compute::One(f64::round) },
    Function { name: "abs", compute: Compute::One(f64::abs) },
];

/// The names of all functions, for an error message.
pub(crate) fn function_names() -> String {
    let names: Vec<&str> = FUNCTIONS.iter().map(|f| f.name).collect();
    names.join(", ")
}

/// 1 for true, 0 for false.
pub(crate) fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// A power; small whole ones by multiplication, which is exact while the result is below 2⁵³ (D. E. Knuth, *The Art of Computer
/// Programming* 2, section 4.6.3), where `powf` may be off by its last digit.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent.fract() != 0.0 || !(0.0..=64.0).contains(&exponent) {
        return base.powf(exponent);
    }
    let (mut left, mut square, mut product) = (exponent as u32, base, 1.0);
    while left > 0 {
        if left % 2 == 1 {
            product *= square;
        }
        square *= square;
        left /= 2;
    }
    product
}
