//! Tables of times that anything measured, read as a run of an application: columns are mapped by name.
//!
//! Rows with the same point are its runs. What the table does not say, when and on which machine it was measured, stays unknown.

mod columns;
mod error;
mod fields;
mod sheet;

pub use error::TableError;

use columns::{Mapping, Series};
use sheet::Sheet;

use crate::application::{Application, BASE, COMMAND, MetricFact, NamedCommand, SUITE, ThreadPoint};
use crate::axis::THREADS;
use crate::cell::{Cell, Role};
use crate::method::{Estimator, Method, Plan};
use crate::outcome::{Caveat, Ending, Outcome, Status};
use crate::point::{AxisValue, Point};
use crate::quantity::Quantity;
use crate::run::{End, Header, Record, Run};
use crate::sample::Sample;
use crate::secondary::MetricName;

/// What [`Run::header`] calls the tool and its method.
const TABLE: &str = "table";

/// Which columns of a table hold what.
#[derive(Debug, Clone, Default)]
pub struct TableColumns {
    /// The columns of times with their unit, `wall[ms]`: several are several runs, and `v{v}[us]` is every column `v1`, `v2` … at that
    /// value of the axis `v` (of several runs where it is `{run}`).
    pub times: Vec<String>,
    /// The columns of axes: `n=COLUMN`, or `n` where the column has the axis's name.
    pub sizes: Vec<String>,
    /// The column of the thread counts.
    pub threads: Option<String>,
    /// The column of the programs' names.
    pub program: Option<String>,
    /// The program that speed-ups refer to.
    pub base: Option<String>,
    /// Further numbers with their columns.
    pub metrics: Vec<(MetricFact, String)>,
}

/// A run read from a table, and what was left out of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TableImport {
    /// The run.
    pub run: Run,
    /// Fields without a time.
    pub empty: usize,
}

/// The run in the table `text` of the file named `file`.
///
/// # Errors
/// A column that is asked for is not there, or a field that is needed holds something else.
pub fn import(file: &str, text: &str, columns: &TableColumns) -> Result<TableImport, TableError> {
    let sheet = Sheet::read(file, text)?;
    let mapping = Mapping::of(&sheet, columns)?;
    let mut table = Table { records: Vec::new(), programs: Vec::new(), empty: 0 };
    for row in 0..sheet.rows.len() {
        for series in &mapping.series {
            table.take(&sheet, &mapping, row, series)?;
        }
    }
    table.run(&sheet, &mapping)
}

/// What the rows have given so far.
struct Table {
    records: Vec<(String, Record)>,
    programs: Vec<String>,
    empty: usize,
}

impl Table {
    /// Takes one time of a row.
    fn take(&mut self, sheet: &Sheet, mapping: &Mapping, row: usize, series: &Series) -> Result<(), TableError> {
        let program = mapping.program.map_or(Ok(String::new()), |column| fields::word(sheet, row, column))?;
        let mut point = Point::new();
        for (axis, column) in &mapping.sizes {
            point.set(axis, fields::value(sheet, row, *column)?);
        }
        if let Some((axis, value)) = &series.at {
            point.set(axis, value.clone());
        }
        if let Some(column) = mapping.threads {
            point.set(THREADS, AxisValue::Int(i64::from(fields::threads(sheet, row, column)?)));
        }
        let is_same = |(of, record): &(String, Record)| *of == program && record.cell.point == point;
        let at = self.records.iter().position(is_same).unwrap_or_else(|| {
            let id = self.records.len() as u32;
            let cell = Cell::new(SUITE, sheet.stem(), COMMAND, Quantity::Time, point);
            // No two cells are known to have been interleaved.
            self.records.push((program.clone(), Record::new(Cell { id, group: id, method: TABLE.into(), ..cell })));
            self.records.len() - 1
        });
        if !self.programs.contains(&program) {
            self.programs.push(program);
        }
        let Some(time) = fields::time(sheet, row, series.column)? else {
            self.empty += 1;
            return Ok(());
        };
        let samples = &mut self.records[at].1.samples;
        let mut sample = Sample {
            round: samples.len() as u32,
            at_s: f64::NAN,
            loops: 1,
            elapsed_s: time * series.unit_s,
            ..Sample::default()
        };
        for (fact, column) in mapping.metrics.iter().zip(&series.metrics) {
            if let Some(value) = fields::number(sheet, row, *column)? {
                sample.extra.insert(MetricName::of_program(&fact.name), value);
            }
        }
        samples.push(sample);
        Ok(())
    }

