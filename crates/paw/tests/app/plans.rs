//! What would be measured: sweeps, dry runs, campaign files.

use std::fmt::Write;

use crate::workplace::Workplace;

const SWEEP: &str = "--threads 1,2 --set n=1,4 --set mode=fast,safe --exclude 'n > 1 && threads > 1' --reps 3 --seed 4 \
     --metric 'rate[1/s,higher]=([0-9]+)' --drive rate --headline rate --verify 'stdout contains ok' --work '3*n events' --timeout 1m \
     --prepare 'touch {mode}' --place compact --copies 1,2 --strict-env -- echo ok {n} {mode} '{threads} threads'";

#[test]
fn a_saved_campaign_is_the_same_plan() {
    let workplace = Workplace::new();
    let typed = workplace.app(&format!("--dry-run {SWEEP}"));
    assert_eq!(typed.code, 0, "{}", typed.err);
    assert!(typed.out.contains("echo ok 4 safe 1 threads"), "{}", typed.out);
    assert!(!typed.out.contains("n=4 mode=safe threads=2"), "{}", typed.out);
    let saved = workplace.app(&format!("--save sweep.toml {SWEEP}"));
    assert_eq!((saved.code, saved.out.as_str()), (0, ""));
    assert!(saved.err.contains("paw app -c sweep.toml"), "{}", saved.err);
    let filed = workplace.app("-c sweep.toml --dry-run");
    assert_eq!((filed.code, &filed.out), (0, &typed.out), "{}", filed.err);
    assert!(workplace.read("sweep.toml").contains("strict_env = true"));
    // And once more: what is saved of a file is the file.
    workplace.app("-c sweep.toml --save again.toml");
    assert_eq!(workplace.read("again.toml"), workplace.read("sweep.toml"));
}

#[test]
fn saved_commands_are_the_same_commands() {
    for line in [
        "--set n=1,2 --ladder n -n first 'cat {n}' mid='true {n}' -- echo '{n} x'",
        "--shell --base 'exit 1' 'FOO=1 true' 'exit 0' -- exit 2",
    ] {
        let workplace = Workplace::new();
        let typed = workplace.app(&format!("--dry-run --seed 1 {line}"));
        workplace.app(&format!("--save c.toml --seed 1 {line}"));
        let filed = workplace.app("-c c.toml --dry-run");
        assert_eq!((filed.code, &filed.out), (0, &typed.out), "{}", workplace.read("c.toml"));
        let other = workplace.app("-c c.toml --dry-run -- printf");
        assert!(!other.out.contains("FOO") && !other.out.contains("cat"), "{}", other.out);
    }
}

#[test]
fn what_is_typed_comes_before_the_file() {
    let workplace = Workplace::new();
    workplace.app("--save c.toml --set n=1,2 --set m=1 --reps 3 --seed 1 -- echo {n} {m}");
    let ran = workplace.app("-c c.toml --set n=7 --reps 5 --dry-run");
    assert!(ran.out.contains("echo 7 1") && !ran.out.contains("echo 2 1"), "{}", ran.out);
    assert!(ran.out.contains("1 cell in 6 runs"), "{}", ran.out);
    let other = workplace.app("-c c.toml --dry-run -- printf {n} {m}");
    assert!(other.out.contains("printf 2 1") && !other.out.contains("echo"), "{}", other.out);
}

#[test]
fn a_dry_run_runs_nothing_and_makes_nothing() {
    let workplace = Workplace::new();
    let ran = workplace.app("--dry-run --prepare 'touch ran' --set n=1,2 -- touch ran {n}");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(!workplace.path("ran").exists() && !workplace.path("r").exists());
}

#[test]
fn a_sweep_of_ten_thousand_cells_says_so_first() {
    let workplace = Workplace::new();
    let values = (2..=10_000).fold("1".to_owned(), |mut all, n| {
        let _ = write!(all, ",{n}");
        all
    });
    workplace.write("values", &values);
    let ran = workplace.app("--dry-run --set n=$(cat values) -- true {n}");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("\n10000 cells in 330000 runs"), "{}", ran.out.lines().last().unwrap_or(""));
    assert!(ran.out.contains("a second each makes 91h40m"));
    let too_many = workplace.app("--dry-run --set n=$(cat values) --set m=$(cat values) -- true {n} {m}");
    assert_eq!(too_many.code, 2);
    assert!(too_many.sentence().contains("more than 100000 points: take fewer values for n, m"), "{}", too_many.err);
}

#[test]
fn a_comparison_may_go_on_until_it_is_decided() {
    let workplace = Workplace::new();
    let ran = workplace.app("--versus 'true 2' --until decided --threads 1,2 --base false --dry-run -- true");
    // Four compared cells of 16 to 275 runs, a base of 16 to 32, and a warm-up of each.
    assert!(ran.out.contains("5 cells in 85 to 1137 runs"), "{} {}", ran.out, ran.err);
    let alone = workplace.app("--until decided --dry-run -- true");
    assert_eq!(alone.code, 2);
    assert!(alone.sentence().contains("--until decided needs something to compare"), "{}", alone.err);
    workplace.app("--save c.toml --versus false --until decided --fail-on slower=2% -- true");
    let saved = workplace.read("c.toml");
    assert!(saved.contains("until = \"decided\"") && saved.contains("fail_on = \"slower=2%\""), "{saved}");
    assert!(workplace.app("-c c.toml --dry-run").out.contains("2 cells in 34 to 552 runs"));
}

#[test]
fn a_comparison_that_cannot_be_decided_is_announced() {
    let plan = |flags: &str| Workplace::new().app(&format!("--versus false --dry-run {flags} -- true")).out;
    assert!(
        plan("--reps 2").contains("2 samples of each cell decide no comparison of 2: 3 are needed. hint: --reps 3")
    );
    assert!(!plan("--reps 3").contains("needed") && !plan("").contains("needed"));
}

#[test]
fn a_comparison_of_long_programs_has_its_rounds() {
    let workplace = Workplace::new();
    let ran = workplace.app("--versus false --method adaptive --dry-run -- true");
    assert!(ran.out.contains("2 cells in 66 to 258 runs"), "{}", ran.out);
}
