//! `paw cluster`: the nodes of a cluster under the site's own scheduler.

mod directory;
mod findings;
mod page;
mod plan;
mod report;
mod tuning;
mod watch;

use crate::cli::ClusterCommand;
use crate::exit::Code;
use crate::failure::Failure;

/// Plans, reports or watches.
pub fn cluster(command: &ClusterCommand) -> Result<Code, Failure> {
    match command {
        ClusterCommand::Plan(args) => plan::plan(args),
        ClusterCommand::Report(args) => report::report(args),
        ClusterCommand::Watch(args) => watch::watch(args),
        ClusterCommand::Tuning(args) => tuning::tuning(args),
    }
}
