//! Profiles: what the sampler found, with the functions, loops and lines of its places.

mod attribution;
mod code_loops;
mod symbol_map;
mod unknown;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use paw_data::profile::{Profile, SamplerKind, Sampling, Stack};
use paw_perf::Refusal;
use paw_perf::sampling::{Chains, HZ_MAX, Options, Sampled, Scope, StackCount};
use paw_sort::OrderBy;

use crate::cli::SamplingArgs;
use crate::exit::Code;
use crate::failure::Failure;
use attribution::{Attribution, Spot};

/// The options of a sampler, as typed.
pub fn options(typed: &SamplingArgs, scope: Scope) -> Result<Options, Failure> {
    if !(1..=HZ_MAX).contains(&typed.hz) {
        return Err(Failure::usage(format!("--hz: {} samples of a second are not possible", typed.hz))
            .hint(format!("1 to {HZ_MAX}; 997 makes the time up to 3 % longer on virtual machines")));
    }
    let chains = if typed.no_callers { Chains::None } else { Chains::FramePointers };
    Ok(Options { hz: typed.hz, scope, chains })
}

/// The refusal of perf_event as a failure of the command: what was asked for is not possible here.
pub fn refused(refusal: Refusal) -> Failure {
    let Refusal { sentence, hint } = refusal;
    Failure { code: Code::Missing, sentence: format!("nothing can be sampled: {sentence}"), hint: Some(hint) }
}

/// A profiled program.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its command; empty for a process that ran already.
    pub command: Vec<String>,
    /// The cell that measured it.
    pub cell: Option<u32>,
    /// How long it ran.
    pub elapsed: Duration,
    /// How it ended; empty if it ran on.
    pub ended: String,
    /// The program whose own code only drives what is profiled, and is shown as one row.
    pub driver: Option<PathBuf>,
}

/// The profile of a program whose samples are all that was found.
pub fn profile(found: &Sampled, subject: Subject) -> Profile {
    profile_of(found, subject, |_| true)
}

/// The profile of those threads, by their index, that are wanted.
pub fn profile_of(found: &Sampled, subject: Subject, is_wanted: impl Fn(usize) -> bool) -> Profile {
    let stacks: Vec<_> = found.stacks.iter().filter(|stack| is_wanted(stack.thread as usize)).collect();
    let samples: u64 = stacks.iter().map(|stack| stack.samples).sum();
    let wanted = stacks.iter().flat_map(|stack| spots(stack)).collect();
    let attribution = Attribution::of(found, &wanted, subject.driver.as_deref());
    let mut threads = Vec::new();
    let mut numbers = vec![None; found.threads.len()];
    let mut counted: BTreeMap<(u32, Vec<u32>), u64> = BTreeMap::new();
    for stack in stacks {
        let Some(thread) = found.threads.get(stack.thread as usize) else { continue };
        let number = *numbers[stack.thread as usize].get_or_insert_with(|| {
            threads.push(paw_data::profile::Thread {
                pid: thread.pid,
                tid: thread.tid,
                process: thread.process.clone(),
                name: thread.name.clone(),
            });
            threads.len() as u32 - 1
        });
        let places = spots(stack).filter_map(|spot| attribution.places.get(&spot).copied()).collect();
        *counted.entry((number, places)).or_default() += stack.samples;
    }
    let mut stacks: Vec<Stack> =
        counted.into_iter().map(|((thread, places), samples)| Stack { thread, samples, places }).collect();
    stacks.order_by_key(|stack| std::cmp::Reverse(stack.samples));
    let mut profile = Profile {
        cell: subject.cell,
        name: subject.name,
        command: subject.command,
        sampling: sampling(found, samples, subject.elapsed, subject.ended),
        threads,
        stacks,
        ..attribution.profile
    };
    profile.notes.extend(unknown::notes(&profile, &attribution.unread));
    profile.notes.extend(found.signals.iter().flat_map(unknown::of_signals));
    profile
}

fn spots(stack: &StackCount) -> impl Iterator<Item = Spot> {
    let frames = stack.frames.iter().enumerate();
    frames.map(|(depth, place)| Spot { place: *place, is_innermost: depth == 0 })
}

/// How `samples` of what was found add up: processor time is shared among programs by their samples.
fn sampling(found: &Sampled, samples: u64, elapsed: Duration, ended: String) -> Sampling {
    let part = if found.samples == 0 { 1.0 } else { samples as f64 / found.samples as f64 };
    let seen_s = found.expected() / f64::from(found.hz.max(1));
    let signals = found.signals.as_ref();
    let (sampler, event) = match signals {
        None => (SamplerKind::PerfEvent, "cpu-clock"),
        Some(_) => (SamplerKind::Sigprof, "ITIMER_PROF"),
    };
    Sampling {
        sampler,
        refused: signals.map(|signals| format!("{}; {}", signals.why.sentence, signals.why.hint)),
        event: event.to_owned(),
        hz: f64::from(found.hz),
        samples,
        expected: found.expected() * part,
        lost: (found.lost as f64 * part).round() as u64,
        throttled: found.throttled,
        processor_s: seen_s * part,
        unsampled_kernel_s: (!found.sees_kernel).then_some(found.system_s * part),
        misplaced: signals.and_then(|signals| signals.misplaced),
        unsampled_children_s: signals.map(|signals| signals.children_s * part),
        elapsed_s: elapsed.as_secs_f64(),
        ended,
    }
}
