//! `paw __launcher`: the small process that starts measured commands.
//!
//! It does not parse flags: Linux reports a child's peak memory as at least its parent's at the fork, and a parser
//! for all of paw's flags takes megabytes.

use std::process::ExitCode;

use crate::exit::Code;
use crate::print;

/// The argument that makes `paw` a launcher.
pub const WORD: &str = "__launcher";

/// Whether this process is a launcher.
pub fn is_asked() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == WORD)
}

/// Starts commands for the parent `paw` until it exits.
pub fn launch() -> ExitCode {
    let code = match paw_apps::serve::serve() {
        Ok(()) => Code::Done,
        Err(fault) => {
            print::message(&format!("paw: {fault}"));
            Code::Io
        }
    };
    ExitCode::from(code as u8)
}
