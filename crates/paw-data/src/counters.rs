//! Counted events of a cell, and the metrics that formulas derive from them.

use paw_formula::Formula;
use paw_sort::SortNumbers;
use serde::{Deserialize, Serialize};

/// Events of one group, counted while a cell's code ran: one `counters` line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Counters {
    /// The cell.
    pub cell: u32,
    /// The group: `L2`.
    pub group: String,
    /// Its meaning in one sentence.
    pub title: String,
    /// Where the counts come from.
    pub source: Source,
    /// The simulated caches, the imported file or the recorded stream; empty for a processor's own counters.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub origin: String,
    /// The processor's microarchitecture whose table was used: `zen5`; empty for events that every processor has.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub processor: String,
    /// What was counted.
    pub scope: Scope,
    /// Calls of each repetition; of a program, its runs.
    pub calls: Vec<f64>,
    /// Iterations of one call; 0 if there are none.
    pub iterations: f64,
    /// Seconds of each repetition.
    pub seconds: Vec<f64>,
    /// The nominal frequency in hertz, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nominal_hz: Option<f64>,
    /// The events.
    pub events: Vec<CountedEvent>,
    /// The metrics.
    pub metrics: Vec<CounterMetric>,
    /// Further remarks, each a sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Where counts come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The processor and the kernel, by perf_event.
    #[default]
    PerfEvent,
    /// Valgrind's cachegrind: a simulation of simple caches, no measurement.
    Cachegrind,
    /// A recorded stream of counts.
    Recorded,
    /// Another tool's output.
    Imported,
}

impl Source {
    /// The word that labels each figure; empty for measured ones.
    pub fn label(self) -> &'static str {
        match self {
            Self::PerfEvent => "",
            Self::Cachegrind => "simulated",
            Self::Recorded => "recorded",
            Self::Imported => "imported",
        }
    }
}

/// What was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Calls of a function.
    #[default]
    Calls,
    /// A program with all that it starts.
    Program,
}

/// An event and its counts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CountedEvent {
    /// Its name in formulas: `L1D_REPLACEMENT`.
    pub name: String,
    /// The event as the system names it: `cpu/event=0x51,umask=0x1/`.
    pub event: String,
    /// The raw counts, one for each repetition; empty if it could not be counted.
    pub counts: Vec<f64>,
    /// Seconds for which it was to be counted, one for each repetition; empty if unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub enabled_s: Vec<f64>,
    /// Seconds for which it was on a counter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub running_s: Vec<f64>,
    /// Why there is no count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl CountedEvent {
    /// The counts, scaled to the whole time if the event shared its counter with others (`count * enabled / running`, as perf does). A
    /// repetition in which it was never on a counter has no value.
    pub fn scaled(&self) -> Vec<Option<f64>> {
        let scale = |i: usize| match (self.enabled_s.get(i), self.running_s.get(i)) {
            (Some(enabled), Some(running)) if *running > 0.0 => Some(enabled / running),
            (Some(_), Some(_)) => None,
            _ => Some(1.0),
        };
        self.counts.iter().enumerate().map(|(i, count)| scale(i).map(|scale| count * scale.max(1.0))).collect()
    }

    /// The share of the time for which it was counted, over all repetitions; `None` if unknown.
    pub fn share(&self) -> Option<f64> {
        let (enabled, running) = (self.enabled_s.iter().sum::<f64>(), self.running_s.iter().sum::<f64>());
        (enabled > 0.0).then(|| (running / enabled).min(1.0))
    }

    /// The median of its scaled counts.
    pub fn value(&self) -> Option<f64> {
        median(self.scaled().into_iter().flatten().collect())
    }
}

/// A metric that a formula derives from counts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CounterMetric {
    /// Its name: `l2_volume`.
    pub name: String,
    /// Its name in prose.
    pub title: String,
    /// Its unit; empty for a plain number.
    pub unit: String,
    /// Which direction is better.
    pub better: Direction,
    /// Arithmetic over names of events and of [`Counters`]' own values; empty if another tool computed the value.
    pub formula: String,
    /// Its meaning in one sentence.
    pub meaning: String,
    /// The value that another tool printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

