//! What was counted, as a line of the run.

use paw_data::counters::{CountedEvent, Counters, Scope, Source};
use paw_kernels::job::CountNote;
use paw_perf::core_kind::CoreKind;
use paw_perf::counting::{Count, EventReading};
use paw_perf::group::Group;

use crate::counter_groups::GroupHere;

/// The facts that all counts of a group share: a line without counts.
#[derive(Debug, Clone)]
pub struct Context(Counters);

impl Context {
    /// The context of `group`, whose events here are `found`.
    pub fn of(group: &Group, found: &GroupHere, nominal_hz: Option<f64>) -> Self {
        let event = |(name, text): &(String, String)| CountedEvent {
            name: name.clone(),
            event: text.clone(),
            why: found.unresolved.iter().find(|(unresolved, ..)| unresolved == name).map(|(.., why)| why.clone()),
            ..CountedEvent::default()
        };
        let cores = found.cores.as_ref();
        let counted_on = |cores: &CoreKind| format!("counted on cores of one kind, {} ({})", cores.unit, cores.list);
        Self(Counters {
            notes: cores.map(counted_on).into_iter().collect(),
            group: group.name.clone(),
            title: group.title.clone(),
            processor: found.processor.clone(),
            nominal_hz,
            events: found.table.events.iter().map(event).collect(),
            metrics: found.table.metrics.clone(),
            ..Counters::default()
        })
    }

    /// The line of counts from `source`.
    pub fn taken_from(mut self, source: Source, origin: &str) -> Self {
        self.0.source = source;
        origin.clone_into(&mut self.0.origin);
        self
    }
}

/// The counts of calls with `iterations` each.
pub fn of_calls(context: &Context, note: &CountNote, iterations: f64) -> Counters {
    let mut counters = Counters { iterations, ..context.0.clone() };
    counters.notes.extend(note.notes.iter().cloned());
    for repetition in &note.repetitions {
        add(&mut counters, repetition.calls as f64, repetition.seconds, &repetition.readings);
    }
    counters
}

/// The counts of one run of a program.
pub fn of_program(context: &Context, seconds: f64, readings: &[EventReading]) -> Counters {
    let mut counters = Counters { scope: Scope::Program, ..context.0.clone() };
    add(&mut counters, 1.0, seconds, readings);
    counters
}

/// The simulated counts of one repetition, by their names.
pub fn simulated(counts: Vec<(String, f64)>) -> Vec<EventReading> {
    let reading = |(name, count): (String, f64)| EventReading {
        text: name.clone(),
        name,
        count: Ok(Count { count, enabled_s: 1.0, running_s: 1.0 }),
    };
    counts.into_iter().map(reading).collect()
}

/// Adds a repetition.
pub fn add(counters: &mut Counters, calls: f64, seconds: f64, readings: &[EventReading]) {
    counters.calls.push(calls);
    // Simulated time is no time.
    counters.seconds.extend(Some(seconds).filter(|seconds| seconds.is_finite()));
    for reading in readings {
        let Some(event) = counters.events.iter_mut().find(|event| event.name == reading.name) else { continue };
        match &reading.count {
            Ok(count) => {
                event.counts.push(count.count);
                event.enabled_s.push(count.enabled_s);
                event.running_s.push(count.running_s);
            }
            Err(why) => event.why = Some(why.clone()),
        }
    }
}
