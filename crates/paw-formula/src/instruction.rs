//! What evaluates a formula: instructions for a machine with a stack of values.

use crate::operation::{Function, Operator};

/// An operation on the stack of values, and its byte in the text.
#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    pub act: Opcode,
    pub position: usize,
}

/// What an instruction does.
#[derive(Debug, Clone)]
pub(crate) enum Opcode {
    Number(f64),
    /// The value of a name, by its place among the names.
    Name(usize),
    Negate,
    Not,
    Operator(&'static Operator),
    /// A function and how many values it takes.
    Function(&'static Function, usize),
    /// Where the last value is as true as `when`, it decides: go on at the step `to` with 1 or 0 for it.
    Skip {
        when: bool,
        to: usize,
    },
}
