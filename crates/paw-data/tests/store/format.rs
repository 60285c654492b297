//! FORMAT.md says what every key means.

use paw_data::secondary::SecondaryMetric;
use serde_json::Value;

use crate::jsonl::bytes;
use crate::sample_run::sample_run;

/// Objects whose keys are names of the user's or the host's, not the format's.
const FREE: &[&str] = &["env", "state", "machine_state", "point", "extra"];

fn keys(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                found.push(key.clone());
                if !FREE.contains(&key.as_str()) {
                    keys(value, found);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn every_key_of_a_run_is_in_the_description() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../FORMAT.md");
    let description = std::fs::read_to_string(path).unwrap();
    let mut found = Vec::new();
    for line in String::from_utf8(bytes(&sample_run())).unwrap().lines() {
        keys(&serde_json::from_str(line).unwrap(), &mut found);
    }
    assert!(found.len() > 200);
    for key in found {
        let named = [format!("`{key}`"), format!("\"{key}\"")].iter().any(|form| description.contains(form));
        assert!(named, "FORMAT.md says nothing of {key}");
    }
}

#[test]
fn every_secondary_metric_is_in_the_description_with_its_unit() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../FORMAT.md");
    let description = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<&str>> = description
        .lines()
        .map(|line| line.split('|').map(str::trim).collect::<Vec<_>>())
        .filter(|row| row.len() == 5)
        .collect();
    for metric in SecondaryMetric::ALL {
        let name = format!("`{}`", metric.name());
        let of_metric = |row: &&Vec<&str>| row[1].split(", ").any(|known| known == name);
        let row = rows.iter().find(of_metric).unwrap_or_else(|| panic!("FORMAT.md has no row of {name}"));
        // The description writes 1 for a share, and nothing for a count.
        assert_eq!(row[2].trim_start_matches('1'), metric.unit(), "{name}");
        assert!(!row[3].is_empty(), "{name} has no meaning");
    }
}

#[test]
fn no_two_metrics_have_one_name() {
    let names: std::collections::BTreeSet<_> = SecondaryMetric::ALL.iter().map(|metric| metric.name()).collect();
    assert_eq!(names.len(), SecondaryMetric::ALL.len());
}
