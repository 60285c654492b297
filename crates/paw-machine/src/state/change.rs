//! How two states differ, and whether it matters.

use paw_data::machine::State;
use paw_sort::OrderBy;

use crate::state::table::{ChangeRule, STATE_ITEMS};

/// One reading that differs between two states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// Value in the first state; `None` where absent.
    pub before: Option<String>,
    /// Value in the second state; `None` where absent.
    pub after: Option<String>,
    /// The item's meaning, as a phrase; empty for a name unknown to this version.
    pub meaning: &'static str,
    /// Whether the change may move results.
    pub weight: Significance,
}

/// Whether a change may move results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Significance {
    /// Results may differ.
    Matters,
    /// Results do not depend on it; the change is listed for completeness.
    Noted,
}

/// The differences of two states, significant ones first, then by name.
pub fn changes(before: &State, after: &State) -> Vec<Change> {
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut found: Vec<Change> = names
        .into_iter()
        .filter(|name| before.get(*name) != after.get(*name))
        .map(|name| change(name, before.get(name), after.get(name)))
        .collect();
    found.order_by_key(|change| change.weight);
    found
}

fn change(name: &str, before: Option<&String>, after: Option<&String>) -> Change {
    let known = STATE_ITEMS.iter().find(|r| r.name == name);
    // An item that this version does not know counts as a setting.
    let rule = known.map_or(ChangeRule::Setting, |r| r.rule);
    Change {
        name: name.to_owned(),
        before: before.cloned(),
        after: after.cloned(),
        meaning: known.map_or("", |r| r.meaning),
        weight: if matters(rule, before, after) { Significance::Matters } else { Significance::Noted },
    }
}

fn matters(rule: ChangeRule, before: Option<&String>, after: Option<&String>) -> bool {
    let number = |value: Option<&String>| value.and_then(|v| v.parse::<f64>().ok());
    match (rule, number(before), number(after)) {
        (ChangeRule::Setting, _, _) => true,
        (ChangeRule::Note, _, _) => false,
        (ChangeRule::Counter, Some(was), Some(is)) => is > was,
        (ChangeRule::Level(step), Some(was), Some(is)) => (is - was).abs() > step,
        // A counter or level that only one state has is no evidence of a change.
        (ChangeRule::Counter | ChangeRule::Level(_), _, _) => false,
    }
}
