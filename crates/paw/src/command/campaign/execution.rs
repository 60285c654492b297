//! Steps as they are done: each in a process of paw's own.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use paw_data::store;

use super::leftover;
use super::outcome::{Row, finished, is_whole, spent_s, unmet};
use super::place::Place;
use crate::acceptance::ledger::{Ledger, LedgerLine, StepState, state};
use crate::acceptance::step::{Step, Steps};
use crate::amount::span;
use crate::command_line;
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;
use crate::startup;
use crate::step_process;
use crate::supervised::{Ended, Supervision, Time};
use crate::utc;

/// What a step printed, within its directory.
const OUTPUT: &str = "output.txt";

/// A command that keeps its budget gets this much more time, for what is not of its budget: reading the machine, building, checking.
const BUDGET_MARGIN: f64 = 1.5;
/// And this many seconds.
const BUDGET_EXTRA_S: f64 = 60.0;

/// A campaign that is measured.
pub struct Execution<'a> {
    pub place: &'a Place,
    pub steps: &'a Steps,
    pub ledger: Ledger,
    pub supervision: Supervision,
}

impl Execution<'_> {
    /// Does a step that is missing; returns how it ended, now or before.
    pub fn step(&mut self, step: &Step) -> Result<Row, Failure> {
        if let Some(row) = finished(&self.ledger.lines, step) {
            print::message(&format!("step {}: {} before, not repeated", step.name, row.ended()));
            return Ok(row);
        }
        if self.supervision.code().is_some() {
            return Ok(Row::skipped(step, "the campaign was interrupted"));
        }
        let directory = self.place.home.join(step.directory());
        if state(&self.ledger.lines, &step.name) == StepState::Cut
            && let Some(end) = leftover::whole_run(&directory)
        {
            return self.ended(step, Code::from_number(end.exit), None, "its run was whole when paw was killed");
        }
        if let Some(why) = unmet(&self.ledger.lines, step) {
            return Ok(Row::skipped(step, &why));
        }
        let left_s = self.steps.budget_s.map(|total| total - spent_s(&self.ledger.lines));
        if left_s.is_some_and(|left| left <= 0.0) {
            return Ok(Row { exit: None, ..Row::skipped(step, OUT_OF_TIME) });
        }
        let line = step.line(&self.place.home, &self.steps.steps);
        let part = leftover::kept_beside(&directory)?;
        if let Some(part) = part.filter(|part| leftover::goes_on(part)) {
            let words = ["paw", "app", "--resume"].map(str::to_owned).into_iter();
            let paths = [part.to_string_lossy().into_owned(), "--out".to_owned(), line_out(&directory)];
            let row = self.run(step, &words.chain(paths).collect::<Vec<_>>(), left_s)?;
            let was_refused = matches!(row.exit, Some(Code::Usage | Code::Nothing | Code::Io));
            if !was_refused || directory.join(store::FILE).exists() {
                return Ok(row);
            }
            print::message(&format!("step {}: measured anew", step.name));
        }
        self.run(step, &line, left_s)
    }

    fn run(&mut self, step: &Step, line: &[String], left_s: Option<f64>) -> Result<Row, Failure> {
        let directory = self.place.home.join(step.directory());
        let failed = |error: io::Error| Failure::io(format!("{} cannot be made: {error}", directory.display()));
        fs::create_dir_all(&directory).map_err(failed)?;
        let output = directory.join(OUTPUT);
        let mut command = command(self.place, line)?;
        command.stdout(File::create(&output).map_err(failed)?).stdin(Stdio::null());
        command.env("COLUMNS", print::width().to_string());
        let utc = utc::to_second(SystemTime::now());
        let (name, argv) = (step.name.clone(), line.to_vec());
        self.ledger.append(LedgerLine::Begun { step: name, directory: step.directory(), argv, utc })?;
        print::message(&format!("step {}: {}", step.name, joined(line)));
        let (limit_s, began) = (limit_s(step, left_s), Instant::now());
        let limit = limit_s.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
        let ran = self.supervision.run(&mut command, limit);
        let elapsed_s = began.elapsed().as_secs_f64();
        let (exit, why) = match ran {
            Ok(None) => (Code::Interrupted, "interrupted before it began".to_owned()),
            Ok(Some(ended)) => self.judged(ended, limit_s),
            Err(error) => (Code::Io, format!("paw cannot start itself: {error}")),
        };
        show(&output)?;
        self.ended(step, exit, Some(elapsed_s), &why)
    }

    /// The exit code of a step, and what it does not say.
    fn judged(&self, ended: Ended, limit_s: Option<f64>) -> (Code, String) {
        let time = limit_s.map(span).unwrap_or_default();
        match (ended.status.code(), ended.time, self.supervision.code()) {
            (_, _, Some(code)) => (code, "interrupted".to_owned()),
            (Some(0), ..) => (Code::Done, String::new()),
            (_, Time::Over, _) => (Code::Inconclusive, format!("its time of {time} was over")),
            (Some(exit), ..) => (Code::from_number(exit), String::new()),
            (None, ..) => {
                let signal = ended.status.signal().unwrap_or(0);
                (Code::Failed, format!("it was ended by signal {signal}"))
            }
        }
    }

    fn ended(&mut self, step: &Step, exit: Code, elapsed_s: Option<f64>, why: &str) -> Result<Row, Failure> {
        let (name, why) = (step.name.clone(), why.to_owned());
        self.ledger.append(LedgerLine::Ended { step: name.clone(), exit: exit as i32, elapsed_s, why: why.clone() })?;
        if !is_whole(exit) {
            print::message(&format!("step {name}: interrupted; what it measured is kept"));
        }
        Ok(Row { step: name, directory: step.directory(), exit: Some(exit), elapsed_s, why })
    }
}

