//! What the code of two builds is: the busiest loop of each, fact by fact.

use paw_data::code::{CallCode, Code, LoopBody, LoopCode, words};

use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::number::significant;
use crate::side_by_side::{Pair, Side};

/// A row for each fact that one of the builds has; none without the code of both.
pub fn table(pair: &Pair<'_>) -> Option<Table> {
    let (first, second) = (facts(&pair.first, pair.first.code?), facts(&pair.second, pair.second.code?));
    let columns = vec![
        Column::new("the busiest loop", Align::Left, Column::ALWAYS),
        Column::new("first", Align::Left, Column::ALWAYS).shrinking(14),
        Column::new("second", Align::Left, Column::ALWAYS).shrinking(14),
    ];
    let row = |((name, a), (_, b)): ((&'static str, String), (&'static str, String))| {
        let tone = if a == b { Tone::Faint } else { Tone::Strong };
        let fields = vec![Field::from(name), Field::new(a, tone), Field::new(b, tone)];
        Row { fields, ..Row::default() }
    };
    let is_told = |((_, a), (_, b)): &((&str, String), (&str, String))| !(a.is_empty() && b.is_empty());
    let rows = first.into_iter().zip(second).filter(is_told).map(row);
    Some(Table::new("what the code does, as read from the file", columns, rows.collect()))
}

fn facts(side: &Side<'_>, code: &Code) -> Vec<(&'static str, String)> {
    let busiest = side.hot_loop();
    let of = |fact: &dyn Fn(&LoopCode, &LoopBody) -> String| {
        busiest.map_or(String::new(), |(_, found, body)| fact(found, body))
    };
    let options = side.rows.first().and_then(|(_, row)| row.build).map_or(String::new(), |build| build.flags.clone());
    vec![
        ("flags", options),
        ("lines", busiest.map_or(String::new(), |(function, found, _)| words::place(function, found))),
        ("calls", of(&|found, _| called(&found.calls))),
        ("vectors", of(&words::vectorisation)),
        ("unrolled", of(&|_, body| unrolled(body))),
        ("paths", of(&|_, body| words::paths(body))),
        ("instructions", of(&|found, _| found.instructions.to_string())),
        ("accesses", of(&|_, body| words::accesses(body).join("; "))),
        ("chains", of(&|_, body| words::recurrences(body).join(", "))),
        ("FLOP a byte", of(&|_, body| body.intensity().map_or(String::new(), |value| significant(value, 3)))),
        ("compiler says", remarks(code)),
    ]
}

/// `exp 4 times`, `none`.
fn called(calls: &[CallCode]) -> String {
    let words = words::calls(calls).unwrap_or_else(|| "none".to_owned());
    words.strip_prefix("calls ").unwrap_or(&words).replace("; calls ", "; ")
}

/// `4 times`, `no`.
fn unrolled(body: &LoopBody) -> String {
    match body.unroll {
        None => String::new(),
        Some(0 | 1) => "no".to_owned(),
        Some(times) => format!("{times} times"),
    }
}

/// What the compiler did not do, the first few remarks.
fn remarks(code: &Code) -> String {
    let not_done = code.functions.iter().flat_map(|function| &function.remarks).filter(|remark| !remark.done);
    not_done.take(2).map(|remark| format!("line {}: {}", remark.line, remark.text)).collect::<Vec<_>>().join("; ")
}
