//! What differs between the time of a run and now.

use std::path::Path;

use paw_apps::input;
use paw_data::application::InputFact;
use paw_data::json;
use paw_data::machine::{Identity, State};
use paw_data::run::{Header, Run};
use paw_machine::state::{ChangeRule, STATE_ITEMS, Significance, changes};

use crate::failure::Failure;
use crate::host_facts;
use crate::job;
use crate::startup;
use crate::utc;
use crate::written_since::written_since;

/// The differences, a phrase each; refused where a file that the run read is another one.
pub fn differences(run: &Run, directory: &Path) -> Result<Vec<String>, Failure> {
    let header = &run.header;
    let inputs = header.app.iter().flat_map(|app| &app.inputs);
    let sources = header.kernel.iter().flat_map(|kernel| &kernel.sources);
    inputs.chain(sources).try_for_each(|fact| unchanged(header, fact, directory))?;
    let here = host_facts::read()?;
    let mut found = Vec::new();
    if header.tool != startup::TOOL {
        found.push(format!("{} in place of {}", startup::TOOL, header.tool));
    }
    if header.directory.is_empty() {
        found.push("the run does not say where it was started: this directory is taken".to_owned());
    }
    let launchers = run.teams.first().map(|team| team.launcher.as_str()).zip(job::launcher_name());
    found.extend(launchers.filter(|(then, now)| then != now).map(|(then, now)| format!("{now} in place of {then}")));
    found.extend(of_machine(&header.machine.identity, &here.machine.identity));
    found.extend(of_state(&header.machine.state, &host_facts::state_now(&here.host)));
    found.extend(written_since(run, directory, utc::parsed(&header.utc)));
    Ok(found)
}

/// Refuses a file that is gone, or whose contents are others.
fn unchanged(header: &Header, fact: &InputFact, directory: &Path) -> Result<(), Failure> {
    let refused = |why: String| {
        Failure::usage(format!("{} cannot be repeated: {why}", header.id))
            .hint("put the file of then back, or type the command to measure that of now")
    };
    let now = input::read(&directory.join(&fact.path)).map_err(|error| refused(error.to_string()))?;
    match now.sha256 == fact.sha256 {
        true => Ok(()),
        false => Err(refused(format!("{} has other contents than then", fact.path))),
    }
}

fn of_machine(then: &Identity, now: &Identity) -> Option<String> {
    if then.fingerprint == now.fingerprint && then.host == now.host {
        return None;
    }
    let fields = [then, now].map(|identity| json::to_value(identity).unwrap_or_default());
    let names = fields[0].as_object()?.keys().filter(|name| *name != "fingerprint");
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let differing = names.filter(|name| fields[0].get(name) != fields[1].get(name)).map(|name| {
        let [then, now] = [0, 1].map(|at| fields[at].get(name).map(text).unwrap_or_default());
        // Caches and instruction sets are long lists.
        if then.len() + now.len() > 100 { name.clone() } else { format!("{name} {now} in place of {then}") }
    });
    let differing: Vec<_> = differing.collect();
    Some(if differing.is_empty() { "another machine".to_owned() } else { differing.join(", ") })
}

fn of_state(then: &State, now: &State) -> Vec<String> {
    let value = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let changes = changes(then, now)
        .into_iter()
        .filter(|change| change.weight == Significance::Matters && !counts_up(&change.name));
    changes
        .map(|change| format!("{} {} in place of {}", change.name, value(change.after), value(change.before)))
        .collect()
}

/// Whether a state's value counts up by itself: it differs from any earlier time, and no setting differs.
fn counts_up(name: &str) -> bool {
    STATE_ITEMS.iter().any(|item| item.name == name && item.rule == ChangeRule::Counter)
}
