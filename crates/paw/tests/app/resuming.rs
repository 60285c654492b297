//! `--resume`: an interrupted sweep goes on.

use std::fs;

use paw_data::run::Run;
use paw_data::store;

use crate::workplace::Workplace;

/// A sweep of two sizes, the second of which interrupts paw once, unless there is a file `go`.
const SWEEP: &str = "--work 'n runs' --set n=1,2 --reps 40 --warmup 0 --seed 7 -- \
    sh -c '[ {n} = 1 ] || [ -e go ] || { touch go; kill -INT $(cat pid); }'";

fn interrupted() -> Workplace {
    let workplace = Workplace::new();
    let ran = workplace.shell(&format!("echo $$ >pid; exec $PAW app --out r {SWEEP}"));
    assert_ne!(ran.code, 0);
    workplace
}

fn run(workplace: &Workplace, name: &str) -> Run {
    store::read(&workplace.path(name)).unwrap()
}

#[test]
fn an_interrupted_sweep_goes_on_with_what_is_missing() {
    let workplace = interrupted();
    let before = run(&workplace, "r");
    assert_eq!(before.end.as_ref().unwrap().state, "interrupted");
    let ran = workplace.shell("exec $PAW app --resume r --out s");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let after = run(&workplace, "s");
    assert_eq!(after.records.len(), 2);
    assert_eq!(after.records[0], before.records[0], "what was measured is taken over");
    assert!(after.records.iter().all(|record| record.samples.len() == 40));
    assert_eq!(after.header.argv, before.header.argv);
    assert_eq!(after.header.plan, before.header.plan);
    assert_eq!(after.header.app.unwrap().resumed, Some(before.header.id));
    let ran = workplace.shell("exec $PAW app --resume s");
    assert!(ran.code != 0 && ran.err.contains("nothing is left to measure"), "{}", ran.err);
}

#[test]
fn a_run_of_another_machine_command_or_kind_does_not_go_on() {
    let workplace = interrupted();
    let file = workplace.path("r/run.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let fingerprint = run(&workplace, "r").header.machine.identity.fingerprint;
    let changes = [
        (fingerprint.as_str(), "0123", "measured on another machine"),
        ("\"--seed\"", "\"--budget\",\"[hidden]\",\"--seed\"", "are hidden"),
        ("\"n=1,2\"", "\"n=1,3\"", "now asks for other programs"),
        ("\"app\",\"--out\"", "\"run\",\"--out\"", "no run of `paw app`"),
    ];
    for (old, new, said) in changes {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text, "{old}");
        fs::write(&file, changed).unwrap();
        let ran = workplace.shell("exec $PAW app --resume r");
        assert!(ran.code != 0 && ran.err.contains(said), "{said}: {}", ran.err);
    }
    assert_eq!(workplace.shell("exec $PAW app --resume nothing").code, 7);
}

#[test]
fn sizes_of_two_programs_do_not_stand_in_one_run() {
    let workplace = Workplace::new();
    workplace.write("prog", "#!/bin/sh\n[ $1 = 1 ] || [ -e go ] || { touch go; kill -INT $(cat pid); }\n");
    let ran = workplace
        .shell("chmod +x prog; echo $$ >pid; exec $PAW app --out r --set n=1,2 --ladder n --reps 40 -- ./prog {n}");
    assert_ne!(ran.code, 0);
    let refused = |script: &str, said: &str| {
        let ran = workplace.shell(script);
        assert!(ran.code == 2 && ran.err.contains(said), "{said}: {}", ran.err);
        assert!(!workplace.path("s").exists());
    };
    fs::create_dir(workplace.path("elsewhere")).unwrap();
    fs::copy(workplace.path("prog"), workplace.path("elsewhere/prog")).unwrap();
    refused("cd elsewhere; exec $PAW app --resume ../r --out ../s", "may name other files here");
    for flags in ["--reps 5", "--timeout 9s", "--metric 'v=(.)'", "--export-json f", "-L m 1,2", "./other", "--profile"]
    {
        refused(&format!("exec $PAW app --resume r --out s {flags}"), "cannot be used with");
    }
    let written = "touch -d '+1 hour' prog; exec $PAW app --resume r --out s";
    refused(written, "./prog was written since: sizes of two programs would stand in one run");
}
