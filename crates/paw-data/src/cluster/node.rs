//! A node, and how it stands among its like.

use std::collections::BTreeSet;

use paw_sort::OrderBy;

use crate::cluster::deviation::Deviation;
use crate::cluster::node_run::NodeRun;

/// How a node stands, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// A measurement broke there, or an answer was wrong.
    Failed,
    /// It left no run, or none that ended, of a step.
    Missing,
    /// A figure is worse than its like can be by chance.
    Slow,
    /// As slow, but the number cannot be relied on.
    Doubtful,
    /// A figure is better than its like can be by chance.
    Fast,
    /// Nothing is odd that could be judged.
    Alike,
}

impl Standing {
    /// Every standing, the gravest first.
    pub const ALL: [Self; 6] = [Self::Failed, Self::Missing, Self::Slow, Self::Doubtful, Self::Fast, Self::Alike];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Failed => "FAILED",
            Self::Missing => "MISSING",
            Self::Slow => "SLOW",
            Self::Doubtful => "doubtful",
            Self::Fast => "fast",
            Self::Alike => "alike",
        }
    }
}

/// A node among its like.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its processor, as the processor reports it; empty where no run tells it.
    pub cpu: String,
    /// How it stands.
    pub standing: Standing,
    /// Its odd figures, the largest deviation first.
    pub deviations: Vec<Deviation>,
    /// What failed, or is missing, a sentence each without a full stop.
    pub failures: Vec<String>,
    /// What of its machine and state differs from most of its like, of nodes that are odd: `governor: powersave, and performance on 15 of 16`.
    pub differs: Vec<String>,
}

impl Node {
    /// The node `name` with its runs of the `expected` steps.
    pub fn of(name: &str, runs: &[&NodeRun], expected: &[String], mut deviations: Vec<Deviation>) -> Self {
        let done: BTreeSet<&str> = runs.iter().filter(|run| run.is_whole).map(|run| run.step.as_str()).collect();
        let begun: BTreeSet<&str> = runs.iter().map(|run| run.step.as_str()).collect();
        let absent = expected.iter().filter(|step| !done.contains(step.as_str()));
        let missing: Vec<String> = absent
            .map(|step| match begun.contains(step.as_str()) {
                true => format!("{step}: the run was cut off"),
                false => format!("{step}: there is no run"),
            })
            .collect();
        let failed = runs.iter().flat_map(|run| run.failures.iter().map(|why| format!("{}: {why}", run.step)));
        let failed: Vec<String> = failed.collect();
        deviations.order_by(|a, b| b.z.abs().total_cmp(&a.z.abs()));
        let has = |of: fn(&Deviation) -> bool| deviations.iter().any(of);
        let standing = match () {
            () if !failed.is_empty() => Standing::Failed,
            () if !missing.is_empty() => Standing::Missing,
            () if has(|own| own.is_worse() && own.doubt.is_empty()) => Standing::Slow,
            () if has(Deviation::is_worse) => Standing::Doubtful,
            () if has(|own| own.doubt.is_empty()) => Standing::Fast,
            () if has(|_| true) => Standing::Doubtful,
            () => Standing::Alike,
        };
        Self {
            name: name.to_owned(),
            cpu: runs.first().map_or(String::new(), |run| run.digest.identity.cpu.clone()),
            standing,
            deviations,
            failures: failed.into_iter().chain(missing).collect(),
            differs: Vec::new(),
        }
    }

    /// The size of its largest deviation; 0 where it has none.
    pub fn worst(&self) -> f64 {
        self.deviations.first().map_or(0.0, |own| own.z.abs())
    }
}
