//! What instructions do: arithmetic of which type and width, moves, conversions.

use iced_x86::{FlowControl, Instruction, Mnemonic, Register};

/// Floating-point arithmetic of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arithmetic {
    /// `add`, `mul`, `fma`, `div`, `sqrt`, `minmax`, `approximate`.
    pub operation: &'static str,
    /// The type: `f64`, `f32`, `f16`, `f80`.
    pub element: &'static str,
    /// Elements that it works on.
    pub lanes: u32,
    /// Bits that it works on: those of one element, or of a vector register.
    pub bits: u32,
    /// Floating-point operations of the whole instruction; a fused multiply-add is two for each element.
    pub flop: u32,
}

/// The kinds of instructions that a mix counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Floating-point arithmetic.
    Arithmetic(Arithmetic),
    /// Comparison or bitwise logic of floating-point values.
    Comparison,
    /// Conversion between number types.
    Conversion,
    /// Rearrangement of the elements of vectors.
    Shuffle,
    /// Integer arithmetic or logic in vector registers.
    VectorInteger,
    /// Copy between registers, or between a register and memory.
    Move,
    /// Integer arithmetic, logic and addresses in general registers.
    Integer,
    /// Jump.
    Branch,
    /// Call.
    Call,
    /// Another one.
    Other,
}

/// Stems of arithmetic and their names; the multiply-adds are recognised by how they begin.
const STEMS: &[(&str, &str)] = &[
    ("add", "add"),
    ("sub", "add"),
    ("addsub", "add"),
    ("hadd", "add"),
    ("hsub", "add"),
    ("mul", "mul"),
    ("div", "div"),
    ("sqrt", "sqrt"),
    ("max", "minmax"),
    ("min", "minmax"),
    ("rcp", "approximate"),
    ("rcp14", "approximate"),
    ("rsqrt", "approximate"),
    ("rsqrt14", "approximate"),
];
/// How the names of fused multiply-adds begin.
const FUSED: &[&str] = &["fmadd", "fmsub", "fnmadd", "fnmsub"];
/// Suffixes: type, bits of an element, whether it works on one element only.
const TYPES: &[(&str, &str, u32, bool)] = &[
    ("pd", "f64", 64, false),
    ("ps", "f32", 32, false),
    ("ph", "f16", 16, false),
    ("sd", "f64", 64, true),
    ("ss", "f32", 32, true),
    ("sh", "f16", 16, true),
];
/// Arithmetic of the x87 unit.
const X87: &[(&str, &str)] = &[
    ("fadd", "add"),
    ("fiadd", "add"),
    ("fsub", "add"),
    ("fisub", "add"),
    ("fmul", "mul"),
    ("fimul", "mul"),
    ("fdiv", "div"),
    ("fidiv", "div"),
    ("fsqrt", "sqrt"),
];
/// How the names of rearrangements begin.
const SHUFFLES: &[&str] = &[
    "shuf",
    "unpck",
    "perm",
    "insert",
    "extract",
    "broadcast",
    "blend",
    "palignr",
    "pshuf",
    "punpck",
    "pack",
    "valign",
    "align",
    "compress",
    "expand",
    "pinsr",
    "pextr",
    "pblend",
    "pbroadcast",
    "pcompress",
    "pexpand",
    "pperm",
    "perm",
    "pack",
    "pack",
];

/// The kind of an instruction.
#[must_use]
pub fn class(instruction: &Instruction) -> Class {
    match instruction.flow_control() {
        FlowControl::Next => {}
        FlowControl::Call | FlowControl::IndirectCall => return Class::Call,
        FlowControl::Interrupt | FlowControl::Exception => return Class::Other,
        _ => return Class::Branch,
    }
    let whole = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let name = whole.strip_prefix('v').unwrap_or(&whole);
    if let Some(arithmetic) = arithmetic(instruction, name) {
        return Class::Arithmetic(arithmetic);
    }
    let is_vector = (0..instruction.op_count()).any(|op| is_vector(instruction.op_register(op)));
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    match name {
        _ if begins(&[
            "mov", "push", "pop", "xchg", "gather", "scatter", "pgather", "pscatter", "lddqu", "maskmov", "pmaskmov",
        ]) && !begins(&["movmsk", "popcnt"]) =>
        {
            Class::Move
        }
        _ if begins(&["fld", "fst", "fild", "fist", "fxch"]) => Class::Move,
        _ if begins(&["cvt", "pmovsx", "pmovzx"]) => Class::Conversion,
        _ if is_vector && begins(SHUFFLES) => Class::Shuffle,
        _ if is_vector && (begins(&["p", "ternlog"]) && !begins(&["prefetch"])) => Class::VectorInteger,
        _ if is_vector
            && begins(&["cmp", "comi", "ucomi", "and", "or", "xor", "movmsk", "test", "round", "rndscale"]) =>
        {
            Class::Comparison
        }
        _ if begins(&["fcom", "fucom", "fchs", "fabs"]) => Class::Comparison,
        _ if is_vector || begins(&["nop", "endbr", "prefetch", "zero", "lfence", "mfence", "rdtsc"]) => Class::Other,
        _ => Class::Integer,
    }
}

/// Bytes of the vector on which integer arithmetic works, if it does.
#[must_use]
pub fn vector_bytes(instruction: &Instruction) -> Option<u32> {
    let sizes =
        (0..instruction.op_count()).map(|op| instruction.op_register(op)).filter(|r| is_vector(*r)).map(Register::size);
    sizes.max().map(|size| size as u32)
}

/// Whether the instruction adds a number to an integer and does nothing else, as counters do.
pub(crate) fn is_step(instruction: &Instruction) -> bool {
    matches!(
        instruction.mnemonic(),
        Mnemonic::Add
            | Mnemonic::Sub
            | Mnemonic::Inc
            | Mnemonic::Dec
            | Mnemonic::Lea
            | Mnemonic::Mov
            | Mnemonic::Movsxd
            | Mnemonic::Cdqe
    )
}

/// Whether the instruction repeats itself as often as a register says: how many bytes it moves is not known here.
pub(crate) fn repeats(instruction: &Instruction) -> bool {
    instruction.is_string_instruction() && (instruction.has_rep_prefix() || instruction.has_repne_prefix())
}

fn is_vector(register: Register) -> bool {
    register.is_vector_register()
}

fn arithmetic(instruction: &Instruction, name: &str) -> Option<Arithmetic> {
    if name.starts_with('f') && !FUSED.iter().any(|stem| name.starts_with(stem)) {
        let (_, operation) = X87.iter().find(|(stem, _)| name.starts_with(stem))?;
        return Some(Arithmetic { operation, element: "f80", lanes: 1, bits: 80, flop: 1 });
    }
    let (suffix, element, bits, is_scalar) = TYPES.iter().find(|(suffix, ..)| name.ends_with(suffix))?;
    let stem = &name[..name.len() - suffix.len()];
    let is_fused = FUSED.iter().any(|fused| stem.starts_with(fused));
    let operation = if is_fused {
        "fma"
    } else {
        STEMS.iter().find(|(known, _)| *known == stem).map(|(_, operation)| *operation)?
    };
    let register = vector_bytes(instruction).unwrap_or(16) * 8;
    let lanes = if *is_scalar { 1 } else { register / bits };
    let width = if *is_scalar { *bits } else { register };
    Some(Arithmetic { operation, element, lanes, bits: width, flop: lanes * if is_fused { 2 } else { 1 } })
}
