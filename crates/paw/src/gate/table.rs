//! A gate's verdicts as a table, and as JSON.

use paw_data::baseline::Baseline;
use paw_data::baseline::judgement::{Judgement, Verdict};
use paw_sort::OrderBy;
use serde_json::{Value, json};

use crate::cli::Format;
use crate::gate::result::GateResult;
use crate::table::{Table, wrapped};

/// The verdicts in `format`; text has at most `width` columns, and begins with the answer.
pub fn written(result: &GateResult<'_>, format: Format, width: usize) -> String {
    if format == Format::Json {
        return format!("{:#}\n", document(result));
    }
    let table = table(result).written(format, width);
    if format != Format::Text {
        return table;
    }
    let line = format!("{}: {} ({})", result.answer(), result.counts(), result.file.display());
    let answer: String = wrapped(&line, width).iter().map(|line| format!("{line}\n")).collect();
    format!("{answer}{table}")
}

fn table(result: &GateResult<'_>) -> Table {
    let mut table = Table::new(&["verdict", "reference", "value", "against", "change", "bound", "why"]);
    let mut judgements: Vec<&Judgement<'_>> = result.judgements.iter().collect();
    let rank = |verdict: Verdict| Verdict::ALL.iter().position(|own| *own == verdict);
    judgements.order_by_key(|judgement| rank(judgement.verdict));
    for judgement in judgements {
        let baseline = judgement.baseline;
        let shown = |value: Option<f64>| value.map_or(String::new(), |value| baseline.unit.digits(value));
        // Without the sign of a negative zero.
        let percent = |change: f64| (1000.0 * change).round() / 10.0 + 0.0;
        let change = judgement.change().map_or(String::new(), |change| format!("{:+.1}%", percent(change)));
        let mark = if result.fails(judgement) { "!" } else { "" };
        table.row([
            &format!("{}{mark}", judgement.verdict.word()),
            &baseline.title(),
            &shown(judgement.figure.map(|figure| figure.value)),
            &baseline.unit.shown(baseline.value),
            &change,
            &shown(bound(baseline, judgement.verdict)),
            &judgement.why,
        ]);
    }
    table
}

/// The bound that decides a verdict.
fn bound(baseline: &Baseline, verdict: Verdict) -> Option<f64> {
    if verdict == Verdict::Suspicious { baseline.better() } else { baseline.worse() }
}

fn document(result: &GateResult<'_>) -> Value {
    let references: Vec<Value> = result.judgements.iter().map(|judgement| entry(result, judgement)).collect();
    let runs: Vec<&str> = result.runs.iter().map(|run| run.header.id.as_str()).collect();
    json!({
        "schema": "paw.gate/1",
        "against": result.file.display().to_string(),
        "runs": runs,
        "exit": result.code() as i32,
        "references": references,
    })
}

fn entry(result: &GateResult<'_>, judgement: &Judgement<'_>) -> Value {
    let baseline = judgement.baseline;
    let point: serde_json::Map<String, Value> =
        baseline.point.iter().map(|(axis, value)| (axis.to_owned(), json!(value))).collect();
    json!({
        "verdict": judgement.verdict.word(),
        "fails": result.fails(judgement),
        "benchmark": baseline.benchmark,
        "command": baseline.command.as_ref().map(ToString::to_string),
        "provider": baseline.provider,
        "point": point,
        "metric": baseline.metric,
        "statistic": baseline.statistic.word(),
        "unit": baseline.unit.plain(),
        "reference": baseline.value,
        "lower": baseline.lower,
        "upper": baseline.upper,
        "value": judgement.figure.map(|figure| figure.value),
        "low": judgement.figure.and_then(|figure| figure.low),
        "high": judgement.figure.and_then(|figure| figure.high),
        "wide_low": judgement.wide.map(|ends| ends.0),
        "wide_high": judgement.wide.map(|ends| ends.1),
        "looks_worse": judgement.looks_worse,
        "runs": judgement.runs,
        "line": baseline.line,
        "why": judgement.why,
    })
}
