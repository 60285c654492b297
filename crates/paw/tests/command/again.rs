//! `paw again`: a run repeated.

use std::fs;

use paw_data::run::Run;
use paw_data::store;

use crate::workplace::{TINY, Workplace};

fn run(workplace: &Workplace, name: &str) -> Run {
    store::read(&workplace.path(name)).unwrap()
}

#[test]
fn a_run_is_repeated_with_its_seed_order_and_processors() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out r")).code, 0);
    fs::create_dir(workplace.path("elsewhere")).unwrap();
    let ran = workplace.shell("cd elsewhere; OMP_NUM_THREADS=1 exec $PAW again ../r --out ../s");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("repeating `") && ran.err.contains("no OMP_NUM_THREADS"), "{}", ran.err);
    let (then, now) = (run(&workplace, "r"), run(&workplace, "s"));
    assert_eq!(now.header.plan, then.header.plan);
    assert_eq!(now.header.directory, then.header.directory);
    assert!(!now.header.env.contains_key("OMP_NUM_THREADS"), "{:?}", now.header.env);
    let cells = |run: &Run| run.records.iter().map(|record| record.cell.clone()).collect::<Vec<_>>();
    assert_eq!(cells(&now), cells(&then), "cells, order and processors are those of then");
    // A sample that was disturbed is taken again, so that one of the two may have more of them.
    let positions = |run: &Run| run.records[0].samples.position.clone();
    let (then, now) = (positions(&then), positions(&now));
    let common = then.len().min(now.len());
    assert!(common >= 2 && now[..common] == then[..common], "{then:?} {now:?}");
}

#[test]
fn a_dry_run_says_the_command_and_measures_nothing() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out r")).code, 0);
    let seed = run(&workplace, "r").header.plan.seed;
    let ran = workplace.paw("again r --dry-run");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains(&format!("--quiet --seed {seed}\n")), "{}", ran.out);
    assert_eq!(workplace.names(""), ["r"]);
}

#[test]
fn a_kernel_is_repeated_on_its_processor() {
    let workplace = Workplace::new();
    workplace.copy(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/kernels"));
    let paw = |line: &str| workplace.shell(&format!("exec $PAW {line}"));
    let line = "kernel measure dot.toml --n 1000 --metas 6 --region 1ms --quiet";
    assert_eq!(paw(&format!("{line} --out r")).code, 0);
    let ran = paw("again r --out s");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (then, now) = (run(&workplace, "r").header, run(&workplace, "s").header);
    let place = |header: &paw_data::run::Header| header.kernel.as_ref().map(|kernel| (kernel.cpu, kernel.cpus.clone()));
    assert_eq!((place(&now), now.plan.seed), (place(&then), then.plan.seed));
    workplace.write("dot.toml", workplace.read("dot.toml") + "\n# other\n");
    let ran = paw("again r --out t");
    assert!(ran.code == 2 && ran.err.contains("dot.toml has other contents than then"), "{}", ran.err);
}

#[test]
fn what_differs_is_said_before_it_starts() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out r")).code, 0);
    change(&workplace, &format!("\"tool\":\"paw {}\"", env!("CARGO_PKG_VERSION")), "\"tool\":\"paw 0.0.1\"");
    let ran = workplace.paw("again r --dry-run");
    assert!(ran.out.contains(&format!("paw {} in place of paw 0.0.1", env!("CARGO_PKG_VERSION"))), "{}", ran.out);
}

#[test]
fn programs_and_scripts_that_were_written_since_are_named() {
    let workplace = Workplace::new();
    let app = "PATH=$PWD/bin:$PATH exec $PAW app --reps 2 --warmup 0 --quiet";
    fs::create_dir(workplace.path("bin")).unwrap();
    workplace.write("bin/prog", "#!/bin/sh\n");
    workplace.write("a.sh", "true\n");
    assert_eq!(workplace.shell(&format!("chmod +x bin/prog; {app} --out r -- prog")).code, 0);
    assert_eq!(workplace.shell(&format!("{app} --out s -- sh a.sh s/a/b/ /no/file")).code, 0);
    let again = |run: &str| workplace.shell(&format!("PATH=$PWD/bin:$PATH exec $PAW again {run} --dry-run"));
    assert!(!again("r").out.contains("prog was written since"), "{}", again("r").out);
    // Arguments that name no file were none then either.
    assert!(!again("s").out.contains("is gone"), "{}", again("s").out);
    for (run, file) in [("r", "bin/prog"), ("s", "a.sh")] {
        workplace.shell(&format!("touch -d '+1 hour' {file}"));
        assert!(again(run).out.contains(&format!("{file} was written since")), "{}", again(run).out);
    }
    fs::remove_file(workplace.path("bin/prog")).unwrap();
    assert!(again("r").out.contains("prog is not in PATH"), "{}", again("r").out);
}

