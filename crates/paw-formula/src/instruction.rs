//! Instructions of the stack machine that evaluates a formula.

use crate::operation::{Function, Operator};

/// An instruction, with the byte of the text it comes from.
#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    pub act: Opcode,
    pub position: usize,
}

/// The operation of an instruction.
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
    /// If the top value's truth equals `when`, it decides `&&` or `||`: replaces it by 1 or 0 and jumps to the instruction `to`.
    Skip {
        when: bool,
        to: usize,
    },
}
