//! A command that runs while settings are changed: signals reach it, and paw outlives it.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit::Code;
use crate::signals::is_hangup_ignored;

/// The signals that end a program, heard from now on: they end the command, not paw.
pub struct Supervision {
    signals: Signals,
    first: Option<i32>,
}

impl Supervision {
    /// Begins to hear signals.
    pub fn begin() -> io::Result<Self> {
        let signals = Signals::new([SIGINT, SIGTERM, SIGQUIT, SIGCHLD])?;
        if !is_hangup_ignored() {
            signals.add_signal(SIGHUP)?;
        }
        Ok(Self { signals, first: None })
    }

    /// Runs `command` to its end and passes on what ends programs; `None` where a signal came before it began.
    pub fn run(&mut self, command: &[OsString]) -> io::Result<Option<ExitStatus>> {
        let pending: Vec<i32> = self.signals.pending().collect();
        pending.into_iter().for_each(|signal| self.note(signal));
        let (Some((program, arguments)), None) = (command.split_first(), self.first) else { return Ok(None) };
        let mut child = Command::new(program).args(arguments).spawn()?;
        loop {
            // Only this thread waits for the command, so that its number cannot be another's while a signal is passed on.
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            let heard: Vec<i32> = self.signals.wait().collect();
            for signal in heard {
                self.note(signal);
                pass_on(&child, signal);
            }
        }
    }

    fn note(&mut self, signal: i32) {
        if signal != SIGCHLD {
            self.first.get_or_insert(signal);
        }
    }

    /// The exit code for the first signal; `None` without one.
    pub fn code(&self) -> Option<Code> {
        self.first.map(|signal| match signal {
            SIGTERM => Code::Terminated,
            SIGHUP => Code::HungUp,
            _ => Code::Interrupted,
        })
    }
}

/// Sends the command a signal that came to paw alone: a terminal sends its own to both.
fn pass_on(child: &Child, signal: i32) {
    let typed = io::stdin().is_terminal();
    let signal = match signal {
        SIGINT if !typed => Signal::INT,
        SIGQUIT if !typed => Signal::QUIT,
        SIGTERM => Signal::TERM,
        SIGHUP => Signal::HUP,
        _ => return,
    };
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // A command that has ended needs no signal.
        let _ = kill_process(pid, signal);
    }
}
