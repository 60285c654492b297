//! Which columns of a table hold what.

use super::TableColumns;
use super::error::TableError;
use super::fields;
use super::sheet::Sheet;
use crate::application::MetricFact;
use crate::axis::THREADS;
use crate::point::AxisValue;
use crate::time_unit;

/// The name in braces that stands for the number of a run, and is no axis.
const RUN: &str = "run";

/// One column of times.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Series {
    /// Its place.
    pub column: usize,
    /// The axis that its name has a value of.
    pub at: Option<(String, AxisValue)>,
    /// Its unit in seconds.
    pub unit_s: f64,
    /// The columns of the metrics beside it.
    pub metrics: Vec<usize>,
    /// What its name has in place of the braces.
    filled: Option<String>,
}

/// The columns of a table by their meaning.
#[derive(Debug)]
pub(super) struct Mapping {
    /// The columns of times.
    pub series: Vec<Series>,
    /// The axes with their columns.
    pub sizes: Vec<(String, usize)>,
    /// The thread counts.
    pub threads: Option<usize>,
    /// The programs.
    pub program: Option<usize>,
    /// The program that is the base.
    pub base: Option<String>,
    /// The metrics.
    pub metrics: Vec<MetricFact>,
}

impl Mapping {
    /// Finds the columns of `asked` in `sheet`.
    pub fn of(sheet: &Sheet, asked: &TableColumns) -> Result<Self, TableError> {
        if let (Some(base), None) = (&asked.base, &asked.program) {
            return Err(TableError::BaseWithoutPrograms { base: base.clone() });
        }
        let place = |name: &Option<String>| name.as_deref().map(|name| sheet.column(name)).transpose();
        let mut found = Self {
            series: Vec::new(),
            sizes: Vec::new(),
            threads: place(&asked.threads)?,
            program: place(&asked.program)?,
            base: asked.base.clone(),
            metrics: asked.metrics.iter().map(|(fact, _)| fact.clone()).collect(),
        };
        for typed in &asked.sizes {
            let (axis, column) = typed.split_once('=').unwrap_or((typed, typed));
            found.sizes.push((axis.to_owned(), sheet.column(column)?));
        }
        for typed in &asked.times {
            found.series.extend(times(sheet, typed)?);
        }
        found.refuse_axes()?;
        for (fact, name) in &asked.metrics {
            found.add_metric(sheet, &fact.name, name)?;
        }
        Ok(found)
    }

    /// The axes besides threads, each once.
    pub fn axes(&self) -> Vec<&str> {
        let of_times = self.series.iter().filter_map(|series| Some(series.at.as_ref()?.0.as_str()));
        let mut axes: Vec<&str> = self.sizes.iter().map(|(axis, _)| axis.as_str()).collect();
        for axis in of_times.filter(|axis| *axis != THREADS) {
            if !axes.contains(&axis) {
                axes.push(axis);
            }
        }
        axes
    }

    /// Finds a metric's column for each column of times.
    fn add_metric(&mut self, sheet: &Sheet, metric: &str, name: &str) -> Result<(), TableError> {
        let columns = matching(sheet, name)?;
        if self.series.len() > 1 && columns.iter().all(|(_, filled)| filled.is_none()) {
            return Err(TableError::MetricColumns { metric: metric.to_owned() });
        }
        for series in &mut self.series {
            let column = columns.iter().find(|(_, filled)| filled.is_none() || *filled == series.filled);
            series.metrics.push(column.map(|(column, _)| *column).ok_or_else(|| sheet.no_column(name))?);
        }
        Ok(())
    }

