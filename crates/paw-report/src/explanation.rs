//! Why a kernel takes its time, as parts of its chapter.

use paw_data::explained::{Bound, Explained, Finding, LevelExplained};
use paw_data::explanation::{Explanation, FormCost, HotLoop, Prediction};
use paw_data::run::Run;

use crate::model::{Align, Column, ColumnKind, Field, Part, Picture, Plots, Row, Sentence, Table, Tone, Value};
use crate::plot::ablations::{AblationBar, bars};

/// The parts of a chapter that explain the kernel of `run`; none where nothing was explained.
pub fn parts<'a>(run: &Run) -> Vec<Part<'a>> {
    run.explanations.iter().flat_map(of_one).collect()
}

fn of_one<'a>(explanation: &Explanation) -> Vec<Part<'a>> {
    let explained = Explained::of(explanation);
    let mut parts = vec![Part::Remarks(sentences(&explained).into_iter().map(Sentence::from).collect())];
    // Of a size without a figure the sentence says all.
    for level in explained.levels.iter().filter(|level| level.cycles.is_finite()) {
        parts.push(Part::Table(ablations(level), Some(drawn(level))));
        parts.push(Part::Table(bounds(level), None));
    }
    parts.push(Part::Table(forms(explanation), None));
    parts.push(Part::Table(predictions(explanation), None));
    parts.push(Part::Notes(notes(explanation)));
    parts
}

/// What binds, in sentences.
pub fn sentences(explained: &Explained<'_>) -> Vec<String> {
    let explanation = explained.explanation;
    let mut all = Vec::new();
    if !explanation.refused.is_empty() {
        all.push(format!("What binds is not known: {}.", explanation.refused));
    }
    all.extend(explanation.hot.as_ref().map(hot));
    let levels = explained.levels.iter().enumerate();
    all.extend(levels.map(|(number, level)| level.sentence(explanation, number == 0)));
    all
}

fn hot(hot: &HotLoop) -> String {
    let vectors = match (hot.bits, hot.bits_possible) {
        (bits, possible) if bits < possible && bits <= 64 => {
            format!("; it has no vectors, where this processor has some of {} bytes", possible / 8)
        }
        (bits, possible) if bits < possible => {
            format!("; its widest vectors have {} bytes, where this processor has {}", bits / 8, possible / 8)
        }
        (bits, _) => format!("; its widest vectors have {} bytes, the most that this processor has", bits / 8),
    };
    let calls = match hot.calls.as_slice() {
        [] => String::new(),
        names => format!("; it calls {}: it has no bound, and what the calls do is not taken apart", names.join(", ")),
    };
    let cold = match hot.cold_calls.as_slice() {
        [] => String::new(),
        names => format!("; it calls {} only in a case that never came up here", names.join(", ")),
    };
    let ways = match hot.ways {
        Some(1) => String::new(),
        Some(ways) => format!("; {ways} ways lead through it"),
        None if hot.blocks.is_empty() => String::new(),
        None => "; how many ways lead through it is not known".to_owned(),
    };
    format!(
        "The hot loop, {} instructions of {} at {:#x}, is run through {:.0} times a call for {:.3} iterations each, and has {:.0} % of the instructions executed in loops{vectors}{ways}{calls}{cold}.",
        hot.listing.len(),
        hot.function,
        hot.address,
        hot.trips,
        hot.iterations,
        100.0 * hot.share,
    )
}

/// `L1, n = 88`; of a size that was typed, `n = 88`.
fn place(level: &LevelExplained) -> String {
    let size = format!("n = {}", level.n);
    if level.level == size { size } else { format!("{}, {size}", level.level) }
}

fn ablations(level: &LevelExplained) -> Table {
    let columns = vec![
        Column::new("changed", Align::Left, Column::ALWAYS),
        Column::new("core\ncycles", Align::Right, Column::ALWAYS).titled("core cycles an iteration"),
        Column::new("", Align::Left, 150).of(ColumnKind::Bar),
        Column::new("less\ntime", Align::Right, Column::ALWAYS),
        Column::new("note", Align::Left, 200).shrinking(20),
    ];
    let all = level.reduced.iter().map(|reduced| reduced.cycles).chain([level.cycles]);
    let longest = all.filter(|cycles| cycles.is_finite()).fold(0.0, f64::max);
    let row = |name: &str, cycles: f64, less: Option<f64>, why: &str| {
        let bar = cycles.is_finite().then(|| Field::default().with(Value::Bar(cycles / longest, None)));
        let number = |value: f64| if value.is_finite() { format!("{value:.3}") } else { String::new() };
        let less = less.filter(|less| less.is_finite()).map(|less| format!("{:.0} %", 100.0 * less));
        let fields = vec![
            Field::from(name),
            Field::new(number(cycles), Tone::Strong),
            bar.unwrap_or_default(),
            Field::maybe(less),
            Field::new(why, Tone::Faint),
        ];
        Row { fields, ..Row::default() }
    };
    let fenced =
        level.fenced.map(|cycles| row("the kernel, each call fenced", cycles, Some(1.0 - cycles / level.cycles), ""));
    let reduced = level.reduced.iter().map(|r| row(r.ablation.words(), r.cycles, Some(r.share), &r.why));
    let rows = std::iter::once(row("nothing", level.cycles, None, &level.why)).chain(fenced).chain(reduced).collect();
    Table::dense(format!("{}: an iteration without parts of the loop", place(level)), columns, rows)
}

