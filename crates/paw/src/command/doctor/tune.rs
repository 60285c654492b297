//! `paw doctor --tune -- COMMAND`, which changes settings while a command runs, and `--restore`, for when paw was killed meanwhile.

use std::os::unix::process::ExitStatusExt;
use std::process::{self, ExitStatus};

use paw_apps::fixed_layout::FixedLayout;
use paw_machine::doctor::Examined;
use paw_machine::root::Root;

use super::journal::{Change, Journal};
use super::settings::{TakenBack, apply, changes, permitted, take_back};
use crate::cli::DoctorArgs;
use crate::exit::{Code, strongest};
use crate::failure::Failure;
use crate::print;
use crate::supervised::Supervision;

/// Settings that are changed until this value is dropped.
struct Tuned<'a> {
    root: &'a Root,
    journal: Journal,
    changes: Vec<Change>,
    state: TuneState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TuneState {
    Changed,
    TakenBack,
}

/// Changes what `findings` recommend, as far as it can be taken back; runs `command`; takes everything back.
pub fn tune(root: &Root, findings: &[Examined], args: &DoctorArgs) -> Result<Code, Failure> {
    let command = &args.command;
    let deaf = |error| Failure::io(format!("cannot listen for signals: {error}"));
    let mut supervision = Supervision::begin().map_err(deaf)?;
    let (changes, mut refused) = permitted(root, changes(root, findings));
    let mut tuned = Tuned::begin(root, changes)?;
    refused.extend(tuned.as_ref().map(Tuned::apply).unwrap_or_default());
    say_refused(&refused);
    if tuned.is_none() && refused.is_empty() {
        print::message("nothing to change that could be taken back");
    }
    let _layout = args.no_aslr.then(fixed_layout).flatten();
    let ran = match command.split_first() {
        Some((program, words)) => supervision.run(process::Command::new(program).args(words), None),
        None => Ok(None),
    };
    let restored = tuned.as_mut().map_or(Ok(Code::Done), Tuned::take_back);
    let name = command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    let ended = match ran {
        Ok(ended) => of_status(&name, ended.map(|ended| ended.status)),
        Err(error) => {
            print::message(&format!("paw: {name} cannot be started: {error}"));
            Code::Failed
        }
    };
    Ok(strongest([restored?, supervision.code().unwrap_or(ended)]))
}

/// The layout of the command's addresses, fixed until this value is dropped. It is a property of a process that its children inherit
/// (personality(2)): no other program loses its randomisation, which guards it against attacks, nothing is left to take back when paw is
/// killed, and no root is needed. So `randomize_va_space` stays as it is.
fn fixed_layout() -> Option<FixedLayout> {
    let unfixed = |error: &std::io::Error| print::warn(&format!("addresses still differ from run to run: {error}"));
    FixedLayout::enter().inspect_err(unfixed).ok()
}

fn of_status(name: &str, status: Option<ExitStatus>) -> Code {
    let Some(status) = status else { return Code::Done };
    let how = match (status.code(), status.signal()) {
        (Some(0), _) => return Code::Done,
        (Some(code), _) => format!("exited with {code}"),
        (None, signal) => format!("was ended by signal {}", signal.unwrap_or(0)),
    };
    print::message(&format!("paw: {name} {how}"));
    Code::Failed
}

/// Says once what was not set.
fn say_refused(refused: &[(Change, String)]) {
    let Some((change, why)) = refused.first() else { return };
    let more = refused.len() - 1;
    let others = if more > 0 { format!(", nor {more} others") } else { String::new() };
    print::warn(&format!("{} was not set to {}{others}: {why}", change.path, change.after));
}

impl<'a> Tuned<'a> {
    /// Writes `changes` down before they are made; `None` where there are none, so that no journal is needed.
    fn begin(root: &'a Root, changes: Vec<Change>) -> Result<Option<Self>, Failure> {
        let journal = if changes.is_empty() { Journal::existing(root)? } else { Some(Journal::open(root)?) };
        let Some(journal) = journal else { return Ok(None) };
        if !journal.left()?.is_empty() {
            let sentence = "settings are still changed by a `paw doctor --tune` that was killed";
            return Err(Failure::io(sentence).hint("`paw doctor --restore` takes them back"));
        }
        if changes.is_empty() {
            return Ok(None);
        }
        journal.begin(&changes)?;
        Ok(Some(Self { root, journal, changes, state: TuneState::Changed }))
    }

    /// Makes the changes; those that the kernel refuses, each with the reason.
    fn apply(&self) -> Vec<(Change, String)> {
        let mut refused: Vec<(Change, String)> = Vec::new();
        let mut changed: Vec<&Change> = Vec::new();
        for change in &self.changes {
            match apply(self.root, change) {
                Ok(()) => changed.push(change),
                Err(why) => refused.push((change.clone(), why)),
            }
        }
        for (name, from, to, count) in grouped(&changed) {
            print::message(&format!("{name}: {to} in place of {from}{}", files(count)));
        }
        refused
    }

    fn take_back(&mut self) -> Result<Code, Failure> {
        self.state = TuneState::TakenBack;
        taken_back(self.root, &self.journal, &self.changes)
    }
}

impl Drop for Tuned<'_> {
    fn drop(&mut self) {
        // Only a bug leads here with changed settings.
        if self.state == TuneState::Changed {
            let _ = self.take_back();
        }
    }
}

/// Takes back what a killed `paw doctor --tune` has left.
pub fn restore(root: &Root) -> Result<Code, Failure> {
    let journal = Journal::open(root)?;
    let left = journal.left()?;
    if left.is_empty() {
        print::message("no setting is changed: there is nothing to take back");
        return journal.end().map(|()| Code::Done);
    }
    taken_back(root, &journal, &left)
}

/// Takes back `changes`, the last first, and forgets them where all are done.
fn taken_back(root: &Root, journal: &Journal, changes: &[Change]) -> Result<Code, Failure> {
    let mut failed = 0;
    let mut restored: Vec<&Change> = Vec::new();
    for change in changes.iter().rev() {
        match take_back(root, change) {
            TakenBack::Restored => restored.push(change),
            TakenBack::Unchanged => {}
            TakenBack::ChangedByOthers { now } => print::warn(&format!(
                "somebody else has set {} to {now} meanwhile, which stays; before it was {}",
                change.path, change.before
            )),
            TakenBack::Failed { why } => {
                failed += 1;
                print::warn(&format!("{} was not set back to {}: {why}", change.path, change.before));
            }
        }
    }
    for (name, from, _, count) in grouped(&restored) {
        print::message(&format!("{name}: {from} again{}", files(count)));
    }
    if failed > 0 {
        let sentence = format!("{failed} of {} settings are not as they were", changes.len());
        return Err(Failure::io(sentence).hint("`paw doctor --restore` tries again"));
    }
    journal.end().map(|()| Code::Done)
}

/// Changes of files of one name and value: name, value before, value after, and how many.
fn grouped<'a>(changes: &[&'a Change]) -> Vec<(&'a str, &'a str, &'a str, usize)> {
    let mut groups: Vec<(&str, &str, &str, usize)> = Vec::new();
    for change in changes {
        let name = change.path.rsplit('/').next().unwrap_or(&change.path);
        let same = |group: &&mut (&str, &str, &str, usize)| {
            (group.0, group.1, group.2) == (name, &change.before, &change.after)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.3 += 1,
            None => groups.push((name, &change.before, &change.after, 1)),
        }
    }
    groups
}

fn files(count: usize) -> String {
    if count > 1 { format!(" ({count} files)") } else { String::new() }
}
