//! What is known of one cell while its group is measured.

use paw_data::outcome::{Caveat, Check, Ending};
use paw_data::sample::{Phase, Sample, Samples};

use crate::caveat::UNVERIFIED_LOOPS;
use crate::ending::{SeriesProgress, Stage};
use crate::fault::Fault;
use crate::loops::LadderState;
use crate::prepared_cell::Drive;

/// The figure of a sample that decides the end of its series; less is better.
fn driving(sample: &Sample, drive: &Drive) -> Option<f64> {
    match drive {
        Drive::Time => Some(sample.per_loop_s()),
        Drive::Lower(name) => sample.extra.get(name).copied(),
        // The k-best rule for rates is that for times on their inverses.
        Drive::Higher(name) => sample.extra.get(name).map(|rate| 1.0 / rate),
    }
    .filter(|value| value.is_finite() && *value >= 0.0)
}

/// What is known of one cell while its group is measured.
#[derive(Debug, Default)]
pub(crate) struct Series {
    /// Samples that count, in order.
    pub samples: Samples,
    /// The deciding figure of each undisturbed sample, less being better: seconds of one iteration, unless a secondary metric
    /// drives the series.
    pub clean: Vec<f64>,
    /// The invocation of each of them.
    pub clean_of: Vec<u32>,
    /// Iterations of a region.
    pub loops: u64,
    /// Warm-up samples taken before the first round.
    pub warmups: u32,
    /// Caveats found before the first round.
    pub caveats: Vec<Caveat>,
    /// The worst check of the answers in the processes that have ended.
    pub check: Option<Check>,
    /// Rounds that its comparisons need before its rule may end it; 0 where it is compared with none.
    pub needed: usize,
    /// Samples without a disturbance reading.
    pub unwatched: usize,
    /// Why the cell was given up.
    pub fault: Option<Fault>,
    /// Why the series stopped; it may be timed on while other cells go on.
    pub ending: Option<Ending>,
    shortest_s: Option<f64>,
    /// Seconds that its last sample took in all, with what surrounds the timed region.
    pub turn_s: f64,
    /// Seconds of the fastest iteration, warm-up included.
    pub fastest_s: Option<f64>,
}

impl Series {
    /// Whether the cell has not been given up.
    pub fn is_alive(&self) -> bool {
        self.fault.is_none()
    }

    /// Whether no undisturbed region has shown what an iteration costs.
    pub fn is_unverified(&self) -> bool {
        self.caveats.iter().any(|caveat| caveat.id == UNVERIFIED_LOOPS)
    }

    /// The next sample of this phase by its number, from 1.
    pub fn number_of_next(&self, phase: Phase) -> String {
        match phase {
            Phase::Warmup => format!("warm-up sample {}", self.warmups + 1),
            Phase::Measure => format!("sample {}", self.samples.elapsed_s.len() + 1),
        }
    }

    /// Keeps a sample.
    pub fn push(&mut self, sample: Sample, drive: &Drive) {
        let elapsed_s = sample.elapsed_s;
        self.shortest_s = Some(self.shortest_s.map_or(elapsed_s, |s| s.min(elapsed_s)));
        if !sample.disturbed {
            let value = driving(&sample, drive);
            self.clean.extend(value);
            self.clean_of.extend(value.map(|_| sample.invocation));
        }
        self.samples.push(sample);
    }

    /// Its samples with the deciding figure as the time, so that comparisons are about that too.
    pub fn driven(&self, drive: &Drive) -> Samples {
        let mut samples = self.samples.clone();
        let (name, is_rate) = match drive {
            Drive::Time => return samples,
            Drive::Lower(name) => (name, false),
            Drive::Higher(name) => (name, true),
        };
        let Some(printed) = self.samples.secondary(name.clone()) else { return Samples::default() };
        samples.elapsed_s = printed.iter().map(|value| if is_rate { 1.0 / value } else { *value }).collect();
        samples.loops.fill(1);
        for (disturbed, elapsed_s) in samples.disturbed.iter_mut().zip(&samples.elapsed_s) {
            *disturbed |= !elapsed_s.is_finite();
        }
        samples
    }

    /// The figures that decide whether it ends, at this stage of its invocations.
    pub fn progress(&self, stage: Stage) -> SeriesProgress<'_> {
        SeriesProgress {
            clean: &self.clean,
            clean_of: &self.clean_of,
            taken: self.samples.len(),
            sample_s: self.shortest_s.unwrap_or(0.0),
            stage,
        }
    }

    /// Seconds from the beginning of the first sample to the end of the last.
    pub fn lasted_s(&self) -> f64 {
        let Samples { at_s, elapsed_s, .. } = &self.samples;
        let ends = at_s.first().zip(at_s.last()).zip(elapsed_s.first());
        ends.map_or(0.0, |((first, last), elapsed_s)| last - first + elapsed_s)
    }

    /// Undisturbed samples of an invocation.
    pub fn clean_in(&self, invocation: u32) -> usize {
        self.clean_of.iter().filter(|of| **of == invocation).count()
    }

    /// Adds caveats, but for those whose identifier is known.
    pub fn warn(&mut self, caveats: Vec<Caveat>) {
        let news = caveats.into_iter().filter(|new| self.caveats.iter().all(|known| known.id != new.id));
        let news: Vec<Caveat> = news.collect();
        self.caveats.extend(news);
    }

    /// The state for the next step of the ladder, once there is a sample.
    pub fn ladder(&self) -> Option<LadderState> {
        let fastest = self.samples.per_loop_s().into_iter().reduce(f64::min)?;
        Some(LadderState { loops: self.loops, per_loop_s: fastest })
    }
}
