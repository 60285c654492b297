//! `paw profile`: samples a program or a running process, leaves the run on disk, shows it.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use paw_data::method::{Estimator, Method, Plan};
use paw_data::profile::Profile;
use paw_data::run::{End, Run};
use paw_machine::environment;
use paw_perf::sampling::{Sampler, Scope, WaitError, Waiter};
use rustix::process::{Pid, Signal, kill_process};

use crate::amount;
use crate::cli::{Format, LeavingArgs, ProfileArgs};
use crate::confidential;
use crate::exit::{self, Code};
use crate::failure::Failure;
use crate::finish;
use crate::host_facts;
use crate::kernel::wrong;
use crate::outdir::{self, unwritten};
use crate::print;
use crate::profile::{self, Subject};
use crate::sampled_process;
use crate::signals::{Delivery, Signals};
use crate::startup;

/// Time between two looks for a signal or the end of a process.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Samples, saves, shows.
pub fn profile(args: &ProfileArgs) -> Result<Code, Failure> {
    let scope = args.pid.map_or(Scope::Programs, Scope::Process);
    let options = profile::options(&args.sampling, scope)?;
    let limit = args.duration.as_deref().map(|text| amount::seconds(text).map_err(|why| wrong("--duration", why)));
    let limit = limit.transpose()?.map(Duration::from_secs_f64);
    let signals =
        Signals::listen(Delivery::Once).map_err(|error| Failure::io(format!("cannot listen to signals: {error}")))?;
    let facts = host_facts::read()?;
    let out = outdir::make(args.out.as_deref(), SystemTime::now(), &mut fastrand::Rng::new())?;
    let directory = std::path::absolute(&out.path).unwrap_or_else(|_| out.path.clone());
    let plan = Plan::new(Method::without_series("sampling", Estimator::Median), 0, None);
    let header = startup::header(&out, &plan, &environment::current(), &facts.machine);
    let header = confidential::cleaned(&header);
    let mut writer = out.writer;
    writer.header(&header).map_err(unwritten)?;
    let sampler = Sampler::open(&options).map_err(profile::refused)?;
    let (subject, code) = match args.pid {
        Some(pid) => (watched(pid, limit, &signals), Code::Done),
        None => started(args, &sampler, &signals)?,
    };
    if let Some(refusal) = sampler.refusal() {
        return Err(profile::refused(refusal));
    }
    let found = sampler.finish();
    let profile = confidential::cleaned::<Profile>(&profile::profile(&found, subject));
    let state = if signals.code().is_some() { "interrupted" } else { "done" };
    // A running process is sampled until the user has seen enough.
    let interrupted = signals.code().filter(|_| args.pid.is_none());
    let code = exit::strongest(interrupted.into_iter().chain([code]));
    let machine_state = host_facts::state_now(&facts.host);
    let end = End { state: state.to_owned(), exit: code as i32, machine_state };
    let saved = writer.profile(&profile).and_then(|()| writer.end(&end)).map_err(unwritten);
    let run = Run { profiles: vec![profile], end: Some(end), ..Run::new(header) };
    let leaving = LeavingArgs { quiet: args.quiet, format: args.format, ..LeavingArgs::default() };
    finish::finish(&leaving, &run, saved.err(), &directory)
}

/// Starts the program and waits for its end; a signal to paw goes on to it.
fn started(args: &ProfileArgs, sampler: &Sampler, signals: &Signals) -> Result<(Subject, Code), Failure> {
    let mut words = sampled_process::prefix(sampler, &startup::own_file()?);
    words.extend_from_slice(&args.command);
    let (Some(program), Some((first, words))) = (args.command.first(), words.split_first()) else {
        return Err(Failure::usage("no program was named").hint("paw profile -- CMD"));
    };
    let mut command = Command::new(first);
    command.args(words);
    if args.format != Format::Text {
        // Standard output is the table's.
        command.stdout(io::stderr());
    }
    let began = Instant::now();
    let child = command.stdin(Stdio::inherit()).spawn().map_err(|error| absent(program, &error))?;
    let (status, elapsed) = awaited(child, sampler.waiter(), began, signals).map_err(|error| match error {
        WaitError::NotStarted(error) => absent(program, &error),
        WaitError::Unknown(error) => Failure::io(format!("the end of {program} is not known: {error}")),
    })?;
    let code = if status.success() { Code::Done } else { Code::Failed };
    if code == Code::Failed && signals.code().is_none() {
        print::message(&format!("paw: {program} ended with {}", ended(status)));
    }
    let subject = Subject {
        name: name(program),
        command: args.command.clone(),
        elapsed,
        ended: ended(status),
        ..Subject::default()
    };
    Ok((subject, code))
}

fn absent(program: &str, error: &io::Error) -> Failure {
    let code = if error.kind() == io::ErrorKind::NotFound { Code::Usage } else { Code::Failed };
    let sentence = format!("{program} cannot be started: {error}");
    let hint = "name a program on PATH, or a file by its path: ./program".to_owned();
    Failure { code, sentence, hint: Some(hint) }
}

/// Waits for the program in a thread of its own, which notes when it ended.
fn awaited(
    mut child: Child,
    waiter: Waiter,
    began: Instant,
    signals: &Signals,
) -> Result<(ExitStatus, Duration), WaitError> {
    let pid = Pid::from_child(&child);
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let ended = waiter.wait(&mut child).map(|status| (status, began.elapsed()));
        // The receiver waits for nothing else.
        let _ = send.send(ended);
    });
    let mut is_passed_on = false;
    loop {
        match receive.recv_timeout(BETWEEN_LOOKS) {
            Ok(ended) => return ended,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(WaitError::Unknown(io::Error::other("nobody waits for it")));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if signals.code().is_some() && !is_passed_on {
            // The terminal sends Ctrl-C to the program too; other signals came to this process alone.
            is_passed_on = true;
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

/// Waits until the process has ended, the time is over, or somebody interrupts.
fn watched(pid: u32, limit: Option<Duration>, signals: &Signals) -> Subject {
    let began = Instant::now();
    let exe = std::fs::read_link(format!("/proc/{pid}/exe"));
    let name = exe.map_or_else(|_| format!("process {pid}"), |exe| name(&exe.to_string_lossy()));
    let stat = format!("/proc/{pid}/stat");
    let mut ended = String::new();
    while signals.code().is_none() && limit.is_none_or(|limit| began.elapsed() < limit) {
        thread::sleep(BETWEEN_LOOKS.min(limit.map_or(BETWEEN_LOOKS, |limit| limit.saturating_sub(began.elapsed()))));
        // A zombie has ended, too: proc(5), field 3.
        let state = std::fs::read_to_string(&stat).unwrap_or_default();
        let state = state.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
        if state.is_none_or(|state| state == 'Z' || state == 'X') {
            "while it was sampled".clone_into(&mut ended);
            break;
        }
    }
    Subject { name, elapsed: began.elapsed(), ended, ..Subject::default() }
}

fn name(program: &str) -> String {
    program.rsplit('/').next().unwrap_or(program).to_owned()
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}
