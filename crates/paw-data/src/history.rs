//! What a history keeps of a run: the machine, its state, and one figure for each measured cell.

pub mod levels;
pub mod series;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::application::{Better, MetricFact};
use crate::between_runs::BetweenRuns;
use crate::cell::Role;
use crate::machine::{Identity, State};
use crate::outcome::{CheckVerdict, Status};
use crate::point::Point;
use crate::quantity::Quantity;
use crate::run::{Record, Run};
use crate::scaling::Yardstick;
use crate::summary::{self, Summary};

/// Version of the format this crate writes.
pub const SCHEMA: &str = "paw.history/1";

/// What a history keeps of one run. It is a digest: the run itself stays where `source` says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunDigest {
    /// [`SCHEMA`].
    pub schema: String,
    /// Name of the run.
    pub run: String,
    /// Start of the run, RFC 3339 in UTC; empty where it is not known.
    pub utc: String,
    /// Where the run lay when it was added.
    #[serde(default)]
    pub source: String,
    /// Program and version that measured.
    pub tool: String,
    /// Name of the interrupted run whose cells this one took over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<String>,
    /// The host.
    #[serde(default)]
    pub identity: Identity,
    /// Its state at the start.
    #[serde(default)]
    pub state: State,
    /// What else may move numbers: the method, libraries, drivers of devices, sources and inputs, variables.
    #[serde(default)]
    pub circumstances: BTreeMap<String, String>,
    /// The measured cells.
    #[serde(default)]
    pub figures: Vec<CellFigure>,
}

/// The figure of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellFigure {
    /// Name of the benchmark.
    pub benchmark: String,
    /// The provider.
    pub provider: String,
    /// The command line that was measured, with its placeholders; empty where no program was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// The point on the axes.
    #[serde(default)]
    pub point: Point,
    /// What the value counts.
    #[serde(flatten)]
    pub measure: Measure,
    /// The headline, in [`Measure::unit`].
    pub value: f64,
    /// The smaller end of its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The larger end of its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Samples that it comes from.
    pub samples: usize,
    /// The word of trust; empty where there is none, as of imported rows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trust: String,
}

/// What a figure counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// What paw measures.
    Quantity(Quantity),
    /// A number that the program prints.
    Metric(MetricFact),
}

impl Measure {
    /// The unit of values: that of SI, or the one in which the program prints; may be empty.
    pub fn unit(&self) -> &str {
        match self {
            Self::Quantity(quantity) => quantity.unit(),
            Self::Metric(metric) => &metric.unit,
        }
    }

    /// The quantity; `None` of a metric.
    pub fn quantity(&self) -> Option<Quantity> {
        if let Self::Quantity(quantity) = self { Some(*quantity) } else { None }
    }

    /// The name of the metric; empty of a quantity.
    pub fn metric(&self) -> &str {
        if let Self::Metric(metric) = self { &metric.name } else { "" }
    }

    /// Whether more of it is better.
    pub fn more_is_better(&self) -> bool {
        match self {
            Self::Quantity(quantity) => quantity.more_is_better(),
            Self::Metric(metric) => metric.better == Better::Higher,
        }
    }
}

impl CellFigure {
    /// What it is of, in one text: figures with the same one can be held against each other.
    pub fn subject(&self) -> String {
        let Self { benchmark, provider, point, measure, .. } = self;
        format!("{benchmark}\0{provider}\0{point}\0{measure:?}")
    }
}

impl RunDigest {
    /// The digest of `run`, which lies at `source`: subjects that were measured and whose answers are right.
    pub fn of(run: &Run, source: String) -> Self {
        let subjects = run.records.iter().filter(|record| record.cell.role == Role::Subject);
        Self {
            schema: SCHEMA.to_owned(),
            run: run.header.id.clone(),
            utc: run.header.utc.clone(),
            source,
            tool: run.header.tool.clone(),
            resumed: run.header.app.as_ref().and_then(|app| app.resumed.clone()),
            identity: run.header.machine.identity.clone(),
            state: run.header.machine.state.clone(),
            circumstances: circumstances(run),
            figures: subjects.flat_map(|record| figures(run, record)).collect(),
        }
    }

    /// The machine that it ran on: see [`Identity::machine`].
    pub fn machine(&self) -> String {
        self.identity.machine()
    }
}

