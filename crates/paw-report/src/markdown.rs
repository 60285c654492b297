//! A run as Markdown.

use paw_data::run::Run;

/// The whole run as GitHub-flavoured Markdown.
pub fn markdown(run: &Run) -> String {
    format!("# {}\n", run.header.id)
}
