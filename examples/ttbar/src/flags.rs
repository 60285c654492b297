//! What was typed, and what it means.

use std::{env, thread};

use clap::{Parser, ValueEnum};
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
    /// Who takes which events: settled beforehand, or the next to whom is free.
    #[arg(long, value_enum, default_value_t = Kind::Dynamic)]
    schedule: Kind,
    /// Events taken at once; by default 1 (dynamic), or all of a thread's (static).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    chunk: Option<u64>,
    /// Instead of the fit: are the true neutrinos found where nothing is varied? Exit code 1 if not.
    #[arg(long, conflicts_with_all = ["variations", "threads", "schedule", "chunk"])]
    check: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Static,
    Dynamic,
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
    /// The closure test.
    Check,
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
        let threads = self.threads.map_or_else(threads_by_default, Ok)? as usize;
        let chunk = self.chunk.map(|chunk| usize::try_from(chunk).unwrap_or(usize::MAX));
        let schedule = match self.schedule {
            Kind::Static => Schedule::Static { chunk },
            Kind::Dynamic => Schedule::Dynamic { chunk: chunk.unwrap_or(1) },
        };
        Ok(Task::Fit { variations: self.variations, threads, schedule })
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
