//! The tables of builds: one for each level, and one of what moving the data costs.

use std::collections::HashSet;

use paw_data::matrix::{BuildTiming, Matrix, MatrixRow, Panel, RankedBy, RowStatus};

use crate::application::figure::plain;
use crate::kernel::figure::{self, Unit};
use crate::model::{Absent, Align, BuildName, Column, ColumnKind, Field, Row, Table, Tone, Value};
use crate::number::{self, percent, significant, size};

/// How rows name their builds: a variant is named where there are several.
pub struct Names {
    variants: bool,
}

impl Names {
    /// Those of `rows`.
    pub fn of<'r, 'run: 'r>(rows: impl Iterator<Item = &'r MatrixRow<'run>>) -> Self {
        Self { variants: rows.map(|row| row.variant).collect::<HashSet<_>>().len() > 1 }
    }

    /// The column of names.
    pub fn column() -> Column {
        Column::new("build", Align::Left, Column::ALWAYS).of(ColumnKind::Name)
    }

    /// The name of a row's build.
    pub fn field(&self, row: &MatrixRow<'_>) -> Field {
        let build = row.record.cell.provider.to_string();
        let is_named = self.variants && !row.variant.is_empty();
        let variant = if is_named { format!(" [{}]", row.variant) } else { String::new() };
        Field::new(format!("{build}{variant}"), tone(row)).with(Value::Name(Box::new(BuildName { build, variant })))
    }
}

/// Red where its answer is wrong.
fn tone(row: &MatrixRow<'_>) -> Tone {
    if row.standing == RowStatus::Wrong { Tone::Bad } else { Tone::Plain }
}

/// The title of a level: `L1, n = 88: 31 KiB of 32 KiB`, with the rule it was chosen by.
pub fn title(panel: &Panel<'_>) -> String {
    let Some(level) = panel.level else { return panel.label() };
    let of =
        if level.capacity_bytes > 0 { format!(" of {}", size(level.capacity_bytes as f64)) } else { String::new() };
    let bytes =
        if level.footprint_bytes > 0 { format!(": {}{of}", size(level.footprint_bytes as f64)) } else { String::new() };
    let rule = if level.rule.is_empty() { String::new() } else { format!(" ({})", level.rule) };
    panel.label() + &bytes + &rule
}

/// The unit of a level, wrong answers included.
pub fn unit(panel: &Panel<'_>) -> Unit {
    Unit::of(panel.rows.iter().chain(&panel.residency).filter_map(|row| row.timing.as_ref()), panel.by)
}

/// The builds of a level, each with a bar.
pub fn panel(panel: &Panel<'_>) -> Table {
    let names = Names::of(panel.rows.iter());
    let unit = unit(panel);
    let longest = panel.rows.iter().filter_map(|row| Some(unit.median(&row.timing?).value)).fold(0.0, f64::max);
    let base = panel.base().and_then(|row| Some(unit.median(&row.timing?).value));
    let is_parallel = |row: &MatrixRow<'_>| row.build.is_some_and(|build| !build.runtime.is_empty());
    let threads = panel.rows.iter().any(|row| row.threads() > Some(1) || is_parallel(row));
    let mut columns = vec![Names::column()];
    columns.extend(titles(&unit));
    columns.extend(threads.then(|| Column::new("threads", Align::Right, 215)));
    let row = |row: &MatrixRow<'_>| {
        let mut fields = vec![names.field(row)];
        let cell = Some(row.record.cell.id);
        let Some(timing) = timed_of(row) else { return Row { fields, absent: why(row), cell } };
        let scaled = |value: f64| value / longest;
        let bar = Value::Bar(scaled(unit.median(timing).value), base.map(scaled));
        fields.push(Field::new("", tone(row)).with(bar));
        fields.extend(timed(&unit, timing, row.standing));
        fields.extend(judged(row));
        fields.extend([figure::stability(figure::steadiness(timing, unit.by())), figure::samples(timing)]);
        fields.extend(threads.then(|| Field::maybe(row.threads().map(|threads| threads.to_string()))));
        Row { fields, absent: None, cell }
    };
    Table::dense(title(panel), columns, panel.rows.iter().map(row).collect())
}

/// The time of a row; `None` where there is none, or where the build failed after it was timed.
fn timed_of<'r>(row: &'r MatrixRow<'_>) -> Option<&'r BuildTiming> {
    row.timing.as_ref().filter(|_| row.standing != RowStatus::Failed)
}

/// Why there is no number, as a table spells it.
pub fn why(row: &MatrixRow<'_>) -> Option<Absent> {
    let (status, why) = row.absence()?;
    let word = if row.standing == RowStatus::Skipped && row.record.outcome.is_some() { "skipped: " } else { "" };
    Some(Absent::new((status, format!("{word}{why}"))))
}

/// `TSC ticks/iter ↓` in lines no wider than the numbers below.
pub fn per_iteration(unit: &Unit) -> String {
    format!("{}\n/iter ↓", unit.word().replace(' ', "\n"))
}

