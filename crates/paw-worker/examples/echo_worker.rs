//! The smallest worker. The workload's description says how it misbehaves.
//!
//! `echo_worker` serves its parent. `echo_worker parent ACT PATH` is such a parent: its worker connects to the socket PATH and
//! hangs there, or leaves a process behind that holds the connection.

use std::cell::RefCell;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, exit};
use std::rc::Rc;

use paw_data::outcome::{Caveat, Check, CheckVerdict};
use paw_data::run::{ClockKind, Instrument};
use paw_data::secondary::MetricName;
use paw_measure::fault::Fault;
use paw_measure::workload::{Reading, Workload};
use paw_worker::protocol::Opened;
use paw_worker::remote::RemoteWorkload;
use paw_worker::serve::{Channel, serve};
use paw_worker::worker::{Deadlines, Idle, Launch, Worker};
use serde_json::{Value, json};

/// Reads `loops` milliseconds for `loops` iterations, plus what was counted so far as extras.
struct Echo {
    act: String,
    sampled: u32,
    resumed: u32,
    paused: u32,
    renewed: u32,
}

impl Workload for Echo {
    fn resume(&mut self) -> Result<(), Fault> {
        self.resumed += 1;
        Ok(())
    }

    fn sample(&mut self, loops: u64) -> Result<Option<Reading>, Fault> {
        self.sampled += 1;
        match self.act.as_str() {
            "hang at the second" if self.sampled == 2 => hang(),
            act => misbehave(act),
        }
        let counts = [("resumed", self.resumed), ("paused", self.paused), ("renewed", self.renewed)];
        let extra = counts.map(|(name, count)| (MetricName::read(name.to_owned()), f64::from(count))).into();
        match self.act.as_str() {
            "idle" => Ok(None),
            "broken" => Err(Fault::Broken("the echo broke".to_owned())),
            _ => Ok(Some(Reading { elapsed_s: loops as f64 * 1e-3, extra, ..Reading::default() })),
        }
    }

    fn pause(&mut self) {
        self.paused += 1;
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.renewed += 1;
        Ok(())
    }

    fn instrument(&self) -> Instrument {
        instrument()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let (method, note) = ("echo".to_owned(), String::new());
        Ok(Check { method, error: 0.1 + 0.2, bound: 1.0, verdict: CheckVerdict::Pass, note, accuracy: None })
    }

    fn caveats(&self) -> Vec<Caveat> {
        match self.act.as_str() {
            "doubt" => vec![Caveat::new("echo", format!("{} samples echo", self.sampled), "listen again")],
            _ => Vec::new(),
        }
    }
}

fn instrument() -> Instrument {
    Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s: 2e-8, hz: None }
}

fn misbehave(act: &str) {
    match act {
        "abort" => std::process::abort(),
        // The first one takes Rust's own handler away, as it does after a real fault, which then comes again.
        "segv" => (0..2).for_each(|_| drop(Command::new("sh").args(["-c", "kill -SEGV $PPID"]).status())),
        "panic" => panic!("this echo panics"),
        "exit" => exit(7),
        "hang" => hang(),
        "chatter" => (0..20_000).for_each(|line| println!("chatter line {line}")),
        "chatter and abort" => {
            (0..20_000).for_each(|line| println!("chatter line {line}"));
            std::process::abort()
        }
        _ => {}
    }
}

/// Starts a shell with `script`, which holds a connection to the socket of `spec`.
#[expect(clippy::zombie_processes, reason = "it is left behind on purpose")]
fn leave(script: &str, spec: &Value) {
    let path = spec["path"].as_str().expect("the path of a socket");
    let held = UnixStream::connect(path).expect("the test listens");
    Command::new("sh").args(["-c", script]).stdout(OwnedFd::from(held)).spawn().expect("it starts");
}

/// Waits for what never comes.
fn hang() {
    let (mut silent, _kept_open) = io::pipe().expect("a pipe");
    silent.read_exact(&mut [0]).expect("nothing comes");
}

fn open(spec: &Value) -> Result<(Box<dyn Workload>, Opened), Fault> {
    let act = spec["act"].as_str().unwrap_or_default().to_owned();
    match act.as_str() {
        "missing" => return Err(Fault::Missing("libecho.so: not found".to_owned())),
        "exit in open" => exit(127),
        "connect and hang" => {
            let path = spec["path"].as_str().expect("the path of a socket");
            let _kept_open = UnixStream::connect(path).expect("the test listens");
            hang();
        }
        "leave a process behind" => leave("exec sleep 1000000", spec),
        // Two forks and a session of its own, and a child of the daemon's.
        "leave a daemon behind" => leave("(setsid -f sh -c 'sleep 1000000 & sleep 1000000' &)", spec),
        _ => {}
    }
    let mut input = Vec::new();
    io::stdin().read_to_end(&mut input).expect("an empty input can be read");
    let note = json!({
        "spec": spec,
        "input_bytes": input.len(),
        "cpus": allowed_cpus(),
        "package": std::env::var("CARGO_PKG_NAME").ok(),
        "variable": std::env::var("PAW_ECHO").ok(),
    });
    let echo = Echo { act, sampled: 0, resumed: 0, paused: 0, renewed: 0 };
    Ok((Box::new(echo), Opened { instrument: instrument(), library: None, note }))
}

fn allowed_cpus() -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("proc is mounted");
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.unwrap_or_default().trim().to_owned()
}

fn parent(act: &str, path: &str) -> Result<(), Fault> {
    let worker = Worker::start(Launch {
        name: "echo".to_owned(),
        program: std::env::current_exe().expect("this program has a path"),
        args: Vec::new(),
        set: Vec::new(),
        remove: Vec::new(),
        cpus: Vec::new(),
        deadlines: Deadlines::default(),
        idle: Idle::Waiting,
    })?;
    let worker = Rc::new(RefCell::new(worker));
    let _workload = RemoteWorkload::open(&worker, &json!({ "act": act, "path": path }))?;
    hang();
    Ok(())
}

fn main() -> Result<(), Fault> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [mode, act, path] if mode == "parent" => parent(act, path),
        _ => serve(Channel::inherited()?, &mut open, |asked| Ok(asked.clone())),
    }
}
