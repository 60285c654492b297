//! The tables about code.

use paw_data::code::{Code, FunctionCode, LoopBody, LoopCode, words};

use crate::model::{Align, BuildName, Column, ColumnKind, Field, Row, Table, Tone, Value};

/// A loop with all that it belongs to.
struct Found<'a> {
    code: &'a Code,
    function: &'a FunctionCode,
    found: &'a LoopCode,
    body: &'a LoopBody,
}

/// Innermost loops of all builds.
fn innermost(codes: &[Code]) -> Vec<Found<'_>> {
    let mut all = Vec::new();
    for code in codes {
        for function in &code.functions {
            for found in &function.loops {
                all.extend(found.body.as_ref().map(|body| Found { code, function, found, body }));
            }
        }
    }
    all
}

/// The first columns of every table: build, function, loop.
fn keys() -> Vec<Column> {
    vec![
        Column::new("build", Align::Left, Column::ALWAYS),
        Column::new("function", Align::Left, 60).shrinking(12),
        Column::new("loop", Align::Left, Column::ALWAYS).of(ColumnKind::Name),
    ]
}

/// How many they are.
const KEYS: usize = 3;

fn key_fields(one: &Found<'_>, several: bool) -> Vec<Field> {
    let function = if several { one.function.name.clone() } else { String::new() };
    let role = words::role(one.body);
    let place = words::place(one.function, one.found);
    let place = if role.is_empty() { place } else { format!("{place} ({role})") };
    let name = Value::Name(Box::new(BuildName { build: place.clone(), variant: String::new() }));
    vec![one.code.build.clone().into(), function.into(), Field::new(place, Tone::Strong).with(name)]
}

