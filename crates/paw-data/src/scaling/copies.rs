//! Several instances of the program at once: their common throughput, and the slowdown of each.

use crate::application::Application;
use crate::point::Point;
use crate::run::{Record, Run};
use crate::scaling::axes;
use crate::scaling::row::ScalingRow;
use crate::scaling::timing::RunTiming;
use crate::scaling::work::Operations;

/// Rows over the number of copies, of one program at one size and thread count.
#[derive(Debug, Clone, PartialEq)]
pub struct CopySweep<'run> {
    /// The point without threads and copies.
    pub size: Point,
    /// The name of its command.
    pub provider: &'run str,
    /// Threads of each copy.
    pub threads: u32,
    /// The rows by copies.
    pub rows: Vec<CopyRow<'run>>,
}

/// A number of copies that run at once.
#[derive(Debug, Clone, PartialEq)]
pub struct CopyRow<'run> {
    /// Copies that run at once.
    pub copies: u32,
    /// The row of the cell, whose time lasts until the end of the last copy.
    pub row: ScalingRow<'run>,
    /// Throughput of all copies: operations per second, or runs per second without a formula of work.
    pub throughput: Option<f64>,
    /// Time of these copies ÷ time of one copy; `None` if one copy was not measured.
    pub slowdown: Option<f64>,
    /// Throughput ÷ that of one copy.
    pub gain: Option<f64>,
}

/// The copy sweeps of `run`, for sizes that were measured with more than one copy.
pub(super) fn copy_sweeps<'run>(
    run: &'run Run,
    app: &'run Application,
    operations: &Operations,
) -> Vec<CopySweep<'run>> {
    let rule = &run.header.plan.method.ending;
    let mut found: Vec<CopySweep<'run>> = Vec::new();
    for record in axes::subjects(run) {
        let (size, threads) = (axes::size(&record.cell, None), axes::threads(&record.cell));
        let provider = record.cell.provider.as_str();
        let mut row = ScalingRow::new(record, app, RunTiming::of(record, rule));
        row.operations = operations.at(&record.cell.point);
        let copies = axes::copies(&record.cell);
        let row = CopyRow { copies, throughput: throughput(&row, copies), row, slowdown: None, gain: None };
        match found.iter_mut().find(|f| (&f.size, f.provider, f.threads) == (&size, provider, threads)) {
            Some(sweep) => sweep.rows.push(row),
            None => found.push(CopySweep { size, provider, threads, rows: vec![row] }),
        }
    }
    found.retain(|sweep| sweep.rows.iter().any(|row| row.copies > 1));
    found.sort_by(|a, b| {
        let commands = axes::place(a.provider, app).cmp(&axes::place(b.provider, app));
        axes::order(&a.size, &b.size, &app.axes).then(commands).then(a.threads.cmp(&b.threads))
    });
    found.iter_mut().for_each(hold_against_one);
    found
}

fn throughput(row: &ScalingRow<'_>, copies: u32) -> Option<f64> {
    let each = row.operations.unwrap_or(1.0);
    row.best_s().filter(|t| *t > 0.0).map(|time| f64::from(copies) * each / time)
}

fn hold_against_one(sweep: &mut CopySweep<'_>) {
    sweep.rows.sort_by_key(|row| row.copies);
    let one = sweep.rows.iter().find(|row| row.copies == 1);
    let Some((time, throughput)) = one.and_then(|one| one.row.best_s().zip(one.throughput)) else { return };
    for row in &mut sweep.rows {
        row.slowdown = row.row.best_s().map(|own| own / time);
        row.gain = row.throughput.map(|own| own / throughput);
    }
}

impl CopyRow<'_> {
    /// Whether the copies have more threads together than `available`, the machine's hardware threads.
    pub fn oversubscribed(&self, available: u32) -> bool {
        available > 0 && self.copies.saturating_mul(self.row.threads) > available
    }

    /// The cell's record.
    pub fn record(&self) -> &Record {
        self.row.record
    }
}
