//! `paw import --time`: tables of measured times, kept as runs of an application.

use std::path::Path;

use paw_apps::metric::{self, MetricError};
use paw_data::application::MetricFact;
use paw_data::axis::THREADS;
use paw_data::run::Run;
use paw_data::store::table_import::{self, TableColumns};

use crate::application::{has_work, work_formula};
use crate::cli::TableArgs;
use crate::failure::Failure;
use crate::print;

/// The run in the table at `path`, whose columns `args` maps.
pub fn run(path: &Path, args: &TableArgs) -> Result<Run, Failure> {
    let unread = |error| Failure::io(format!("{} cannot be read: {error}", path.display()));
    let text = paw_data::bounded::text(path).map_err(unread)?;
    let columns = TableColumns {
        times: args.time.clone(),
        sizes: args.size.clone(),
        threads: args.threads.clone(),
        program: args.program.clone(),
        base: args.base.clone(),
        metrics: args.metric.iter().map(|typed| metric(typed)).collect::<Result<_, _>>()?,
    };
    let file = path.display().to_string();
    let found = table_import::import(&file, &text, &columns).map_err(|error| Failure::usage(error.to_string()))?;
    if found.empty > 0 {
        let fields = if found.empty == 1 { "field of a time is" } else { "fields of times are" };
        print::message(&format!("note: {file}: {} {fields} empty and left out", found.empty));
    }
    let mut run = found.run;
    let known = |name: &String| columns.metrics.iter().any(|(fact, _)| fact.name == *name);
    if let Some(name) = args.headline.as_ref().filter(|name| !known(name)) {
        return Err(Failure::usage(format!("--headline {name}: there is no --metric {name}=")));
    }
    if let Some(app) = &mut run.header.app {
        app.headline.clone_from(&args.headline);
    }
    if let (Some(app), Some(typed)) = (&mut run.header.app, &args.work) {
        let axes: Vec<&str> = app.axes.iter().map(String::as_str).chain([THREADS]).collect();
        let work = work_formula(typed, &axes)?;
        has_work(&work, run.records.iter().map(|record| &record.cell.point))?;
        app.work = Some(work);
    }
    Ok(run)
}

/// The metric and the column of `NAME=COLUMN`.
fn metric(typed: &str) -> Result<(MetricFact, String), Failure> {
    match metric::fact(typed) {
        Ok((fact, column)) => Ok((fact, column.to_owned())),
        Err(MetricError::Form(_)) => Err(Failure::usage(format!(
            "--metric `{typed}` is no metric: write NAME=COLUMN or NAME[UNIT,higher]=COLUMN, such as fit_ms=fit"
        ))),
        Err(error) => Err(Failure::usage(format!("--metric {error}"))),
    }
}
