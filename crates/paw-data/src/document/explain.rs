//! Translates serde's messages about a value into sentences for the author of the file.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::spelling::closest;

/// A key of a document.
pub(super) struct Key {
    pub name: String,
    /// Name of its table; empty for the outermost.
    table: String,
    pub span: Range<usize>,
}

/// The key at `span`, or the key whose value is or contains it.
pub(super) fn key_at(table: &DeTable<'_>, span: &Range<usize>, name: &str) -> Option<Key> {
    table.iter().find_map(|(key, value)| {
        let found = || Key { name: key.get_ref().to_string(), table: name.to_owned(), span: key.span() };
        if key.span() == *span || value.span() == *span {
            return Some(found());
        }
        let within = |table: &DeTable<'_>| key_at(table, span, key.get_ref());
        let inner = match value.get_ref() {
            DeValue::Table(inner) => return within(inner),
            // Of a list of tables (`[[key]]`) the keys in them are meant, not the list.
            DeValue::Array(items) => items.iter().find_map(|item| item.get_ref().as_table().and_then(within)),
            _ => None,
        };
        if inner.is_some() {
            return inner;
        }
        let holds = value.span().start <= span.start && span.end <= value.span().end;
        holds.then(found)
    })
}

/// The sentence that says what is wrong with `key`, from serde's message `said`. paw's own messages begin with a verb: `must be …`, `is …`.
pub(super) fn explained(key: &Key, said: &str) -> String {
    let Key { name, table, .. } = key;
    if let Some((_, known)) = said.strip_prefix("unknown field ").and_then(|rest| rest.split_once(", expected ")) {
        let known = quoted(known);
        let within = if table.is_empty() { String::new() } else { format!(" in `{table}`") };
        return match closest(name, known.iter().copied()) {
            Some(near) => format!("there is no key `{name}`{within}: did you mean `{near}`?"),
            None => format!("there is no key `{name}`{within}; there are {}", known.join(", ")),
        };
    }
    if let Some((typed, known)) = said.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(", expected "))
    {
        let known: Vec<String> = quoted(known).iter().map(|word| format!("`{word}`")).collect();
        return format!("`{name}` must be {}, not {typed}", known.join(" or "));
    }
    if let Some((found, wanted)) = said.strip_prefix("invalid type: ").and_then(|rest| rest.rsplit_once(", expected "))
    {
        return format!("`{name}` must be {}, not {}", expected(wanted), kind(found));
    }
    if let Some((_, wanted)) = said.strip_prefix("invalid value: ").and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("`{name}` must be {}", expected(wanted));
    }
    if ["must ", "is ", "has "].iter().any(|verb| said.starts_with(verb)) {
        format!("`{name}` {said}")
    } else {
        said.to_owned()
    }
}

/// The words between backticks.
fn quoted(list: &str) -> Vec<&str> {
    list.split('`').skip(1).step_by(2).collect()
}

/// A type that serde expects, in the user's words.
fn expected(wanted: &str) -> &str {
    match wanted {
        "a string" => "a text in quotation marks",
        "a boolean" => "true or false",
        "f64" => "a number",
        "u32" => "a whole number from 0 to 2^32-1",
        "u64" => "a whole number from 0 to 2^64-1",
        "a sequence" => "a list",
        "a map" => "a table",
        _ if wanted.starts_with("struct ") => "a table",
        other => other,
    }
}

/// The kind of value that serde found (``integer `5` ``), in the user's words.
fn kind(found: &str) -> &str {
    const KINDS: &[(&str, &str)] = &[
        ("string", "a text"),
        ("integer", "a number"),
        ("floating point", "a number"),
        ("boolean", "true or false"),
        ("sequence", "a list"),
        ("map", "a table"),
    ];
    KINDS.iter().find(|(begins, _)| found.starts_with(begins)).map_or(found, |(_, kind)| kind)
}
