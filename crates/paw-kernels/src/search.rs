//! A greedy search for flags: the flag that helps most joins the base, and the rest are tried again with it. A flag joins only if it is
//! faster beyond the noise in the same rounds and leaves the answer right.

use std::collections::HashMap;

use paw_data::comparison::MARGIN;
use paw_data::kernel::Level;
use paw_data::matrix::RankedBy;
use paw_data::method::Plan;
use paw_data::outcome::{Outcome, Status};
use paw_data::rounds::Rounds;
use paw_data::sample::{Phase, Samples};
use paw_measure::campaign;
use paw_measure::planned::Campaign;
use paw_measure::session::Session;
use paw_measure::watch::{Control, Event, Watch};
use paw_stats::comparison::{bonferroni, paired};
use paw_stats::verdict::{Size, Verdict};

use crate::builds::Built;
use crate::campaign::Children;
use crate::plan::KernelPlanner;

/// The confidence of one step of the search over all its candidates together.
const CONFIDENCE: f64 = 0.95;

/// The default candidates: the flags that the published kernel report tried by hand.
pub const FLAGS: &[&str] = &[
    "-faggressive-loop-optimizations",
    "-fbranch-probabilities",
    "-fdelayed-branch",
    "-fexpensive-optimizations",
    "-finline-functions",
    "-floop-block",
    "-floop-interchange",
    "-floop-unroll-and-jam",
    "-funsafe-math-optimizations",
    "-funroll-all-loops",
];

/// Builds the alternatives of one step: the base, and the base with each remaining flag.
pub trait CandidateBuilder {
    /// Builds `flags` alone, and with each of `more` at its end: the base first.
    fn build(&mut self, flags: &str, more: &[String]) -> Vec<Built>;
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagSearchResult {
    /// The flags that joined the base, in order.
    pub joined: Vec<String>,
    /// The base with them.
    pub flags: String,
}

/// A search at one level.
pub struct FlagSearch<'a, 'b> {
    /// The level.
    pub level: &'a Level,
    /// The plan of each step.
    pub plan: &'a Plan,
    /// The clock of the run.
    pub session: &'a Session<'a>,
    /// Starts the cells.
    pub children: &'a mut Children<'b>,
    /// Makes the cells.
    pub planner: &'a mut KernelPlanner<'b>,
    /// Builds the candidates.
    pub builder: &'a mut dyn CandidateBuilder,
    /// Sees every event, and may stop the search.
    pub watch: &'a mut dyn Watch,
}

impl FlagSearch<'_, '_> {
    /// Searches from the flags `base` on over `candidates`; every step is a group of cells.
    pub fn run(&mut self, base: &str, candidates: &[String]) -> FlagSearchResult {
        let mut found = FlagSearchResult { joined: Vec::new(), flags: base.to_owned() };
        let mut left = candidates.to_vec();
        for step in 0.. {
            let Some(flag) = self.step(step, &found.flags, &left) else { break };
            left.retain(|other| *other != flag);
            found.flags = format!("{} {flag}", found.flags);
            found.joined.push(flag);
            if left.is_empty() {
                break;
            }
        }
        found
    }

    /// Measures one step: the flag that helps most; `None` if none does.
    fn step(&mut self, step: u32, base: &str, left: &[String]) -> Option<String> {
        let builds = self.builder.build(base, left);
        let cells = self.planner.level(step, self.level, &builds);
        let ids: Vec<u32> = cells.iter().map(|planned| planned.cell.id).collect();
        let mut listener = SampleListener { inner: self.watch, samples: HashMap::new(), ended: HashMap::new() };
        let control =
            campaign::run(Campaign::unestimated(vec![cells]), self.plan, self.session, self.children, &mut listener);
        let best = listener.best(&ids).filter(|_| control == Control::Go)?;
        // Builds of the base's code were merged into it: a faster build has one flag more.
        left.iter().find(|flag| builds[best].build.flags.ends_with(flag.as_str())).cloned()
    }
}

/// Forwards events to a watch and keeps a copy of the samples.
struct SampleListener<'w> {
    inner: &'w mut dyn Watch,
    samples: HashMap<u32, Samples>,
    ended: HashMap<u32, Status>,
}

impl SampleListener<'_> {
    /// The place among `ids` of the fastest cell that is right and beyond the noise faster than the first; `None` if there is none.
    fn best(&self, ids: &[u32]) -> Option<usize> {
        let base = self.samples.get(ids.first()?)?;
        let confidence = bonferroni(CONFIDENCE, ids.len());
        let by = RankedBy::of(ids.iter().filter_map(|id| self.samples.get(id)));
        let ratio = |number: usize| {
            let id = ids[number];
            if self.ended.get(&id) != Some(&Status::Measured) {
                return None;
            }
            let rounds = Rounds::of(&by.samples(base), &by.samples(self.samples.get(&id)?));
            let ratio = paired(&rounds.a_s, &rounds.b_s, confidence)?;
            (ratio.verdict(MARGIN) == Verdict::Faster(Size::Beyond)).then_some((number, ratio.value))
        };
        let faster = (1..ids.len()).filter_map(ratio);
        faster.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(number, _)| number)
    }
}

impl Watch for SampleListener<'_> {
    fn on(&mut self, event: Event<'_>) -> Control {
        match event {
            Event::Sampled { cell, phase: Phase::Measure, sample } => {
                self.samples.entry(cell).or_default().push(sample.clone());
            }
            Event::Ended { outcome: Outcome { cell, status, .. } } => {
                self.ended.insert(*cell, *status);
            }
            _ => {}
        }
        self.inner.on(event)
    }

    fn asked(&mut self) -> Control {
        self.inner.asked()
    }
}
