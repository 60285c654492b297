//! The parent's handle of a worker.

use std::time::Duration;

use paw_measure::fault::Fault;
use rustix::process::Signal;
use serde_json::Value;

pub use crate::ending::{ProcessEnd, Usage};
pub use crate::launch::{Deadlines, Idle, Launch};
use crate::process::{NoReply, Process};
use crate::protocol::{Opened, Reply, Request};

/// A worker process. It dies with the thread that started it, and is killed when dropped.
#[derive(Debug)]
pub struct Worker {
    launch: Launch,
    life: Life,
    generation: u64,
    next_handle: u64,
    active: u32,
    running: Running,
    last_end: Option<ProcessEnd>,
}

#[derive(Debug)]
enum Life {
    Alive(Process),
    Dead(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Running {
    Yes,
    Stopped,
}

impl Worker {
    /// Starts the program and waits until it listens.
    pub fn start(launch: Launch) -> Result<Worker, Fault> {
        let mut worker = Self {
            launch,
            life: Life::Dead("it was not started".to_owned()),
            generation: 0,
            next_handle: 0,
            active: 0,
            running: Running::Yes,
            last_end: None,
        };
        worker.restart()?;
        Ok(worker)
    }

    /// Kills the process if it is alive, and starts a new one. Open workloads are lost.
    pub fn restart(&mut self) -> Result<(), Fault> {
        self.kill("it was restarted");
        self.generation += 1;
        self.active = 0;
        self.running = Running::Yes;
        let program = self.launch.program.display().to_string();
        let process = Process::start(&self.launch).map_err(|error| {
            Fault::Broken(format!("{}: the worker {program} cannot be started: {error}", self.launch.name))
        })?;
        self.life = Life::Alive(process);
        let hello = Request::Hello { parent: std::process::id(), cpus: self.launch.cpus.clone() };
        match (self.ask(&hello, self.launch.deadlines.open)?, &mut self.life) {
            (Reply::Settled { pid }, Life::Alive(process)) => {
                process.settled(pid);
                Ok(())
            }
            (other, _) => Err(self.confused(&other)),
        }
    }

    /// Ends the process; the next workload that is opened starts another.
    pub fn end(&mut self) {
        self.kill("its invocation has ended");
    }

    /// Restarts with `set` added to the environment, now and in later restarts.
    pub fn restart_with(&mut self, set: &[(String, String)]) -> Result<(), Fault> {
        self.launch.set.extend_from_slice(set);
        self.restart()
    }

    /// How it was started.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Its process, while it lives: the one that measures, not its guard.
    pub fn pid(&self) -> Option<u32> {
        match &self.life {
            Life::Alive(process) => Some(process.pid()),
            Life::Dead(_) => None,
        }
    }

    /// How its last process ended, and what it used.
    pub fn last_end(&self) -> Option<&ProcessEnd> {
        self.last_end.as_ref()
    }

    /// Stops all its threads until [`cont`](Self::cont).
    pub fn stop(&mut self) {
        self.switch(Running::Stopped, Signal::STOP);
    }

    /// Lets its threads go on.
    pub fn cont(&mut self) {
        self.switch(Running::Yes, Signal::CONT);
    }

    /// Asks it to end, and waits until it has.
    pub fn quit(mut self) -> ProcessEnd {
        self.ask(&Request::Quit, self.launch.deadlines.sample).ok();
        if let Life::Alive(process) = &mut self.life {
            self.last_end = Some(process.end());
        }
        self.last_end.take().unwrap_or_else(|| ProcessEnd { how: "never lived".to_owned(), usage: Usage::default() })
    }

    /// How many processes it has had, this one included.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Why it is dead; `None` while it lives.
    pub(crate) fn dead(&self) -> Option<&str> {
        match &self.life {
            Life::Alive(_) => None,
            Life::Dead(why) => Some(why),
        }
    }

    /// Opens the workload that `spec` describes and returns its handle.
    pub(crate) fn open(&mut self, spec: &Value) -> Result<(u64, Opened), Fault> {
        let handle = self.next_handle;
        self.next_handle += 1;
        match self.ask(&Request::Open { handle, spec: spec.clone() }, self.launch.deadlines.open)? {
            Reply::Opened(opened) => Ok((handle, opened)),
            other => Err(self.confused(&other)),
        }
    }

    /// Asks the worker's program `asked` and returns its answer, within the time allowed for opening a workload.
    pub fn question(&mut self, asked: &Value) -> Result<Value, Fault> {
        match self.ask(&Request::Question { asked: asked.clone() }, self.launch.deadlines.open)? {
            Reply::Answered(answer) => Ok(answer),
            other => Err(self.confused(&other)),
        }
    }

    /// Counts one more workload that is being timed.
    pub(crate) fn enter(&mut self) {
        self.active += 1;
    }

    /// Counts one workload less; the process may then be stopped.
    pub(crate) fn leave(&mut self) {
        self.active = self.active.saturating_sub(1);
        self.rest();
    }

    /// Sends `request` and waits for its reply. Without a reply the process is ended.
    pub(crate) fn ask(&mut self, request: &Request, deadline: Duration) -> Result<Reply, Fault> {
        self.cont();
        let process = match &mut self.life {
            Life::Alive(process) => process,
            Life::Dead(why) => return Err(Fault::Broken(format!("{} is gone: {why}", self.launch.name))),
        };
        match process.ask(request, deadline) {
            Ok(reply) => reply.ok(),
            Err(silence) => Err(Fault::Broken(self.bury(silence, deadline))),
        }
    }

    /// The fault of a reply that does not answer its request; ends the process.
    pub(crate) fn confused(&mut self, reply: &Reply) -> Fault {
        let words = format!("{reply:?}");
        let why = self.bury(NoReply::Garbage(words.chars().take(80).collect()), Duration::ZERO);
        Fault::Broken(why)
    }

    /// Stops the process if none of its workloads is being timed and [`Idle::Stopped`] is asked for.
    pub(crate) fn rest(&mut self) {
        if self.active == 0 && self.launch.idle == Idle::Stopped {
            self.stop();
        }
    }

    fn switch(&mut self, to: Running, signal: Signal) {
        if self.running != to {
            if let Life::Alive(process) = &self.life {
                process.signal(signal);
            }
            self.running = to;
        }
    }

    /// Ends the process; why, in one sentence.
    fn bury(&mut self, silence: NoReply, deadline: Duration) -> String {
        let Life::Alive(process) = &mut self.life else { return "it is gone".to_owned() };
        let (ended, how) = match silence {
            NoReply::Late => (process.kill(), format!("did not answer within {}: killed", seconds(deadline))),
            NoReply::Garbage(what) => (process.kill(), format!("answered nonsense, `{what}`: killed")),
            NoReply::Closed => {
                let ended = process.end();
                let how = ended.how.clone();
                (ended, how)
            }
        };
        let words = match process.last_words() {
            words if words.is_empty() => String::new(),
            words => format!("; its last words: {words}"),
        };
        self.last_end = Some(ended);
        let why = format!("{} {how}{words}", self.launch.name);
        self.life = Life::Dead(why.clone());
        why
    }

    fn kill(&mut self, why: &str) {
        if let Life::Alive(process) = &mut self.life {
            self.last_end = Some(process.kill());
            self.life = Life::Dead(why.to_owned());
        }
    }
}

fn seconds(duration: Duration) -> String {
    match duration.as_secs_f64() {
        short if short < 1.0 => format!("{:.0} ms", short * 1e3),
        long => format!("{long:.0} s"),
    }
}
