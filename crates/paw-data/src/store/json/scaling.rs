//! What follows from an application's cells: rankings of alternatives, laws over threads, growth with the size.

use paw_stats::interval::Bounds;
use serde::Serialize;

use crate::comparison::Comparison;
use crate::point::Point;
use crate::run::Run;
use crate::scaling::{Growth, RankedRow, Ranking, Scaling, Sweep, TimeShare, Yardstick, YardstickKind};

/// Rankings, laws and growths of a run by its headline, by what else it has, and shares; each empty where there are none.
#[derive(Serialize)]
pub(super) struct ScalingDocument {
    #[serde(flatten)]
    headline: YardstickDocument,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_others: Vec<YardstickDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shares: Vec<ShareDocument>,
}

/// What follows by one yardstick; `by` and `unit` are absent by wall time.
#[derive(Serialize)]
struct YardstickDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rankings: Vec<RankingDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    laws: Vec<LawDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    growths: Vec<GrowthDocument>,
}

impl YardstickDocument {
    fn of(scaling: &Scaling<'_>) -> Self {
        let metric = scaling.yardstick.metric();
        Self {
            by: metric.map(|fact| fact.name.clone()),
            unit: metric.map(|_| scaling.yardstick.unit().to_owned()),
            rankings: scaling.rankings.iter().map(ranking).collect(),
            laws: scaling.sweeps.iter().filter_map(law).collect(),
            growths: scaling.growths.iter().map(|own| growth(own, scaling.yardstick)).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.rankings.is_empty() && self.laws.is_empty() && self.growths.is_empty()
    }
}

/// The share of a printed time in the wall time, or in another.
#[derive(Serialize)]
struct ShareDocument {
    part: String,
    whole: String,
    points: Vec<SharePoint>,
}

#[derive(Serialize)]
struct SharePoint {
    cell: u32,
    share: f64,
    #[serde(flatten)]
    ends: Option<Ends>,
    samples: usize,
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
    #[serde(flatten)]
    values: Values,
    alike: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<ComparisonDocument>,
}

/// Median and best: seconds of a time, else in the unit of the metric.
#[derive(Serialize)]
#[serde(untagged)]
enum Values {
    Seconds { median_s: f64, best_s: f64 },
    Other { median: f64, best: f64 },
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    best_s: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    best: Vec<f64>,
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
    let headline = YardstickDocument::of(&Scaling::of(run)?);
    let others = Scaling::others(run);
    let by_others = others.iter().map(YardstickDocument::of).filter(|own| !own.is_empty()).collect();
    let shares = TimeShare::all(run).iter().filter(|own| own.excess().is_none()).map(share).collect();
    Some(ScalingDocument { headline, by_others, shares })
}

fn share(own: &TimeShare<'_>) -> ShareDocument {
    let points = own.rows.iter().map(|row| SharePoint {
        cell: row.record.cell.id,
        share: row.share,
        ends: row.interval.map(|(low, high)| Ends { low, high }),
        samples: row.n,
    });
    let (part, whole) = (own.part.name().to_owned(), own.whole.name().to_owned());
    ShareDocument { part, whole, points: points.collect() }
}

/// Whether the values by `yardstick` are seconds.
fn is_time(yardstick: Yardstick<'_>) -> bool {
    matches!(yardstick.kind(), YardstickKind::Time(_))
}

fn ranking(ranking: &Ranking<'_>) -> RankingDocument {
    let alternative = |row: &RankedRow<'_>| AlternativeDocument {
        cell: row.record.cell.id,
        name: row.name.clone(),
        values: match (is_time(row.timing.yardstick), row.timing.median(), row.timing.value()) {
            (true, median_s, best_s) => Values::Seconds { median_s, best_s },
            (false, median, best) => Values::Other { median, best },
        },
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

fn growth(growth: &Growth<'_>, yardstick: Yardstick<'_>) -> GrowthDocument {
    let model = growth.model.map(|model| ModelDocument {
        c0: model.c0,
        c1: model.c1,
        power: model.term.i,
        log_power: model.term.j,
        error: model.smape,
        tie: model.tie,
    });
    let values = growth.points.iter().map(|point| point.1).collect();
    let (best_s, best) = if is_time(yardstick) { (values, Vec::new()) } else { (Vec::new(), values) };
    GrowthDocument {
        provider: growth.provider.to_owned(),
        axis: growth.axis.to_owned(),
        point: growth.rest.clone(),
        threads: growth.threads,
        sizes: growth.points.iter().map(|point| point.0).collect(),
        best_s,
        best,
        model,
    }
}
