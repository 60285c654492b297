//! Facts of a measured application: command, axes, threads, metrics, inputs.

use serde::{Deserialize, Deserializer, Serialize};

use crate::point::AxisValue;

use crate::precision::Precision;

/// The suite of an application's cells.
pub const SUITE: &str = "app";
/// Provider of the measured program where it has no name.
pub const COMMAND: &str = "command";
/// Provider of the program that speed-ups are relative to.
pub const BASE: &str = "base";
/// Provider of the other command in runs of a paw that knew two at most.
const VERSUS: &str = "versus";

/// The command that was measured, and the origin of its points.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Application {
    /// The command as typed, with its placeholders; a shell's command line is one text.
    pub command: Vec<String>,
    /// Whether a shell runs the command.
    pub shell: bool,
    /// The sequential program that speed-ups are relative to, if it is another command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Vec<String>>,
    /// The name of the command, which is the provider of its cells; empty: [`COMMAND`].
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Further commands that were measured in the same rounds.
    #[serde(alias = "versus", deserialize_with = "others", skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<NamedCommand>,
    /// Names of the swept parameters without threads and copies.
    pub axes: Vec<String>,
    /// Those among the axes whose values are alternatives: they do the same work, and are measured in the same rounds. The others are
    /// ladders, which go in order; the first ladder is the size.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    /// The alternative that all others are held against; `None`: the fastest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Reference>,
    /// The thread counts of the sweep.
    pub threads: Vec<ThreadPoint>,
    /// Hardware threads that all threads and copies together may use; 0: unknown.
    pub hardware_threads: u32,
    /// The numbers read from the program's outputs.
    pub metrics: Vec<MetricFact>,
    /// The metric that decides when a series ends; `None`: wall time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive: Option<String>,
    /// The metric of which speed-ups, laws and plots are; `None`: wall time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// The operations of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<WorkFormula>,
    /// What the roofline of the program rests on, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roofline: Option<RooflineFacts>,
    /// The axis that grows with the threads (weak scaling).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weak: Option<String>,
    /// The files that the program reads.
    pub inputs: Vec<InputFact>,
    /// Environment variables that set the program's thread count.
    pub variables: Vec<String>,
    /// The conditions that every run had to meet, as typed; exit code 0 is implied unless another is named.
    pub verify: Vec<String>,
    /// Time limit of a run in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<f64>,
    /// What became of the programs' outputs, in words: `discarded`. Empty in runs of older versions, which wrote them to files.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// Name of the interrupted run that this one goes on with, whose cells it took over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<String>,
}

/// A command with its name, which is the provider of its cells.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct NamedCommand {
    /// Its name.
    pub name: String,
    /// Its words as typed, with placeholders; a shell's command line is one text.
    pub command: Vec<String>,
}

/// The alternatives that others are held against, each against the one that differs from it in this alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reference {
    /// Those of the command with this name.
    Command(String),
    /// Those at which an axis has this value.
    Value {
        /// The axis.
        axis: String,
        /// Its value.
        value: AxisValue,
    },
}

/// Further commands: with names, or the words of the only one there could be.
fn others<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<NamedCommand>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Others {
        Words(Vec<String>),
        Named(Vec<NamedCommand>),
    }
    Ok(match Others::deserialize(deserializer)? {
        Others::Words(words) if words.is_empty() => Vec::new(),
        Others::Words(command) => vec![NamedCommand { name: VERSUS.to_owned(), command }],
        Others::Named(named) => named,
    })
}

impl Application {
    /// All commands with their names, in the order in which they were given. The base of speed-ups is none of them.
    pub fn commands(&self) -> impl Iterator<Item = (&str, &[String])> {
        let others = self.others.iter().map(|other| (other.name.as_str(), other.command.as_slice()));
        std::iter::once((self.first(), self.command.as_slice())).chain(others)
    }

    /// The name of the first command.
    pub fn first(&self) -> &str {
        if self.name.is_empty() { COMMAND } else { &self.name }
    }

    /// The axes that are measured in order; the first is the size.
    pub fn ladders(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().filter(|axis| !self.alternatives.contains(axis)).map(String::as_str)
    }

