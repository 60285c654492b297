//! A command that runs under paw's eyes: signals reach it, paw outlives it, and it may have a time to end in.

use std::io::{self, IsTerminal};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::raise;

use crate::exit::Code;
use crate::signals::is_hangup_ignored;

/// The time that a command has to save after it was interrupted, before it is ended.
const GRACE: Duration = Duration::from_secs(30);

/// The signals that end a program, heard from now on: they end the command, not paw.
pub struct Supervision {
    signals: Signals,
    first: Option<i32>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    pub status: ExitStatus,
    /// Whether its time was over.
    pub time: Time,
}

/// Whether a command ended within its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    Kept,
    Over,
}

impl Supervision {
    /// Begins to hear signals.
    pub fn begin() -> io::Result<Self> {
        let signals = Signals::new([SIGINT, SIGTERM, SIGQUIT, SIGCHLD, SIGALRM])?;
        if !is_hangup_ignored() {
            signals.add_signal(SIGHUP)?;
        }
        Ok(Self { signals, first: None })
    }

    /// Runs `command` to its end and passes on what ends programs; `None` where a signal came before it began.
    /// After `limit` it is interrupted as by Ctrl-C, and half a minute later ended.
    pub fn run(&mut self, command: &mut Command, limit: Option<Duration>) -> io::Result<Option<Ended>> {
        let pending: Vec<i32> = self.signals.pending().collect();
        pending.into_iter().for_each(|signal| self.note(signal));
        if self.first.is_some() {
            return Ok(None);
        }
        let mut child = command.spawn()?;
        let alarm = limit.map(Alarm::set).transpose()?;
        let mut time = Time::Kept;
        loop {
            // Only this thread waits for the command, so that its number cannot be another's while a signal is passed on.
            if let Some(status) = child.try_wait()? {
                drop(alarm);
                return Ok(Some(Ended { status, time }));
            }
            let heard: Vec<i32> = self.signals.wait().collect();
            for signal in heard {
                self.note(signal);
                match (signal, time) {
                    (SIGALRM, Time::Kept) => send(&child, Signal::INT),
                    (SIGALRM, Time::Over) => send(&child, Signal::KILL),
                    _ => pass_on(&child, signal),
                }
                if signal == SIGALRM {
                    time = Time::Over;
                }
            }
        }
    }

    fn note(&mut self, signal: i32) {
        if signal != SIGCHLD && signal != SIGALRM {
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

/// A thread that raises SIGALRM after a time, and once more after [`GRACE`], unless this value is dropped before.
struct Alarm {
    _dropped: mpsc::Sender<()>,
}

impl Alarm {
    fn set(limit: Duration) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel::<()>();
        thread::Builder::new().name("alarm".to_owned()).spawn(move || {
            for wait in [limit, GRACE] {
                if receiver.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) || raise(SIGALRM).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { _dropped: sender })
    }
}

/// Sends the command a signal that came to paw alone: a terminal sends its own to both.
fn pass_on(child: &Child, signal: i32) {
    let typed = io::stdin().is_terminal();
    match signal {
        SIGINT if !typed => send(child, Signal::INT),
        SIGQUIT if !typed => send(child, Signal::QUIT),
        SIGTERM => send(child, Signal::TERM),
        SIGHUP => send(child, Signal::HUP),
        _ => {}
    }
}

fn send(child: &Child, signal: Signal) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // A command that has ended needs no signal.
        let _ = kill_process(pid, signal);
    }
}
