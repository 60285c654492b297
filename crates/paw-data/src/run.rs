//! A run: machine, plan, cells and their samples.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::application::Application;
use crate::cell::Cell;
use crate::code::Code;
use crate::counters::Counters;
use crate::executed::Executed;
use crate::explanation::Explanation;
use crate::kernel::Kernel;
use crate::machine::{Machine, State};
use crate::method::Plan;
use crate::number;
use crate::outcome::{Outcome, Status};
use crate::profile::Profile;
use crate::sample::{Samples, WarmupSamples};
use crate::selftest::Selftest;
use crate::team::Team;

/// Version of the format this crate writes.
pub const SCHEMA: &str = "paw.run/1";

/// The facts of a run that are known before its first sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Header {
    /// [`SCHEMA`].
    pub schema: String,
    /// Name of the run: UTC time and six characters.
    pub id: String,
    /// Program and version that measured.
    pub tool: String,
    /// Command line.
    pub argv: Vec<String>,
    /// Directory in which the command was started; empty in runs of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub directory: String,
    /// Start, RFC 3339 in UTC.
    pub utc: String,
    /// The plan of the run.
    pub plan: Plan,
    /// Environment variables that change results, and their values.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The host.
    #[serde(default)]
    pub machine: Machine,
    /// The application, where one was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<Application>,
    /// The kernel, where one was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Kernel>,
    /// The self-test made right before the run, where the user asked for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selftest: Option<Selftest>,
}

/// The variable that says which processors are preferred. Without it the idlest are chosen, and `paw again` sets it to get the same ones:
/// that only one of two runs has it is no difference between them.
pub const PREFERRED: &str = "PAW_CPUS";

/// The reading of the state that names the files of an imported run.
const IMPORTED: &str = "imported_from";

impl Header {
    /// The header of a run of which name, program and plan are known alone.
    pub fn bare(id: String, tool: String, plan: Plan) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            id,
            tool,
            argv: Vec::new(),
            directory: String::new(),
            utc: String::new(),
            plan,
            env: BTreeMap::new(),
            machine: Machine::default(),
            app: None,
            kernel: None,
            selftest: None,
        }
    }

    /// Notes the files that the run was imported from.
    pub fn imported_from(&mut self, files: String) {
        self.machine.state.insert(IMPORTED.to_owned(), files);
    }

    /// The files that the run was imported from; `None`: `paw` measured it.
    pub fn imported(&self) -> Option<&str> {
        self.machine.state.get(IMPORTED).map(String::as_str)
    }
}

/// The source of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ClockKind {
    /// The operating system's monotonic clock.
    Monotonic,
    /// The processor's time-stamp counter: reference ticks, not core cycles.
    Tsc,
    /// The civil clock, which can be set while it runs: PAW's.
    Realtime,
    /// A device's own events.
    Event,
    /// A test's script.
    Scripted,
}

/// A clock as it was measured on the day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Instrument {
    /// Number within the run.
    #[serde(default)]
    pub id: u32,
    /// The source of time.
    pub clock: ClockKind,
    /// Smallest step seen, in seconds.
    #[serde(deserialize_with = "number::or_nan")]
    pub resolution_s: f64,
    /// Seconds that an empty timed region reads or costs, whichever is more.
    #[serde(deserialize_with = "number::or_nan")]
    pub overhead_s: f64,
    /// Ticks per second, where the clock counts ticks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hz: Option<f64>,
}

/// The facts of a run that are known after its last sample.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct End {
    /// `done`, `interrupted` …
    pub state: String,
    /// Exit code.
    pub exit: i32,
    /// The host's state at the end.
    pub machine_state: State,
}

/// Statistics without samples: all an imported PAW row has. Times in seconds of one iteration, rates in SI units per second.
///
/// A statistic the file does not hold is NaN, a count it does not hold is 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Imported {
    /// Arithmetic mean.
    #[serde(deserialize_with = "number::or_nan")]
    pub mean: f64,
    /// Smallest.
    #[serde(deserialize_with = "number::or_nan")]
    pub min: f64,
    /// Largest.
    #[serde(deserialize_with = "number::or_nan")]
    pub max: f64,
    /// Population standard deviation.
    #[serde(deserialize_with = "number::or_nan")]
    pub sigma_pop: f64,
    /// Iterations of a repetition (NLOOP).
    pub loops: u64,
    /// Repetitions (NREPS).
    pub samples: u32,
}

/// A cell with all that was measured of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The cell.
    pub cell: Cell,
    /// Samples taken before measuring.
    pub warmup: WarmupSamples,
    /// Samples that count.
    pub samples: Samples,
    /// How it ended; `None` where the run was cut off first.
    pub outcome: Option<Outcome>,
    /// Imported statistics of the time, by cells that have no samples.
    pub imported_time: Option<Box<Imported>>,
    /// Imported statistics of the headline rate, by cells that have no samples.
    pub imported_rate: Option<Box<Imported>>,
    /// Its counted events, one for each group.
    pub counters: Vec<Counters>,
    /// What one call does in its innermost loops, where that was counted.
    pub executed: Option<Executed>,
}

impl Record {
    /// A cell without a measurement yet.
    pub fn new(cell: Cell) -> Self {
        Self {
            cell,
            warmup: WarmupSamples::default(),
            samples: Samples::default(),
            outcome: None,
            imported_time: None,
            imported_rate: None,
            counters: Vec::new(),
            executed: None,
        }
    }
}

/// Machine, plan, cells and samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The facts known before the first sample.
    pub header: Header,
    /// The clocks used, by their `id`.
    pub instruments: Vec<Instrument>,
    /// The teams of processes, by their `id`; none where every cell was measured by one.
    pub teams: Vec<Team>,
    /// The cells, in the order they were begun.
    pub records: Vec<Record>,
    /// Why kernels take their time, one for each build that was explained.
    pub explanations: Vec<Explanation>,
    /// Where processor time went, one for each program or build that was sampled.
    pub profiles: Vec<Profile>,
    /// What was found in compiled code, build by build; none where nobody asked.
    pub codes: Vec<Code>,
    /// The facts known after the last sample; `None` where the run was cut off.
    pub end: Option<End>,
    /// One sentence where the file was cut off or damaged: what is missing.
    pub damage: Option<String>,
}

impl Run {
    /// A run of which only the header is known.
    pub fn new(header: Header) -> Self {
        Self {
            header,
            instruments: Vec::new(),
            teams: Vec::new(),
            records: Vec::new(),
            explanations: Vec::new(),
            profiles: Vec::new(),
            codes: Vec::new(),
            end: None,
            damage: None,
        }
    }

    /// Whether the cell numbered `cell` was measured.
    pub fn is_measured(&self, cell: u32) -> bool {
        let record = self.records.iter().find(|record| record.cell.id == cell);
        let outcome = record.and_then(|record| record.outcome.as_ref());
        outcome.is_some_and(|outcome| outcome.status == Status::Measured)
    }

    /// The team that measured `cell`, where one did.
    pub fn team(&self, cell: &Cell) -> Option<&Team> {
        self.teams.iter().find(|team| Some(team.id) == cell.team)
    }
}
