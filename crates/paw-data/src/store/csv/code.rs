//! Rows of what was found in code: one for each figure of each innermost loop.

use super::CsvRow;
use crate::code::{Code, FunctionCode, LoopBody, LoopCode};
use crate::run::Run;

/// Hands `add` a row for each figure, with the build as provider and function, lines and address of the loop as point.
pub(super) fn write<E>(run: &Run, mut add: impl FnMut(&CsvRow<'_>) -> Result<(), E>) -> Result<(), E> {
    for code in &run.codes {
        for function in &code.functions {
            for found in &function.loops {
                let Some(body) = &found.body else { continue };
                for (quantity, unit, value) in figures(body) {
                    add(&row(run, code, &point(function, found), (quantity, unit, value)))?;
                }
            }
        }
    }
    Ok(())
}

fn row<'a>(
    run: &'a Run,
    code: &'a Code,
    point: &'a str,
    (quantity, unit, value): (&'static str, &'static str, f64),
) -> CsvRow<'a> {
    let kernel = run.header.kernel.as_ref().map_or("code", |kernel| kernel.name.as_str());
    CsvRow {
        benchmark: kernel,
        provider: if code.build.is_empty() { &code.file } else { &code.build },
        point,
        quantity,
        unit,
        statistic: "read",
        value: Some(value),
        low: None,
        high: None,
        samples: 0,
        status: "",
        method: "",
        clock: "",
        role: "subject",
        run: &run.header.id,
        ending: None,
    }
}

fn point(function: &FunctionCode, found: &LoopCode) -> String {
    let lines = found.source.as_ref().map(|lines| format!(" lines={}-{}", lines.first, lines.last));
    format!("function={} loop={:#x}{}", function.name, found.start, lines.unwrap_or_default())
}

/// Name, unit and value of the figures of a loop; what is not known has no row.
fn figures(body: &LoopBody) -> Vec<(&'static str, &'static str, f64)> {
    let count = |count: Option<u64>| count.map(|count| count as f64);
    let known = [
        ("paths", "", count(body.paths)),
        ("flop_per_iteration", "", Some(body.flop as f64)),
        ("loaded_per_iteration", "B", Some(body.load_bytes as f64)),
        ("stored_per_iteration", "B", Some(body.store_bytes as f64)),
        ("stack_per_iteration", "B", Some(body.stack_bytes as f64)),
        ("intensity", "flop/B", body.intensity()),
        ("packed_share", "", body.packed),
        ("vector_width", "B", body.vector_bytes.map(f64::from)),
        ("elements_per_iteration", "", count(body.elements)),
        ("unroll_factor", "", count(body.unroll)),
    ];
    known.into_iter().filter_map(|(name, unit, value)| Some((name, unit, value?))).collect()
}
