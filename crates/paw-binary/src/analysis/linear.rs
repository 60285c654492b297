//! Sums of unknowns with whole factors, by which addresses are compared.

use std::collections::BTreeMap;

/// A place that holds a value: a register, or a word of memory at a fixed distance from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// A register, by its number among those of full width.
    Register(u16),
    /// A word of the stack, by its distance from the value that register 4 (`rsp`) or 5 (`rbp`) has at the loop's head.
    Stack(u16, i64),
    /// A word at a fixed address.
    Fixed(i64),
}

/// A value that is not computed further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// What a location holds when an iteration begins.
    Head(Location),
    /// What this access reads from memory.
    Loaded(usize),
    /// The result of an operation that is not a sum, of values of which one was read from memory.
    Derived(usize),
    /// The product of two sums, by its number.
    Product(usize),
    /// The result of another operation.
    Unknown(usize),
}

/// A constant and a sum of symbols with whole factors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Linear {
    /// The symbols and their factors, none of them 0.
    pub terms: BTreeMap<Symbol, i64>,
    /// The constant.
    pub constant: i64,
}

impl Linear {
    /// A number.
    pub fn number(constant: i64) -> Self {
        Self { terms: BTreeMap::new(), constant }
    }

    /// A symbol.
    pub fn symbol(symbol: Symbol) -> Self {
        Self { terms: BTreeMap::from([(symbol, 1)]), constant: 0 }
    }

    /// This plus `factor` times `other`, as machines add: what overflows wraps.
    pub fn plus(&self, other: &Self, factor: i64) -> Self {
        let mut sum = self.clone();
        sum.constant = sum.constant.wrapping_add(other.constant.wrapping_mul(factor));
        for (symbol, count) in &other.terms {
            let term = sum.terms.entry(*symbol).or_insert(0);
            *term = term.wrapping_add(count.wrapping_mul(factor));
        }
        sum.terms.retain(|_, count| *count != 0);
        sum
    }

    /// This many times.
    pub fn times(&self, factor: i64) -> Self {
        Self::default().plus(self, factor)
    }

    /// The number, if there is no symbol in it.
    pub fn as_number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Whether a symbol of it comes from memory.
    pub fn is_loaded(&self) -> bool {
        self.terms.keys().any(|symbol| matches!(symbol, Symbol::Loaded(_) | Symbol::Derived(_)))
    }
}
