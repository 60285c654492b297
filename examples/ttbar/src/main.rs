//! The command `ttbar`: flags in, lines out.
#![forbid(unsafe_code)]

mod flags;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Instant;

use ttbar::closure::closure;
use ttbar::event::{GENERATED, PASSED, sample};
use ttbar::fit::fit;

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
    let begin = Instant::now();
    let events = sample(GENERATED, PASSED);
    let generate_s = begin.elapsed().as_secs_f64();
    let mut text = format!("events: {GENERATED}\npassed: {}\n", events.len());
    let code = match *task {
        Task::Fit { variations, threads, schedule } => {
            let begin = Instant::now();
            let found = fit(&events, variations, threads, schedule);
            let fit_s = begin.elapsed().as_secs_f64();
            let found = found.map_err(|e| io::Error::other(format!("{threads} threads cannot be started: {e}")))?;
            let rows = [
                ("combinations", found.combinations),
                ("variations", variations),
                ("threads", threads as u64),
                ("calls", found.calls),
                ("solvable", found.solvable),
                ("solutions", found.solutions),
                ("reconstructed", found.reconstructed),
            ];
            for (name, value) in rows {
                let _ = writeln!(text, "{name}: {value}");
            }
            let _ = writeln!(text, "checksum: {:#018x}", found.checksum);
            let _ = writeln!(text, "Generate: {:.3} ms\nKinFit: {:.3} ms", generate_s * 1e3, fit_s * 1e3);
            ExitCode::SUCCESS
        }
        Task::Check => {
            let closure = closure(&events);
            let _ = writeln!(text, "closed: {}\nworst: {:.1e}", closure.closed, closure.worst);
            if closure.closed == events.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(code)
}
