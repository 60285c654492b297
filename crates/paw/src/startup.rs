//! How a run begins: paw's own file, and what is known before the first sample.

use std::path::PathBuf;

use paw_data::machine::Machine;
use paw_data::method::Plan;
use paw_data::run::{Header, SCHEMA};
use paw_machine::environment::{self, Variables};

use crate::failure::Failure;
use crate::outdir::OutDir;

/// The file of this program, from which processes that help it are started.
pub fn own_file() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| Failure::io(format!("cannot find paw's own file: {error}")))
}

/// The program that is started as worker, and its first arguments.
pub fn worker() -> Result<(PathBuf, Vec<String>), Failure> {
    Ok((own_file()?, vec!["__worker".to_owned()]))
}

/// What is known before the first sample; no application is measured.
pub fn header(out: &OutDir, plan: &Plan, variables: &Variables, machine: &Machine) -> Header {
    Header {
        schema: SCHEMA.to_owned(),
        id: out.id.clone(),
        tool: concat!("paw ", env!("CARGO_PKG_VERSION")).to_owned(),
        argv: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
        utc: out.utc.clone(),
        plan: plan.clone(),
        env: environment::captured(variables),
        machine: machine.clone(),
        app: None,
        kernel: None,
    }
}
