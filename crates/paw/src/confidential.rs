//! Removes from a run what must stay private: secrets always, and with `--redact` who measured where.

mod redaction;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use paw_data::code::Code;
use paw_data::json;
use paw_data::run::Run;
use paw_machine::environment;
use paw_machine::environment::secret::{self, HIDDEN};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use redaction::HIDDEN_PATH;
use redaction::Redaction;

/// The private facts of this process; set once its flags are known.
static PROCESS: OnceLock<Confidential> = OnceLock::new();

/// Texts that are replaced wherever they occur.
#[derive(Debug, Default)]
pub struct Confidential {
    /// Secrets, the longest first.
    secrets: Vec<String>,
    redaction: Option<Redaction>,
}

/// Whether names of host and user, and paths, are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// Host and user are recorded.
    Shown,
    /// `--redact`.
    Hidden,
}

/// Notes the secrets of this process's command line and environment, and whether its identity is hidden.
pub fn begin(identity: Identity) {
    let argv: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let secrets = secret::secrets(&argv, &environment::current());
    let redaction = (identity == Identity::Hidden).then(Redaction::of_process);
    // Later calls have no effect.
    let _ = PROCESS.set(Confidential { secrets, redaction });
}

/// `text` without the secrets of this process.
pub fn hidden(text: &str) -> String {
    PROCESS.get().map_or_else(|| text.to_owned(), |process| process.without_secrets(text))
}

/// `original` without the secrets of this process, and with `--redact` without its identity.
pub fn cleaned<T: Serialize + DeserializeOwned + Clone>(original: &T) -> T {
    PROCESS.get().map_or_else(|| original.clone(), |process| process.cleaned(original))
}

/// `original` as [`cleaned`], and with `--redact` without the text of the source.
pub fn cleaned_code(original: &Code) -> Code {
    PROCESS.get().map_or_else(|| original.clone(), |process| process.cleaned_code(original))
}

/// A run as it was read, without the secrets that an older version recorded, and with `--redact` without its identity.
pub fn cleaned_run(run: Run) -> Run {
    let env: BTreeMap<String, String> = run.header.env.clone();
    let is_redacted = PROCESS.get().is_some_and(|process| process.redaction.is_some());
    let found = Confidential {
        secrets: secret::secrets(&run.header.argv, &env),
        redaction: is_redacted.then(|| Redaction::of_run(&run)),
    };
    found.cleaned_run(run)
}

impl Confidential {
    /// Whether there is any text to replace.
    fn replaces(&self) -> bool {
        !self.secrets.is_empty() || self.redaction.is_some()
    }

