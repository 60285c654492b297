//! What a history keeps of a run: the machine, its state, and one figure for each measured cell.

pub mod levels;
pub mod series;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cell::Role;
use crate::machine::{Identity, State};
use crate::outcome::{CheckVerdict, Status};
use crate::point::Point;
use crate::quantity::Quantity;
use crate::run::{Record, Run};
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
    /// The host.
    #[serde(default)]
    pub identity: Identity,
    /// Its state at the start.
    #[serde(default)]
    pub state: State,
    /// What else may move numbers: the method, libraries, drivers of devices, variables.
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
    /// The point on the axes.
    #[serde(default)]
    pub point: Point,
    /// What the value counts.
    pub quantity: Quantity,
    /// The headline, in the SI unit of the quantity.
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
            identity: run.header.machine.identity.clone(),
            state: run.header.machine.state.clone(),
            circumstances: circumstances(run),
            figures: subjects.filter_map(|record| figure(run, record)).collect(),
        }
    }

    /// The machine that it ran on: see [`Identity::machine`].
    pub fn machine(&self) -> String {
        self.identity.machine()
    }
}

fn figure(run: &Run, record: &Record) -> Option<CellFigure> {
    let outcome = record.outcome.as_ref()?;
    let is_wrong = outcome.check.as_ref().is_some_and(|check| check.verdict == CheckVerdict::Fail);
    if outcome.status != Status::Measured || is_wrong {
        return None;
    }
    let summary = Summary::of(record, &run.header.plan.method).map(|summary| summary.on(&run.header.machine));
    let figure = match &summary {
        Some(summary) => summary.headline(),
        None => summary::headline(record, &run.header.plan.method)?,
    };
    let finite = |value: &f64| value.is_finite();
    Some(CellFigure {
        benchmark: record.cell.benchmark.to_string(),
        provider: record.cell.provider.to_string(),
        point: record.cell.point.clone(),
        quantity: record.cell.headline,
        value: Some(figure.value).filter(finite)?,
        low: figure.low.filter(finite),
        high: figure.high.filter(finite),
        samples: summary.as_ref().map_or(0, |summary| summary.n),
        trust: summary.map_or(String::new(), |summary| summary.trust(record).trust.word().to_owned()),
    })
}

/// What may move the numbers of a run, besides machine and state.
fn circumstances(run: &Run) -> BTreeMap<String, String> {
    let mut found = BTreeMap::from([("method".to_owned(), run.header.plan.method.name.clone())]);
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