#[test]
fn files_that_flags_and_texts_name_are_looked_at_too() {
    let workplace = Workplace::new();
    workplace.write("in.txt", "1");
    workplace.write("b.sh", "true\n");
    workplace.write("c.toml", "paw = \"app/1\"\ncommand = [\"true\"]\nreps = 2\n");
    let app = "app --reps 2 --warmup 0 --quiet";
    for (run, line) in [
        ("r", format!("{app} --input in.txt --export-json f.json --out r -- true")),
        ("s", format!("{app} --out s --prepare 'sh b.sh' -- true")),
        ("t", format!("{app} --out t --shell 'sh b.sh'")),
        ("u", "app -c c.toml --quiet --out u".to_owned()),
    ] {
        assert_eq!(workplace.shell(&format!("exec $PAW {line}")).code, 0, "{run}");
    }
    let again = |run: &str| workplace.shell(&format!("exec $PAW again {run} --dry-run")).out;
    for run in ["r", "s", "t", "u"] {
        assert!(!again(run).contains("was written since"), "{}", again(run));
    }
    workplace.shell("touch -d '+1 hour' in.txt b.sh c.toml f.json");
    for (run, file) in [("r", "in.txt"), ("s", "b.sh"), ("t", "b.sh"), ("u", "c.toml")] {
        assert!(again(run).contains(&format!("{file} was written since")), "{run}: {}", again(run));
    }
    assert!(!again("r").contains("f.json was"), "the run wrote it: {}", again("r"));
}

#[test]
fn what_cannot_be_the_same_is_refused() {
    let workplace = Workplace::new();
    workplace.write("in.txt", "1");
    let app = "app --reps 2 --warmup 0 --quiet --hash-input in.txt";
    assert_eq!(workplace.paw(&format!("{app} --out r -- true")).code, 0);
    let refused = |said: &str| {
        let ran = workplace.paw("again r --dry-run");
        assert!(
            ran.code == 2 && ran.err.contains("cannot be repeated") && ran.err.contains(said),
            "{said}: {}",
            ran.err
        );
    };
    assert_eq!(workplace.paw("again r --dry-run").code, 0);
    workplace.write("in.txt", "2");
    refused("in.txt has other contents than then");
    fs::remove_file(workplace.path("in.txt")).unwrap();
    refused("there is no such file");
    workplace.write("in.txt", "1");
    let whole = workplace.read("r/run.jsonl");
    for (old, new, said) in [
        ("\"--quiet\"", "\"--token\",\"[hidden]\"", "a secret in its command line is hidden"),
        ("\"in.txt\"", "\"[path]/in.txt\"", "--redact has hidden"),
        ("\"--quiet\"", "\"--loudly\"", "does not take its command line"),
        ("\"directory\":\"/", "\"directory\":\"/gone/", "is gone: /gone/"),
    ] {
        change(&workplace, old, new);
        refused(said);
        workplace.write("r/run.jsonl", &whole);
    }
    assert_eq!(workplace.paw("again nothing").code, 7);
}

#[test]
fn an_imported_run_has_no_command() {
    let workplace = Workplace::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/hyperfine.json");
    assert_eq!(workplace.paw(&format!("import {file} --out r")).code, 0);
    let ran = workplace.paw("again r");
    assert!(ran.code == 2 && ran.err.contains("it was imported from"), "{}", ran.err);
}

fn change(workplace: &Workplace, old: &str, new: &str) {
    let text = workplace.read("r/run.jsonl");
    assert!(text.contains(old), "{old}");
    workplace.write("r/run.jsonl", text.replacen(old, new, 1));
}
