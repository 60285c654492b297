//! The JSON Schema that paw prints, held against the runs that it writes and those that are kept in the repository.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::workplace::{TINY, Workplace};

/// Keywords that explain and do not judge.
const ANNOTATIONS: [&str; 9] =
    ["$schema", "$defs", "title", "description", "default", "examples", "format", "deprecated", "readOnly"];

/// A schema as a judge of values. It knows the keywords that paw's schema has, and refuses to judge by any other.
struct Judge {
    root: Value,
}

impl Judge {
    fn of_paw() -> Self {
        let ran = Workplace::new().paw("schema");
        assert_eq!(ran.code, 0, "{}", ran.err);
        Self { root: serde_json::from_str(&ran.out).unwrap() }
    }

    /// What is wrong with each line of a file.
    fn complaints(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let value = serde_json::from_str(line).unwrap();
            self.judge(&self.root, &value, &format!("line {}", number + 1), &mut found);
        }
        found
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

fn recorded() -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../paw-report/tests/looking/recorded");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect()
}

/// The schema requires what this version writes; runs of older ones may lack a key.
#[test]
fn runs_kept_in_the_repository_obey_the_schema_but_for_younger_keys() {
    let judge = Judge::of_paw();
    let recorded = recorded();
    assert!(recorded.len() >= 2, "{recorded:?}");
    for path in recorded {
        let mut complaints = judge.complaints(&fs::read_to_string(&path).unwrap());
        complaints.retain(|complaint| !complaint.contains(": no "));
        assert!(complaints.is_empty(), "{}:\n{}", path.display(), complaints.join("\n"));
    }
}

#[test]
fn runs_of_every_kind_of_producer_obey_the_schema() {
    let judge = Judge::of_paw();
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let commands = [
        format!("{TINY} --out run"),
        "run memory_latency --set bytes=4096 --reps 3 --threads 1 --quiet --out run".to_owned(),
        "run mpi --out run --quiet".to_owned(),
        "app -r 3 --quiet --out run -- /bin/true".to_owned(),
        format!("import {fixtures}/hyperfine.json --out run"),
        format!("import {fixtures}/dgemm_time-np_0004.dat --out run"),
    ];
    for command in commands {
        let workplace = Workplace::new();
        let ran = workplace.paw(&command);
        let text = fs::read_to_string(workplace.path("run/run.jsonl"));
        let text = text.unwrap_or_else(|error| panic!("{command}: {error}\n{}", ran.err));
        let complaints = judge.complaints(&text);
        assert!(complaints.is_empty(), "{command}:\n{}", complaints.join("\n"));
    }
}

#[test]
fn the_schema_refuses_what_is_wrong_and_passes_over_what_it_does_not_know() {
    let judge = Judge::of_paw();
    let workplace = Workplace::new();
    workplace.paw(&format!("{TINY} --out run"));
    let text = fs::read_to_string(workplace.path("run/run.jsonl")).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let cell = lines.iter_mut().find(|line| line["line"] == "cell").unwrap();
    let changed = |key: &str, value: Value| {
        let mut cell = cell.clone();
        cell[key] = value;
        judge.accepts(&judge.root, &cell)
    };
    assert!(changed("a_key_of_later", json!([1])));
    assert!(changed("line", json!("a_kind_of_later")));
    assert!(!changed("role", json!("a word of later")));
    assert!(!changed("group", json!(-1)));
    assert!(!changed("benchmark", json!(null)));
    assert!(!judge.accepts(&judge.root, &json!({"cell": 1})), "no line says what it is");
}
