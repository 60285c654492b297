//! What was found in compiled code: functions, their loops, and where they call.
//!
//! All of it is read from the file and nothing is measured. Addresses are those of the file.

use serde::{Deserialize, Serialize};

pub mod difference;
pub mod words;

/// What was found in the code of one build or file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Code {
    /// The build's name in rows; empty for a file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub build: String,
    /// The file that was read.
    pub file: String,
    /// The processor that it is made for: `x86-64`.
    pub architecture: String,
    /// What the compilers recorded of themselves (`DW_AT_producer`), each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub producers: Vec<String>,
    /// What was found of each function.
    pub functions: Vec<FunctionCode>,
    /// The text of the lines that innermost loops come from, where the source could be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceText>,
    /// What the whole analysis could not know, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// What was found in one function.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FunctionCode {
    /// Its name as in the source; `function at 0x11f0` where none is known.
    pub name: String,
    /// Its name as the linker has it; empty where none is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub symbol: String,
    /// Its first address.
    pub start: u64,
    /// The address after its last byte.
    pub end: u64,
    /// Where its source is; absent without debug information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLines>,
    /// How many instructions it has.
    pub instructions: u32,
    /// Its loops, outer ones before those within them.
    pub loops: Vec<LoopCode>,
    /// Its calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallCode>,
    /// What is not known of it, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// What the compiler said of its loops in a compilation of its own, each with its line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
}

/// Lines of a source file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SourceLines {
    /// The file.
    pub file: String,
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// Some lines of a source file, as they were when the code was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SourceText {
    /// The file.
    pub file: String,
    /// The lines, sorted.
    pub lines: Vec<SourceLine>,
}

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SourceLine {
    /// Its number, from 1 on.
    pub line: u32,
    /// Its text, with blanks for tabs; control characters are made visible, and a long line is cut.
    pub text: String,
}

/// A sentence of a compiler about a place in the source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Remark {
    /// The line.
    pub line: u32,
    /// What it said: `not vectorized: …`.
    pub text: String,
    /// Whether it did what it speaks of.
    pub done: bool,
}

/// A natural loop.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LoopCode {
    /// Its number in the function, from 0 on.
    pub id: u32,
    /// The number of the loop around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// 1 for a loop that is in no other.
    pub depth: u32,
    /// Address of its first instruction.
    pub start: u64,
    /// Address after its last instruction.
    pub end: u64,
    /// Its lines in the file that most of it comes from; absent without debug information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLines>,
    /// How many instructions it has.
    pub instructions: u32,
    /// What an innermost loop does; absent for a loop around others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<LoopBody>,
    /// Its calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallCode>,
}

/// What an innermost loop does in an iteration; counts are of instructions on all ways through it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LoopBody {
    /// Ways from its beginning back to it; absent where it holds a cycle that is no loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<u64>,
    /// How many instructions of each kind there are.
    pub mix: Mix,
    /// Floating-point arithmetic by operation, type and width.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arithmetic: Vec<ArithmeticCount>,
    /// Floating-point operations; a fused multiply-add is two for each element.
    pub flop: u64,
    /// Bytes loaded, without those of the stack.
    pub load_bytes: u64,
    /// Bytes stored, without those of the stack.
    pub store_bytes: u64,
    /// Bytes loaded and stored on the stack: spilled values, and all variables of unoptimised code.
    pub stack_bytes: u64,
    /// Bytes of the widest vector that arithmetic works on; absent where all of it works on single elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector_bytes: Option<u32>,
    /// Floating-point arithmetic instructions that a mask confines to a part of their elements; their operations are counted as if it did not.
    #[serde(skip_serializing_if = "is_none")]
    pub masked: u32,
    /// Share of the floating-point arithmetic instructions that work on vectors, 0 to 1; absent without such instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packed: Option<f64>,
    /// Elements of its streams that an iteration passes; absent where no stream tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<u64>,
    /// Vectors (or single elements) of a stream that an iteration passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unroll: Option<u64>,
    /// What it is among loops of the same source lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Accesses to memory by stride.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<AccessCount>,
    /// Values that an iteration needs from the one before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recurrences: Vec<RecurrenceCode>,
    /// Its instructions, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assembly: Vec<AssemblyLine>,
}

// serde's `skip_serializing_if` hands a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_none(count: &u32) -> bool {
    *count == 0
}

