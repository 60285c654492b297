//! Rows of explanations: what a loop costs as it stands and without parts of itself, its bounds, and what its instructions cost.

use super::{CsvRow, finite};
use crate::explained::{Explained, Finding, LevelExplained, figure};
use crate::explanation::{Explanation, ExplanationRow};
use crate::run::Run;

/// A row but for the build and the run.
struct Figure {
    point: String,
    quantity: &'static str,
    unit: &'static str,
    statistic: &'static str,
    value: f64,
    samples: usize,
    status: &'static str,
    method: String,
}

/// Hands `add` a row for each figure, with the build as provider.
pub(super) fn write<E>(run: &Run, mut add: impl FnMut(&CsvRow<'_>) -> Result<(), E>) -> Result<(), E> {
    let kernel = run.header.kernel.as_ref().map_or("code", |kernel| kernel.name.as_str());
    for explanation in &run.explanations {
        for figure in figures(explanation) {
            add(&CsvRow {
                benchmark: kernel,
                provider: &explanation.build,
                point: &figure.point,
                quantity: figure.quantity,
                unit: figure.unit,
                statistic: figure.statistic,
                value: finite(figure.value),
                low: None,
                high: None,
                samples: figure.samples,
                status: figure.status,
                method: &figure.method,
                clock: "",
                role: "subject",
                run: &run.header.id,
                ending: None,
            })?;
        }
    }
    Ok(())
}

fn figures(explanation: &Explanation) -> Vec<Figure> {
    let mut all = of_loop(explanation);
    all.extend(explanation.rows.iter().map(measured));
    all.extend(Explained::of(explanation).levels.iter().flat_map(derived));
    all.extend(of_core(explanation));
    all.extend(predicted(explanation));
    all
}

/// A figure in core cycles.
fn cycles(point: String, quantity: &'static str, statistic: &'static str, value: f64) -> Figure {
    let (samples, status, method) = (0, "", String::new());
    Figure { point, quantity, unit: "cycles", statistic, value, samples, status, method }
}

fn loop_point(explanation: &Explanation) -> String {
    let hot = explanation.hot.as_ref();
    hot.map_or_else(String::new, |hot| format!("function={} loop={:#x}", hot.function, hot.address))
}

fn of_loop(explanation: &Explanation) -> Vec<Figure> {
    let Some(hot) = &explanation.hot else { return Vec::new() };
    let plain = |quantity, value| Figure { unit: "", ..cycles(loop_point(explanation), quantity, "counted", value) };
    let chain = explanation.recurrence.as_ref();
    let chain =
        chain.map(|chain| cycles(loop_point(explanation), "recurrence_cycles", "bound", chain.cycles / hot.iterations));
    let counted = [
        plain("trips", hot.trips),
        plain("iterations_per_trip", hot.iterations),
        plain("share_of_instructions", hot.share),
    ];
    counted.into_iter().chain(chain).collect()
}

/// The row of a loop that was measured, unchanged or changed.
fn measured(row: &ExplanationRow) -> Figure {
    let change = match row.ablation {
        Some(ablation) => ablation.id(),
        None if row.fenced => "fenced".to_owned(),
        None => "none".to_owned(),
    };
    let value = figure(row);
    Figure {
        samples: row.cycles.len(),
        status: if value.is_finite() { "measured" } else { "failed" },
        ..cycles(format!("{} change={change}", place(&row.level, row.n)), "ablation_cycles", "lower_quartile", value)
    }
}

fn place(level: &str, n: u64) -> String {
    format!("level={level} n={n}")
}

/// What is derived of a size: shares and bounds.
fn derived(level: &LevelExplained) -> Vec<Figure> {
    let at = place(&level.level, level.n);
    let share = |reduced: &crate::explained::Reduced| Figure {
        unit: "",
        ..cycles(format!("{at} change={}", reduced.ablation.id()), "ablation_share", "less", reduced.share)
    };
    let bound = |bound: &crate::explained::Bound| Figure {
        status: if matches!(&level.finding, Finding::Binds(binds) if binds == bound) { "binds" } else { "" },
        ..cycles(format!("{at} bound={}", bound.resource.id()), "bound_cycles", "bound", bound.cycles)
    };
    level.reduced.iter().map(share).chain(level.bounds.iter().map(bound)).collect()
}

/// What instructions cost on the core.
fn of_core(explanation: &Explanation) -> Vec<Figure> {
    let one = |point: &str, quantity, value: f64| cycles(point.to_owned(), quantity, "lower_quartile", value);
    let width = explanation.width.map(|width| Figure { unit: "", ..one("", "instructions_per_cycle", width) });
    let load = explanation.load_cycles.map(|load| one("", "load_cycles", load));
    let forms = explanation.forms.iter().flat_map(|cost| {
        let point = format!("form={}", cost.form);
        let latency = cost.latency.map(|latency| one(&point, "latency_cycles", latency));
        latency.into_iter().chain(cost.throughput.map(|each| one(&point, "throughput_cycles", each)))
    });
    width.into_iter().chain(load).chain(forms).collect()
}

/// Bounds by other programs, of one iteration of the kernel.
fn predicted(explanation: &Explanation) -> Vec<Figure> {
    let iterations = explanation.hot.as_ref().map_or(f64::NAN, |hot| hot.iterations);
    let one = |prediction: &crate::explanation::Prediction| Figure {
        status: "predicted",
        method: format!("{} {}", prediction.tool, prediction.model).trim_end().to_owned(),
        ..cycles(
            loop_point(explanation),
            "predicted_cycles",
            "bound",
            prediction.cycles.map_or(f64::NAN, |cycles| cycles / iterations),
        )
    };
    explanation.predictions.iter().map(one).collect()
}
