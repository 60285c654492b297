//! Several instances of the program at once: their common throughput, and the slowdown of each.

use paw_sort::OrderBy;

use crate::application::Application;
use crate::point::Point;
use crate::run::{Record, Run};
use crate::scaling::axes;
use crate::scaling::row::ScalingRow;
use crate::scaling::timing::RunTiming;
use crate::scaling::work::Operations;
use crate::scaling::yardstick::{Yardstick, YardstickKind};

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
    /// The row of the cell: its wall time lasts until the end of the last copy, a metric is the mean over the copies.
    pub row: ScalingRow<'run>,
    /// Throughput of all copies: operations per second, or runs per second without a formula of work; of a rate the sum.
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
    yardstick: Yardstick<'run>,
) -> Vec<CopySweep<'run>> {
    let rule = &run.header.plan.method.ending;
    let mut found: Vec<CopySweep<'run>> = Vec::new();
    for record in axes::subjects(run) {
        let (size, threads) = (axes::size(&record.cell, None), axes::threads(&record.cell));
        let provider = record.cell.provider.as_str();
        let mut row = ScalingRow::new(record, app, RunTiming::of(record, rule, yardstick));
        row.operations = operations.at(&record.cell.point);
        let copies = axes::copies(&record.cell);
        let row = CopyRow { copies, throughput: throughput(&row, copies), row, slowdown: None, gain: None };
        match found.iter_mut().find(|f| (&f.size, f.provider, f.threads) == (&size, provider, threads)) {
            Some(sweep) => sweep.rows.push(row),
            None => found.push(CopySweep { size, provider, threads, rows: vec![row] }),
        }
    }
    found.retain(|sweep| sweep.rows.iter().any(|row| row.copies > 1));
    found.order_by(|a, b| {
        let commands = axes::place(a.provider, app).cmp(&axes::place(b.provider, app));
        axes::order(&a.size, &b.size, &app.axes).then(commands).then(a.threads.cmp(&b.threads))
    });
    found.iter_mut().for_each(hold_against_one);
    found
}

fn throughput(row: &ScalingRow<'_>, copies: u32) -> Option<f64> {
    let timing = row.timing.filter(|timing| timing.best() > 0.0)?;
    let of_one = match (timing.yardstick, timing.yardstick.kind()) {
        (Yardstick::WallTime, _) => row.operations.unwrap_or(1.0) / timing.value(),
        (_, YardstickKind::Rate) => timing.value(),
        // The mean of a printed time does not tell when all copies have ended.
        (_, YardstickKind::Time(_) | YardstickKind::Number) => return None,
    };
    Some(f64::from(copies) * of_one)
}

fn hold_against_one(sweep: &mut CopySweep<'_>) {
    sweep.rows.order_by_key(|row| row.copies);
    let one = sweep.rows.iter().find(|row| row.copies == 1);
    let Some((one, throughput)) = one.and_then(|one| Some((one.row.timing?, one.throughput))) else { return };
    for row in &mut sweep.rows {
        row.slowdown =
            row.row.best().filter(|_| one.yardstick.is_pace() && one.best() > 0.0).map(|own| own / one.best());
        row.gain = row.throughput.zip(throughput).map(|(own, one)| own / one);
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
