//! Job descriptions: what a child measures, how, and what it does with the answers; and the note it returns. Plain data on a wire.

use std::path::PathBuf;

use paw_data::build::Launched;
use paw_data::kernel::{Cache, Calls, Float, Tolerance};
use paw_data::run::Instrument;
use paw_foreign::device::{Backend, DeviceFacts, Source};
use serde::{Deserialize, Serialize};

use crate::element::Element;
use crate::spec::Fill;
use crate::spec::device::{DeviceCache, Include};

/// What a child measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobDescription {
    /// Calls of a function of a shared object.
    Call(CallJob),
    /// Launches of a kernel on a device.
    Launch(Box<LaunchJob>),
}

/// What a child says of a job that it has opened: the note of [`Opened`](paw_worker::protocol::Opened).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobNote {
    /// Of calls.
    Call {
        /// The floating-point environment that calls run in: `ieee` or `ftz`, and what made it so if it was not asked for.
        float: String,
    },
    /// Of launches.
    Launch(Box<LaunchNote>),
}

/// The device and the kernel of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchNote {
    /// The device.
    pub facts: DeviceFacts,
    /// What the compiler made of the kernel, and how it is launched.
    pub launched: Launched,
    /// What the compiler said; empty if nothing.
    pub said: String,
}

/// One build at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallJob {
    /// The shared object, absolute.
    pub library: PathBuf,
    /// The function.
    pub function: String,
    /// What it is called with, in order.
    pub arguments: Vec<Argument>,
    /// Type of its result; `None` if it has none.
    pub result: Option<Element>,
    /// Seed of what is random in the data.
    pub seed: u64,
    /// Calls after each allocation that warm up.
    pub warmup: u64,
    /// How calls follow each other.
    pub calls: Calls,
    /// What the caches hold.
    pub cache: Cache,
    /// The floating-point environment.
    pub float: Float,
    /// The clock as the parent measured it: the time-stamp counter if `hz` is there, else the monotonic clock.
    pub instrument: Instrument,
    /// What is done with the answers of one call on fresh data.
    pub answers: Answers,
    /// What they may differ by.
    pub tolerance: Tolerance,
}

/// One kernel on a device at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchJob {
    /// The device's back-end.
    pub backend: Backend,
    /// The device's number there.
    pub index: u32,
    /// What is compiled.
    pub program: ProgramSource,
    /// The kernel in it.
    pub entry: String,
    /// Blocks that are launched.
    pub blocks: u64,
    /// Threads of a block.
    pub block: u32,
    /// Bytes of shared memory of a block beyond what the source declares.
    pub shared_bytes: u32,
    /// Threads that have work.
    pub threads: u64,
    /// What the kernel is called with, in order.
    pub arguments: Vec<Argument>,
    /// Seed of what is random in the data.
    pub seed: u64,
    /// Launches on fresh data that warm up.
    pub warmup: u64,
    /// What the caches hold.
    pub cache: DeviceCache,
    /// What the time holds.
    pub include: Include,
    /// Name of the kind of the host's memory.
    pub host: String,
    /// What is done with the answers of one launch on fresh data; a function to hold them against is another kernel of the program.
    pub answers: Answers,
    /// What they may differ by.
    pub tolerance: Tolerance,
}

/// The text of a program, and how it is compiled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProgramSource {
    /// CUDA C++ or OpenCL C.
    pub text: String,
    /// The name of the source in errors.
    pub name: String,
    /// Options of the compiler.
    pub options: Vec<String>,
    /// Names of kernels that a compiler of templates must instantiate.
    pub names: Vec<String>,
    /// The file that keeps what the compiler said, in a directory that exists.
    pub log: PathBuf,
}

impl ProgramSource {
    /// As a device's compiler takes it.
    pub(crate) fn source(&self) -> Source {
        let Self { text, name, options, names, .. } = self.clone();
        Source { text, name, options, names }
    }
}

/// What is done with the answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answers {
    /// They are written into this file: it is the reference.
    Write(PathBuf),
    /// They are held against those that another child wrote into this file.
    Against(PathBuf),
    /// They are held against the numbers of a user's file.
    AgainstNumbers(PathBuf),
    /// They are held against what this function of the same shared object makes of the same data.
    AgainstFunction(String),
    /// There is nothing to hold them against but themselves: two calls on fresh data must agree.
    Repeatable,
}

/// What a function is called with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// A whole number, as it is; negative ones in two's complement.
    Whole(i64),
    /// A whole number of 32 bits, for a device, whose registers have a width; one without sign as its bits.
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

/// An array to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArrayArgument {
    /// Its name, for what is said of it.
    pub name: String,
    /// Type of an element.
    pub element: Element,
    /// Elements, at least one.
    pub len: u64,
    /// How it is filled.
    pub fill: Fill,
    /// The file whose numbers it begins with instead, absolute.
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// Whether it is an answer.
    pub output: bool,
    /// Whether a device's kernel reads what it begins with.
    pub input: bool,
    /// Whether a device's kernel may write to it.
    pub written: bool,
}
