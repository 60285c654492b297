//! The JSON Schema that paw prints, held against runs that are kept in the repository and against wrong ones. Those that tests write
//! are held against it where each test's directory goes.

use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use serde_json::{Value, json};
use workplace::schema::Judge;

use crate::workplace::{TINY, Workplace};

fn of_paw() -> Judge {
    let ran = Workplace::new().paw("schema");
    assert_eq!(ran.code, 0, "{}", ran.err);
    Judge::of(serde_json::from_str(&ran.out).unwrap())
}

fn recorded() -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../paw-report/tests/looking/recorded");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect()
}

/// The schema requires what this version writes; runs of older ones may lack a key.
#[test]
fn runs_kept_in_the_repository_obey_the_schema_but_for_younger_keys() {
    let judge = of_paw();
    let recorded = recorded();
    assert!(recorded.len() >= 2, "{recorded:?}");
    for path in recorded {
        let mut complaints = judge.complaints(&fs::read_to_string(&path).unwrap());
        complaints.retain(|complaint| !complaint.contains(": no "));
        assert!(complaints.is_empty(), "{}:\n{}", path.display(), complaints.join("\n"));
    }
}

#[test]
fn a_run_that_a_test_leaves_is_judged_when_its_directory_goes() {
    let workplace = Workplace::new();
    workplace.paw(&format!("{TINY} --out run"));
    let text = workplace.read("run/run.jsonl");
    workplace.write("run/run.jsonl", text.replace("\"role\":\"subject\"", "\"role\":\"a word of later\""));
    let judged = std::panic::catch_unwind(AssertUnwindSafe(|| drop(workplace)));
    let why = judged.expect_err("the role is none");
    let why = why.downcast_ref::<String>().expect("a sentence");
    assert!(why.contains("run/run.jsonl breaks paw schema") && why.contains("a word of later"), "{why}");
}

#[test]
fn the_schema_refuses_what_is_wrong_and_passes_over_what_it_does_not_know() {
    let judge = of_paw();
    let workplace = Workplace::new();
    workplace.paw(&format!("{TINY} --out run"));
    let text = fs::read_to_string(workplace.path("run/run.jsonl")).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let cell = lines.iter_mut().find(|line| line["line"] == "cell").unwrap();
    let changed = |key: &str, value: Value| {
        let mut cell = cell.clone();
        cell[key] = value;
        judge.accepts_line(&cell)
    };
    assert!(changed("a_key_of_later", json!([1])));
    assert!(changed("line", json!("a_kind_of_later")));
    assert!(!changed("role", json!("a word of later")));
    assert!(!changed("group", json!(-1)));
    assert!(!changed("benchmark", json!(null)));
    assert!(!judge.accepts_line(&json!({"cell": 1})), "no line says what it is");
}
