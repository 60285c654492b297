//! `paw __launcher`: the process in which paw starts the commands of others.
//!
//! It goes round the parsing of flags: what a process has held when it starts another is the least memory that the other
//! is told to have used, and a parser for all of paw's flags holds megabytes.

use std::process::ExitCode;

use crate::exit::Code;
use crate::print;

/// The word after `paw` that asks for a launcher.
pub const WORD: &str = "__launcher";

/// Whether this process shall be one.
pub fn is_asked() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == WORD)
}

/// Starts commands for the paw process that started this one, until that is gone.
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