/// Whether loops of more than one function are shown.
fn several(all: &[Found<'_>]) -> bool {
    all.iter().any(|one| one.function.name != all[0].function.name)
}

fn table(title: &str, codes: &[Code], columns: Vec<Column>, row: impl Fn(&Found<'_>) -> Vec<Vec<Field>>) -> Table {
    let all = innermost(codes);
    let several = !all.is_empty() && several(&all);
    let mut rows = Vec::new();
    for one in &all {
        for (number, fields) in row(one).into_iter().enumerate() {
            // The rows of one loop have its name once.
            let keys = if number == 0 { key_fields(one, several) } else { vec![Field::from(""); KEYS] };
            let fields = keys.into_iter().chain(fields).collect();
            rows.push(Row { fields, ..Row::default() });
        }
    }
    Table::dense(title, keys().into_iter().chain(columns).collect(), rows)
}

fn number(title: &str, importance: u8) -> Column {
    Column::new(title, Align::Right, importance)
}

fn count(value: u64) -> Field {
    if value == 0 { Field::new("-", Tone::Faint) } else { value.to_string().into() }
}

fn maybe(value: Option<u64>) -> Field {
    value.map_or_else(|| Field::new("?", Tone::Faint), |value| value.to_string().into())
}

/// How each innermost loop computes.
pub(super) fn loops(codes: &[Code]) -> Table {
    let columns = vec![
        Column::new("arithmetic", Align::Left, 90).shrinking(20),
        Column::new("calls", Align::Left, 80).shrinking(20),
        number("paths", 70),
        number("elements", 50),
        number("unrolled", 40),
    ];
    table("innermost loops", codes, columns, |one| {
        let calls = words::calls(&one.found.calls).unwrap_or_default();
        vec![vec![
            words::vectorisation(one.found, one.body).into(),
            calls.into(),
            maybe(one.body.paths),
            maybe(one.body.elements),
            if one.body.unroll == Some(1) { Field::new("no", Tone::Faint) } else { maybe(one.body.unroll) },
        ]]
    })
}

/// What an iteration of each has.
pub(super) fn iterations(codes: &[Code]) -> Table {
    let columns = vec![
        number("FLOP", 90),
        number("loaded\nB", 80),
        number("stored\nB", 80),
        number("stack\nB", 60),
        number("FLOP/B", 85),
        number("instruc-\ntions", 70).titled("instructions"),
        number("arith-\nmetic", 50).titled("arithmetic"),
        number("moves", 45),
        number("integer", 45),
        number("shuffles", 40),
        number("vector\nintegers", 30),
        number("conver-\nsions", 30).titled("conversions"),
        number("branches", 20),
    ];
    table("in one iteration", codes, columns, |one| {
        let body = one.body;
        let mix = &body.mix;
        let intensity =
            body.intensity().map_or_else(|| Field::new("-", Tone::Faint), |ratio| format!("{ratio:.3}").into());
        let counts =
            [mix.arithmetic, mix.moves, mix.integer, mix.shuffle, mix.vector_integer, mix.conversion, mix.branch];
        let mut fields = vec![
            count(body.flop),
            count(body.load_bytes),
            count(body.store_bytes),
            count(body.stack_bytes),
            intensity,
            u64::from(one.found.instructions).to_string().into(),
        ];
        fields.extend(counts.into_iter().map(|value| count(u64::from(value))));
        vec![fields]
    })
}

/// Loads and stores by stride.
pub(super) fn memory(codes: &[Code]) -> Table {
    let columns = vec![Column::new("access", Align::Left, Column::ALWAYS)];
    table("memory in one iteration", codes, columns, |one| {
        words::accesses(one.body).into_iter().map(|access| vec![access.into()]).collect()
    })
}

/// Values that an iteration needs from the one before it.
pub(super) fn chains(codes: &[Code]) -> Table {
    let columns = vec![
        Column::new("chain", Align::Left, Column::ALWAYS),
        Column::new("instructions", Align::Left, 50).shrinking(16),
    ];
    table("from one iteration to the next", codes, columns, |one| {
        let chains = one.body.recurrences.iter().filter(|chain| chain.kind != "counter");
        let texts = chains.map(|chain| {
            let shown: Vec<&str> = chain.instructions.iter().take(3).map(|line| line.text.as_str()).collect();
            let more = if chain.instructions.len() > 3 { "; …" } else { "" };
            shown.join("; ") + more
        });
        words::recurrences(one.body)
            .into_iter()
            .zip(texts)
            .map(|(words, text)| vec![words.into(), text.into()])
            .collect()
    })
}

/// Calls of every function, in loops or not.
pub(super) fn calls(codes: &[Code]) -> Table {
    let columns = vec![
        Column::new("build", Align::Left, Column::ALWAYS),
        Column::new("function", Align::Left, Column::ALWAYS),
        Column::new("calls", Align::Left, Column::ALWAYS),
        Column::new("symbol", Align::Left, 40).shrinking(12),
        number("line", 50),
        Column::new("in a loop", Align::Left, 60),
    ];
    let mut rows: Vec<Row> = Vec::new();
    for code in codes {
        for function in &code.functions {
            for call in &function.calls {
                let words = words::call(call);
                let fields: Vec<Field> = vec![
                    code.build.clone().into(),
                    function.name.clone().into(),
                    words.strip_prefix("calls ").unwrap_or(&words).to_owned().into(),
                    call.symbol.clone().into(),
                    Field::maybe(call.line.map(|line| line.to_string())),
                    if call.within.is_some() { "yes" } else { "no" }.into(),
                ];
                if rows.last().is_none_or(|last| last.fields != fields) {
                    rows.push(Row { fields, ..Row::default() });
                }
            }
        }
    }
    Table::dense("calls", columns, rows)
}

/// What the compilers said.
pub(super) fn remarks(codes: &[Code]) -> Table {
    let columns = vec![
        Column::new("build", Align::Left, Column::ALWAYS),
        number("line", Column::ALWAYS),
        Column::new("the compiler said", Align::Left, Column::ALWAYS),
    ];
    let mut rows = Vec::new();
    for code in codes {
        for remark in code.functions.iter().flat_map(|function| &function.remarks) {
            let tone = if remark.done { Tone::Good } else { Tone::Plain };
            let fields =
                vec![code.build.clone().into(), remark.line.to_string().into(), Field::new(remark.text.clone(), tone)];
            let row = Row { fields, ..Row::default() };
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    Table::dense("the compilers' own records", columns, rows)
}
