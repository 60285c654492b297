//! What follows from an application's cells: rankings of alternatives, laws over threads, growth with the size.

use paw_stats::interval::Bounds;
use serde::Serialize;

use crate::comparison::Comparison;
use crate::point::Point;
use crate::run::Run;
use crate::scaling::{Growth, RankedRow, Ranking, Scaling, Sweep};

/// Rankings, laws and growths of a run; each empty where there are none.
#[derive(Serialize)]
pub(super) struct ScalingDocument {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rankings: Vec<RankingDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    laws: Vec<LawDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    growths: Vec<GrowthDocument>,
}

#[derive(Serialize)]
struct RankingDocument {
    point: Point,
    confidence: f64,
    alternatives: Vec<AlternativeDocument>,
}

#[derive(Serialize)]
struct AlternativeDocument {
    cell: u32,
    name: String,
    median_s: f64,
    best_s: f64,
    alike: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<ComparisonDocument>,
}

#[derive(Serialize)]
struct ComparisonDocument {
    against: String,
    ratio: f64,
    #[serde(flatten)]
    ends: Option<Ends>,
    verdict: &'static str,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds_needed: Option<usize>,
}

#[derive(Serialize)]
struct Ends {
    low: f64,
    high: f64,
}

impl From<Bounds> for Ends {
    fn from(ends: Bounds) -> Self {
        Self { low: ends.low, high: ends.high }
    }
}

#[derive(Serialize)]
struct LawDocument {
    point: Point,
    provider: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    amdahl: Option<AmdahlDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usl: Option<UslDocument>,
}

#[derive(Serialize)]
struct AmdahlDocument {
    serial: f64,
    #[serde(flatten)]
    ends: Option<Ends>,
    error: f64,
    fits: bool,
}

#[derive(Serialize)]
struct UslDocument {
    sigma: f64,
    kappa: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak: Option<f64>,
    error: f64,
}

#[derive(Serialize)]
struct GrowthDocument {
    provider: String,
    axis: String,
    point: Point,
    threads: u32,
    sizes: Vec<f64>,
    best_s: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<ModelDocument>,
}

/// c0 + c1·n^power·log2(n)^log_power.
#[derive(Serialize)]
struct ModelDocument {
    c0: f64,
    c1: f64,
    power: f64,
    log_power: i32,
    error: f64,
    tie: bool,
}

/// What follows from the cells of `run`; `None` if it measured no application.
pub(super) fn document(run: &Run) -> Option<ScalingDocument> {
    let scaling = Scaling::of(run)?;
    Some(ScalingDocument {
        rankings: scaling.rankings.iter().map(ranking).collect(),
        laws: scaling.sweeps.iter().filter_map(law).collect(),
        growths: scaling.growths.iter().map(growth).collect(),
    })
}

fn ranking(ranking: &Ranking<'_>) -> RankingDocument {
    let alternative = |row: &RankedRow<'_>| AlternativeDocument {
        cell: row.record.cell.id,
        name: row.name.clone(),
        median_s: row.timing.wall_s.median,
        best_s: row.timing.best_s(),
        alike: row.letters.clone(),
        comparison: row.against.clone().zip(row.comparison).map(comparison),
    };
    RankingDocument {
        point: ranking.place.clone(),
        confidence: ranking.confidence,
        alternatives: ranking.rows.iter().map(alternative).collect(),
    }
}

fn comparison((against, found): (String, Comparison)) -> ComparisonDocument {
    ComparisonDocument {
        against,
        ratio: found.ratio,
        ends: found.interval.map(Ends::from),
        verdict: found.verdict.word(),
        detail: found.verdict.detail(found.margin),
        rounds_needed: found.needed,
    }
}

fn law(sweep: &Sweep<'_>) -> Option<LawDocument> {
    let amdahl = sweep.amdahl.map(|law| AmdahlDocument {
        serial: law.serial,
        ends: law.interval.map(Ends::from),
        error: law.rms,
        fits: sweep.amdahl_misfit().is_none(),
    });
    let usl = sweep.usl.map(|law| UslDocument { sigma: law.sigma, kappa: law.kappa, peak: law.peak, error: law.rms });
    let (point, provider) = (sweep.size.clone(), sweep.provider.to_owned());
    (amdahl.is_some() || usl.is_some()).then_some(LawDocument { point, provider, amdahl, usl })
}

fn growth(growth: &Growth<'_>) -> GrowthDocument {
    let model = growth.model.map(|model| ModelDocument {
        c0: model.c0,
        c1: model.c1,
        power: model.term.i,
        log_power: model.term.j,
        error: model.smape,
        tie: model.tie,
    });
    GrowthDocument {
        provider: growth.provider.to_owned(),
        axis: growth.axis.to_owned(),
        point: growth.rest.clone(),
        threads: growth.threads,
        sizes: growth.points.iter().map(|point| point.0).collect(),
        best_s: growth.points.iter().map(|point| point.1).collect(),
        model,
    }
}
