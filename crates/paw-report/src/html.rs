//! Runs as one HTML file that needs no network.

use paw_data::run::Run;

/// One self-contained HTML document that shows `runs`.
pub fn html(runs: &[Run]) -> String {
    format!("<!doctype html><title>{} runs</title>\n", runs.len())
}