/// What a loop is among those of the same source lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The only one.
    Single,
    /// The one that passes most elements in an iteration.
    Main,
    /// One for what the main one leaves, or for when that cannot be used.
    Remainder,
    /// A word of a later version.
    #[serde(other)]
    Other,
}

/// Instructions by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Mix {
    /// Floating-point arithmetic.
    pub arithmetic: u32,
    /// Comparisons and bitwise logic of floating-point values.
    pub comparison: u32,
    /// Conversions between number types.
    pub conversion: u32,
    /// Rearrangements of vectors' elements.
    pub shuffle: u32,
    /// Integer arithmetic in vector registers.
    pub vector_integer: u32,
    /// Copies between registers and memory.
    pub moves: u32,
    /// Integer arithmetic and addresses in general registers.
    pub integer: u32,
    /// Jumps.
    pub branch: u32,
    /// Calls.
    pub call: u32,
    /// Others.
    pub other: u32,
}

/// Instructions of one floating-point operation, type and width.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ArithmeticCount {
    /// `add`, `mul`, `fma`, `div`, `sqrt`, `minmax`, `approximate`.
    pub operation: String,
    /// The type: `f64`.
    pub element: String,
    /// Bits that an instruction works on; those of the type for a single element.
    pub bits: u32,
    /// Elements that an instruction works on.
    pub lanes: u32,
    /// How many instructions.
    pub count: u32,
}

/// Accesses of one direction and stride.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AccessCount {
    /// `load` or `store`.
    pub direction: String,
    /// `0`, `1`, `n`, `indirect` or `unknown`.
    pub stride: String,
    /// Bytes between elements where the stride is `n` and known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride_bytes: Option<i64>,
    /// Bytes of one access.
    pub bytes: u32,
    /// How many.
    pub count: u32,
    /// Whether they are of the stack.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stack: bool,
}

/// Instructions that depend on each other from one iteration to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RecurrenceCode {
    /// `counter`, `integer`, `float` or `pointer`.
    pub kind: String,
    /// Whether a value goes through memory on its way.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub through_memory: bool,
    /// Its instructions.
    pub instructions: Vec<AssemblyLine>,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AssemblyLine {
    /// Its address.
    pub address: u64,
    /// Its text in the syntax of GNU's assembler.
    pub text: String,
    /// Its line in the source; absent without debug information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The file of that line, where it is another than that of the loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CallCode {
    /// Address of the instruction.
    pub address: u64,
    /// The linker's name of what is called; empty where it is not known.
    pub symbol: String,
    /// In words: `the vector exponential of libmvec, 4 lanes`.
    pub words: String,
    /// Elements of one call of a vector function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lanes: Option<u32>,
    /// Its line in the source; absent without debug information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Number of the innermost loop that it is in.
    #[serde(skip_serializing_if = "Option::is_none", rename = "loop")]
    pub within: Option<u32>,
}

impl Code {
    /// The innermost loop with most arithmetic, of all functions: loops that are the main ones first.
    pub fn busiest(&self) -> Option<(&FunctionCode, &LoopCode, &LoopBody)> {
        let all = self.functions.iter().flat_map(|function| {
            function.loops.iter().filter_map(move |found| Some((function, found, found.body.as_ref()?)))
        });
        all.max_by_key(|(_, found, body)| {
            let is_main = !matches!(body.role, Some(Role::Remainder));
            (is_main, found.depth, body.flop > 0 || !found.calls.is_empty(), body.flop)
        })
    }

    /// The text of a line of `file`; `None` where it was not kept.
    pub fn source_line(&self, file: &str, line: u32) -> Option<&str> {
        let source = self.sources.iter().find(|source| source.file == file)?;
        let found = source.lines.iter().find(|kept| kept.line == line)?;
        Some(&found.text)
    }

    /// Calls of all functions, whatever loop they are in.
    pub fn calls(&self) -> impl Iterator<Item = &CallCode> {
        self.functions.iter().flat_map(|function| &function.calls)
    }
}

impl LoopBody {
    /// Floating-point operations for each byte that is loaded or stored, without those of the stack; `None` without such bytes.
    pub fn intensity(&self) -> Option<f64> {
        let bytes = self.load_bytes.saturating_add(self.store_bytes);
        (bytes > 0).then(|| self.flop as f64 / bytes as f64)
    }
}