/// The metric of floating-point operations by call, in every group that counts them.
pub const FLOPS_PER_CALL: &str = "flops_per_call";
/// The metric of the volume from memory by call, in kB, in every group that counts it.
pub const MEMORY_KB_PER_CALL: &str = "memory_volume_per_call";

/// Which direction of a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// Neither by itself.
    #[default]
    Neither,
}

impl Direction {
    /// In words: `lower is better`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Lower => "lower is better",
            Self::Higher => "higher is better",
            Self::Neither => "neither by itself",
        }
    }
}

/// Names with a value in every formula, beside those of events, and their meanings.
pub const NAMES: &[(&str, &str)] = &[
    ("seconds", "seconds of the counted region"),
    ("calls", "calls of the counted region; of a program, its runs"),
    ("iterations", "iterations of all counted calls"),
    ("nominal_hz", "the processor's nominal frequency"),
];

impl Counters {
    /// The median over repetitions of a metric's value.
    ///
    /// # Errors
    /// One sentence: which event has no count, or why the formula has no value.
    pub fn value(&self, metric: &CounterMetric) -> Result<f64, String> {
        if let (Some(value), true) = (metric.value, metric.formula.is_empty()) {
            return Ok(value);
        }
        let formula = Formula::parse(&metric.formula).map_err(|error| error.to_string())?;
        if let Some(missing) = formula.names().iter().find_map(|name| self.missing(name)) {
            return Err(missing);
        }
        let repetitions = self.calls.len().max(1);
        let mut values = Vec::with_capacity(repetitions);
        let mut why = None;
        for repetition in 0..repetitions {
            match formula.evaluate(&|name| self.named(name, repetition)) {
                Ok(value) => values.push(value),
                Err(error) => why = Some(error.to_string()),
            }
        }
        median(values).ok_or_else(|| why.unwrap_or_else(|| "it has no value".to_owned()))
    }

    /// The value of the metric called `name`, if it has one.
    pub fn named_value(&self, name: &str) -> Option<f64> {
        let metric = self.metrics.iter().find(|metric| metric.name == name)?;
        self.value(metric).ok()
    }

    /// Why a name has no value: the event could not be counted.
    fn missing(&self, name: &str) -> Option<String> {
        let event = self.events.iter().find(|event| event.name == name)?;
        let counted = event.scaled().into_iter().flatten().next().is_some();
        let never = || "it was never on a counter: count fewer events at once".to_owned();
        (!counted).then(|| format!("{name} was not counted: {}", event.why.clone().unwrap_or_else(never)))
    }

    /// The value of a name in one repetition.
    fn named(&self, name: &str, repetition: usize) -> Option<f64> {
        let calls = self.calls.get(repetition).copied();
        match name {
            "seconds" => self.seconds.get(repetition).copied(),
            "calls" => calls,
            "iterations" => calls.map(|calls| calls * self.iterations),
            "nominal_hz" => self.nominal_hz,
            _ => self.events.iter().find(|event| event.name == name)?.scaled().get(repetition).copied()?,
        }
    }

    /// The mean calls of a repetition.
    pub fn calls_mean(&self) -> f64 {
        if self.calls.is_empty() { 1.0 } else { self.calls.iter().sum::<f64>() / self.calls.len() as f64 }
    }

    /// The median count of an event by call.
    pub fn per_call(&self, event: &CountedEvent) -> Option<f64> {
        let by_call = event.scaled().into_iter().zip(&self.calls).filter_map(|(count, calls)| Some(count? / calls));
        median(by_call.collect())
    }

    /// The median count of an event by iteration; `None` for programs, which have none.
    pub fn per_iteration(&self, event: &CountedEvent) -> Option<f64> {
        (self.iterations > 0.0).then(|| self.per_call(event)).flatten().map(|count| count / self.iterations)
    }