/// Bars of the kernel and of what is left without each part.
fn drawn<'a>(level: &LevelExplained) -> Plots<'a> {
    let bar = |name: &str, cycles: f64| AblationBar { name: name.to_owned(), cycles: vec![cycles] };
    let reduced = level.reduced.iter().filter(|reduced| reduced.cycles.is_finite());
    let reduced = reduced.map(|reduced| bar(reduced.ablation.words(), reduced.cycles));
    let all: Vec<AblationBar> = std::iter::once(bar("nothing", level.cycles)).chain(reduced).collect();
    Plots::new(move |_| {
        let picture = |svg| {
            Picture {
            svg,
            title: "Without parts of itself".to_owned(),
            caption: "Core cycles of an iteration: the kernel as it is, then with a part of its hot loop taken away. The dashed \
                      line is the kernel; the further a bar ends before it, the more that part costs. No-operations, and what \
                      is measured alone, are bounds: the kernel cannot be faster."
                .to_owned(),
            legend: Vec::new(),
        }
        };
        bars(&[String::new()], &all).into_iter().map(picture).collect()
    })
}

/// What the instructions of the hot loop cost on this core.
fn forms(explanation: &Explanation) -> Table {
    let columns = vec![
        Column::new("instruction", Align::Left, Column::ALWAYS),
        Column::new("in the\nloop", Align::Right, Column::ALWAYS),
        Column::new("latency\ncycles", Align::Right, Column::ALWAYS),
        Column::new("cycles\nof one", Align::Right, Column::ALWAYS),
        Column::new("note", Align::Left, 200).shrinking(20),
    ];
    let number = |cycles: Option<f64>| Field::maybe(cycles.map(|cycles| format!("{cycles:.2}")));
    let row = |cost: &FormCost| Row {
        fields: vec![
            Field::from(cost.form.as_str()),
            Field::from(cost.count.to_string()),
            number(cost.latency),
            number(cost.throughput),
            Field::new(cost.why.as_str(), Tone::Faint),
        ],
        ..Row::default()
    };
    let rows = explanation.forms.iter().map(row).collect();
    Table::dense("what its instructions cost on this core, measured", columns, rows)
}

/// Bounds by other programs.
fn predictions(explanation: &Explanation) -> Table {
    let columns = vec![
        Column::new("program", Align::Left, Column::ALWAYS),
        Column::new("model", Align::Left, Column::ALWAYS),
        Column::new("cycles an\niteration", Align::Right, Column::ALWAYS),
        Column::new("unknown to it", Align::Left, 190).shrinking(20),
        Column::new("note", Align::Left, 200).shrinking(20),
    ];
    let iterations = explanation.hot.as_ref().map_or(f64::NAN, |hot| hot.iterations);
    let row = |prediction: &Prediction| Row {
        fields: vec![
            Field::from(prediction.tool.as_str()),
            Field::from(prediction.model.as_str()),
            Field::maybe(prediction.cycles.map(|cycles| format!("{:.3}", cycles / iterations))),
            Field::new(prediction.unknown.join("; "), Tone::Doubt),
            Field::new(prediction.note.as_str(), Tone::Faint),
        ],
        ..Row::default()
    };
    let rows = explanation.predictions.iter().map(row).collect();
    Table::dense("predictions of other programs, from tables and not from this core", columns, rows)
}

/// The loop, its longest chain and the core, in words.
fn notes(explanation: &Explanation) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(chain) = &explanation.recurrence {
        let unknown = match chain.unknown.as_slice() {
            [] => String::new(),
            names => format!("; counted as one cycle, because its latency is unknown: {}", names.join(", ")),
        };
        let way = chain.share.map_or_else(String::new, |share| {
            format!(" on the way that {:.0} % of the runs take at least", 100.0 * share)
        });
        notes.push(format!(
            "The longest chain from one run through the loop to the next takes {:.2} cycles{way}: {}{unknown}.",
            chain.cycles,
            chain.chain.join("; ")
        ));
    }
    if !explanation.recurrence_unknown.is_empty() {
        notes.push(format!("Its longest chain is not known: {}.", explanation.recurrence_unknown));
    }
    let uncounted = explanation.hot.iter().flat_map(|hot| &hot.uncounted);
    notes.extend(uncounted.map(|why| format!("Another loop may be hotter: {why}.")));
    if let (Some(width), Some(load)) = (explanation.width, explanation.load_cycles) {
        notes.push(format!(
            "When it was measured, this core took {width:.1} instructions a cycle where none waits, and {load:.1} cycles for a load from L1."
        ));
    }
    notes.extend(explanation.hot.as_ref().map(|hot| format!("The hot loop: {}.", hot.listing.join("; "))));
    notes
}

fn bounds(level: &LevelExplained) -> Table {
    let columns = vec![
        Column::new("bound", Align::Left, Column::ALWAYS),
        Column::new("core\ncycles", Align::Right, Column::ALWAYS).titled("core cycles an iteration"),
        Column::new("of the\ntime", Align::Right, Column::ALWAYS).titled("of the time measured"),
        Column::new("", Align::Left, Column::ALWAYS),
    ];
    let binds = |bound: &Bound| matches!(&level.finding, Finding::Binds(binds) if binds == bound);
    let row = |bound: &Bound| Row {
        fields: vec![
            Field::from(bound.resource.words()),
            Field::new(format!("{:.3}", bound.cycles), Tone::Strong),
            Field::from(format!("{:.0} %", 100.0 * bound.cycles / level.cycles)),
            Field::from(if binds(bound) { "binds" } else { "" }),
        ],
        ..Row::default()
    };
    let rows = level.bounds.iter().map(row).collect();
    Table::new(format!("{}: bounds of an iteration", place(level)), columns, rows)
}
