//! The further tables of an application: speed-ups by size, laws, growth, copies, printed numbers.

use paw_data::scaling::{FittedPeak, Growth, Indecision, Scaling, ScalingEnd, Sweep, Yardstick};
use paw_stats::amdahl;
use paw_stats::size_model::{SizeModel, Term};

use crate::application::threads::Keys;
use crate::application::{division, figure, words};
use crate::model::{Absent, Align, Column, Field, Row, Table, Tone};
use crate::number::{self, percent, significant};

fn number_column(title: impl Into<String>, importance: u8) -> Column {
    Column::new(title, Align::Right, importance)
}

fn row(fields: Vec<Field>, cell: Option<u32>) -> Row {
    Row { fields, absent: None, cell }
}

/// What the sizes and commands of `scaling` differ in.
pub fn sweep_keys<'s>(scaling: &'s Scaling<'_>) -> Keys<'s> {
    Keys::of(scaling.sweeps.iter().map(|s| &s.size), scaling.sweeps.iter().map(|s| s.provider))
}

/// Speed-ups, or best times without a base: a row for each size and command, a column for each thread count.
pub fn matrix(scaling: &Scaling<'_>) -> Table {
    let sweeps: Vec<&Sweep<'_>> = scaling.sweeps.iter().collect();
    let mut counts: Vec<Option<u32>> = sweeps.iter().flat_map(|s| &s.rows).map(|r| r.told()).collect();
    counts.sort_unstable();
    counts.dedup();
    let has_speedup = sweeps.iter().flat_map(|s| &s.rows).any(|r| r.speedup.is_some());
    let keys = sweep_keys(scaling);
    let bases = sweeps.iter().filter_map(|s| s.base.map(|(_, t)| t.value()));
    let values = sweeps.iter().flat_map(|s| &s.rows).filter_map(|r| Some(r.timing?.value()));
    let scale = figure::scale(scaling.yardstick, bases.chain(values));
    let mut columns = keys.columns();
    columns.push(number_column(words::over_unit("base", &scale.unit), 200));
    let is_crowded =
        |threads: Option<u32>| sweeps.iter().flat_map(|s| &s.rows).any(|r| r.told() == threads && r.oversubscribed());
    let title = |threads: &Option<u32>| match threads {
        Some(threads) => format!("{threads}{}", if is_crowded(Some(*threads)) { "*" } else { "" }),
        None if counts.len() > 1 => number::ABSENT.to_owned(),
        None => if has_speedup { "speed-up" } else { "best" }.to_owned(),
    };
    columns.extend(counts.iter().map(|threads| number_column(title(threads), Column::ALWAYS)));
    let line = |sweep: &&Sweep<'_>| {
        let mut fields = keys.fields(&sweep.size, sweep.provider);
        fields.push(Field::new(
            sweep.base.map_or(String::new(), |(_, t)| figure::best_in(&scale, &t) + t.agreed().mark()),
            Tone::Faint,
        ));
        let at = |n: &Option<u32>| {
            let Some(row) = sweep.rows.iter().find(|r| r.told() == *n) else { return Field::default() };
            let Some(timing) = &row.timing else { return Field::new(number::ABSENT, Tone::Faint) };
            let mark = timing.agreed().mark();
            let text = if has_speedup { figure::marked_speedup(row) } else { figure::best_in(&scale, timing) + mark };
            if !mark.is_empty() {
                return Field::new(text, Tone::Doubt);
            }
            Field::new(text, if sweep.fastest().is_some_and(|f| f.told() == *n) { Tone::Strong } else { Tone::Plain })
        };
        fields.extend(counts.iter().map(at));
        row(fields, None)
    };
    let across = if counts == [None] { "" } else { ", by threads across" };
    let title = if has_speedup {
        let gain = if scaling.yardstick.is_pace() { "speed-up" } else { "factor by which it is better" };
        format!("{gain}{} over {}{across}", words::by(scaling.yardstick), scaling.base.words())
    } else {
        let unit = if scale.unit.is_empty() { String::new() } else { format!(" in {}", scale.unit) };
        format!("best {}{unit}{across}", words::noun(scaling.yardstick))
    };
    Table::dense(title, columns, sweeps.iter().map(line).collect())
}