    fn run(self, sheet: &Sheet, mapping: &Mapping) -> Result<TableImport, TableError> {
        if self.records.iter().all(|(_, record)| record.samples.is_empty()) {
            return Err(TableError::NoTime { file: sheet.file.clone() });
        }
        let base = mapping.base.as_ref();
        if let Some(base) = base.filter(|base| !self.programs.contains(base)) {
            let known = self.programs.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            return Err(TableError::Base { file: sheet.file.clone(), base: base.clone(), known });
        }
        let mut records = Vec::new();
        for (program, mut record) in self.records {
            record.cell.provider = if program.is_empty() { COMMAND.into() } else { program.into() };
            if base.is_some_and(|base| record.cell.provider == *base) {
                as_base(&mut record, &records, sheet)?;
            }
            record.outcome = Some(outcome(&record));
            records.push(record);
        }
        let app = application(self.programs, &records, mapping);
        let method = Method::without_series(TABLE, Estimator::Min);
        let (id, plan) = (format!("imported-{}", sheet.stem()), Plan::new(method, 0, None));
        let mut header = Header { app: Some(app), ..Header::bare(id, TABLE.to_owned(), plan) };
        header.imported_from(sheet.file.clone());
        let end = End { state: "imported".to_owned(), ..End::default() };
        Ok(TableImport { run: Run { records, end: Some(end), ..Run::new(header) }, empty: self.empty })
    }
}

/// Makes `record` one of the base, which has one time at each size: its threads tell nothing more.
fn as_base(record: &mut Record, earlier: &[Record], sheet: &Sheet) -> Result<(), TableError> {
    let mut size = Point::new();
    record
        .cell
        .point
        .iter()
        .filter(|(axis, _)| *axis != THREADS)
        .for_each(|(axis, value)| size.set(axis, value.clone()));
    if earlier.iter().any(|other| other.cell.role == Role::Base && other.cell.point == size) {
        let base = record.cell.provider.to_string();
        return Err(TableError::BaseThreads { file: sheet.file.clone(), base });
    }
    record.cell.point = size;
    record.cell.role = Role::Base;
    record.cell.provider = BASE.into();
    Ok(())
}

fn outcome(record: &Record) -> Outcome {
    let none = record.samples.is_empty();
    let single = Caveat::new(
        "single-time",
        "the table has one time, and does not say how times vary or of how many runs it is the best",
        "Import a table with a row or a column for each run.",
    );
    Outcome {
        cell: record.cell.id,
        status: if none { Status::Skipped } else { Status::Measured },
        ending: (!none).then_some(Ending::Complete),
        why: none.then(|| "the table has no time there".to_owned()),
        check: None,
        caveats: if record.samples.len() == 1 { vec![single] } else { Vec::new() },
    }
}

fn application(programs: Vec<String>, records: &[Record], mapping: &Mapping) -> Application {
    let is_base = |name: &String| mapping.base.as_ref() == Some(name);
    let mut own = programs.into_iter().filter(|name| !is_base(name) && !name.is_empty());
    let words = |name: &String| vec![name.clone()];
    let first = own.next();
    let axes: Vec<String> = mapping.axes().into_iter().map(str::to_owned).collect();
    let is_words = |axis: &&String| records.iter().any(|record| record.cell.point.text(axis).is_some());
    let mut counts: Vec<u32> =
        records.iter().filter_map(|record| u32::try_from(record.cell.point.int(THREADS)?).ok()).collect();
    counts.sort_unstable();
    counts.dedup();
    let thread_point = |threads| ThreadPoint { threads, rule: "in the table".to_owned(), ..ThreadPoint::default() };
    Application {
        command: first.iter().map(String::clone).collect(),
        base: mapping.base.as_ref().map(words),
        name: first.unwrap_or_default(),
        others: own.map(|name| NamedCommand { command: words(&name), name }).collect(),
        // Words have no order: they are alternatives.
        alternatives: axes.iter().filter(is_words).cloned().collect(),
        axes,
        threads: counts.into_iter().map(thread_point).collect(),
        metrics: mapping.metrics.clone(),
        ..Application::default()
    }
}
