//! Keeps measured cells as records, for a caller that evaluates them at once.

use paw_data::run::Record;
use paw_data::sample::Phase;

use crate::watch::{Control, Event, Watch};

/// Keeps every cell with its samples and its outcome.
#[derive(Debug, Default)]
pub struct Recorder {
    /// The cells, in the order in which they were begun.
    pub records: Vec<Record>,
}

impl Watch for Recorder {
    fn on(&mut self, event: Event<'_>) -> Control {
        match event {
            Event::Begun { cell, .. } => self.records.push(Record::new(cell.clone())),
            Event::Sampled { cell, phase, sample } => {
                if let Some(record) = self.record(cell) {
                    let samples = if phase == Phase::Warmup { &mut record.warmup } else { &mut record.samples };
                    samples.push(sample.clone());
                }
            }
            Event::Starting { .. } | Event::RoundEnded { .. } => {}
            Event::Ended { outcome } => {
                if let Some(record) = self.record(outcome.cell) {
                    record.outcome = Some(outcome.clone());
                }
            }
        }
        Control::Go
    }
}

impl Recorder {
    fn record(&mut self, cell: u32) -> Option<&mut Record> {
        self.records.iter_mut().rev().find(|record| record.cell.id == cell)
    }
}