/// Laws fitted to the curve of each size: serial part, peak, end of scaling, cost of one thread.
pub fn laws(scaling: &Scaling<'_>) -> Table {
    let sweeps = || scaling.sweeps.iter();
    let keys = Keys::of(sweeps().map(|s| &s.size), sweeps().map(|s| s.provider));
    let mut columns = keys.columns();
    columns.extend([
        number_column("serial\npart", Column::ALWAYS),
        Column::new("95%", Align::Left, 150),
        number_column("off by", 145),
        number_column("at most\ntimes", 140),
        number_column("peak at\nthreads", 120),
        number_column("stops at\nthreads", 200),
        number_column("one thread\ncosts", 130),
        number_column("two a\ncore", 110),
        Column::new("Karp-Flatt", Align::Left, 100),
    ]);
    let line = |sweep: &Sweep<'_>| {
        let mut fields = keys.fields(&sweep.size, sweep.provider);
        let law = sweep.amdahl;
        let fitting = law.filter(|_| sweep.amdahl_misfit().is_none());
        let signed = |share: f64| format!("{}{}", if share < 0.0 { "-" } else { "+" }, percent(share.abs()));
        let peak = sweep.peak().map(|p| match p {
            FittedPeak::At(peak) => format!("{peak:.0}"),
            FittedPeak::Beyond(peak, _) => format!("({peak:.0})"),
            FittedPeak::Misfit(_) => "no fit".to_owned(),
            FittedPeak::NotDetermined => "unknown".to_owned(),
        });
        let limit = fitting
            .and_then(|l| amdahl::limit(l.serial))
            .map(|l| if l < 1e4 { significant(l, 3) } else { "∞".to_owned() });
        fields.extend([
            Field::maybe(law.map(|l| fitting.map_or("no fit".to_owned(), |_| percent(l.serial)))),
            Field::new(
                fitting
                    .and_then(|l| l.interval)
                    .map_or(String::new(), |i| format!("{}…{}", percent(i.low), percent(i.high))),
                Tone::Faint,
            ),
            Field::maybe(law.map(|l| number::half_width(l.rms))),
            Field::maybe(limit),
            Field::maybe(peak),
            Field::maybe(sweep.end().map(|end| match end {
                ScalingEnd::At(at) if at.threads == at.most => format!(">{}", at.most),
                ScalingEnd::At(at) => at.threads.to_string(),
                ScalingEnd::NotDetermined(_) => "unknown".to_owned(),
            })),
            Field::maybe(figure::overhead(sweep).map(signed)),
            Field::maybe(sweep.smt_gain.map(|g| signed(g - 1.0))),
            Field::maybe(sweep.overhead_grows.map(|rises| if rises { "rises" } else { "does not rise" }.to_owned())),
        ]);
        row(fields, None)
    };
    let ends = |s: &Sweep<'_>| s.end().is_some_and(|e| !matches!(e, ScalingEnd::NotDetermined(Indecision::FewRuns(_))));
    let told = |s: &&Sweep<'_>| s.amdahl.is_some() || ends(s);
    Table::dense(
        format!("laws fitted to the curves{}", words::by(scaling.yardstick)),
        columns,
        sweeps().filter(told).map(line).collect(),
    )
}

/// Models of the growth of the time with the size, at each thread count.
pub fn growth(scaling: &Scaling<'_>) -> Table {
    let all = || scaling.growths.iter().filter(|g| g.model.is_some());
    let keys = Keys::of(all().map(|g| &g.rest), all().map(|g| g.provider));
    let mut columns = keys.columns();
    columns.extend([
        number_column("threads", Column::ALWAYS),
        Column::new(formula_title(scaling), Align::Left, Column::ALWAYS),
        number_column("error", 150),
        Column::new("or as well", Align::Left, 140),
    ]);
    let line = |growth: &Growth<'_>| {
        let model = growth.model?;
        let mut fields = keys.fields(&growth.rest, growth.provider);
        let second = model.runner_up.filter(|_| model.tie).map(|r| format!("tie with {}", term(r.term, growth.axis)));
        fields.extend([
            if growth.is_told { growth.threads.to_string() } else { number::ABSENT.to_owned() }.into(),
            Field::new(formula(&model, growth.axis), Tone::Strong),
            number::half_width(model.smape).into(),
            Field::new(second.unwrap_or_default(), Tone::Doubt),
        ]);
        Some(row(fields, None))
    };
    let axis = scaling.app.ladders().next().unwrap_or("the size");
    let what = scaling.yardstick.metric().map_or("the time", |fact| &fact.name);
    Table::dense(format!("how {what} grows with {axis}"), columns, all().filter_map(line).collect())
}

