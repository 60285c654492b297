//! The start of a run: paw's own file, and the header of the run.

use std::path::PathBuf;

use paw_data::machine::Machine;
use paw_data::method::Plan;
use paw_data::run::{Header, SCHEMA};
use paw_machine::environment::{self, Variables};

use crate::cli::LeavingArgs;
use crate::failure::Failure;
use crate::outdir::OutDir;
use crate::print;

/// The path of this program, which also serves as worker and launcher.
pub fn own_file() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| Failure::io(format!("cannot find paw's own file: {error}")))
}

/// Program and version, as a run records them.
pub const TOOL: &str = concat!("paw ", env!("CARGO_PKG_VERSION"));

/// The argument with which this program is a child that calls kernels.
pub const KERNEL_CHILD: &str = "__kernel";

/// The command of a worker.
pub fn worker() -> Result<(PathBuf, Vec<String>), Failure> {
    Ok((own_file()?, vec!["__worker".to_owned()]))
}

/// Says what is done before anything can be measured, which on a busy machine can take seconds.
pub fn announce(leaving: &LeavingArgs, doing: &str) {
    if !leaving.quiet && !leaving.dry_run {
        print::message(doing);
    }
}

/// What is read before a plan is made, in words.
pub const READING: &str = "reading this machine";

/// The header of a run that measures neither an application nor a kernel.
pub fn header(out: &OutDir, plan: &Plan, variables: &Variables, machine: &Machine) -> Header {
    Header {
        schema: SCHEMA.to_owned(),
        id: out.id.clone(),
        tool: TOOL.to_owned(),
        argv: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
        directory: std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned(),
        utc: out.utc.clone(),
        plan: plan.clone(),
        env: environment::captured(variables),
        machine: machine.clone(),
        app: None,
        kernel: None,
        selftest: None,
    }
}
