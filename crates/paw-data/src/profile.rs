//! Where a program's processor time went, by samples: functions, loops, lines, threads and callers.

mod share;
mod tables;

use serde::{Deserialize, Serialize};

use crate::number;

pub use share::Share;
pub use tables::{FunctionTime, LineTime, LoopTime, ThreadTime};

/// The profile of one program or build.
///
/// Indices that a damaged file has out of range stand for nothing: they are left out of every table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Profile {
    /// The cell of the same program or build, where one was measured too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<u32>,
    /// Name of the program, or of the build.
    pub name: String,
    /// The command that was started; empty for a process that ran already.
    pub command: Vec<String>,
    /// How it was sampled, and how the samples add up.
    pub sampling: Sampling,
    /// Files and other memory from which code ran.
    pub modules: Vec<Module>,
    /// Functions in which samples or their callers were found.
    pub functions: Vec<Function>,
    /// Loops in which samples were found.
    pub loops: Vec<Loop>,
    /// Places of samples and callers.
    pub places: Vec<Place>,
    /// Threads.
    pub threads: Vec<Thread>,
    /// Stacks with their numbers of samples, the most frequent first.
    pub stacks: Vec<Stack>,
    /// What could not be known, and what would tell.
    pub notes: Vec<String>,
}

/// How a program was sampled.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Sampling {
    /// What took the samples.
    pub sampler: SamplerKind,
    /// Why perf_event did not, and what would make it possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The clock: `cpu-clock` of perf_event, `ITIMER_PROF` of SIGPROF.
    pub event: String,
    /// Samples of a second of processor time that were asked for.
    pub hz: f64,
    /// Samples that were taken.
    pub samples: u64,
    /// Samples that the processor time should have given.
    #[serde(deserialize_with = "number::or_nan")]
    pub expected: f64,
    /// Samples that the kernel says it lost.
    pub lost: u64,
    /// How often the kernel stopped sampling until its next tick.
    pub throttled: u64,
    /// Seconds of processor time that the samples stand for.
    #[serde(deserialize_with = "number::or_nan")]
    pub processor_s: f64,
    /// Seconds of processor time in the kernel, where they were not sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsampled_kernel_s: Option<f64>,
    /// Seconds of processor time of children that the program waited for, where they were not sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsampled_children_s: Option<f64>,
    /// The part of the samples that other threads should have, by the processor time of each; absent where chance explains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misplaced: Option<f64>,
    /// Seconds that the program ran, by the clock on the wall.
    #[serde(deserialize_with = "number::or_nan")]
    pub elapsed_s: f64,
    /// How the program ended: `exit code 0`; empty if it ran on.
    pub ended: String,
}

/// What took samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SamplerKind {
    /// Events of the kernel, for each thread and child.
    #[default]
    PerfEvent,
    /// A timer of each program's processor time, whose signal its tracer takes.
    Sigprof,
}

/// Where code lies.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Module {
    /// The file's path, or the name that the kernel has for it: `[vdso]`.
    pub path: String,
    /// What it is.
    pub kind: ModuleKind,
}

/// What code was loaded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ModuleKind {
    /// A file.
    File,
    /// Memory of no file: code that the program made itself.
    Generated,
    /// The kernel's own code within a process.
    Vdso,
    /// The kernel.
    Kernel,
    /// Nothing is known of the address.
    #[default]
    #[serde(other)]
    Unknown,
}

/// A function, or a range of code without a name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Function {
    /// The name as in the source; `None` where no symbol covers the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its first address in the file; `None` where not even its range is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<u64>,
    /// Index in [`Profile::modules`].
    pub module: u32,
}

/// A loop of a function.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Loop {
    /// Index in [`Profile::functions`].
    pub function: u32,
    /// Its first address in the file.
    pub address: u64,
    /// How deep it is nested; 1 is in no other loop.
    pub depth: u32,
    /// Its source file; empty without debug information.
    pub file: String,
    /// Its first and last line; zeros without debug information.
    pub lines: (u32, u32),
}

/// A place in code: a function, and what is known within it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Place {
    /// Index in [`Profile::functions`].
    pub function: u32,
    /// Index in [`Profile::loops`] of the innermost loop around it.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub within: Option<u32>,
    /// Its source file; empty without debug information.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Its line; 0 without debug information.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Thread {
    /// Number of its process.
    pub pid: u32,
    /// Its own number.
    pub tid: u32,
    /// Name of its process.
    pub process: String,
    /// Its own name.
    pub name: String,
}

/// Samples of one stack in one thread.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Stack {
    /// Index in [`Profile::threads`].
    pub thread: u32,
    /// How often it was found.
    pub samples: u64,
    /// Indices in [`Profile::places`], from the innermost outward.
    pub places: Vec<u32>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Profile {
    /// The name of a function as tables show it: an unnamed one by its address and file, which are never those of a neighbour.
    pub fn title(&self, function: u32) -> String {
        let Some(found) = self.functions.get(function as usize) else { return String::new() };
        let module = self.module_name(found.module);
        match (&found.name, found.address, self.modules.get(found.module as usize).map(|module| module.kind)) {
            (Some(name), ..) => name.clone(),
            (None, _, Some(ModuleKind::Kernel)) => "the kernel".to_owned(),
            (None, _, Some(ModuleKind::Vdso)) => "the kernel's code in the process".to_owned(),
            (None, _, Some(ModuleKind::Generated)) => "code that the program made".to_owned(),
            (None, _, Some(ModuleKind::Unknown) | None) => "code of no known file".to_owned(),
            (None, Some(address), _) => format!("unnamed function at +{address:#x} ({module})"),
            (None, None, _) => format!("code of no known function ({module})"),
        }
    }

    /// The file name of a module: `libm.so.6`.
    pub fn module_name(&self, module: u32) -> &str {
        let path = self.modules.get(module as usize).map_or("", |module| module.path.as_str());
        path.rsplit('/').next().unwrap_or(path)
    }

    /// The source lines of a loop: `work.c:10-14`; its address where they are not known.
    pub fn loop_title(&self, index: u32) -> String {
        let Some(found) = self.loops.get(index as usize) else { return String::new() };
        let file = file_name(&found.file);
        match found.lines {
            _ if file.is_empty() => format!("loop at +{:#x}", found.address),
            (first, last) if first == last => format!("{file}:{first}"),
            (first, last) => format!("{file}:{first}-{last}"),
        }
    }

    /// The share of `samples` samples.
    pub fn share(&self, samples: u64) -> Share {
        Share::new(samples, self.sampling.samples, self.sampling.processor_s)
    }

    /// Samples that are missing, as a share of those that the processor time should have given; `None` where the difference is no more than
    /// rounding and chance explain.
    pub fn missing(&self) -> Option<f64> {
        let Sampling { samples, expected, lost, .. } = self.sampling;
        let missing = expected - samples as f64;
        // A period that has begun and not ended in each thread, and the kernel's own rounding of a process's time.
        let slack = 10.0 + self.threads.len() as f64 + 0.02 * expected;
        if missing > slack {
            return Some(missing / expected);
        }
        (lost > 0).then(|| lost as f64 / (samples + lost) as f64)
    }
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
