//! A watch that passes every event on, and adds caveats about the library to an outcome.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use paw_data::axis;
use paw_data::cell::{Cell, Role};
use paw_data::outcome::Outcome;
use paw_data::sample::{Phase, Samples};
use paw_measure::watch::{Control, Event, Watch};

use crate::library::Libraries;

/// A watch between the campaign and its caller's watch.
pub struct Recorder<'w> {
    watch: &'w mut dyn Watch,
    libraries: Rc<RefCell<Libraries>>,
    /// The cells of the current group, and their samples.
    group: Measured,
}

/// The cells of a group by their numbers, and the samples of each.
pub type Measured = Rc<RefCell<BTreeMap<u32, (Cell, Samples)>>>;

impl<'w> Recorder<'w> {
    /// A recorder that passes everything on to `watch`, and leaves in `group` what was measured last.
    pub fn new(watch: &'w mut dyn Watch, libraries: Rc<RefCell<Libraries>>, group: Measured) -> Self {
        Self { watch, libraries, group }
    }

    /// The outcome, with the findings of its library's diagnosis as caveats.
    fn diagnosed(&self, outcome: &Outcome) -> Outcome {
        let mut outcome = outcome.clone();
        if let Some(share) = self.share_of_peak(outcome.cell) {
            outcome.caveats.extend(self.libraries.borrow().findings(outcome.cell, share));
        }
        outcome
    }

    /// The cell's rate ÷ that of the peak measured in the same rounds, if any.
    fn share_of_peak(&self, cell: u32) -> Option<f64> {
        let group = self.group.borrow();
        let (subject, samples) = group.get(&cell)?;
        let threads = subject.point.int(axis::THREADS);
        let peak = |c: &&(Cell, Samples)| c.0.role == Role::Peak && c.0.point.int(axis::THREADS) == threads;
        let (reference, peak_samples) = group.values().find(peak)?;
        Some(rate(subject, samples)? / rate(reference, peak_samples)?)
    }
}

/// The headline rate of the fastest sample.
fn rate(cell: &Cell, samples: &Samples) -> Option<f64> {
    let best_s = samples.per_loop_s().into_iter().reduce(f64::min)?;
    Some(cell.work.value(cell.headline, best_s))
}

impl Watch for Recorder<'_> {
    fn asked(&mut self) -> Control {
        self.watch.asked()
    }

    fn on(&mut self, event: Event<'_>) -> Control {
        match event {
            Event::Begun { cell, .. } => {
                let mut group = self.group.borrow_mut();
                group.retain(|_, (known, _)| known.group == cell.group);
                group.insert(cell.id, (cell.clone(), Samples::default()));
            }
            Event::Sampled { cell, phase: Phase::Measure, sample } => {
                if let Some((_, samples)) = self.group.borrow_mut().get_mut(&cell) {
                    samples.push(sample.clone());
                }
            }
            Event::Ended { outcome } => return self.watch.on(Event::Ended { outcome: &self.diagnosed(outcome) }),
            Event::Starting { .. } | Event::Sampled { .. } | Event::RoundEnded { .. } => {}
        }
        self.watch.on(event)
    }
}
