//! The matrix as a table: which builds are rows, what is built at all, and what the run remembers of a build.

use paw_data::outcome::Status;

use crate::place::{QUICK, ended, examples, kernel, name, run};

/// The matrix of `dot` at one size.
const DOT: &str = "matrix dot.toml --n 1000 --variants ordered --out r --metas 6 --region 1ms --quiet";

#[test]
fn builds_of_one_code_are_one_row_with_all_names() {
    let place = examples();
    let ran = kernel(&place, &format!("{DOT} --compilers gcc --flags a=-O2 --flags b=-O2"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    let [record] = run.records.as_slice() else { panic!("{} cells", run.records.len()) };
    assert_eq!(name(record), "gcc a [ordered]");
    assert_eq!(record.cell.build.as_ref().unwrap().same, ["gcc b [ordered]"]);
    assert!(ran.out.contains("gcc a [ordered] = gcc b [ordered]"), "{}", ran.out);
}

#[test]
fn builds_of_one_code_are_rows_of_their_own_where_that_is_asked_for() {
    let place = examples();
    let ran = kernel(&place, &format!("{DOT} --compilers gcc --flags a=-O2 --flags b=-O2 --keep-identical"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    assert_eq!(run(&place).records.iter().map(name).collect::<Vec<_>>(), ["gcc a [ordered]", "gcc b [ordered]"]);
}

#[test]
fn a_flag_that_a_compiler_ignores_is_seen() {
    ::workplace::needs!(CLANG);
    let place = examples();
    let ran = kernel(&place, &format!("{DOT} --compilers clang --flags -O2 --flags '-O2 -funroll-all-loops'"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    assert_eq!(run.records.len(), 1);
    let same = &run.records[0].cell.build.as_ref().unwrap().same;
    assert!(same.len() == 1 && same[0].contains("-O2 -funroll-all-loops"), "{same:?}");
}

#[test]
fn a_compiler_that_is_not_here_is_a_row() {
    let place = examples();
    let ran = kernel(&place, &format!("{DOT} --compilers gcc,nosuchcc --flags -O2"));
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.out.contains("did not build: nosuchcc: not found on PATH"), "{}", ran.out);
    let run = run(&place);
    assert!(run.records.iter().any(|record| ended(record).0 == Status::Measured), "{}", ran.out);
}

#[test]
fn a_dry_run_builds_nothing() {
    let place = examples();
    let ran = kernel(&place, &format!("{DOT} --compilers gcc --flags -O2 --flags -O3 --dry-run"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("2 builds at 1 size,") && ran.out.contains("nothing was built"), "{}", ran.out);
    assert!(!place.path("r").exists());
}

#[test]
fn every_format_is_well_formed() {
    let place = examples();
    let shown = |format: &str| {
        let line = format!("matrix dot.toml --n 1000 --compilers gcc --flags -O2 --out {format} --format {format}");
        let ran = kernel(&place, &format!("{line} {QUICK}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    let json: serde_json::Value = serde_json::from_str(&shown("json")).unwrap();
    assert_eq!(json["run"]["schema"], "paw.run/1");
    let csv = shown("csv");
    let columns = |line: &str| line.split(',').count();
    let head = columns(csv.lines().next().unwrap());
    assert!(csv.lines().count() > 4 && csv.lines().all(|line| columns(line) == head), "{csv}");
    let md = shown("md");
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let rows: Vec<&str> = md.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.windows(2).any(|pair| bars(pair[0]) == bars(pair[1])) && md.contains("gcc -O2"), "{md}");
}

#[test]
fn a_run_remembers_all_of_a_build() {
    ::workplace::needs!(CLANG);
    let place = examples();
    let ran = kernel(&place, &format!("{DOT} --compilers gcc,clang --flags '-O2' --flags '-Ofast'"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    assert_eq!(run.records.len(), 4);
    for record in &run.records {
        let build = record.cell.build.as_ref().unwrap();
        assert!(build.command.contains(&build.flags), "{:?}", build.command);
        assert!(build.command.iter().any(|word| word.ends_with("dot.c")), "{:?}", build.command);
        assert!(build.version.starts_with("gcc") || build.version.contains("clang"), "{}", build.version);
        assert_eq!(build.code.len(), 64, "{}", build.code);
        assert!(build.float == "ieee" || build.float.starts_with("ftz"), "{:?}: {}", build.name(), build.float);
    }
    let place_of = |flags: &str| run.records.iter().find(|r| name(r).starts_with(flags)).unwrap();
    let float = |flags: &str| place_of(flags).cell.build.as_ref().unwrap().float.clone();
    assert_eq!(float("gcc -O2"), "ieee");
    assert!(cfg!(not(target_arch = "x86_64")) || float("gcc -Ofast").starts_with("ftz"), "{}", float("gcc -Ofast"));
}
