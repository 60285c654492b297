//! Messages between paw and a child: the job description, and the note about the opened job.

use std::path::PathBuf;

use paw_data::build::Launched;
use paw_data::explanation::Ablation;
use paw_data::kernel::{Cache, Calls, Float, Restore, Tolerance};
use paw_data::run::Instrument;
use paw_foreign::device::{Backend, DeviceFacts, Source};
use paw_perf::counting::EventReading;
use paw_perf::event::Event;
use serde::{Deserialize, Serialize};

use crate::element::Element;
use crate::spec::Fill;
use crate::spec::device::{DeviceCache, Include};

/// A child's task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobDescription {
    /// Calls of a function of a shared object.
    Call(CallJob),
    /// Launches of a kernel on a device.
    Launch(Box<LaunchJob>),
    /// Turns of a block of generated code.
    Block(BlockJob),
    /// Calls of a function whose events are counted when the job is opened.
    Count(CountJob),
}

/// Calls whose events are counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountJob {
    /// The calls.
    pub call: CallJob,
    /// The events.
    pub events: Vec<Event>,
    /// Repetitions.
    pub repetitions: u32,
    /// The least seconds of a repetition.
    pub floor_s: f64,
}

/// The counts of a count job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountNote {
    /// The repetitions.
    pub repetitions: Vec<CountedRepetition>,
    /// Sentences about what was counted beside the calls.
    pub notes: Vec<String>,
}

/// One repetition of counted calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountedRepetition {
    /// Calls.
    pub calls: u64,
    /// Seconds of the calls.
    pub seconds: f64,
    /// The counts.
    pub readings: Vec<EventReading>,
}

/// A child's report on an opened job, the note of [`Opened`](paw_worker::protocol::Opened).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobNote {
    /// The note on a call job.
    Call {
        /// The floating-point environment of calls: `ieee` or `ftz`, and its cause if it was not asked for.
        float: String,
        /// What was changed in its loops, if anything.
        #[serde(default)]
        change: Option<ChangeNote>,
    },
    /// The note on a launch job.
    Launch(Box<LaunchNote>),
    /// The note on a count job.
    Counted(CountNote),
    /// A block job has none.
    Block,
}

/// The device and the kernel of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchNote {
    /// The device.
    pub facts: DeviceFacts,
    /// The compiled kernel's resources and its launch grid.
    pub launched: Launched,
    /// The compiler's output.
    pub said: String,
}

/// One build at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallJob {
    /// The shared object, absolute.
    pub library: PathBuf,
    /// The function.
    pub function: String,
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
    /// Type of its result; `None` if it has none.
    pub result: Option<Element>,
    /// Seed of what is random in the data.
    pub seed: u64,
    /// Warm-up calls after each allocation, not timed.
    pub warmup: u64,
    /// Seconds after which the warm-up ends though calls are left; `None` makes them all.
    #[serde(default)]
    pub warmup_s: Option<f64>,
    /// How calls follow each other.
    pub calls: Calls,
    /// The state of the caches when a call begins.
    pub cache: Cache,
    /// The floating-point environment.
    pub float: Float,
    /// When arrays that the function changes are restored; `None` refuses to time such a function.
    pub restore: Option<Restore>,
    /// Calls on fresh data whose answers are all checked: more than one where threads may race.
    pub repeats: u32,
    /// The clock as the parent measured it: the time-stamp counter if `hz` is there, else the monotonic clock.
    pub instrument: Instrument,
    /// The child's use of the answers of one call on fresh data.
    pub answers: Answers,
    /// The tolerance of answers.
    pub tolerance: Tolerance,
    /// What is changed in its loops before the first call, if anything.
    #[serde(default)]
    pub change: Option<LoopChange>,
}

/// A block of generated code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockJob {
    /// The code: a function of the address of a page and of a number of turns.
    pub code: Vec<u8>,
    /// What the page holds at first.
    pub page: Vec<u8>,
    /// Where the page holds the address of that word itself.
    pub pointer: usize,
    /// The clock as the parent measured it.
    pub instrument: Instrument,
}

