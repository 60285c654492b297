//! A campaign as a file: the flags of `paw app` under the same names, in TOML.
//!
//! ```toml
//! paw = "app/1"
//! command = ["./ttbar", "--variations", "{n}"]
//! threads = ["topology"]
//! verify = ["stdout contains 1867"]
//!
//! [set]
//! n = "2..512"
//! ```

mod value;

use std::path::Path;

use paw_data::document::{Document, DocumentError};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

pub use value::Schema;

/// The keys of a campaign file. An absent key is a flag that was not typed; values are written as on the command line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CampaignFile {
    /// The version of the format.
    pub paw: Schema,
    /// Program and arguments, with placeholders; absent where `shell` is given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Further commands, each one text; in front of it may be its name: `new=./prog -x`.
    #[serde(deserialize_with = "value::texts", skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// A command line for a shell, in place of `command`.
    pub shell: Option<String>,
    /// Further command lines for a shell, in place of `commands`.
    #[serde(deserialize_with = "value::texts", skip_serializing_if = "Vec::is_empty")]
    pub shells: Vec<String>,
    /// Names of the commands that have none, in their order.
    #[serde(deserialize_with = "value::texts", skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// What others are held against: a command's name, a value, or the command that speed-ups are relative to.
    pub base: Option<String>,
    /// One more command; all are held against the first.
    pub versus: Option<String>,
    /// A command that runs before each run of the program, untimed.
    pub prepare: Option<String>,
    /// A command that runs after each run of the program, untimed.
    pub conclude: Option<String>,
    /// A command that runs once, before the first run of the program.
    pub setup: Option<String>,
    /// A command that runs once, after its last run.
    pub cleanup: Option<String>,
    /// Exit codes of runs that count although they failed: `all`, `1,2`.
    #[serde(deserialize_with = "value::text")]
    pub ignore_failure: Option<String>,
    /// The file that is its standard input (`--input`).
    pub stdin: Option<String>,
    /// What becomes of its standard output: `null`, `pipe`, `inherit` or a file.
    pub output: Option<String>,
    /// Whether all that it prints is kept.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep_output: bool,
    /// Whether address space layout randomisation is off.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_aslr: bool,
    /// Thread counts: numbers and words, one each.
    #[serde(deserialize_with = "value::counts", skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// The order in which threads take processors.
    pub place: Option<String>,
    /// Numbers of instances that run at once.
    #[serde(deserialize_with = "value::counts", skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
    /// The axes whose values are sizes.
    #[serde(deserialize_with = "value::texts", skip_serializing_if = "Vec::is_empty")]
    pub ladder: Vec<String>,
    /// Formulas; points at which one of them holds are left out.
    #[serde(deserialize_with = "value::texts", skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Name of the method.
    pub method: Option<String>,
    /// Number of samples that must lie close to the best.
    pub k: Option<u32>,
    /// Tolerance of that agreement: `0.05`, `5%`.
    #[serde(deserialize_with = "value::text")]
    pub within: Option<String>,
    /// Fewest samples.
    pub min: Option<u32>,
    /// Most samples.
    pub max: Option<u32>,
    /// Whether the best does not count among the k.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kbest_exclusive: bool,
    /// Number of samples.
    pub reps: Option<u32>,
    /// Warm-up runs before every series.
    pub warmup: Option<u32>,
    /// Time after which a run is ended: `60s`.
    #[serde(deserialize_with = "value::text")]
    pub timeout: Option<String>,
    /// Numbers read from what the program prints.
    #[serde(deserialize_with = "value::texts", skip_serializing_if = "Vec::is_empty")]
    pub metric: Vec<String>,
    /// The metric of which speed-ups, rankings and plots are.
    pub headline: Option<String>,
    /// The metric that decides when a series ends.
    pub drive: Option<String>,
    /// Expectations that every run must meet.
    #[serde(deserialize_with = "value::texts", skip_serializing_if = "Vec::is_empty")]
    pub verify: Vec<String>,
    /// Formula of the operations of one run, and their unit.
    #[serde(deserialize_with = "value::text")]
    pub work: Option<String>,
    /// The axis that grows with the threads.
    pub weak: Option<String>,
    /// Files that the program reads, whose hashes are kept; before version 0.2 of paw the key was `input`.
    #[serde(alias = "input", deserialize_with = "value::texts", skip_serializing_if = "Vec::is_empty")]
    pub hash_input: Vec<String>,
    /// Seed of every shuffle. A seed above 2⁶³-1, the largest whole number of TOML, is a text.
    #[serde(with = "value::seed")]
    pub seed: Option<u64>,
    /// Budget of the whole campaign: `2h`.
    #[serde(deserialize_with = "value::text")]
    pub budget: Option<String>,
    /// What ends the runs of compared commands in place of their rule: `decided`.
    pub until: Option<String>,
    /// What makes paw exit with 1: `slower`, `slower=2%`.
    #[serde(deserialize_with = "value::text")]
    pub fail_on: Option<String>,
    /// Whether paw exits with 4 where the machine was too disturbed to trust.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict_env: bool,
    /// Whether each program runs once more under the sampler.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub profile: bool,
    /// The precision of the roofs of a roofline, where one is drawn: `double` or `single`.
    pub roofline: Option<String>,
    /// Formula of the floating-point operations of one run, for a roofline.
    #[serde(deserialize_with = "value::text")]
    pub flops: Option<String>,
    /// Formula of the bytes that one run moves from and to memory, for a roofline.
    #[serde(deserialize_with = "value::text")]
    pub bytes: Option<String>,
    /// Groups of counters, each counted in one further run.
    #[serde(deserialize_with = "value::texts", skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<String>,
    /// The file of a recorded stream that stands for the counters.
    pub recorded: Option<String>,
    /// Whether each program runs once more under cachegrind.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub simulate: bool,
    /// Axes and their values, in order. In the file a table, whose values may be lists.
    // The last field: in TOML, every key after a table's header belongs to that table.
    #[serde(with = "value::axes", skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<(String, String)>,
}

impl CampaignFile {
    /// Reads a campaign.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong: what, and where.
    pub fn read(path: &Path) -> Result<Self, DocumentError> {
        Document::read(path, Self::of)
    }

    /// The campaign of `text`, the contents of the file `path`.
    ///
    /// # Errors
    /// The error and its place in the file.
    pub fn parse(path: &Path, text: &str) -> Result<Self, DocumentError> {
        Self::of(&Document { path, text })
    }

    fn of(document: &Document<'_>) -> Result<Self, DocumentError> {
        #[derive(Deserialize)]
        struct Head {
            paw: Option<IgnoredAny>,
        }
        if document.parse::<Head>()?.paw.is_none() {
            let version = value::VERSION;
            return Err(document.whole(format!("it is no campaign: begin it with the line `paw = \"{version}\"`")));
        }
        let file: Self = document.parse()?;
        let words = !file.command.is_empty() || !file.commands.is_empty();
        let lines = file.shell.is_some() || !file.shells.is_empty();
        match (words, lines) {
            (false, false) => {
                Err(document.whole("there is nothing to run: add `command = [\"./program\"]`, or `shell`"))
            }
            (true, true) => Err(document.whole("`command` and `shell` exclude each other: keep one of them")),
            _ => Ok(file),
        }
    }

    /// The text of a file that parses to this campaign.
    pub fn write(&self) -> String {
        toml::to_string(self).unwrap_or_else(|error| unreachable!("texts, numbers and one table are TOML: {error}"))
    }
}

#[cfg(test)]
mod tests;
