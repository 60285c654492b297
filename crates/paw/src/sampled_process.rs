//! `paw __sampled`: the process that becomes a program which signals are to sample.
//!
//! It parses no flags: it asks to be traced, starts the timer, and becomes the program.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use paw_perf::sampling::{Sampler, knock};

use crate::print;

/// The argument that makes `paw` such a process.
const WORD: &str = "__sampled";
/// The exit code of a program that could not be started, as shells have it.
const NOT_STARTED: u8 = 127;
/// The exit code where it was not tried.
const NOT_TRIED: u8 = 125;

/// Whether this process is to become a program.
pub fn is_asked() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == WORD)
}

/// What stands before the words of a command for `sampler` to sample it; nothing where perf_event samples. `own` is this program's file.
pub fn prefix(sampler: &Sampler, own: &Path) -> Vec<String> {
    let door = sampler.door().into_iter();
    door.flat_map(|door| [own.to_string_lossy().into_owned(), WORD.to_owned(), door.to_owned()]).collect()
}

/// Becomes the program, unless it cannot be sampled.
pub fn become_program() -> ExitCode {
    let mut words = std::env::args_os().skip(2);
    let (Some(door), Some(program)) = (words.next(), words.next()) else { return ExitCode::from(NOT_TRIED) };
    let knocked = match knock(&door.to_string_lossy()) {
        Ok(knocked) => knocked,
        Err(error) => {
            print::message(&format!("paw: {} was not started: it cannot be sampled: {error}", program.display()));
            return ExitCode::from(NOT_TRIED);
        }
    };
    let error = Command::new(program).args(words.collect::<Vec<OsString>>()).exec();
    knocked.failed(&error);
    ExitCode::from(NOT_STARTED)
}
