//! What was typed, and what it means.

use std::{env, thread};

use clap::{Parser, ValueEnum};
use ttbar::device::Choice;
use ttbar::schedule::Schedule;

/// More threads than any machine has.
const THREADS_MAX: u64 = 65_536;
/// A quarter of an hour on one processor.
const VARIATIONS_MAX: u64 = 1 << 16;

/// Variables that say how many threads programs take, in the order they are asked.
const VARIABLES: [&str; 2] = ["OMP_NUM_THREADS", "RAYON_NUM_THREADS"];

/// Kinematic reconstruction of top-quark pairs with two leptons: an application to measure.
///
/// 1867 of 5738 synthetic events are fitted: all combinations of jets, each in V variations within the resolution of
/// the detector. `KinFit` is the time of the fit alone.
#[derive(Parser)]
#[command(name = "ttbar", version, allow_negative_numbers = true)]
pub struct Flags {
    /// Variations of each combination; the first is what was measured.
    #[arg(long, value_name = "V", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=VARIATIONS_MAX))]
    variations: u64,
    /// Threads; by default OMP_NUM_THREADS, else RAYON_NUM_THREADS, else the processors there are.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=THREADS_MAX))]
    threads: Option<u64>,
    /// Who takes which events: settled beforehand, or the next to whom is free (the default).
    #[arg(long, value_enum)]
    schedule: Option<Kind>,
    /// Events taken at once; by default 1 (dynamic), or all of a thread's (static).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    chunk: Option<u64>,
    /// Who fits: cpu, opencl, opencl:N, cuda or cuda:N, a device by its number; list shows them.
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = place)]
    device: Place,
    /// Instead of the fit: are the true neutrinos found where nothing is varied? Exit code 1 if not.
    #[arg(long, conflicts_with_all = ["variations", "threads", "schedule", "chunk", "device"])]
    check: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Static,
    Dynamic,
}

/// Where the fit is made.
#[derive(Clone, Copy)]
enum Place {
    Processor,
    Device(Choice),
    /// Nowhere: the devices are shown.
    List,
}

fn place(text: &str) -> Result<Place, String> {
    match text {
        "cpu" => Ok(Place::Processor),
        "list" => Ok(Place::List),
        _ => text.parse().map(Place::Device),
    }
}

/// What is to be done.
pub enum Task {
    /// The fit, timed.
    Fit {
        /// Variations of each combination.
        variations: u64,
        /// Threads, at least 1.
        threads: usize,
        /// Who takes which events.
        schedule: Schedule,
    },
    /// The fit on a device, timed.
    Device {
        /// Variations of each combination.
        variations: u64,
        /// The device.
        choice: Choice,
    },
    /// The closure test.
    Check,
    /// The devices there are.
    List,
}

/// Why there is no task.
pub enum NoTask {
    /// Help or version was asked for.
    Asked(clap::Error),
    /// What was typed, or set, makes no sense: one sentence.
    Refused(String),
}

impl Flags {
    /// The task on the command line.
    ///
    /// # Errors
    /// There is none.
    pub fn read() -> Result<Task, NoTask> {
        let flags = Self::try_parse().map_err(|error| {
            if !error.use_stderr() {
                return NoTask::Asked(error);
            }
            // The first line is the sentence; what follows repeats the help.
            let text = error.to_string();
            NoTask::Refused(text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned())
        })?;
        flags.task().map_err(NoTask::Refused)
    }

    fn task(self) -> Result<Task, String> {
        if self.check {
            return Ok(Task::Check);
        }
        let variations = self.variations;
        match self.device {
            Place::Processor => {}
            Place::List => return Ok(Task::List),
            Place::Device(choice) => return self.of_device(choice).map(|()| Task::Device { variations, choice }),
        }
        let threads = self.threads.map_or_else(threads_by_default, Ok)? as usize;
        let chunk = self.chunk.map(|chunk| usize::try_from(chunk).unwrap_or(usize::MAX));
        let schedule = match self.schedule {
            Some(Kind::Static) => Schedule::Static { chunk },
            None | Some(Kind::Dynamic) => Schedule::Dynamic { chunk: chunk.unwrap_or(1) },
        };
        Ok(Task::Fit { variations, threads, schedule })
    }

    /// Nothing that was typed is of the processor alone.
    fn of_device(&self, choice: Choice) -> Result<(), String> {
        let typed = [
            ("--threads", self.threads.is_some()),
            ("--schedule", self.schedule.is_some()),
            ("--chunk", self.chunk.is_some()),
        ];
        typed.iter().find(|(_, is_typed)| *is_typed).map_or(Ok(()), |(flag, _)| {
            Err(format!("{flag} is for the processor: leave it out with --device {choice}, or take --device cpu"))
        })
    }
}

fn threads_by_default() -> Result<u64, String> {
    let set = VARIABLES.iter().find_map(|name| Some((name, env::var(name).ok().filter(|value| !value.is_empty())?)));
    let Some((name, value)) = set else { return Ok(thread::available_parallelism().map_or(1, |n| n.get() as u64)) };
    // OpenMP lists a number for each level of nesting; there is one level here.
    let first = value.split(',').next().unwrap_or_default().trim();
    match first.parse() {
        Ok(threads @ 1..=THREADS_MAX) => Ok(threads),
        _ => Err(format!("{name}={value} is no number of threads: unset it, or give --threads N")),
    }
}
