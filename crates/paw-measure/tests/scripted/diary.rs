//! A watcher that writes everything down, and stops where a test says.

use std::collections::BTreeMap;

use paw_data::outcome::Outcome;
use paw_data::sample::{Phase, Sample, Samples};
use paw_measure::watch::{Control, Event, Watch};

/// What was heard.
#[derive(Debug, Default)]
pub struct Diary {
    /// One word an event: `begun 1`, `warmup 1`, `sample 1`, `round 0`, `ended 1`.
    pub events: Vec<String>,
    /// Samples that count, by cell.
    pub samples: BTreeMap<u32, Samples>,
    /// Warm-up samples, by cell.
    pub warmups: BTreeMap<u32, Vec<Sample>>,
    /// Outcomes in the order they were told.
    pub outcomes: Vec<Outcome>,
    stop_at: Option<String>,
}

impl Diary {
    /// A diary that asks to stop from the first `event` on.
    pub fn stopping_at(event: &str) -> Self {
        Self { stop_at: Some(event.to_owned()), ..Self::default() }
    }

    /// How many events are `event`.
    pub fn count(&self, event: &str) -> usize {
        self.events.iter().filter(|e| *e == event).count()
    }

    /// Cells of the samples that count, in order.
    pub fn order(&self) -> Vec<&str> {
        self.events.iter().filter_map(|e| e.strip_prefix("sample ")).collect()
    }

    fn note(&mut self, event: Event<'_>) -> String {
        match event {
            Event::Starting { cell } => format!("starting {}", cell.id),
            Event::Begun { cell, .. } => format!("begun {}", cell.id),
            Event::Sampled { cell, phase: Phase::Warmup, sample } => {
                self.warmups.entry(cell).or_default().push(sample.clone());
                format!("warmup {cell}")
            }
            Event::Sampled { cell, phase: Phase::Measure, sample } => {
                self.samples.entry(cell).or_default().push(sample.clone());
                format!("sample {cell}")
            }
            Event::RoundEnded { round } => format!("round {round}"),
            Event::Ended { outcome } => {
                self.outcomes.push(outcome.clone());
                format!("ended {}", outcome.cell)
            }
        }
    }
}

impl Watch for Diary {
    fn on(&mut self, event: Event<'_>) -> Control {
        let event = self.note(event);
        self.events.push(event);
        let stop = self.stop_at.as_ref().is_some_and(|stop| self.events.contains(stop));
        if stop { Control::Stop } else { Control::Go }
    }
}
