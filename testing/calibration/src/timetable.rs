//! The time of a calibration, shared out to its sections.

use std::time::{Duration, Instant};

use crate::experiment::SectionFindings;
use crate::load::{LoadState, SpinLoad};
use crate::sections::Section;
use crate::tool::Tool;

/// Failed repeats after which a section is given up.
const FAILURES_MAX: usize = 3;

/// One section under one load.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    /// The section.
    pub section: &'static Section,
    /// What runs beside it.
    pub load: LoadState,
}

/// Runs all slots within `whole`, each for its share of what is left; `done` hears of each at its end. What a section leaves of its time goes
/// to those behind it.
pub fn run(
    tool: &Tool,
    slots: &[Slot],
    whole: Duration,
    mut done: impl FnMut(&SectionFindings),
) -> Vec<SectionFindings> {
    let end = Instant::now() + whole;
    let mut found = Vec::new();
    for (place, slot) in slots.iter().enumerate() {
        if tool.is_stopped() {
            break;
        }
        let weight = |slot: &Slot| slot.section.weight(slot.load);
        let left: f64 = slots[place..].iter().map(weight).sum();
        let share = end.saturating_duration_since(Instant::now()).mul_f64(weight(slot) / left);
        let findings = section(tool, *slot, share);
        done(&findings);
        found.push(findings);
    }
    found
}

/// Repeats the section's experiment for `share`, never beginning a repeat that would not end within it if it took as long as the longest.
fn section(tool: &Tool, slot: Slot, share: Duration) -> SectionFindings {
    let began = Instant::now();
    let mut findings = SectionFindings {
        section: slot.section.name,
        load: slot.load,
        repeats: 0,
        elapsed_s: 0.0,
        findings: Vec::new(),
        troubles: Vec::new(),
    };
    let _load = match slot.load {
        LoadState::Idle => None,
        LoadState::Loaded => match SpinLoad::start(&tool.program("spin"), tool.seed) {
            Ok(load) => Some(load),
            Err(error) => {
                findings.troubles.push(format!("no load: {error}"));
                return findings;
            }
        },
    };
    let mut experiment = match (slot.section.start)(tool) {
        Ok(experiment) => experiment,
        Err(why) => {
            findings.troubles.push(why);
            return findings;
        }
    };
    let mut longest = Duration::ZERO;
    while !tool.is_stopped() && findings.troubles.len() < FAILURES_MAX && began.elapsed() + longest <= share {
        let started = Instant::now();
        match experiment.repeat(tool) {
            Ok(()) => findings.repeats += 1,
            Err(_) if tool.is_stopped() => {}
            Err(why) => findings.troubles.push(why),
        }
        longest = longest.max(started.elapsed());
    }
    findings.elapsed_s = began.elapsed().as_secs_f64();
    findings.findings = experiment.findings();
    findings
}
