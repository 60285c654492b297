//! A history for other tools.

use std::path::Path;

use jiff::Timestamp;
use paw_data::history::RunDigest;
use paw_data::store::exposition::{self, Exposition};
use paw_data::store::parquet;

use super::machines::{self, Sameness};
use crate::cli::{HistoryArgs, HistoryExport};
use crate::exit::Code;
use crate::failure::Failure;
use crate::file;

/// Writes the figures of all machines, or of the one that the flags name.
pub fn export(entries: &[RunDigest], args: &HistoryArgs, format: HistoryExport) -> Result<Code, Failure> {
    let chosen: Vec<&RunDigest> = match &args.machine {
        Some(name) => machines::chosen(entries, Some(name), Sameness::of(args))?.entries,
        None => entries.iter().collect(),
    };
    let time_ms = |utc: &str| utc.parse::<Timestamp>().ok().map(Timestamp::as_millisecond);
    let out = args.out.as_deref().unwrap_or(Path::new("-"));
    file::stream(out, |out| match format {
        HistoryExport::Prometheus => exposition::write(&chosen, Exposition::Latest, &time_ms, out),
        HistoryExport::Openmetrics => exposition::write(&chosen, Exposition::All, &time_ms, out),
        HistoryExport::Parquet => parquet::write(&chosen, &time_ms, out),
    })?;
    Ok(Code::Done)
}
