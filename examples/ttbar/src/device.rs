//! The fit on a device that OpenCL or CUDA drives, with the answer of the processor, bit for bit.
//!
//! A work item fits one variation of one combination, and a second kernel chooses the likeliest variation of each
//! combination. What an event has come to is settled by the host.

mod cuda;
mod nvrtc;
mod opencl;
mod sys;
mod table;

use std::fmt;
use std::str::FromStr;

use crate::combination;
use crate::event::Event;
use crate::fit::Found;
use table::{COLUMNS, OUTCOMES, Table};

/// Calls of one launch at most: 32 MB of a device's memory for their weights.
const CALLS_AT_ONCE: u64 = 1 << 21;

/// Items of a group, which every device takes.
const GROUP: usize = 64;

/// The device's code.
const SOURCE: &str =
    concat!(include_str!("device/elementary.cl"), include_str!("device/curves.cl"), include_str!("device/fit.cl"));

/// Who drives a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// Any vendor's, and processors'.
    OpenCl,
    /// NVIDIA's.
    Cuda,
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenCl => "opencl",
            Self::Cuda => "cuda",
        })
    }
}

/// A device, as it is typed: `opencl`, `cuda:1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Who drives it.
    pub backend: Backend,
    /// Its place among those that the back-end finds.
    pub index: usize,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.backend, self.index)
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (backend, index) = text.split_once(':').unwrap_or((text, "0"));
        let unknown = || "it is one of cpu, opencl, opencl:N, cuda, cuda:N, and list, which shows them".to_owned();
        let backend = match backend {
            "opencl" => Backend::OpenCl,
            "cuda" => Backend::Cuda,
            _ => return Err(unknown()),
        };
        Ok(Self { backend, index: index.parse().map_err(|_| unknown())? })
    }
}

/// One of the two kernels, which take the same arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// An item for each call of the fit.
    Fit,
    /// An item for each combination.
    Choose,
}

/// The names of the kernels in the source, in their order.
const KERNELS: [&str; 2] = ["ttbar_fit", "ttbar_choose"];

/// An open device, with 64-bit words for memory. What it is told to do happens in that order; errors are one sentence.
pub trait Engine {
    /// What its maker calls it.
    fn name(&self) -> &str;

    /// Compiles the source and finds the kernels of these names, in the order of [`Kernel`].
    ///
    /// # Errors
    /// It does not compile.
    fn compile(&mut self, source: &str, kernels: [&str; 2]) -> Result<(), String>;

    /// A memory of that size; its number is the next from 0.
    ///
    /// # Errors
    /// There is no room.
    fn memory(&mut self, words: usize) -> Result<usize, String>;

    /// Copies words to the beginning of a memory.
    ///
    /// # Errors
    /// The device refuses.
    fn write(&mut self, memory: usize, words: &[u64]) -> Result<(), String>;

    /// Starts a kernel with at least that many items.
    ///
    /// # Errors
    /// The device refuses.
    fn start(&mut self, kernel: Kernel, memories: [usize; 3], numbers: [u64; 3], items: usize) -> Result<(), String>;

    /// Waits until all is done, and copies words from the beginning of a memory.
    ///
    /// # Errors
    /// Something that was started has failed.
    fn read(&mut self, memory: usize, words: &mut [u64]) -> Result<(), String>;
}

/// Opens a device.
///
/// # Errors
/// The library is missing, there is no such device, or it does not compute in double precision.
pub fn open(choice: Choice) -> Result<Box<dyn Engine>, String> {
    match choice.backend {
        Backend::OpenCl => Ok(Box::new(opencl::OpenCl::open(choice)?)),
        Backend::Cuda => Ok(Box::new(cuda::Cuda::open(choice)?)),
    }
}

/// The devices there are: what is typed for each, and its name; of a back-end without any, why.
pub fn list() -> Vec<(String, String)> {
    let found = [(Backend::OpenCl, opencl::names()), (Backend::Cuda, cuda::names())];
    let rows = found.into_iter().map(|(backend, names)| match names {
        Ok(names) => {
            let row = |(index, name): (usize, String)| (Choice { backend, index }.to_string(), name);
            names.into_iter().enumerate().map(row).collect()
        }
        Err(why) => vec![(backend.to_string(), why)],
    });
    rows.collect::<Vec<Vec<_>>>().concat()
}

/// The beginning of a compiler's log, in one line.
fn first_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect();
    if lines.is_empty() { "its compiler does not say why".to_owned() } else { lines.join(" / ") }
}

/// How the work is cut into launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    combinations: usize,
    variations: u64,
    /// Combinations of one launch, at least 1.
    at_once: usize,
}

impl Plan {
    /// The plan for these events.
    pub fn of(events: &[Event], variations: u64) -> Self {
        let combinations = events.iter().map(|event| combination::all(event.jets.len()).count()).sum();
        let at_once = (CALLS_AT_ONCE / variations.max(1)) as usize;
        Self { combinations, variations, at_once: at_once.clamp(1, combinations.max(1)) }
    }

    /// Calls of one launch.
    fn calls(&self) -> usize {
        self.at_once * self.variations as usize
    }

    /// Starts both kernels for the combinations from `begin`, with as many items in every launch.
    fn launch(&self, engine: &mut dyn Engine, memories: [usize; 3], [begin, end]: [usize; 2]) -> Result<(), String> {
        let numbers = [begin as u64, (end - begin) as u64, self.variations];
        engine.start(Kernel::Fit, memories, numbers, self.calls())?;
        engine.start(Kernel::Choose, memories, numbers, self.at_once)
    }
}

/// Compiles the fit, and starts it once with nothing to do: some compilers begin with the first launch of a size.
///
/// # Errors
/// The device's compiler refuses.
pub fn compile(engine: &mut dyn Engine, plan: &Plan) -> Result<(), String> {
    named(engine, |engine| compiled(engine, plan))
}

fn compiled(engine: &mut dyn Engine, plan: &Plan) -> Result<(), String> {
    engine.compile(SOURCE, KERNELS)?;
    let nothing = engine.memory(1)?;
    engine.write(nothing, &[0])?;
    plan.launch(engine, [nothing; 3], [0, 0])?;
    engine.read(nothing, &mut [0])
}

/// Fits all events as planned for them, transfers included.
///
/// # Errors
/// The device has too little memory, or fails.
pub fn fit(engine: &mut dyn Engine, events: &[Event], plan: &Plan) -> Result<Found, String> {
    named(engine, |engine| fitted(engine, events, plan))
}

fn fitted(engine: &mut dyn Engine, events: &[Event], plan: &Plan) -> Result<Found, String> {
    if plan.combinations == 0 {
        return Ok(Found::default());
    }
    let table = Table::of(events);
    let rows = engine.memory(plan.combinations * COLUMNS)?;
    let scratch = engine.memory(2 * plan.calls())?;
    let best = engine.memory(plan.combinations * OUTCOMES)?;
    engine.write(rows, &table.words)?;
    for begin in (0..plan.combinations).step_by(plan.at_once) {
        let end = (begin + plan.at_once).min(plan.combinations);
        plan.launch(engine, [rows, scratch, best], [begin, end])?;
    }
    let mut outcomes = vec![0; plan.combinations * OUTCOMES];
    engine.read(best, &mut outcomes)?;
    Ok(table::settled(events, &outcomes, plan.variations))
}

/// Does something, and begins its error with the device.
fn named<T>(
    engine: &mut dyn Engine,
    something: impl FnOnce(&mut dyn Engine) -> Result<T, String>,
) -> Result<T, String> {
    something(engine).map_err(|why| format!("{}: {why}", engine.name()))
}
