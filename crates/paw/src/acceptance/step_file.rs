//! The file of a campaign, in TOML.
//!
//! ```toml
//! paw = "campaign/1"
//! budget = "1h"
//!
//! [[step]]
//! name = "blas"
//! command = "run blas --threads 1,all"
//! budget = "20m"
//! ```

use std::path::Path;

use clap::Parser;
use paw_data::document::{Document, DocumentError, Text, Texts};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::step::{Step, Steps};
use crate::amount;
use crate::cli::{Cli, Command};
use crate::command_line;
use crate::selection;

/// The version of the format.
const VERSION: &str = "campaign/1";

/// Subcommands that a step may have: those that measure, and those that judge.
const COMMANDS: &[&str] = &["run", "app", "kernel", "profile", "doctor", "selftest", "machine", "gate", "compare"];

/// Flags that the campaign sets.
const OWN: &[&str] = &["out", "dry-run", "resume"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileKeys {
    #[serde(rename = "paw")]
    _version: IgnoredAny,
    budget: Option<Text>,
    seed: Option<u64>,
    #[serde(default)]
    step: Vec<StepKeys>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepKeys {
    name: Text,
    command: Texts,
    budget: Option<Text>,
    #[serde(default)]
    needs: Texts,
}

/// Reads the campaign at `path`; every command line is checked.
///
/// # Errors
/// The file cannot be read, or something in it is wrong: what, and where.
pub fn read(path: &Path) -> Result<Steps, DocumentError> {
    Document::read(path, of)
}

fn of(document: &Document<'_>) -> Result<Steps, DocumentError> {
    #[derive(Deserialize)]
    struct Head {
        paw: Option<Text>,
    }
    let begin = format!("it is no campaign of steps: begin it with the line `paw = \"{VERSION}\"`");
    let Some(version) = document.parse::<Head>()?.paw else { return Err(document.whole(begin)) };
    if version.text != VERSION {
        let is_app = version.text.starts_with("app/");
        let why = if is_app { "it is a campaign of one program: `paw app -c FILE` measures it" } else { &begin };
        return Err(document.error(version.span, why));
    }
    let keys: FileKeys = document.parse()?;
    let mut steps: Vec<Step> = Vec::new();
    let seed = keys.seed;
    for keys in keys.step {
        let step = step(document, keys, &steps)?;
        steps.push(Step { seed, ..step });
    }
    if steps.is_empty() {
        return Err(document.whole("it has no step: add `[[step]]` with `name` and `command`"));
    }
    let budget_s = keys.budget.as_ref().map(|text| seconds(document, text)).transpose()?;
    if let (Some(text), Some(total)) = (&keys.budget, budget_s) {
        share(&mut steps, total).map_err(|why| document.error(text.span.clone(), why))?;
    }
    Ok(Steps { steps, budget_s })
}

/// Gives steps without a budget equal shares of what the others leave.
fn share(steps: &mut [Step], total_s: f64) -> Result<(), String> {
    let asked: f64 = steps.iter().filter_map(|step| step.budget_s).sum();
    let open = steps.iter().filter(|step| step.budget_s.is_none()).count();
    if asked > total_s || open > 0 && asked >= total_s {
        let rest = if open > 0 { ", and nothing is left for the others" } else { "" };
        return Err(format!("budgets of steps make {}{rest}", amount::duration(asked)));
    }
    let each = (total_s - asked) / open.max(1) as f64;
    // A share of many decimals says no more than one of milliseconds.
    let each = (each * 1e3).round().max(1.0) / 1e3;
    steps.iter_mut().for_each(|step| step.budget_s = step.budget_s.or(Some(each)));
    Ok(())
}

fn step(document: &Document<'_>, keys: StepKeys, before: &[Step]) -> Result<Step, DocumentError> {
    let StepKeys { name, command, budget, needs } = keys;
    if !is_plain(&name.text) || name.text.starts_with(['.', '-']) {
        let why = "a step's name is part of a directory's: letters, digits, `-`, `_` and `.`";
        return Err(document.error(name.span, why));
    }
    if before.iter().any(|step| step.name == name.text) {
        return Err(document.error(name.span, "another step has this name"));
    }
    if let Some(unknown) = needs.texts.iter().find(|need| !before.iter().any(|step| step.name == need.text)) {
        return Err(document.error(unknown.span.clone(), "no step before this one has that name"));
    }
    let words = words(document, &command, COMMANDS)?;
    let budget_s = budget.as_ref().map(|text| seconds(document, text)).transpose()?;
    if budget.is_some() && command_line::has(&words, "budget") {
        return Err(document.error(command.span, "the step has a budget of its own: keep one of the two"));
    }
    let needs = needs.texts.into_iter().map(|need| need.text).collect();
    let step = Step { number: before.len() + 1, name: name.text, words, budget_s, seed: None, needs };
    match unknown_place(&step, before) {
        None => Ok(step),
        Some(unknown) => {
            let why = format!("`{{{unknown}}}` is no step before this one: its directory cannot be put there");
            Err(document.error(command.span, why))
        }
    }
}

/// Whether all characters of `name` may be part of a directory's.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// A name in braces in the words of a step that takes the directories of others and has no step of that name before it. Steps that measure
/// have braces of their own: placeholders of a program's command line.
fn unknown_place<'s>(step: &'s Step, before: &[Step]) -> Option<&'s str> {
    if step.measures() {
        return None;
    }
    let opened = step.words.iter().flat_map(|word| word.split('{').skip(1));
    let mut named = opened.filter_map(|rest| Some(rest.split_once('}')?.0));
    named.find(|name| !name.is_empty() && is_plain(name) && before.iter().all(|known| known.name != *name))
}

fn seconds(document: &Document<'_>, text: &Text) -> Result<f64, DocumentError> {
    amount::seconds(&text.text).map_err(|why| document.error(text.span.clone(), why))
}

/// The words of a command that paw takes and that is one of `commands`, beginning with `paw`; one text is split as a shell does, several are
/// words.
pub fn words(document: &Document<'_>, command: &Texts, commands: &[&str]) -> Result<Vec<String>, DocumentError> {
    let wrong = |why: String| document.error(command.span.clone(), why);
    let mut words = match &command.texts[..] {
        [line] => shlex::split(&line.text).ok_or_else(|| wrong("a quotation mark is not closed".to_owned()))?,
        words => words.iter().map(|word| word.text.clone()).collect(),
    };
    if words.first().is_none_or(|word| word != "paw") {
        words.insert(0, "paw".to_owned());
    }
    let own = words.iter().skip(1).find(|word| !word.starts_with('-'));
    if !own.is_some_and(|name| commands.contains(&name.as_str())) {
        return Err(wrong(format!("a step is one of {}", commands.join(", "))));
    }
    if let Some(flag) = OWN.iter().find(|flag| command_line::has(&words, flag)) {
        return Err(wrong(format!("paw sets --{flag} for each step itself: leave it away")));
    }
    let refused = |why: &str| wrong(format!("paw does not take it: {why}"));
    let cli = Cli::try_parse_from(&words)
        .map_err(|error| refused(error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ")))?;
    if let Some(Command::Run(run)) = &cli.command {
        selection::select(&run.names, paw_suites::catalogue())
            .map_err(|error| refused(&error.to_string().replace("\nhint: ", "; ")))?;
    }
    Ok(words)
}
