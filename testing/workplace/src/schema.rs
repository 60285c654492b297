//! The JSON Schema of run.jsonl as a judge of the runs that a test leaves.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use paw_data::store::{FILE, JSON_SCHEMA};
use serde_json::Value;

/// Keywords that explain and do not judge.
const ANNOTATIONS: [&str; 9] =
    ["$schema", "$defs", "title", "description", "default", "examples", "format", "deprecated", "readOnly"];

/// A schema as a judge of values. It knows the keywords that paw's schema has, and refuses to judge by any other.
#[derive(Debug)]
pub struct Judge {
    root: Value,
}

/// Holds every run below `directory` against the schema, whoever wrote it. A line that is no JSON, which a kill or a test has cut
/// short, is passed over.
///
/// # Panics
/// Where a line breaks the schema.
pub fn judge_runs(directory: &Path) {
    static SCHEMA: LazyLock<Judge> =
        LazyLock::new(|| Judge::of(serde_json::from_str(JSON_SCHEMA).expect("a test holds it against the types")));
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("the system knows it"));
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && path.ends_with(FILE) {
                let text =
                    fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
                let complaints = SCHEMA.complaints(&text);
                assert!(complaints.is_empty(), "{} breaks paw schema:\n{}", path.display(), complaints.join("\n"));
            }
        }
    }
}

impl Judge {
    /// The judge by that schema.
    pub fn of(root: Value) -> Self {
        Self { root }
    }

    /// What is wrong with each line of a file; nothing with those that are no JSON.
    pub fn complaints(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if let Ok(value) = serde_json::from_str(line) {
                self.judge(&self.root, &value, &format!("line {}", number + 1), &mut found);
            }
        }
        found
    }

    /// Whether the schema accepts a line.
    pub fn accepts_line(&self, line: &Value) -> bool {
        self.accepts(&self.root, line)
    }

    fn accepts(&self, schema: &Value, value: &Value) -> bool {
        let mut found = Vec::new();
        self.judge(schema, value, "", &mut found);
        found.is_empty()
    }

    fn judge(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        let Some(schema) = schema.as_object() else {
            if schema == &Value::Bool(false) {
                found.push(format!("{at}: nothing may be here"));
            }
            return;
        };
        for (keyword, rule) in schema {
            let fits = match keyword.as_str() {
                "$ref" => {
                    let target = self.root.pointer(rule.as_str().unwrap().trim_start_matches('#')).unwrap();
                    self.judge(target, value, at, found);
                    true
                }
                "allOf" => {
                    rule.as_array().unwrap().iter().for_each(|part| self.judge(part, value, at, found));
                    true
                }
                "if" => {
                    if self.accepts(rule, value) {
                        self.judge(&schema["then"], value, at, found);
                    }
                    true
                }
                "then" => true,
                "properties" | "patternProperties" | "required" | "additionalProperties" => {
                    self.judge_object(keyword, schema, value, at, found);
                    true
                }
                "items" | "prefixItems" => {
                    self.judge_items(keyword, schema, value, at, found);
                    true
                }
                "anyOf" => rule.as_array().unwrap().iter().any(|part| self.accepts(part, value)),
                "oneOf" => rule.as_array().unwrap().iter().filter(|part| self.accepts(part, value)).count() == 1,
                "type" => match rule {
                    Value::Array(kinds) => kinds.iter().any(|kind| is(value, kind)),
                    kind => is(value, kind),
                },
                "enum" => rule.as_array().unwrap().contains(value),
                "const" => rule == value,
                "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
                "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
                "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
                "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
                annotation => {
                    assert!(ANNOTATIONS.contains(&annotation), "this judge does not know the keyword {annotation}");
                    true
                }
            };
            if !fits {
                found.push(format!("{at}: {value} breaks {keyword} {rule}"));
            }
        }
    }

    fn judge_object(
        &self,
        keyword: &str,
        schema: &serde_json::Map<String, Value>,
        value: &Value,
        at: &str,
        found: &mut Vec<String>,
    ) {
        let Some(object) = value.as_object() else { return };
        if keyword == "required" {
            let required = schema[keyword].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
            found.extend(required.filter(|name| !object.contains_key(*name)).map(|name| format!("{at}: no {name}")));
            return;
        }
        for (name, member) in object {
            let listed = schema.get("properties").and_then(|own| own.get(name));
            let own = listed.or_else(|| of_a_number(schema, name));
            match keyword {
                "properties" | "patternProperties" if own.is_some() => {
                    self.judge(own.unwrap(), member, &format!("{at}.{name}"), found);
                }
                "additionalProperties" if own.is_none() => {
                    self.judge(&schema[keyword], member, &format!("{at}.{name}"), found);
                }
                _ => {}
            }
        }
    }

    fn judge_items(
        &self,
        keyword: &str,
        schema: &serde_json::Map<String, Value>,
        value: &Value,
        at: &str,
        found: &mut Vec<String>,
    ) {
        let first = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        for (number, item) in value.as_array().into_iter().flatten().enumerate() {
            let at = format!("{at}[{number}]");
            match keyword {
                "prefixItems" if number < first => self.judge(&schema[keyword][number], item, &at, found),
                "items" if number >= first => self.judge(&schema[keyword], item, &at, found),
                _ => {}
            }
        }
    }
}

/// The schema of members whose names are whole numbers, the only names that paw's schema knows by a pattern.
fn of_a_number<'a>(schema: &'a serde_json::Map<String, Value>, name: &str) -> Option<&'a Value> {
    let patterns = schema.get("patternProperties")?.as_object().unwrap();
    assert!(patterns.keys().all(|pattern| pattern == r"^\d+$"), "this judge does not know the patterns {patterns:?}");
    patterns.values().next().filter(|_| name.chars().all(|c| c.is_ascii_digit()))
}

fn is(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        unknown => panic!("no kind of JSON value is called {unknown}"),
    }
}
