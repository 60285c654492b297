//! What somebody asks for by its name has an answer, UNKNOWN where nothing was examined; and `--tune` of a user who may set nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use serde_json::Value;

use super::Machine;
use crate::workplace::{PAW, Ran, Workplace};

const PROBES: &str = "processor-share core-clock hidden-smt first-touch timer-tick os-noise network-now";

/// Names of the findings that a line of flags lists, each once, with their levels.
fn listed(variables: &[(&str, &str)], machine: &Machine, args: &str) -> BTreeSet<(String, String)> {
    let ran = machine.0.paw_with(variables, &format!("doctor --format json {args}"));
    assert_eq!(ran.code, 0, "{args}: {}", ran.err);
    let findings: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    let word = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    findings.iter().map(|finding| (word(finding, "id"), word(finding, "level"))).collect()
}

fn ids(found: BTreeSet<(String, String)>) -> BTreeSet<String> {
    found.into_iter().map(|(id, _)| id).collect()
}

/// Names in the guide's table of checks.
fn documented() -> BTreeSet<String> {
    let guide = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/doctor.md")).unwrap();
    let (_, table) = guide.split_once("## The checks").unwrap();
    let rows = table.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    rows.flat_map(|row| row.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn every_check_of_the_guide_is_listed_and_has_an_answer_by_its_name_whatever_is_found() {
    let machine = Machine::new();
    let documented = documented();
    assert!(documented.len() > 40 && documented.contains("capped-isa"), "{documented:?}");
    let names = documented.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    for variables in [&[][..], &[("OMP_NUM_THREADS", "1")]] {
        for machine_flags in ["--no-probes", "--sysroot root"] {
            for asked in ["--all", &names] {
                let found = listed(variables, &machine, &format!("{machine_flags} {asked}"));
                assert_eq!(ids(found), documented, "{machine_flags} {asked} {variables:?}");
            }
        }
    }
}

#[test]
fn an_environment_that_caps_nothing_is_ok_and_that_of_a_copy_is_unknown() {
    let machine = Machine::new();
    let level = |variables: &[(&str, &str)], args: &str| {
        let found = listed(variables, &machine, args);
        found.into_iter().map(|(_, level)| level).collect::<Vec<_>>()
    };
    for id in ["capped-threads", "capped-isa"] {
        assert_eq!(level(&[], id), ["OK"], "{id}");
        assert_eq!(level(&[("OMP_NUM_THREADS", "1")], &format!("--sysroot root {id}")), ["UNKNOWN"], "{id}");
    }
    assert_eq!(level(&[("OMP_NUM_THREADS", "1")], "capped-threads"), ["WARN"]);
}

#[test]
fn a_probe_that_is_not_measured_is_unknown() {
    let machine = Machine::new();
    for flags in ["--no-probes", "--sysroot root"] {
        let paw = |args: &str| machine.0.paw_with(&[], &format!("doctor {flags} {args}"));
        let text = paw("os-noise");
        let head = text.out.lines().next().unwrap();
        assert!(head.ends_with("UNKNOWN") && text.out.contains("not measured: "), "{}", text.out);
        assert_eq!(paw("os-noise --format csv").out.lines().count(), 2);
        assert_eq!((text.code, paw("os-noise --strict").code), (0, 4), "{flags}");
        let found = listed(&[], &machine, &format!("{flags} {PROBES}"));
        assert_eq!(found.len(), PROBES.split_whitespace().count());
        assert!(found.iter().all(|(_, level)| level == "UNKNOWN"), "{found:?}");
        // Nobody has asked for them here.
        assert!(!ids(listed(&[], &machine, flags)).contains("os-noise"), "{flags}");
    }
}

#[test]
fn a_command_runs_for_a_user_who_may_set_nothing_and_has_no_place_for_a_journal() {
    let workplace = Workplace::new();
    let is_root = rustix::process::geteuid().is_root();
    for flags in ["--tune", "--tune --no-aslr"] {
        let mut paw = workplace.process(&format!("doctor {flags} -- sh -c"));
        paw.arg("echo $((41+1))").env("PATH", "/usr/bin:/bin").current_dir("/").stdin(Stdio::null());
        if is_root {
            paw.uid(65_534).gid(65_534);
        }
        if paw.output().is_err_and(|error| error.kind() == ErrorKind::PermissionDenied) {
            return eprintln!("left out: another user may not start {PAW}");
        }
        let ran = Ran::of(&mut paw);
        assert_eq!((ran.code, ran.out.as_str()), (0, "42\n"), "{}", ran.err);
        let said = ["was not set to", "nothing to change"];
        assert!(said.iter().map(|part| ran.err.matches(part).count()).sum::<usize>() == 1, "{}", ran.err);
    }
}