/// The headline of a cell, and what its program printed.
fn figures(run: &Run, record: &Record) -> Vec<CellFigure> {
    let Some(outcome) = &record.outcome else { return Vec::new() };
    let is_wrong = outcome.check.as_ref().is_some_and(|check| check.verdict == CheckVerdict::Fail);
    if outcome.status != Status::Measured || is_wrong {
        return Vec::new();
    }
    let metrics = run.header.app.iter().flat_map(|app| &app.metrics);
    let own = figure(run, record, Measure::Quantity(record.cell.headline));
    own.into_iter().chain(metrics.filter_map(|metric| figure(run, record, Measure::Metric(metric.clone())))).collect()
}

fn figure(run: &Run, record: &Record, measure: Measure) -> Option<CellFigure> {
    let method = &run.header.plan.method;
    let yardstick = match &measure {
        Measure::Quantity(_) => Yardstick::WallTime,
        Measure::Metric(metric) => Yardstick::Metric(metric),
    };
    let seen = yardstick.seen(record);
    let summary = Summary::of(&seen, method).map(|summary| summary.on(&run.header.machine));
    let figure = match (&summary, &measure) {
        (Some(summary), Measure::Quantity(_)) => summary.headline(),
        (Some(summary), Measure::Metric(_)) => {
            yardstick.figure(summary.figure(Quantity::Time, summary.headline_s(), summary.headline_interval_s()))
        }
        (None, Measure::Quantity(_)) => summary::headline(record, method, BetweenRuns::UNKNOWN)?,
        (None, Measure::Metric(_)) => return None,
    };
    let finite = |value: &f64| value.is_finite();
    let is_of = |(name, _): &(&str, &[String])| *name == &*record.cell.provider;
    let program = run.header.app.as_ref().and_then(|app| app.commands().find(is_of)).map(|(_, words)| words.join(" "));
    Some(CellFigure {
        benchmark: record.cell.benchmark.to_string(),
        provider: record.cell.provider.to_string(),
        program: program.unwrap_or_default(),
        point: record.cell.point.clone(),
        measure,
        value: Some(figure.value).filter(|value| is_figure(*value))?,
        low: figure.low.filter(finite),
        high: figure.high.filter(finite),
        samples: summary.as_ref().map_or(0, |summary| summary.n),
        trust: summary.map_or(String::new(), |summary| summary.trust(&seen).trust.word().to_owned()),
    })
}

/// Whether `value` can be a headline: levels and their ratios are of positive numbers.
pub fn is_figure(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// What may move the numbers of a run, besides machine and state.
fn circumstances(run: &Run) -> BTreeMap<String, String> {
    let method = &run.header.plan.method;
    let mut found = BTreeMap::from([("method".to_owned(), method.name.clone())]);
    // Its parameters, as the run has them.
    if let Ok(serde_json::Value::Object(parameters)) = serde_json::to_value(method) {
        let text = |value: serde_json::Value| value.to_string().replace('"', "");
        let parameters = parameters.into_iter().filter(|(name, _)| name != "name");
        found.extend(parameters.map(|(name, value)| (format!("method's {name}"), text(value))));
    }
    let inputs = run.header.app.iter().flat_map(|app| &app.inputs).map(|fact| ("input", fact));
    let sources = run.header.kernel.iter().flat_map(|kernel| &kernel.sources).map(|fact| ("source", fact));
    let files = inputs.chain(sources);
    found.extend(files.map(|(kind, fact)| (format!("{kind} {}", fact.path), fact.short_hash().to_owned())));
    found.extend(run.header.env.iter().map(|(name, value)| (format!("${name}"), value.clone())));
    for device in &run.header.machine.devices {
        let words = [device.product.as_str(), device.driver.as_str(), device.api.as_str()];
        found.insert(format!("device {}", device.id), words.join(" ").trim().to_owned());
    }
    for cell in run.records.iter().map(|record| &record.cell) {
        if let Some(library) = &cell.library {
            let text = format!("{} {}", library.version, library.core).trim().to_owned();
            found.entry(format!("library {}", cell.provider)).or_insert(text);
        }
        if let Some(build) = &cell.build {
            found.entry(format!("compiler {}", build.compiler)).or_insert_with(|| build.version.clone());
        }
    }
    found
}