    fn without_secrets(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), HIDDEN))
    }

    fn clean(&self, text: &str) -> String {
        let text = self.without_secrets(text);
        self.redaction.as_ref().map_or(text.clone(), |redaction| redaction.applied(&text))
    }

    /// Every part of a run that holds texts, as they are cleaned while a run is measured.
    fn cleaned_run(&self, run: Run) -> Run {
        let mut header = self.cleaned(&run.header);
        for (name, value) in &mut header.env {
            if secret::is_secret_name(name) {
                HIDDEN.clone_into(value);
            }
        }
        let mut run = Run { header, ..run };
        run.teams.iter_mut().for_each(|team| *team = self.cleaned(team));
        for record in &mut run.records {
            // Where nothing is to be replaced, a command line may still hold a secret, and only a build has one. Runs have a hundred
            // thousand cells.
            if self.replaces() || record.cell.build.is_some() {
                record.cell = self.cleaned(&record.cell);
            }
            if self.replaces() {
                record.outcome = record.outcome.as_ref().map(|outcome| self.cleaned(outcome));
            }
            record.counters.iter_mut().for_each(|counters| *counters = self.cleaned(counters));
            record.executed = record.executed.as_ref().map(|executed| self.cleaned(executed));
        }
        run.explanations.iter_mut().for_each(|explanation| *explanation = self.cleaned(explanation));
        run.profiles.iter_mut().for_each(|profile| *profile = self.cleaned(profile));
        run.codes.iter_mut().for_each(|code| *code = self.cleaned_code(code));
        run
    }

    /// A source may say anything of whose it is, and what looks like a path in it may be a comment.
    fn cleaned_code(&self, original: &Code) -> Code {
        let mut code = self.cleaned(original);
        if self.redaction.is_some() {
            code.sources.clear();
        }
        code
    }

    fn cleaned<T: Serialize + DeserializeOwned + Clone>(&self, original: &T) -> T {
        let Ok(mut value) = json::to_value(original) else { return original.clone() };
        let before = value.clone();
        self.walk(&mut value);
        // An unchanged value is cloned: JSON has no NaN and no infinity.
        if value == before { original.clone() } else { json::from_value(&value).unwrap_or_else(|_| original.clone()) }
    }

    fn walk(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.clean(text),
            Value::Array(items) => {
                if let Some(mut words) = words(items) {
                    secret::hide_words(&mut words);
                    *items = words.into_iter().map(Value::String).collect();
                }
                items.iter_mut().for_each(|item| self.walk(item));
            }
            Value::Object(fields) => fields.values_mut().for_each(|field| self.walk(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The items of an array of texts: a command line may be one.
fn words(items: &[Value]) -> Option<Vec<String>> {
    items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use paw_data::application::Application;
    use paw_data::cell::Cell;
    use paw_data::code::{SourceLine, SourceText};
    use paw_data::counters::Counters;
    use paw_data::executed::Executed;
    use paw_data::explanation::Explanation;
    use paw_data::method::Plan;
    use paw_data::outcome::{Outcome, Status};
    use paw_data::point::Point;
    use paw_data::profile::{Loop, Module, ModuleKind, Place, Profile};
    use paw_data::quantity::Quantity;
    use paw_data::run::Record;
    use paw_data::store::json;
    use paw_measure::method::{NAMES, preset};

    use super::*;

    fn hiding(argv: &[&str]) -> Confidential {
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        Confidential { secrets: secret::secrets(&argv, &BTreeMap::new()), redaction: None }
    }

    #[test]
    fn a_secret_is_hidden_in_commands_and_in_what_quotes_them() {
        let command = ["prog", "--password", "hunter2", "--pin", "--token", "ab"];
        let hiding = hiding(&command);
        let facts = Application { command: command.map(str::to_owned).to_vec(), ..Application::default() };
        assert_eq!(hiding.cleaned(&facts).command, ["prog", "--password", HIDDEN, "--pin", "--token", HIDDEN]);
        let why = Some("`prog --password hunter2` exited with 3".to_owned());
        let outcome = Outcome { cell: 0, status: Status::Failed, ending: None, why, check: None, caveats: vec![] };
        assert_eq!(hiding.cleaned(&outcome).why.unwrap(), "`prog --password [hidden]` exited with 3");
    }

    #[test]
    fn redaction_leaves_no_text_of_the_source() {
        let line = SourceLine { line: 3, text: "for (;;) // by anna".to_owned() };
        let sources = vec![SourceText { file: "/home/anna/k.c".to_owned(), lines: vec![line] }];
        let code = Code { sources, file: "/home/anna/k.so".to_owned(), ..Code::default() };
        assert_eq!(hiding(&["prog"]).cleaned_code(&code), code);
        let redacting = Confidential { secrets: Vec::new(), redaction: Some(Redaction::default()) };
        let cleaned = redacting.cleaned_code(&code);
        assert_eq!((cleaned.sources.len(), cleaned.file.as_str()), (0, "[path]/k.so"));
    }

    #[test]
    fn redaction_reaches_every_part_of_a_run_that_was_measured_without_it() {
        let path = || "/home/anna/solver".to_owned();
        let told = || format!("node17 could not read {}", path());
        let header = serde_json::json!({
            "schema": "paw.run/1", "id": "r", "tool": "paw", "argv": [path()], "utc": "",
            "plan": Plan::new(preset(NAMES[0]).unwrap(), 1, None),
        });
        let mut run = Run::new(serde_json::from_value(header).unwrap());
        run.header.machine.identity.host = "node17".to_owned();
        run.profiles.push(Profile {
            command: vec![path()],
            modules: vec![Module { path: path(), kind: ModuleKind::File }],
            loops: vec![Loop { file: path(), ..Loop::default() }],
            places: vec![Place { file: path(), ..Place::default() }],
            notes: vec![told()],
            ..Profile::default()
        });
        run.explanations.push(Explanation { refused: told(), recurrence_unknown: path(), ..Explanation::default() });
        run.codes.push(Code { file: path(), unknown: vec![told()], ..Code::default() });
        run.records.push(Record {
            counters: vec![Counters { origin: path(), notes: vec![told()], ..Counters::default() }],
            executed: Some(Executed { refused: told(), ..Executed::default() }),
            ..Record::new(Cell::new("app", "solver", "command", Quantity::Time, Point::new()))
        });
        let redacting = Confidential { secrets: Vec::new(), redaction: Some(Redaction::of_run(&run)) };
        let mut kept = Vec::new();
        json::write(&redacting.cleaned_run(run), &mut kept).unwrap();
        let kept = String::from_utf8(kept).unwrap();
        assert!(!kept.contains("anna") && !kept.contains("node17"), "{kept}");
        assert_eq!(kept.matches("[host] could not read [path]/solver").count(), 5, "{kept}");
    }

    #[test]
    fn what_holds_no_secret_is_as_it_was() {
        let facts = Application { timeout_s: Some(f64::INFINITY), command: vec!["prog".into()], ..Default::default() };
        assert_eq!(hiding(&["prog"]).cleaned(&facts), facts);
    }
}
