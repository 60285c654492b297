//! What signals at seeded moments cost a command, counted.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use workplace::{Ran, Workplace};

use crate::blow::{self, Blow, Struck};
use crate::remains;
use crate::saved_run;
use crate::subject::{self, Subject};

/// The signals, with their names.
pub const SIGNALS: [(&str, Signal); 3] =
    [("SIGKILL", Signal::KILL), ("SIGTERM", Signal::TERM), ("SIGHUP", Signal::HUP)];

/// One row of the table.
#[derive(Debug)]
pub struct Tally {
    subject: &'static str,
    signal: &'static str,
    moments: u32,
    /// Moments at which the command still ran.
    struck: u32,
    /// What went wrong, by column, a sentence each.
    faults: [Vec<String>; 5],
}

/// What may go wrong: a column of the table each.
const COLUMNS: [&str; 5] = ["lost", "left", "hung or miscoded", "unreadable", "not continued"];

impl Tally {
    /// Whether nothing went wrong.
    pub fn is_clean(&self) -> bool {
        self.faults.iter().all(Vec::is_empty)
    }

    /// The head of the table.
    pub fn head() -> String {
        format!(
            "| command | signal | moments | still running | {} |\n|---|---|---|---|---|---|---|---|---|",
            COLUMNS.join(" | ")
        )
    }

    /// All that went wrong.
    pub fn sentences(&self) -> Vec<String> {
        let column = |(name, faults): (&&str, &Vec<String>)| -> Vec<String> {
            faults.iter().map(|fault| format!("{} {}: {name}: {fault}", self.subject, self.signal)).collect()
        };
        COLUMNS.iter().zip(&self.faults).flat_map(column).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> = self.faults.iter().map(|faults| faults.len().to_string()).collect();
        write!(
            f,
            "| {} | {} | {} | {} | {} |",
            self.subject,
            self.signal,
            self.moments,
            self.struck,
            counts.join(" | ")
        )
    }
}

/// Strikes `subject` at `moments` moments of its length, drawn from `seed`, by the paw at `paw`.
pub fn tally(subject: &Subject, signal: (&'static str, Signal), moments: u32, seed: u64, paw: &Path) -> Tally {
    let length = blow::length(subject, &subject.place(paw));
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut tally = Tally { subject: subject.name, signal: signal.0, moments, struck: 0, faults: Default::default() };
    for moment in 0..moments {
        let target = subject.targets[moment as usize % subject.targets.len()];
        let blow = Blow { signal: signal.1, after: length.mul_f64(rng.f64()), target };
        let place = subject.place(paw);
        let mark = format!("{}-{}-{moment}", std::process::id(), rng.u64(..));
        let struck = blow::strike(subject, &place, blow, &mark);
        let left = remains::left(&mark);
        tally.struck += u32::from(struck.at.is_some());
        let found = [
            saved_run::losses(subject, &place, blow, &struck),
            left,
            badly_ended(subject, &place, blow, &struck).into_iter().collect(),
            unreadable(subject, &place),
            not_continued(subject, &place).into_iter().collect(),
        ];
        let when = said(blow.after, blow);
        for (column, faults) in tally.faults.iter_mut().zip(found) {
            column.extend(faults.into_iter().map(|fault| format!("{when}: {fault}")));
        }
    }
    tally
}

fn said(after: Duration, blow: Blow) -> String {
    format!("after {:.3} s to {:?}", after.as_secs_f64(), blow.target)
}

/// Why the end of the command is not the one that the signal asked for.
fn badly_ended(subject: &Subject, place: &Workplace, blow: Blow, struck: &Struck) -> Option<String> {
    let Some(status) = struck.status else { return Some("it did not end".to_owned()) };
    if blow.signal == Signal::KILL || struck.at.is_none() || blow::is_signalled(status) {
        return None;
    }
    let asked = if blow.signal == Signal::TERM { 143 } else { 129 };
    let code = status.code().unwrap_or(-1);
    let has_samples = subject.runs().iter().any(|run| blow::text(place, run).contains("\"measure\""));
    // A launcher of ranks has codes of its own.
    if ![0, asked].contains(&code) && subject.targets.len() == 2 {
        return Some(format!("exit code {code}"));
    }
    // Where only a reference has been measured, the page says that the run was interrupted.
    let is_shown = !has_samples || [subject.shows, "interrupted"].iter().any(|word| struck.out.contains(word));
    (!is_shown).then(|| format!("it printed no table, but `{}`", struck.out.trim()))
}

/// Which commands that read cannot read what is there.
fn unreadable(subject: &Subject, place: &Workplace) -> Vec<String> {
    let mut faults = Vec::new();
    for run in subject.runs().iter().filter(|run| is_begun(place, run)) {
        for line in [format!("$PAW show {run}"), format!("$PAW report {run} --out -")] {
            let ran = ran(place, &line);
            if ran.code != 0 {
                faults.push(format!("{line}: exit code {}: {}", ran.code, ran.err.trim()));
            }
        }
    }
    faults
}

/// Why the command does not go on with what is there.
fn not_continued(subject: &Subject, place: &Workplace) -> Option<String> {
    if subject.name != subject::CAMPAIGN.name && !is_begun(place, "r") {
        return None;
    }
    let ran = ran(place, subject.continuation);
    let is_whole = ran.code == 6 && ran.err.contains("it is whole");
    (ran.code != 0 && !is_whole).then(|| format!("exit code {}: {}", ran.code, ran.err.trim()))
}

fn ran(place: &Workplace, line: &str) -> Ran {
    Ran::of(&mut blow::command(place, line))
}

/// Whether the first line of a run is whole: before, there is nothing to read.
fn is_begun(place: &Workplace, run: &str) -> bool {
    blow::text(place, run).contains('\n')
}