    /// Refuses axes without a name, axes that are mapped twice, and thread counts that are no axis.
    fn refuse_axes(&self) -> Result<(), TableError> {
        let wrong = |axis: &str, why: &str| Err(TableError::Axis { axis: axis.to_owned(), why: why.to_owned() });
        let in_names = |axis: &str| self.series.iter().any(|series| series.at.as_ref().is_some_and(|at| at.0 == axis));
        for (at, (axis, _)) in self.sizes.iter().enumerate() {
            let again = in_names(axis) || self.sizes[..at].iter().any(|(earlier, _)| earlier == axis);
            match axis.as_str() {
                THREADS => return wrong(axis, "the column of thread counts is named with --threads"),
                "" => return wrong(axis, "an axis needs a name, as in n=COLUMN"),
                _ if again => return wrong(axis, "the axis has several columns: name one"),
                _ => {}
            }
        }
        if self.threads.is_some() && in_names(THREADS) {
            return wrong(
                THREADS,
                "thread counts are in the names of the columns and in one of their own: leave out --threads",
            );
        }
        Ok(())
    }
}

/// The columns that a `--time` names.
fn times(sheet: &Sheet, typed: &str) -> Result<Vec<Series>, TableError> {
    let is_one = sheet.has(typed) || sheet.has(with_unit(typed).0);
    let pieces: Vec<&str> = if is_one { vec![typed] } else { typed.split(',').map(str::trim).collect() };
    // The unit behind the last of several is that of all.
    let mut unit = None;
    let mut found = Vec::new();
    for piece in pieces.iter().rev() {
        let (mut column, own) = with_unit(piece);
        unit = own.or(unit);
        if sheet.has(piece) {
            column = piece;
        }
        let columns = matching(sheet, column)?;
        let unit_s = unit.ok_or_else(|| TableError::Unit { typed: typed.to_owned(), column: column.to_owned() })?;
        let axis = braces(column)?.map(|(_, axis, _)| axis).filter(|axis| *axis != RUN);
        found.extend(columns.into_iter().rev().map(|(column, filled)| {
            let value = filled.as_deref().and_then(fields::axis_value);
            let at = axis.map(str::to_owned).zip(value);
            Series { column, at, unit_s, metrics: Vec::new(), filled }
        }));
    }
    found.reverse();
    Ok(found)
}

/// The columns that are `name`, or that fit it with a number in place of its braces, and that number as text.
fn matching(sheet: &Sheet, name: &str) -> Result<Vec<(usize, Option<String>)>, TableError> {
    let Some((before, axis, behind)) = braces(name)?.filter(|_| !sheet.has(name)) else {
        return Ok(vec![(sheet.column(name)?, None)]);
    };
    let filled = |title: &String| {
        let text = title.strip_prefix(before)?.strip_suffix(behind)?;
        let is_fit = match fields::axis_value(text)? {
            AxisValue::Int(count) => axis != THREADS || u32::try_from(count).is_ok_and(|count| count > 0),
            _ => axis != THREADS,
        };
        is_fit.then(|| text.to_owned())
    };
    let fits = |(at, title): (usize, &String)| Some((at, Some(filled(title)?)));
    let found: Vec<_> = sheet.header.iter().enumerate().filter_map(fits).collect();
    if found.is_empty() { Err(sheet.no_column(name)) } else { Ok(found) }
}

/// The text before the braces, the name in them, and the text behind them; `None` without braces.
fn braces(name: &str) -> Result<Option<(&str, &str, &str)>, TableError> {
    if !name.contains(['{', '}']) {
        return Ok(None);
    }
    let wrong = || TableError::Braces { typed: name.to_owned() };
    let (before, rest) = name.split_once('{').ok_or_else(wrong)?;
    let (axis, behind) = rest.split_once('}').ok_or_else(wrong)?;
    let is_name = !axis.is_empty() && axis.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_name && !before.contains('}') && !behind.contains(['{', '}']) {
        Ok(Some((before, axis, behind)))
    } else {
        Err(wrong())
    }
}

/// A column and the seconds of the unit in brackets behind it.
fn with_unit(typed: &str) -> (&str, Option<f64>) {
    let parts = typed.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    let known = parts.and_then(|(column, unit)| Some((column.trim_end(), Some(time_unit::seconds(unit)?))));
    known.unwrap_or((typed, None))
}
