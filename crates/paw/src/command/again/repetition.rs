//! The command of a run, as it is started again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use paw_data::cell::Role;
use paw_data::run::{Header, PREFERRED, Run};
use paw_machine::environment::secret::HIDDEN;
use paw_machine::environment::{self, VariableEffect, Variables};

use crate::cli::Cli;
use crate::command_line;
use crate::confidential::HIDDEN_PATH;
use crate::executable;
use crate::failure::Failure;
use crate::job;

/// The words that `--redact` leaves in the place of names and paths.
const REDACTED: [&str; 3] = [HIDDEN_PATH, "[host]", "[user]"];

/// A command with its directory and its variables.
#[derive(Debug)]
pub struct Repetition {
    /// The command line, beginning with `paw`.
    pub words: Vec<String>,
    /// Where it is started.
    pub directory: PathBuf,
    /// Variables that are set as they were.
    pub set: BTreeMap<String, String>,
    /// Variables that were not set then and change results.
    pub unset: Vec<String>,
}

impl Repetition {
    /// The command of `run` with the seed of then, into the directory `out`; refused where it cannot be the same.
    pub fn of(run: &Run, out: Option<&Path>) -> Result<Self, Failure> {
        let header = &run.header;
        repeatable(run)?;
        let words = executable::arguments(header.argv.iter().map(OsString::from));
        let words: Vec<String> = words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Cli::try_parse_from(&words).map_err(|error| {
            let why = error.to_string();
            refused(header, &format!("this paw does not take its command line ({})", why.lines().next().unwrap_or("")))
                .hint(format!("it was measured by {}", header.tool))
        })?;
        let here = std::env::current_dir().unwrap_or_default();
        let directory = if header.directory.is_empty() { here } else { PathBuf::from(&header.directory) };
        if !directory.is_dir() {
            let why = format!("the directory in which it was started is gone: {}", directory.display());
            return Err(refused(header, &why).hint("make it again, with the files that the command names"));
        }
        let (set, unset) = variables(run)?;
        Ok(Self { words: with_flags(&words, header.plan.seed, out), directory, set, unset })
    }

    /// The command as it would be typed, with the processors that it keeps.
    pub fn line(&self) -> String {
        let words = shlex::try_join(self.words.iter().map(String::as_str));
        words.unwrap_or_else(|_| self.words.join(" "))
    }

    /// The variables that this process has otherwise, in words; `None` without any.
    pub fn kept(&self) -> Option<String> {
        let now = environment::current();
        let set = self.set.iter().filter(|(name, value)| now.get(*name) != Some(value));
        let mut said: Vec<String> = set.map(|(name, value)| format!("{name}={value}")).collect();
        said.extend(self.unset.iter().map(|name| format!("no {name}")));
        (!said.is_empty()).then(|| format!("as then: {}", said.join(", ")))
    }
}

fn refused(header: &Header, why: &str) -> Failure {
    Failure::usage(format!("{} cannot be repeated: {why}", header.id))
}

/// Refuses runs whose command is not known, or needs a launcher.
fn repeatable(run: &Run) -> Result<(), Failure> {
    let header = &run.header;
    if let Some(files) = header.imported() {
        return Err(refused(header, &format!("it was imported from {files}, and paw has not measured it")));
    }
    if header.argv.is_empty() {
        return Err(refused(header, "it does not say by which command it was measured"));
    }
    let type_it = "type the command again: `paw compare` holds both runs against each other";
    if header.argv.iter().any(|word| word.contains(HIDDEN)) {
        return Err(refused(header, "a secret in its command line is hidden").hint(type_it));
    }
    if header.argv.iter().chain([&header.directory]).any(|word| REDACTED.iter().any(|mark| word.contains(mark))) {
        let why = "--redact has hidden names or paths of its command line or its directory";
        return Err(refused(header, why).hint(type_it));
    }
    let Some(team) = run.teams.first() else { return Ok(()) };
    let ranks = team.ranks.len();
    let here = match job::size() {
        None if job::is_launched() => return Ok(()),
        Some(here) if here == ranks => return Ok(()),
        here => here.map_or_else(String::new, |here| format!("; this job has {here}")),
    };
    let why = format!("{ranks} ranks measured it, started by {}{here}", team.launcher);
    Err(refused(header, &why).hint(format!("start as many: `mpirun -n {ranks} paw again RUN`")))
}

/// Variables to set, and to remove, so that all that change results are as they were. A batch system's grants are those of now, and of
/// ranks the launcher's variables too.
fn variables(run: &Run) -> Result<(BTreeMap<String, String>, Vec<String>), Failure> {
    let now = environment::current();
    let is_ours = |name: &str| {
        let effect = environment::known(name).map(|known| known.effect);
        let of_launcher = !run.teams.is_empty() && !name.starts_with("PAW_");
        !(effect == Some(VariableEffect::Grant) || effect == Some(VariableEffect::Transport) && of_launcher)
    };
    let mut set: Variables = run.header.env.clone();
    set.retain(|name, _| is_ours(name));
    for (name, value) in &mut set {
        if value.contains(HIDDEN) {
            let missing = || refused(&run.header, &format!("the value of its variable {name} is hidden"));
            let known = now.get(name).ok_or_else(|| missing().hint(format!("export {name} with the value of then")))?;
            value.clone_from(known);
        }
    }
    let cpus: Vec<String> = preferred(run).iter().map(ToString::to_string).collect();
    if !cpus.is_empty() {
        set.insert(PREFERRED.to_owned(), cpus.join(","));
    }
    let mut unset: Vec<String> = environment::captured(&now).into_keys().collect();
    unset.retain(|name| is_ours(name) && !set.contains_key(name));
    Ok((set, unset))
}

/// The processors that were chosen as the idlest: of a single thread, or of a kernel.
fn preferred(run: &Run) -> Vec<u32> {
    if let Some(kernel) = &run.header.kernel {
        return kernel.cpu.map_or_else(|| kernel.cpus.clone(), |cpu| vec![cpu]);
    }
    if let Some(app) = &run.header.app {
        let single = app.threads.iter().find(|point| point.threads == 1 && point.cpus.len() == 1);
        return single.map(|point| point.cpus.clone()).unwrap_or_default();
    }
    let subjects = run.records.iter().map(|record| &record.cell).filter(|cell| cell.role == Role::Subject);
    let mut places = subjects.filter_map(|cell| cell.ranks.first()).map(|rank| &rank.cpus);
    places.find(|cpus| cpus.len() == 1).cloned().unwrap_or_default()
}

/// The command line with `seed`, unless one was typed, and with `out` in the place of the directory of then.
fn with_flags(words: &[String], seed: u64, out: Option<&Path>) -> Vec<String> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut line: Vec<String> = Vec::new();
    let mut flags = words[..end].iter();
    while let Some(word) = flags.next() {
        if word == "--out" {
            flags.next();
        } else if !word.starts_with("--out=") {
            line.push(word.clone());
        }
    }
    line.extend_from_slice(&words[end..]);
    if command_line::takes(&line, "seed") && !command_line::has(&line, "seed") {
        line = command_line::with(&line, ["--seed".to_owned(), seed.to_string()]);
    }
    match out {
        Some(out) => command_line::with(&line, ["--out".to_owned(), out.to_string_lossy().into_owned()]),
        None => line,
    }
}