    /// Hardware threads that all threads and copies together may use, at least those of the largest thread count; 0: unknown.
    pub fn available(&self) -> u32 {
        self.threads.iter().map(|point| point.hardware_threads).fold(self.hardware_threads, u32::max)
    }
}

/// A thread count of a sweep with its processors.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ThreadPoint {
    /// Threads the program is asked to use.
    pub threads: u32,
    /// The reason why this count is in the sweep: `one core`, `cores of one package`, `2 x hardware threads`.
    pub rule: String,
    /// Numbers of the processors the program may run on.
    pub cpus: Vec<u32>,
    /// The order in which processors were chosen: `compact`, `scatter`, `cores`.
    pub place: String,
    /// Whether there are more threads than processors.
    pub oversubscribed: bool,
    /// Number of hardware threads in `cpus`.
    pub hardware_threads: u32,
    /// Number of cores that `cpus` belong to.
    pub cores: u32,
}

/// Whether smaller or larger values of a number are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Less is better: times, misses.
    #[default]
    Lower,
    /// More is better: rates.
    Higher,
}

/// A number read from the program's outputs; its samples are the extra column `metric.NAME`, in its own unit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MetricFact {
    /// Name: `fit_ms`.
    pub name: String,
    /// Unit: `ms`; empty: a bare number.
    pub unit: String,
    /// Whether smaller or larger values are better.
    pub better: Better,
}

/// Operations of one run of the program.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct WorkFormula {
    /// Arithmetic over the axes of a point: `5738 + 1867*n`.
    pub formula: String,
    /// Name of an operation: `events`.
    pub unit: String,
}

/// Where the operations and bytes of one run come from, for a roofline; what is neither stated nor refused is counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RooflineFacts {
    /// The precision of the peaks; double where the run does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// Floating-point operations of one run as stated: arithmetic over the axes of a point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flops: Option<String>,
    /// Bytes of one run as stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// Why what is not stated could not be counted, in one sentence; empty if it could.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub refused: String,
}

/// A file that the program reads, at the time before the first sample.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct InputFact {
    /// Its path as typed.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// SHA-256 of its content, in hexadecimal.
    pub sha256: String,
}

impl InputFact {
    /// The beginning of its hash, by which people tell files apart.
    pub fn short_hash(&self) -> &str {
        self.sha256.get(..12).unwrap_or(&self.sha256)
    }
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
    fn the_other_command_of_an_older_run_has_its_name() {
        let read: Application =
            serde_json::from_str(r#"{"command":["./a"],"versus":["./b","{n}"],"axes":["n"]}"#).unwrap();
        let commands: Vec<_> = read.commands().map(|(name, words)| (name, words.join(" "))).collect();
        assert_eq!(commands, [("command", "./a".to_owned()), ("versus", "./b {n}".to_owned())]);
        assert_eq!(read.ladders().collect::<Vec<_>>(), ["n"], "every axis was a ladder");
    }

    #[test]
    fn commands_alternatives_and_their_reference_come_back() {
        let named = |name: &str| NamedCommand { name: name.into(), command: vec![format!("./{name}")] };
        let app = Application {
            name: "old".into(),
            command: vec!["./old".into()],
            others: vec![named("new"), named("newer")],
            axes: vec!["n".into(), "mode".into()],
            alternatives: vec!["mode".into()],
            against: Some(Reference::Value { axis: "mode".into(), value: "fast".into() }),
            ..Application::default()
        };
        let text = serde_json::to_string(&app).unwrap();
        assert!(text.contains(r#""against":{"value":{"axis":"mode","value":"fast"}}"#), "{text}");
        assert_eq!(serde_json::from_str::<Application>(&text).unwrap(), app);
        assert_eq!(app.ladders().collect::<Vec<_>>(), ["n"]);
    }

    #[test]
    fn the_direction_is_a_word() {
        let metric = MetricFact { name: "rate".into(), unit: "1/s".into(), better: Better::Higher };
        assert_eq!(serde_json::to_string(&metric).unwrap(), r#"{"name":"rate","unit":"1/s","better":"higher"}"#);
    }
}
