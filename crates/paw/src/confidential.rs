//! Removes from a run what must stay private: secrets always, and with `--redact` who measured where.

mod redaction;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use paw_data::code::Code;
use paw_data::run::Run;
use paw_machine::environment;
use paw_machine::environment::secret::{self, HIDDEN};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

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
    let mut header = found.cleaned(&run.header);
    for (name, value) in &mut header.env {
        if secret::is_secret_name(name) {
            HIDDEN.clone_into(value);
        }
    }
    let mut run = Run { header, teams: run.teams.iter().map(|team| found.cleaned(team)).collect(), ..run };
    for record in &mut run.records {
        record.cell = found.cleaned(&record.cell);
        record.outcome = record.outcome.as_ref().map(|outcome| found.cleaned(outcome));
    }
    run.codes.iter_mut().for_each(|code| *code = found.cleaned_code(code));
    run
}

impl Confidential {
    fn without_secrets(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), HIDDEN))
    }

    fn clean(&self, text: &str) -> String {
        let text = self.without_secrets(text);
        self.redaction.as_ref().map_or(text.clone(), |redaction| redaction.applied(&text))
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
        let Ok(mut value) = serde_json::to_value(original) else { return original.clone() };
        let before = value.clone();
        self.walk(&mut value);
        // An unchanged value is cloned: JSON has no NaN and no infinity.
        if value == before {
            original.clone()
        } else {
            serde_json::from_value(value).unwrap_or_else(|_| original.clone())
        }
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
    use paw_data::code::{SourceLine, SourceText};
    use paw_data::outcome::{Outcome, Status};

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
    fn what_holds_no_secret_is_as_it_was() {
        let facts = Application { timeout_s: Some(f64::INFINITY), command: vec!["prog".into()], ..Default::default() };
        assert_eq!(hiding(&["prog"]).cleaned(&facts), facts);
    }
}
