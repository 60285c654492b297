//! The table of thread counts: a row for each cell, below its base.

use std::collections::HashSet;

use paw_data::point::Point;
use paw_data::run::Record;
use paw_data::scaling::{RunTiming, Scaling, ScalingRow, Sweep, SweepKind, Yardstick};

use crate::application::{figure, words};
use crate::model::{Absent, Align, Column, ColumnKind, Field, Row, Table, Tone};
use crate::number::{self, Scale};

/// The leading columns of tables over several sizes or programs.
pub struct Keys<'r> {
    axes: Vec<&'r str>,
    programs: bool,
}

impl<'r> Keys<'r> {
    /// The axes that vary over `sizes`, and whether `programs` differ.
    pub fn of<'p>(sizes: impl Iterator<Item = &'r Point> + Clone, programs: impl Iterator<Item = &'p str>) -> Self {
        let mut axes: Vec<&str> = Vec::new();
        for (axis, _) in sizes.clone().flat_map(Point::iter) {
            let values: HashSet<String> =
                sizes.clone().map(|s| s.value(axis).map_or(String::new(), ToString::to_string)).collect();
            if values.len() > 1 && !axes.contains(&axis) {
                axes.push(axis);
            }
        }
        Self { axes, programs: programs.collect::<HashSet<_>>().len() > 1 }
    }

    /// Their titles.
    pub fn columns(&self) -> Vec<Column> {
        let axes = self.axes.iter().map(|axis| Column::new(*axis, Align::Right, Column::ALWAYS));
        let program = self.programs.then(|| Column::new("program", Align::Left, Column::ALWAYS));
        axes.chain(program).collect()
    }

    /// Their fields.
    pub fn fields(&self, size: &Point, provider: &str) -> Vec<Field> {
        let axis = |axis: &&str| Field::from(size.value(axis).map_or(String::new(), ToString::to_string));
        let program = self.programs.then(|| Field::from(provider.to_owned()));
        self.axes.iter().map(axis).chain(program).collect()
    }
}

/// The table of `sweeps`, which are of `scaling`.
pub fn threads(scaling: &Scaling<'_>, sweeps: &[&Sweep<'_>]) -> Table {
    let keys = Keys::of(sweeps.iter().map(|s| &s.size), sweeps.iter().map(|s| s.provider));
    let values = sweeps.iter().flat_map(|s| &s.rows).filter_map(|r| Some(r.timing?.value()));
    let bases = sweeps.iter().filter_map(|s| s.base.map(|(_, t)| t.value()));
    let scale = figure::scale(scaling.yardstick, values.chain(bases));
    let weak = sweeps.iter().any(|s| s.kind != SweepKind::Strong);
    let mut rows = Vec::new();
    let mut based: Option<*const Record> = None;
    for sweep in sweeps {
        let lead = || keys.fields(&sweep.size, sweep.provider);
        // The base of a size precedes its first program.
        if let Some((record, timing)) =
            sweep.base.filter(|(r, _)| !sweeps.iter().flat_map(|s| &s.rows).any(|row| std::ptr::eq(row.record, *r)))
            && based != Some(std::ptr::from_ref(record))
        {
            based = Some(std::ptr::from_ref(record));
            let mut fields = lead();
            fields.push(Field::new("base", Tone::Faint));
            fields.extend(timed(&timing, &scale));
            rows.push(Row { fields, cell: Some(record.cell.id), ..Row::default() });
        }
        let row = |row: &ScalingRow<'_>| timed_row(lead(), row, &scale, scaling.is_headline());
        rows.extend(sweep.rows.iter().filter(|row| row.timing.is_some() || scaling.is_headline()).map(row));
    }
    let mut columns = keys.columns();
    columns.extend(titles(&scale, weak, scaling));
    Table::dense("", columns, rows)
}

fn titles(scale: &Scale, weak: bool, scaling: &Scaling<'_>) -> Vec<Column> {
    let throughput = scaling.throughput_unit().unwrap_or_default().replace('/', "\n/");
    vec![
        Column::new("threads", Align::Right, Column::ALWAYS),
        Column::new(words::over_unit("best", &scale.unit), Align::Right, Column::ALWAYS),
        Column::new("ends", Align::Left, 230),
        Column::new("spread", Align::Right, 200),
        Column::new("mean\nof k", Align::Right, 105),
        Column::new("runs", Align::Right, 190).of(ColumnKind::Samples),
        Column::new("delayed\nruns", Align::Right, 150),
        Column::new(words::over_unit("median", &scale.unit), Align::Right, 130),
        Column::new("±", Align::Right, 125),
        Column::new(words::gain_title(scaling.yardstick), Align::Right, 250),
        Column::new("95%", Align::Left, 180),
        Column::new(if weak { "weak\nefficiency" } else { "effi-\nciency" }, Align::Right, 240),
        Column::new("Karp-\nFlatt", Align::Right, 160),
        Column::new(throughput, Align::Right, 210),
        Column::new("CPU s\nof best", Align::Right, 120),
        Column::new("memory", Align::Right, 110),
        Column::new("reason", Align::Left, 100).shrinking(14),
        Column::new("place", Align::Left, 60),
    ]
}

/// The columns of a time, after the threads.
fn timed(timing: &RunTiming<'_>, scale: &Scale) -> Vec<Field> {
    let cost = &timing.cost;
    let delayed = (timing.delayed > 0).then(|| timing.delayed.to_string());
    vec![
        Field::new(figure::best_in(scale, timing), Tone::Strong),
        figure::agreed(cost),
        Field::maybe(figure::spread(cost)),
        scale.digits(timing.yardstick.value(cost.mean_of_k), figure::half_spread(timing)).into(),
        cost.n.to_string().into(),
        Field::new(delayed.filter(|_| timing.yardstick == Yardstick::WallTime).unwrap_or_default(), Tone::Doubt),
        figure::median_in(scale, timing).into(),
        Field::maybe(figure::half_interval(cost)),
    ]
}

/// A row; what is the same by whatever a cell is looked at is left out unless `is_headline`.
fn timed_row(mut fields: Vec<Field>, row: &ScalingRow<'_>, scale: &Scale, is_headline: bool) -> Row {
    fields.push(figure::threads(row).into());
    let cell = Some(row.record.cell.id);
    let Some(timing) = &row.timing else {
        let absent = figure::absence(row).map(Absent::new);
        return Row { fields, absent, cell };
    };
    fields.extend(timed(timing, scale));
    fields.extend([
        Field::new(figure::marked_speedup(row), Tone::Strong),
        Field::new(row.speedup.as_ref().map_or(String::new(), figure::ends), Tone::Faint),
        Field::maybe(row.efficiency.map(number::percent)),
        Field::maybe(row.karp_flatt.map(number::percent)),
        Field::maybe(row.throughput().map(|value| figure::plain(value, None))),
    ]);
    if is_headline {
        let point = row.thread_point;
        fields.extend([
            Field::maybe(timing.cpu_s().map(|cpu| figure::plain(cpu, None))),
            Field::maybe(figure::memory(timing)),
            Field::new(point.map_or("", |p| &p.rule), Tone::Faint),
            Field::new(point.map_or("", |p| &p.place), Tone::Faint),
        ]);
    }
    Row { fields, absent: None, cell }
}
