//! What a gate leaves for CI, read back by parsers of others.

use roxmltree::Document;
use serde_json::Value;

use crate::constructed::REFERENCE;
use crate::place::Place;

/// References that pass, that a run is slower than, that it lacks and that are for others; the name of one needs every escape.
fn references() -> String {
    let slow = REFERENCE.replace("value = 1.0", "value = 1.2");
    let lacks = REFERENCE.replace("4096", "'<&\"|,:%>'");
    let other = REFERENCE.replace("Some*", "Other");
    [REFERENCE, &slow, &lacks, &other].join("\n")
}

fn place() -> Place {
    let place = Place::new().with("a", 1.0);
    place.write("ref.toml", references());
    place
}

#[test]
fn json_has_every_verdict() {
    let ran = place().gate("a --against ref.toml --format json");
    assert_eq!(ran.code, 1, "{}", ran.err);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&found["schema"], &found["exit"], &found["runs"][0]), (&"paw.gate/1".into(), &1.into(), &"a".into()));
    let words: Vec<&str> =
        found["references"].as_array().unwrap().iter().map(|entry| entry["verdict"].as_str().unwrap()).collect();
    assert_eq!(words, ["pass", "regression", "missing", "other machine"]);
    let slow = &found["references"][1];
    assert_eq!((&slow["reference"], &slow["unit"], &slow["fails"]), (&1.2e9.into(), &"B/s".into(), &true.into()));
    let [wide_high, high, value] = ["wide_high", "high", "value"].map(|key| slow[key].as_f64().unwrap());
    assert!(wide_high >= high && high > value && (value / 1e9 - 1.0).abs() < 0.01, "{slow}");
    assert_eq!(found["references"][2]["point"]["bytes"], "<&\"|,:%>");
    assert_eq!(found["references"][2]["value"], Value::Null);
}

#[test]
fn tables_have_every_row() {
    let place = place();
    let csv = place.gate("a --against ref.toml --format csv").out;
    assert!(csv.starts_with("verdict,reference,value,against,change,bound,why\nregression!,"), "{csv}");
    assert_eq!((csv.lines().count(), place.gate("a --against ref.toml --format md").out.lines().count()), (5, 6));
}

#[test]
fn junit_is_xml_with_a_case_for_each_reference() {
    let place = place();
    place.gate("a --against ref.toml --junit junit.xml");
    let text = place.read("junit.xml");
    let xml = Document::parse(&text).unwrap();
    let suite = xml.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
    let counts = ["tests", "failures", "errors", "skipped"].map(|name| suite.attribute(name).unwrap());
    assert_eq!(counts, ["4", "2", "0", "1"]);
    let cases: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
    let ends: Vec<&str> = cases.iter().map(|case| case.first_element_child().unwrap().tag_name().name()).collect();
    assert_eq!(ends, ["system-out", "failure", "failure", "skipped"]);
    assert_eq!(cases[2].attribute("name"), Some("read native bytes=<&\"|,:%>"));
    let failure = cases[1].first_element_child().unwrap();
    assert_eq!(failure.attribute("type"), Some("regression"));
    assert!(failure.attribute("message").unwrap().contains(" % less than 1.200 GB/s, bound 1.140 GB/s"), "{text}");
}

#[test]
fn the_performance_log_grows_and_keeps_its_columns() {
    let place = place();
    place.gate("a --against ref.toml --perflog perf.log");
    place.gate("a --against ref.toml --perflog perf.log");
    let text = place.read("perf.log");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('|').collect()).collect();
    assert_eq!(rows.len(), 9, "{text}");
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{text}");
    let field = |row: usize, name: &str| rows[row][rows[0].iter().position(|own| *own == name).unwrap()];
    let results: Vec<&str> = (1..5).map(|row| field(row, "result")).collect();
    assert_eq!(results, ["pass", "fail", "fail", "skip"]);
    let thresholds = ["perf_ref", "perf_lower_thres", "perf_upper_thres", "perf_unit"].map(|name| field(2, name));
    assert_eq!(thresholds, ["1.2", "-0.05", "0.1", "GB/s"]);
    assert!((field(2, "perf_value").parse::<f64>().unwrap() - 1.0).abs() < 0.01);
    assert_eq!((field(3, "perf_value"), field(1, "job_completion_time")), ("None", "2026-01-01T03:04:28"));
    place.write("other.log", "result|time\n");
    let ran = place.gate("a --against ref.toml --perflog other.log");
    assert_eq!((ran.code, place.read("other.log").as_str()), (7, "result|time\n"), "{}", ran.err);
}

#[test]
fn github_gets_commands_at_the_lines_of_the_references() {
    let ran = place().gate("a --against ref.toml --annotations github");
    let commands: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("::")).collect();
    let [slow, lacks] = commands[..] else { panic!("{}", ran.out) };
    let (properties, message) = slow.strip_prefix("::error ").unwrap().split_once("::").unwrap();
    assert_eq!(properties, "file=ref.toml,line=11,title=paw gate%3A regression");
    assert!(
        message.starts_with("read native bytes=4096: ") && message.contains(" %25 less than 1.200 GB/s"),
        "{message}"
    );
    assert!(lacks.contains("line=21,title=paw gate%3A missing::read native bytes=<&\"|,:%25>"), "{lacks}");
}

#[test]
fn gitlab_gets_a_report_of_code_quality() {
    let place = place();
    place.gate("a --against ./ref.toml --annotations gitlab");
    let found: Value = serde_json::from_str(&place.read("gl-code-quality-report.json")).unwrap();
    let issues = found.as_array().unwrap();
    assert_eq!(issues.len(), 2);
    assert_eq!((&issues[0]["severity"], &issues[0]["check_name"]), (&"major".into(), &"paw gate regression".into()));
    assert_eq!(issues[0]["location"], serde_json::json!({ "path": "ref.toml", "lines": { "begin": 11 } }));
    let fingerprints: Vec<&str> = issues.iter().map(|issue| issue["fingerprint"].as_str().unwrap()).collect();
    assert!(fingerprints[0] != fingerprints[1] && fingerprints.iter().all(|own| own.len() == 32), "{fingerprints:?}");
}

#[test]
fn every_mark_is_its_own_and_names_the_file_from_here() {
    let place = Place::new().with("a", 1.0);
    let slow = REFERENCE.replace("value = 1.0", "value = 1.2");
    place.write("ref.toml", format!("{slow}\n{slow}"));
    let marks = || -> Vec<Value> {
        place.gate("a --against \"$PWD/ref.toml\" --annotations gitlab");
        serde_json::from_str(&place.read("gl-code-quality-report.json")).unwrap()
    };
    let found = marks();
    assert_eq!(found.len(), 2);
    assert!(found[0]["fingerprint"] != found[1]["fingerprint"], "{found:?}");
    assert_eq!((&found[0]["location"]["path"], &found), (&"ref.toml".into(), &marks()));
    let github = place.gate("a --against \"$PWD/ref.toml\" --annotations github").out;
    assert!(github.contains("::error file=ref.toml,line=1,"), "{github}");
}

#[test]
fn auto_asks_the_environment() {
    let place = place();
    let run = |variable: &str| {
        workplace::Ran::of(
            place.process("exec $PAW gate a --against ref.toml --annotations auto").env(variable, "true"),
        )
    };
    assert!(!run("NO_CI").out.contains("::error"));
    assert!(run("GITHUB_ACTIONS").out.contains("::error"));
    assert!(!place.path("gl-code-quality-report.json").exists());
    run("GITLAB_CI");
    assert!(place.path("gl-code-quality-report.json").exists());
}
