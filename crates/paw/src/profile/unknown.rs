//! What a profile could not know, and what would tell.

use std::collections::BTreeSet;

use paw_data::profile::{Function, ModuleKind, Profile};
use paw_perf::sampling::SignalFacts;

/// The sentence for a program that uses the signal by which it was sampled.
pub fn of_signals(found: &SignalFacts) -> Option<String> {
    found.handles_signal.then(|| {
        "The program handles SIGPROF itself: the signals of paw's timer reached it too, and where it set the timer ITIMER_PROF, samples came at its rate.".to_owned()
    })
}

/// Sentences for what could not be known of a profile; the files of the modules `unread` could not be read.
pub fn notes(profile: &Profile, unread: &BTreeSet<u32>) -> Vec<String> {
    let mut notes = Vec::new();
    let sum = |is_wanted: &dyn Fn(&paw_data::profile::Place) -> bool| -> u64 {
        let stacks = profile.stacks.iter();
        let wanted = stacks.filter(|stack| profile.innermost(stack).is_some_and(is_wanted));
        wanted.map(|stack| stack.samples).sum()
    };
    let function = |place: &paw_data::profile::Place| profile.functions.get(place.function as usize);
    let kind = |place: &paw_data::profile::Place| {
        let module = function(place).and_then(|function| profile.modules.get(function.module as usize));
        module.map_or(ModuleKind::Unknown, |module| module.kind)
    };
    let all = profile.sampling.samples;
    let percent = |samples: u64| 100.0 * samples as f64 / all.max(1) as f64;
    // Of a file that could not be read it is not known whether it was stripped.
    let is_unnamed = |function: &Function| function.name.is_none() && !unread.contains(&function.module);
    let unnamed = sum(&|place| kind(place) == ModuleKind::File && function(place).is_some_and(is_unnamed));
    if percent(unnamed) >= 1.0 {
        notes.push(format!(
            "{:.0} % of the time was in functions without a name: their files were stripped. Build without -s, or install their debug files (libc6-dbg has those of libc and libm).",
            percent(unnamed)
        ));
    }
    let lineless = sum(&|place| {
        kind(place) == ModuleKind::File && place.line == 0 && function(place).is_some_and(|f| f.name.is_some())
    });
    if percent(lineless) >= 10.0 {
        notes.push(format!(
            "{:.0} % of the time was in functions whose source lines are not known: -g makes a compiler record them, and changes no code.",
            percent(lineless)
        ));
    }
    let made = sum(&|place| kind(place) == ModuleKind::Generated && function(place).is_some_and(|f| f.name.is_none()));
    if percent(made) >= 1.0 {
        notes.push(format!(
            "{:.0} % of the time was in code that the program made while it ran, of which no file tells. Many programs write its names into /tmp/perf-PID.map when asked: `node --perf-basic-prof`, `python3 -X perf`.",
            percent(made)
        ));
    }
    notes
}
