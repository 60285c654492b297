//! ONE View's metrics of two builds, by formulas recovered from its reports.

use paw_data::code::LoopBody;
use paw_data::efficiency::{MeasuredLoop, array_access, flow_complexity, loops_to_80, potential_speedup};
use paw_data::explanation::Ablation;

use crate::model::{Align, Column, Field, Row, Table};
use crate::number::significant;
use crate::side_by_side::{Pair, Side};

/// The metrics of both; none without code and profile of both.
pub fn table(pair: &Pair<'_>) -> Option<Table> {
    let (first, second) = (loops(&pair.first)?, loops(&pair.second)?);
    let columns = vec![
        Column::new("metric", Align::Left, Column::ALWAYS),
        Column::new("better is", Align::Left, 200),
        Column::new("first", Align::Right, Column::ALWAYS),
        Column::new("second", Align::Right, Column::ALWAYS),
    ];
    let row = |name: &str, better: &str, of: &dyn Fn(&[MeasuredLoop]) -> Option<String>| {
        let fields = [&first, &second].map(|loops| Field::maybe(of(loops)));
        Row { fields: [Field::from(name), better.into()].into_iter().chain(fields).collect(), ..Row::default() }
    };
    let number = |value: Option<f64>| value.map(|value| significant(value, 3));
    let rows = vec![
        row("time in innermost loops, %", "higher", &|loops| {
            number(Some(100.0 * loops.iter().map(|found| found.coverage).sum::<f64>()))
        }),
        row("array access efficiency, %", "higher", &|loops| number(array_access(loops))),
        row("flow complexity (mean paths)", "lower", &|loops| number(flow_complexity(loops))),
        row("speed-up if only FP arithmetic", "lower", &|loops| number(potential_speedup(loops))),
        row("loops to 80 % of it", "lower", &|loops| loops_to_80(loops).map(|n| n.to_string())),
    ];
    let mut table = Table::new("ONE View's metrics, by recovered formulas", columns, rows);
    table.note = "formulas recovered from reports of MAQAO ONE View 2.15, weighted by sampled coverage; the speed-up rests on the hot loop's arithmetic measured alone, where ONE View predicts".to_owned();
    Some(table)
}

/// The innermost loops with their coverage.
fn loops(side: &Side<'_>) -> Option<Vec<MeasuredLoop>> {
    let (code, profile) = (side.code?, side.profile?);
    let hot = side.explained.as_ref().and_then(|explained| explained.explanation.hot.as_ref());
    let alone = alone(side);
    let mut found = Vec::new();
    for time in profile.loop_times() {
        let Some(sampled) = profile.loops.get(time.index as usize) else { continue };
        let all = code.functions.iter().flat_map(|function| &function.loops);
        let Some(own) =
            all.filter(|own| own.start == sampled.address).find_map(|own| own.body.as_ref().map(|body| (own, body)))
        else {
            continue;
        };
        let is_hot = hot.is_some_and(|hot| hot.address >= own.0.start && hot.address < own.0.end);
        found.push(MeasuredLoop {
            coverage: time.own.share,
            streams: streams(own.1),
            paths: own.1.paths,
            arithmetic_alone: alone.filter(|_| is_hot),
        });
    }
    Some(found)
}

/// Accesses outside the stack, by stride.
fn streams(body: &LoopBody) -> [u32; 5] {
    ["0", "1", "n", "unknown", "indirect"].map(|stride| {
        body.accesses.iter().filter(|access| !access.stack && access.stride == stride).map(|access| access.count).sum()
    })
}

/// The time of the hot loop's arithmetic alone ÷ its time, at the first level.
fn alone(side: &Side<'_>) -> Option<f64> {
    let level = side.explained.as_ref()?.levels.first()?;
    let reduced = level.reduced.iter().find(|reduced| reduced.ablation == Ablation::ArithmeticAlone)?;
    let ratio = reduced.cycles / level.cycles;
    ratio.is_finite().then_some(ratio)
}
