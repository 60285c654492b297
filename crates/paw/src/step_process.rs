//! `paw __step`: the process that becomes a step of a campaign, which is asked to end when the campaign's paw dies.
//!
//! It parses no flags: the tie outlives exec, so that a step has the command line of any other paw.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{Signal, getppid, parent_process_death_signal, set_parent_process_death_signal};

use crate::exit::Code;
use crate::print;
use crate::startup;

/// The argument that makes `paw` such a process.
const WORD: &str = "__step";

/// Whether this process is to become a step.
pub fn is_asked() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == WORD)
}

/// The words before those of a step: the argument, and who starts it.
pub fn prefix() -> [String; 2] {
    [WORD.to_owned(), std::process::id().to_string()]
}

/// Whether the paw that started this process passes signals on that this process may have got as well.
pub fn is_step() -> bool {
    parent_process_death_signal().is_ok_and(|signal| signal == Some(Signal::TERM))
}

/// Becomes the step, unless the campaign has ended already.
pub fn become_step() -> ExitCode {
    let mut words = std::env::args_os().skip(2);
    let campaign = words.next().and_then(|word| word.to_str()?.parse().ok());
    // A step that cannot be tied is a step all the same.
    let _ = set_parent_process_death_signal(Some(Signal::TERM));
    if getppid().map(|parent| parent.as_raw_pid()) != campaign {
        return ExitCode::from(Code::Terminated as u8);
    }
    let why = match startup::own_file() {
        Ok(file) => Command::new(file).args(words).exec().to_string(),
        Err(failure) => failure.to_string(),
    };
    print::message(&format!("paw: a step cannot be started: {why}"));
    ExitCode::from(Code::Io as u8)
}
