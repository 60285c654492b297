//! The command `ttbar`: flags in, lines out.
#![forbid(unsafe_code)]

mod flags;

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Instant;

use ttbar::closure::closure;
use ttbar::device::{self, Plan};
use ttbar::event::{Event, GENERATED, PASSED, sample};
use ttbar::fit::{Found, fit};

use crate::flags::{Flags, NoTask, Task};

fn main() -> ExitCode {
    let task = match Flags::read() {
        Ok(task) => task,
        Err(NoTask::Asked(help)) => {
            let _ = help.print();
            return ExitCode::SUCCESS;
        }
        Err(NoTask::Refused(sentence)) => {
            eprintln!("ttbar: {sentence}");
            return ExitCode::from(2);
        }
    };
    match run(&task) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("ttbar: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> io::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    let text = match *task {
        Task::List => rows(device::list()),
        Task::Check => {
            let events = sample(GENERATED, PASSED);
            let closure = closure(&events);
            code = ExitCode::from(u8::from(closure.closed != events.len()));
            let told = [("closed", closure.closed.to_string()), ("worst", format!("{:.1e}", closure.worst))];
            counted(&events) + &rows(told)
        }
        Task::Fit { variations, threads, schedule } => {
            let (events, generate_s) = timed(|| sample(GENERATED, PASSED));
            let (found, fit_s) = timed(|| fit(&events, variations, threads, schedule));
            let found = found.map_err(|e| io::Error::other(format!("{threads} threads cannot be started: {e}")))?;
            let clocks = [("Generate", generate_s), ("KinFit", fit_s)];
            counted(&events) + &fitted(&found, variations, ("threads", &threads.to_string())) + &rows(clocks.map(ms))
        }
        Task::Device { variations, choice } => {
            let (events, generate_s) = timed(|| sample(GENERATED, PASSED));
            let plan = Plan::of(&events, variations);
            let (engine, open_s) = timed(|| device::open(choice));
            let mut engine = engine.map_err(io::Error::other)?;
            let (compiled, compile_s) = timed(|| device::compile(&mut *engine, &plan));
            compiled.map_err(io::Error::other)?;
            let (found, fit_s) = timed(|| device::fit(&mut *engine, &events, &plan));
            let found = found.map_err(io::Error::other)?;
            let clocks = [("Generate", generate_s), ("Open", open_s), ("Compile", compile_s), ("KinFit", fit_s)];
            let name = format!("{choice} {}", engine.name());
            counted(&events) + &fitted(&found, variations, ("device", &name)) + &rows(clocks.map(ms))
        }
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(code)
}

/// What `work` makes, and the seconds it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begin = Instant::now();
    let made = work();
    (made, begin.elapsed().as_secs_f64())
}

fn ms((name, seconds): (&'static str, f64)) -> (&'static str, String) {
    (name, format!("{:.3} ms", seconds * 1e3))
}

/// Lines of names and values.
fn rows<N: Display>(rows: impl IntoIterator<Item = (N, String)>) -> String {
    rows.into_iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}

fn counted(events: &[Event]) -> String {
    rows([("events", GENERATED.to_string()), ("passed", events.len().to_string())])
}

/// What was found, and who found it.
fn fitted(found: &Found, variations: u64, (kind, who): (&str, &str)) -> String {
    let numbers = [
        ("calls", found.calls),
        ("solvable", found.solvable),
        ("solutions", found.solutions),
        ("reconstructed", found.reconstructed),
    ];
    rows([("combinations", found.combinations), ("variations", variations)].map(|(name, n)| (name, n.to_string())))
        + &rows([(kind, who.to_owned())])
        + &rows(numbers.map(|(name, number)| (name, number.to_string())))
        + &rows([("checksum", format!("{:#018x}", found.checksum))])
}