/// A change to the machine code of loops.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopChange {
    /// Each block of each innermost loop counts how often it is run.
    Count,
    /// One loop is changed.
    Ablate {
        /// Its address in the file.
        address: u64,
        /// The change.
        ablation: Ablation,
        /// The addresses in the file of its blocks that no run went to.
        #[serde(default)]
        cold: Vec<u64>,
    },
}

/// What a change did to a loop.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChangeNote {
    /// Instructions that were removed or rewritten.
    pub changed: u32,
    /// What had to stay, in words; empty if nothing.
    pub left: String,
}

/// One kernel on a device at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchJob {
    /// The device's back-end.
    pub backend: Backend,
    /// The device's number in its back-end.
    pub index: u32,
    /// The program to compile.
    pub program: ProgramSource,
    /// The kernel's name in the program.
    pub entry: String,
    /// Blocks that are launched.
    pub blocks: u64,
    /// Threads of a block.
    pub block: u32,
    /// Bytes of shared memory of a block beyond what the source declares.
    pub shared_bytes: u32,
    /// Threads that have work.
    pub threads: u64,
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
    /// Seed of what is random in the data.
    pub seed: u64,
    /// Warm-up launches on fresh data, not timed.
    pub warmup: u64,
    /// The state of the caches when a launch begins.
    pub cache: DeviceCache,
    /// The parts of a launch that a sample's time includes.
    pub include: Include,
    /// The name of the host memory's kind.
    pub host: String,
    /// The child's use of the answers of one launch on fresh data; a reference function is another kernel of the program.
    pub answers: Answers,
    /// The tolerance of answers.
    pub tolerance: Tolerance,
}

/// A program's text and its compiler options.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProgramSource {
    /// CUDA C++ or OpenCL C.
    pub text: String,
    /// SPIR-V in place of a text; empty else.
    #[serde(default)]
    pub words: Vec<u8>,
    /// The name of the source in errors.
    pub name: String,
    /// Options of the compiler.
    pub options: Vec<String>,
    /// Names of kernels that the compiler must instantiate from templates.
    pub names: Vec<String>,
    /// The file for the compiler's output, in an existing directory.
    pub log: PathBuf,
}

impl ProgramSource {
    /// The source for a device's compiler.
    pub(crate) fn source(&self) -> Source {
        let Self { text, words, name, options, names, .. } = self.clone();
        Source { text, words, name, options, names }
    }
}

/// A child's use of the answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answers {
    /// Write them into this file, as the reference.
    Write(PathBuf),
    /// Compare them with this file, which another child wrote.
    Against(PathBuf),
    /// Compare them with the numbers of a user's file.
    AgainstNumbers(PathBuf),
    /// Compare them with the answers of this function of the same shared object.
    AgainstFunction(String),
    /// Compare them with those of a second call on equal data.
    Repeatable,
}

/// An argument of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// A whole number of 64 bits.
    Whole(i64),
    /// A whole number of 32 bits for a device; unsigned numbers have the same bits.
    Narrow(i32),
    /// A single-precision number.
    Single(f32),
    /// A double-precision number.
    Double(f64),
    /// The address of a number of this type.
    Address(Element, f64),
    /// The address of an array.
    Array(ArrayArgument),
}

/// An array that the child allocates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArrayArgument {
    /// Its name, for messages.
    pub name: String,
    /// Type of an element.
    pub element: Element,
    /// Elements, at least one.
    pub len: u64,
    /// Its fill.
    pub fill: Fill,
    /// A file with the initial numbers, in place of the fill; absolute.
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// Whether the array is an answer.
    pub output: bool,
    /// Whether a device's kernel reads its initial contents.
    pub input: bool,
    /// Whether the kernel may write to it.
    pub written: bool,
}