/// `time in s`; of a metric its unit alone.
fn formula_title(scaling: &Scaling<'_>) -> String {
    let (name, unit) = (words::noun(scaling.yardstick), scaling.yardstick.unit());
    if unit.is_empty() { name.to_owned() } else { format!("{name} in {unit}") }
}

/// `3.84 + 0.276·v`.
pub fn formula(model: &SizeModel, axis: &str) -> String {
    let c0 = significant(model.c0, 3);
    if model.term == Term::CONSTANT {
        return c0;
    }
    format!("{c0} + {}·{}", short(model.c1), term(model.term, axis))
}

/// Small factors as powers of ten.
fn short(value: f64) -> String {
    if value >= 1e-3 { significant(value, 3) } else { format!("{value:.2e}") }
}

/// `v`, `v^1.5 log2 v`; `1` for a constant.
fn term(term: Term, axis: &str) -> String {
    let power = match term.i {
        0.0 => String::new(),
        1.0 => axis.to_owned(),
        i => format!("{axis}^{}", significant(i, 3).trim_end_matches('0').trim_end_matches('.')),
    };
    let logarithm = match term.j {
        0 => String::new(),
        1 => format!("log2({axis})"),
        j => format!("log2({axis})^{j}"),
    };
    match (power.is_empty(), logarithm.is_empty()) {
        (true, true) => "1".to_owned(),
        (false, false) => format!("{power}·{logarithm}"),
        _ => power + &logarithm,
    }
}

/// Throughput and slowdown of several copies at once.
pub fn farm(scaling: &Scaling<'_>) -> Table {
    let farms = || scaling.copy_sweeps.iter();
    let keys = Keys::of(farms().map(|f| &f.size), farms().map(|f| f.provider));
    let rows = || farms().flat_map(|f| f.rows.iter().map(move |r| (f, r)));
    let scale = figure::scale(scaling.yardstick, rows().filter_map(|(_, r)| Some(r.row.timing?.value())));
    let is_wall = scaling.yardstick == Yardstick::WallTime;
    let unit = scaling.copies_unit();
    let available = scaling.app.available();
    let mut columns = keys.columns();
    columns.extend([
        number_column("threads\neach", 230),
        number_column("copies", Column::ALWAYS),
        number_column(words::over_unit(if is_wall { "all done" } else { "mean" }, &scale.unit), Column::ALWAYS),
        Column::new("ends", Align::Left, 180),
        number_column("spread", 150),
        number_column(unit.replace('/', "\n/"), 220),
        number_column("together\ntimes", 240),
        number_column("each slower\ntimes", 235),
        number_column("memory\nof one", 110),
    ]);
    let line = |(farm, one): (&paw_data::scaling::CopySweep<'_>, &paw_data::scaling::CopyRow<'_>)| {
        let mut fields = keys.fields(&farm.size, farm.provider);
        let mark = if one.oversubscribed(available) { "*" } else { "" };
        fields.extend([Field::from(farm.threads.to_string()), format!("{}{mark}", one.copies).into()]);
        let cell = Some(one.record().cell.id);
        let Some(timing) = &one.row.timing else {
            let absent = figure::absence(&one.row).map(Absent::new);
            return Row { fields, absent, cell };
        };
        fields.extend([
            Field::new(figure::best_in(&scale, timing), Tone::Strong),
            figure::agreed(&timing.cost),
            Field::maybe(figure::spread(&timing.cost)),
            Field::maybe(one.throughput.map(|t| figure::plain(t, None))),
            Field::new(one.gain.map_or(String::new(), |g| significant(g, 3)), Tone::Strong),
            Field::maybe(one.slowdown.map(|s| significant(s, 3))),
            Field::maybe(figure::memory(timing).filter(|_| scaling.is_headline())),
        ]);
        row(fields, cell)
    };
    Table::dense(format!("several copies at once{}", words::by(scaling.yardstick)), columns, rows().map(line).collect())
}

/// The non-empty tables after that of thread counts.
pub fn further(scaling: &Scaling<'_>) -> Vec<Table> {
    let mut sheets = Vec::new();
    let sizes = scaling.sweeps.iter().filter(|s| s.provider == scaling.app.first()).count();
    if sizes > 1 || scaling.sweeps.len() > 1 && scaling.sweeps.iter().any(|s| s.amdahl.is_some()) {
        sheets.push(laws(scaling));
    }
    sheets.extend([growth(scaling), farm(scaling), division::table(scaling)]);
    sheets.retain(|sheet| !sheet.is_empty());
    sheets
}