/// The reason of steps for which no time is left.
pub const OUT_OF_TIME: &str = "the campaign's budget is spent";

fn line_out(directory: &Path) -> String {
    directory.to_string_lossy().into_owned()
}

/// Seconds after which a step is interrupted; `None`: never.
fn limit_s(step: &Step, left_s: Option<f64>) -> Option<f64> {
    let own = step.budget_s.map(|budget_s| match step.keeps_budget() {
        true => budget_s * BUDGET_MARGIN + BUDGET_EXTRA_S,
        false => budget_s,
    });
    match (own, left_s) {
        (Some(own), Some(left)) => Some(own.min(left)),
        (own, left) => own.or(left),
    }
}

/// The words of a command line as a shell takes them.
pub fn joined(line: &[String]) -> String {
    shlex::try_join(line.iter().map(String::as_str)).unwrap_or_else(|_| line.join(" "))
}

/// The process of a command line of paw, which begins with `paw`, where the campaign began.
fn command(place: &Place, line: &[String]) -> Result<Command, Failure> {
    let own: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut command = Command::new(startup::own_file()?);
    command.args(step_process::prefix());
    if command_line::has(&own, "redact") {
        command.arg("--redact");
    }
    command.args(&line[1..]).current_dir(&place.directory);
    Ok(command)
}

/// Shows the plan of a step, as paw makes it.
pub fn show_plan(place: &Place, line: &[String]) -> Result<Code, Failure> {
    let line = command_line::with(line, ["--dry-run".to_owned()]);
    let status = command(place, &line)?.stdin(Stdio::null()).status();
    let status = status.map_err(|error| Failure::io(format!("paw cannot start itself: {error}")))?;
    Ok(status.code().map_or(Code::Failed, Code::from_number))
}

/// Prints what a step printed.
fn show(output: &Path) -> Result<(), Failure> {
    let Ok(mut file) = File::open(output) else { return Ok(()) };
    let shown = print::stream(|out| io::copy(&mut file, out).map(drop));
    match shown {
        // Nobody reads any more; the steps go on, and leave their files.
        Err(failure) if failure.code == Code::Done => Ok(()),
        shown => shown,
    }
}