    /// Sentences for the reader: what was left out, what was scaled, what is not measured.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.notes.clone();
        let shared: Vec<String> = self
            .events
            .iter()
            .filter_map(|event| Some((event, event.share().filter(|share| *share < SHARED)?)))
            .map(|(event, share)| format!("{} ({:.0} %)", event.name, share * 100.0))
            .collect();
        if !shared.is_empty() {
            remarks.push(format!(
                "there were more events than counters: counted for a part of the time and scaled to the whole: {}",
                shared.join(", ")
            ));
        }
        let mut whys: Vec<(&str, Vec<&str>)> = Vec::new();
        for event in &self.events {
            let Some(why) = &event.why else { continue };
            match whys.iter_mut().find(|(known, _)| *known == why.as_str()) {
                Some((_, names)) => names.push(&event.name),
                None => whys.push((why, vec![&event.name])),
            }
        }
        remarks.extend(whys.iter().map(|(why, names)| format!("not counted: {}: {why}", names.join(", "))));
        remarks
    }
}

/// Less than this share of the time on a counter is said.
const SHARED: f64 = 0.995;

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_numbers();
    let half = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[half]),
        _ => Some((values[half - 1] + values[half]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(counts: &[f64], enabled_s: &[f64], running_s: &[f64]) -> CountedEvent {
        let own = |values: &[f64]| values.to_vec();
        CountedEvent {
            name: "A".to_owned(),
            counts: own(counts),
            enabled_s: own(enabled_s),
            running_s: own(running_s),
            ..CountedEvent::default()
        }
    }

    #[test]
    fn a_count_of_a_part_of_the_time_is_scaled_and_said() {
        let half = event(&[500.0, 750.0], &[1.0, 1.0], &[0.5, 0.75]);
        assert_eq!(half.scaled(), [Some(1000.0), Some(1000.0)]);
        assert_eq!(half.share(), Some(0.625));
        let counters = Counters { events: vec![half], ..Counters::default() };
        assert!(counters.remarks()[0].contains("A (62 %)"), "{:?}", counters.remarks());
    }

    #[test]
    fn an_event_that_was_never_on_a_counter_has_no_value_and_is_not_zero() {
        let never = event(&[0.0], &[1.0], &[0.0]);
        assert_eq!(never.value(), None);
        let metric = CounterMetric { formula: "A / seconds".to_owned(), ..CounterMetric::default() };
        let counters = Counters { events: vec![never], seconds: vec![1.0], ..Counters::default() };
        let why = counters.value(&metric).unwrap_err();
        assert!(why.contains("A was not counted") && why.contains("count fewer"), "{why}");
    }

    #[test]
    fn a_metric_of_a_refused_event_says_why() {
        let refused = CountedEvent { name: "A".to_owned(), why: Some("no".to_owned()), ..CountedEvent::default() };
        let counters = Counters { events: vec![refused], seconds: vec![1.0], ..Counters::default() };
        let metric = CounterMetric { formula: "2 * A".to_owned(), ..CounterMetric::default() };
        assert_eq!(counters.value(&metric), Err("A was not counted: no".to_owned()));
        assert_eq!(counters.remarks(), ["not counted: A: no"]);
    }

    #[test]
    fn counts_are_given_by_call_and_by_iteration() {
        let counters = Counters {
            calls: vec![10.0, 10.0, 10.0],
            iterations: 5.0,
            seconds: vec![1.0, 1.0, 1.0],
            events: vec![event(&[100.0, 110.0, 900.0], &[], &[])],
            ..Counters::default()
        };
        assert_eq!(counters.per_call(&counters.events[0]), Some(11.0));
        assert_eq!(counters.per_iteration(&counters.events[0]), Some(2.2));
        let metric = CounterMetric { formula: "A / iterations".to_owned(), ..CounterMetric::default() };
        assert_eq!(counters.value(&metric), Ok(2.2));
    }
}