fn titles(unit: &Unit) -> Vec<Column> {
    let number = |title: &str, importance| Column::new(title, Align::Right, importance);
    vec![
        Column::new("", Align::Left, 192).of(ColumnKind::Bar),
        number(&per_iteration(unit), Column::ALWAYS),
        number("±", 200),
        Column::new("95%", Align::Left, 50),
        number(unit.other_title(), 150),
        number("ns ↓", 45),
        number("speed-\nup ↑", 250),
        Column::new("95%", Align::Left, 180),
        Column::new("tie", Align::Left, 190),
        Column::new("answer", Align::Left, Column::ALWAYS),
        number("relative\nerror ↓", 170),
        number("ULP ↓", 160),
        Column::new("spread ↓", Align::Left, 185),
        number("samples", 140).of(ColumnKind::Samples),
    ]
}

/// The columns of a time, from the median to nanoseconds.
fn timed(unit: &Unit, timing: &BuildTiming, standing: RowStatus) -> Vec<Field> {
    let median = unit.median(timing);
    let ends = median.low.zip(median.high);
    let ends = ends.map(|(low, high)| format!("{}…{}", significant(low, 4), significant(high, 4)));
    let ns = (!matches!(unit, Unit::Time(_))).then(|| plain(timing.median_s.value * 1e9, None));
    vec![
        Field::new(unit.digits(timing), if standing == RowStatus::Wrong { Tone::Bad } else { Tone::Strong }),
        figure::half(unit, timing).into(),
        Field::new(ends.unwrap_or_default(), Tone::Faint),
        Field::maybe(unit.other(timing)),
        Field::maybe(ns),
    ]
}

/// The columns after the time: speed-up, tie, answer and errors.
fn judged(row: &MatrixRow<'_>) -> Vec<Field> {
    let error = row
        .accuracy()
        .map(|a| (figure::relative(a.relative_max), figure::ulp_of(a).unwrap_or_else(|| number::ABSENT.to_owned())));
    let (error, ulp) = error.unzip();
    let tone = tone(row);
    vec![
        Field::new(row.speedup.map_or(String::new(), |s| significant(s.value, 3)), Tone::Strong),
        Field::new(row.speedup.map_or(String::new(), |s| figure::ratio_ends(s.interval, s.taken)), Tone::Faint),
        Field::from(row.letters.as_str()),
        figure::answer(row),
        Field::new(error.unwrap_or_default(), tone),
        Field::new(ulp.unwrap_or_default(), tone),
    ]
}

/// The time of moving the data alone at each level, and its share of the fastest build's time.
pub fn residency(matrix: &Matrix<'_>) -> Table {
    let rows = || matrix.panels.iter().flat_map(|panel| panel.residency.iter().map(move |row| (panel, row)));
    let all_cycles = matrix.panels.iter().all(|panel| panel.by == RankedBy::Cycles);
    let by = if all_cycles { RankedBy::Cycles } else { RankedBy::Time };
    let unit = Unit::of(rows().filter_map(|(_, row)| row.timing.as_ref()), by);
    let number = |title: &str, importance| Column::new(title, Align::Right, importance);
    let columns = vec![
        Column::new("level", Align::Left, Column::ALWAYS),
        Column::new("build", Align::Left, 220).shrinking(10),
        number(&per_iteration(&unit), Column::ALWAYS),
        number("±", 200),
        number(unit.other_title(), 150),
        number("of the\nfastest's", 210),
        Column::new("spread ↓", Align::Left, 185),
        number("samples", 140).of(ColumnKind::Samples),
    ];
    let line = |(panel, row): (&Panel<'_>, &MatrixRow<'_>)| {
        let mut fields = vec![Field::from(panel.label()), row.record.cell.provider.as_str().into()];
        let cell = Some(row.record.cell.id);
        let Some(timing) = timed_of(row) else { return Row { fields, absent: why(row), cell } };
        let fastest = panel.rows.first().filter(|first| first.is_ranked()).and_then(|first| first.timing);
        let share = fastest.map(|fastest| percent(unit.median(timing).value / unit.median(&fastest).value));
        fields.extend([
            Field::new(unit.digits(timing), Tone::Strong),
            figure::half(&unit, timing).into(),
            Field::maybe(unit.other(timing)),
            Field::maybe(share),
            figure::stability(figure::steadiness(timing, unit.by())),
            figure::samples(timing),
        ]);
        Row { fields, absent: None, cell }
    };
    let name = &matrix.kernel.residency;
    let name = if name.is_empty() { String::new() } else { format!(" [{name}]") };
    Table::dense(format!("moving the data alone{name}: shows where they lie"), columns, rows().map(line).collect())
}

/// Facts of a build: compiler, command line and machine code.
pub fn facts(build: &paw_data::build::Build) -> Vec<(&'static str, String)> {
    let code = build.code.get(..12).unwrap_or(&build.code).to_owned();
    let all = [
        ("compiler", build.version.clone()),
        ("command", crate::machine::command_line(&build.command)),
        ("native is", build.target.clone()),
        ("code", code),
        ("the same", build.same.join(", ")),
        ("floats", build.float.clone()),
        ("it said", build.said.clone()),
    ];
    all.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// How many builds there are at how many levels, for a heading.
pub fn extent(matrix: &Matrix<'_>) -> String {
    let names: HashSet<String> =
        matrix.panels.iter().flat_map(|p| p.rows.iter().chain(&p.residency)).map(MatrixRow::name).collect();
    let builds = number::plural(names.len(), "build");
    let is_search = matrix.panels.iter().any(|panel| panel.step.is_some());
    match matrix.panels.len() {
        ..=1 => builds,
        n if is_search => format!("{builds} in {n} steps"),
        n => format!("{builds} at {n} levels"),
    }
}
