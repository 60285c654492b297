//! A history for other tools.

use std::borrow::Cow;
use std::path::Path;

use paw_data::history::{CellFigure, RunDigest};
use paw_data::store::exposition::{self, Exposition};
use paw_data::store::parquet;

use super::machines::{self, Sameness};
use super::page::{is_chosen, unknown};
use crate::cli::{HistoryArgs, HistoryExport};
use crate::exit::Code;
use crate::failure::Failure;
use crate::file;
use crate::utc;

/// Writes the figures of all machines and benchmarks, or of those that the flags name.
pub fn export(entries: &[RunDigest], args: &HistoryArgs, format: HistoryExport) -> Result<Code, Failure> {
    let chosen: Vec<&RunDigest> = match &args.machine {
        Some(name) => machines::chosen(entries, Some(name), Sameness::of(args))?.entries,
        None => entries.iter().collect(),
    };
    let chosen = figures_of(&chosen, &args.names)?;
    let chosen: Vec<&RunDigest> = chosen.iter().map(|entry| &**entry).collect();
    let time_ms = |text: &str| i64::try_from(utc::since_1970(utc::parsed(text)?).as_millis()).ok();
    let out = args.out.as_deref().unwrap_or(Path::new("-"));
    file::stream(out, |out| match format {
        HistoryExport::Prometheus => exposition::write(&chosen, Exposition::Latest, &time_ms, out),
        HistoryExport::Openmetrics => exposition::write(&chosen, Exposition::All, &time_ms, out),
        HistoryExport::Parquet => parquet::write(&chosen, &time_ms, out),
    })?;
    Ok(Code::Done)
}

/// The entries with the figures of the benchmarks that `names` choose, or with all.
fn figures_of<'e>(entries: &[&'e RunDigest], names: &[String]) -> Result<Vec<Cow<'e, RunDigest>>, Failure> {
    let all = || entries.iter().flat_map(|entry| &entry.figures).map(|figure| figure.benchmark.as_str());
    if let Some(name) = names.iter().find(|name| !all().any(|benchmark| is_chosen(benchmark, name))) {
        return Err(unknown(name, all()));
    }
    let is_wanted = |figure: &CellFigure| names.iter().any(|name| is_chosen(&figure.benchmark, name));
    let chosen = entries.iter().map(|entry| match names.is_empty() {
        true => Cow::Borrowed(*entry),
        false => {
            let figures = entry.figures.iter().filter(|figure| is_wanted(figure)).cloned().collect();
            Cow::Owned(RunDigest { figures, ..(*entry).clone() })
        }
    });
    Ok(chosen.collect())
}
