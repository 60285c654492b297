//! A whole application as a run remembers it: the command, its axes, and what was read from it.

use serde::{Deserialize, Serialize};

/// What was measured, and how its points came to be.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Application {
    /// The command as typed, with its placeholders; one text where a shell reads it.
    pub command: Vec<String>,
    /// Whether a shell reads the command.
    pub shell: bool,
    /// The command that speed-ups are held against, where it is another one: the sequential program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Vec<String>>,
    /// The other command of an A/B comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub versus: Option<Vec<String>>,
    /// What is swept besides threads and copies, in order; the first is the size.
    pub axes: Vec<String>,
    /// The thread counts, and why each one is there.
    pub threads: Vec<ThreadPoint>,
    /// Hardware threads that all threads and copies together may use; 0 where that is not known.
    pub hardware_threads: u32,
    /// The numbers read from what the program prints.
    pub metrics: Vec<MetricFact>,
    /// The metric that decides when to stop; without one, wall time does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive: Option<String>,
    /// The operations of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<WorkFormula>,
    /// The axis that grows with the threads, of weak scaling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weak: Option<String>,
    /// The files that the program reads, as they were.
    pub inputs: Vec<InputFact>,
    /// Environment variables that give the program its threads.
    pub variables: Vec<String>,
    /// What every run had to leave behind, as typed; and exit code 0, unless another is named.
    pub verify: Vec<String>,
    /// Seconds after which a run of the program is ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<f64>,
}

impl Application {
    /// Hardware threads that all threads and copies together may use, or of which at least is known that they may; 0 where
    /// nothing is.
    pub fn available(&self) -> u32 {
        self.threads.iter().map(|point| point.hardware_threads).fold(self.hardware_threads, u32::max)
    }
}

/// One thread count of a sweep, and the processors it was given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadPoint {
    /// Threads the program is asked to use.
    pub threads: u32,
    /// Why this count is in the sweep: `one core`, `cores of one package`, `2 x hardware threads`.
    pub rule: String,
    /// Numbers of the processors the program may run on.
    pub cpus: Vec<u32>,
    /// How the processors were chosen: `compact`, `scatter`, `cores`.
    pub place: String,
    /// Whether there are more threads than processors.
    pub oversubscribed: bool,
    /// Hardware threads that `cpus` are.
    pub hardware_threads: u32,
    /// Cores that `cpus` belong to.
    pub cores: u32,
}

/// Which way a number is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Less is better: times, misses.
    #[default]
    Lower,
    /// More is better: rates.
    Higher,
}

/// A number read from what the program prints; its samples are the extra column `metric.NAME`, in its own unit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MetricFact {
    /// Name: `fit_ms`.
    pub name: String,
    /// Unit: `ms`; empty where it has none.
    pub unit: String,
    /// Which way it is better.
    pub better: Better,
}

/// Operations of one run of the program.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkFormula {
    /// Arithmetic over the axes of a point: `5738 + 1867*n`.
    pub formula: String,
    /// What is counted: `events`.
    pub unit: String,
}

/// A file the program reads, as it was before the first sample.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InputFact {
    /// Its path as typed.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// SHA-256 of its content, in hexadecimal.
    pub sha256: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_newer_paw_adds_is_passed_over_and_what_an_older_lacks_is_empty() {
        let read: Application =
            serde_json::from_str(r#"{"command":["./fit","{n}"],"colour":"red","threads":[{"threads":2,"moon":1}]}"#)
                .unwrap();
        let expected = Application {
            command: vec!["./fit".into(), "{n}".into()],
            threads: vec![ThreadPoint { threads: 2, ..Default::default() }],
            ..Default::default()
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn the_direction_is_a_word() {
        let metric = MetricFact { name: "rate".into(), unit: "1/s".into(), better: Better::Higher };
        assert_eq!(serde_json::to_string(&metric).unwrap(), r#"{"name":"rate","unit":"1/s","better":"higher"}"#);
    }
}
