//! A machine's acceptance: the steps of one file, and the ledger of what became of them.

pub mod ledger;
pub mod step;
pub mod step_file;

pub use step_file::read;

/// The copy of the file that a campaign's directory holds.
pub const COPY: &str = "campaign.toml";
