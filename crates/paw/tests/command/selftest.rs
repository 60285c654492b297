//! `paw selftest` on whatever machine the tests run on: every line has its result, and a busy machine is no failure.

use serde_json::Value;

use crate::workplace::Workplace;

#[test]
fn every_check_is_shown_in_eighty_columns_and_a_reason_stands_below() {
    let workplace = Workplace::new();
    let ran = workplace.shell("COLUMNS=80 $PAW selftest");
    assert!([0, 1].contains(&ran.code), "{}{}", ran.out, ran.err);
    assert_eq!(ran.code == 1, ran.out.contains(" FAIL\n"), "{}", ran.out);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
    for check in ["dependent multiply", "sleep of 2 ms", "null call of MPI", "equal builds", "simulated: +5 % found"] {
        assert!(ran.out.contains(check), "{check}: {}", ran.out);
    }
    assert_eq!(ran.out.contains(" cannot tell\n"), ran.out.contains("Cannot tell here: "), "{}", ran.out);
}

#[test]
fn a_run_keeps_the_self_test_and_its_report_names_it() {
    let workplace = Workplace::new();
    let ran = workplace.shell("$PAW run core_clock --budget 1s --selftest --out r");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("self-test") && ran.out.contains("checks pass"), "{}", ran.out);
    let text = std::fs::read_to_string(workplace.path("r/run.jsonl")).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let checks = header["selftest"]["checks"].as_array().expect("the header holds the checks");
    let simulated = checks.iter().find(|check| check["check"] == "simulated: false verdicts").expect("a check");
    assert_eq!(simulated["result"], "pass", "{simulated}");
    let again = workplace.shell("$PAW export r --format md");
    assert!(again.out.contains("checks pass"), "{}", again.out);
}
