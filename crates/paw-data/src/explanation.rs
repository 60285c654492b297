//! What the hot loop of a kernel is, and what it costs as it stands and taken apart: the line `explanation` of a run.

use serde::{Deserialize, Serialize};

/// A way to change a loop before it is measured again. Control of the loop and addresses stay as they are in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ablation {
    /// The same loop at another address: shows what moving alone costs.
    Copy,
    /// Every load and store goes to one page.
    OnePage,
    /// Without its arithmetic on vector registers; operands in memory are still loaded.
    NoFloat,
    /// Without its loads and stores; arithmetic takes registers in place of what was loaded.
    NoMemory,
    /// Values carried from one iteration to the next begin anew in each.
    NoChain,
    /// Without its divisions and square roots.
    NoDivision,
    /// Without its calls of other functions.
    NoCalls,
    /// No-operations of the same lengths in place of all but the control of the loop.
    NoOperations,
    /// Arithmetic alone: without loads and stores, and no iteration waits for the one before.
    ArithmeticAlone,
    /// Loads and stores alone, on one page, and no iteration waits for the one before.
    AccessesAlone,
    /// Divisions and square roots alone, and no iteration waits for the one before.
    DivisionsAlone,
}

impl Ablation {
    /// Its name in files: `no_float`.
    pub fn id(self) -> String {
        let name = serde_json::to_value(self).ok();
        name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Its words in tables.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Copy => "the same loop elsewhere",
            Self::OnePage => "all memory on one page",
            Self::NoFloat => "without its arithmetic",
            Self::NoMemory => "without loads and stores",
            Self::NoChain => "chain cut",
            Self::NoCalls => "without its calls",
            Self::NoDivision => "without divisions and roots",
            Self::NoOperations => "no-operations of the same lengths",
            Self::ArithmeticAlone => "arithmetic alone, chain cut",
            Self::AccessesAlone => "loads and stores alone, on one page",
            Self::DivisionsAlone => "divisions and roots alone",
        }
    }
}

/// The explanation of one build of a kernel.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Explanation {
    /// The build, as [`Build::full_name`](crate::build::Build::full_name) writes it.
    pub build: String,
    /// The function that is called.
    pub function: String,
    /// The hot loop; `None` if there is none that could be looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hot: Option<HotLoop>,
    /// Why the loop could not be taken apart; empty if it could.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub refused: String,
    /// The kernel and its ablations at each size, in the order in which they were measured.
    pub rows: Vec<ExplanationRow>,
    /// Instructions that the core takes in a cycle when none waits for another, by the processor model; `None` if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// Cycles from a load's address to its value in the first-level cache, by the processor model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_cycles: Option<f64>,
    /// The forms of instructions in the loop with their costs on this core.
    pub forms: Vec<FormCost>,
    /// The longest chain from one iteration to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<Recurrence>,
    /// Why the longest chain is not known; empty if it is, or if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub recurrence_unknown: String,
    /// Bounds by other programs.
    pub predictions: Vec<Prediction>,
}

/// The innermost loop in which most instructions of a call are executed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HotLoop {
    /// The function that it is in.
    pub function: String,
    /// Its address in the file.
    pub address: u64,
    /// Its instructions, as text.
    pub listing: Vec<String>,
    /// How often one call of the kernel runs through it, counted at the first size.
    pub trips: f64,
    /// Iterations of the kernel in one run through it.
    pub iterations: f64,
    /// Its share of the instructions executed in all innermost loops of the call.
    pub share: f64,
    /// Bits of its widest vector instruction; 64 or less is scalar.
    pub bits: u32,
    /// Bits of the widest vectors of this processor.
    pub bits_possible: u32,
    /// What it calls; empty if nothing.
    pub calls: Vec<String>,
    /// What it would call where no run went; empty if nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cold_calls: Vec<String>,
    /// Divisions and square roots in it.
    pub divisions: u32,
    /// Its blocks, the head first; empty if it has but one way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockRuns>,
    /// How many ways lead through the blocks that were run; absent if that could not be counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ways: Option<u64>,
    /// Loops of the function that could not be counted, and why: one of them may be hotter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncounted: Vec<String>,
}

/// A stretch of instructions of the hot loop that are run one after the other.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct BlockRuns {
    /// Its address in the file.
    pub address: u64,
    /// Its instructions.
    pub instructions: u32,
    /// Its runs in one run through the loop: 0 if no run went there at the first size.
    pub runs: f64,
}

/// A loop measured as it is or changed, at one size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ExplanationRow {
    /// The level of the size.
    pub level: String,
    /// The size.
    pub n: u64,
    /// The change; `None` is the kernel itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ablation: Option<Ablation>,
    /// Whether each call began when the last had ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fenced: bool,
    /// Core cycles of one iteration of the kernel, one a sample, in the order taken.
    pub cycles: Vec<f64>,
    /// Instructions that the change removed or rewrote.
    pub changed: u32,
    /// Why there is no figure, or what the change had to leave; empty if nothing is to be said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// What one form of instruction costs on this core, measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FormCost {
    /// The form: `vaddpd zmm, zmm, zmm`.
    pub form: String,
    /// How many of them the loop has.
    pub count: u32,
    /// Cycles from operand to result; `None` if it has none that a chain can be made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<f64>,
    /// Cycles of one where many are independent of each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<f64>,
    /// Why it was not measured; empty if it was.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// The longest chain of instructions each of which needs the one before, from one iteration to the next.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Recurrence {
    /// Core cycles of one run through the loop, by measured latencies.
    pub cycles: f64,
    /// The instructions of the chain, as text.
    pub chain: Vec<String>,
    /// What the chain is made of: `additions`.
    pub made_of: String,
    /// Forms whose latency is unknown and counted as one cycle.
    pub unknown: Vec<String>,
    /// The least share of the runs through the loop that take the way of this chain; absent if there is but one way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

/// A bound by another program.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Prediction {
    /// The program, with its version.
    pub tool: String,
    /// Its model of the processor.
    pub model: String,
    /// Core cycles of one run through the loop; `None` if it gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<f64>,
    /// Instructions that it does not know.
    pub unknown: Vec<String>,
    /// What to know of this figure, or why there is none.
    pub note: String,
}
