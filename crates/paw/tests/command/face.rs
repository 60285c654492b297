//! What paw says about itself, the machine and the benchmarks.

use crate::prose::COMMANDS;
use crate::workplace::Workplace;

#[test]
fn paw_alone_shows_the_machine_the_first_commands_and_an_example_of_every_suite() {
    let ran = Workplace::new().paw("");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for part in ["of memory", "paw run  ", "paw list  "] {
        assert!(ran.out.contains(part), "{part} is missing:\n{}", ran.out);
    }
    for suite in ["peak", "memory", "blas", "mpi", "device", "app", "kernel"] {
        let line = ran.out.lines().find(|line| line.starts_with(&format!("{suite} ")));
        assert!(line.is_some_and(|line| line.contains("paw ")), "{suite} has no example:\n{}", ran.out);
    }
    assert!(ran.out.lines().count() < 30, "more than a screen:\n{}", ran.out);
}

#[test]
fn every_benchmark_has_one_line_below_its_suite() {
    let workplace = Workplace::new();
    let listed: serde_json::Value = serde_json::from_str(&workplace.paw("list --format json").out).unwrap();
    let out = workplace.paw_with(&[("COLUMNS", "80")], "list").out;
    for row in listed.as_array().unwrap() {
        let (name, suite) = (row["benchmark"].as_str().unwrap(), row["suite"].as_str().unwrap());
        let above: Vec<_> = out.lines().take_while(|line| !line.starts_with(&format!("  {name} "))).collect();
        let heading = above.iter().rfind(|line| line.contains(" · ")).unwrap();
        assert!(heading.starts_with(suite), "{name} is below {heading}");
        assert_eq!(out.lines().filter(|line| line.starts_with(&format!("  {name} "))).count(), 1, "{name}:\n{out}");
    }
}

#[test]
fn warnings_about_the_machine_are_one_line() {
    let ran = Workplace::new().paw("run dgemm --set n=8 --provider embedded --threads 1 --reps 6 --loops 10");
    let before: Vec<&str> = ran.err.lines().take_while(|line| !line.starts_with("measuring")).collect();
    assert!(ran.err.contains("measuring 2 cells") && before.len() <= 2, "{}", ran.err);
    assert_eq!(before[0], "reading this machine", "{}", ran.err);
}

#[test]
fn help_shows_what_exists_and_nothing_else() {
    let help = Workplace::new().paw("--help").out;
    for command in COMMANDS {
        assert!(help.contains(&format!("\n  {command} ")), "{command} is missing:\n{help}");
    }
    for command in ["__worker", "__launcher", "__kernel", "check"] {
        assert!(!help.contains(&format!("\n  {command} ")), "{command} is shown:\n{help}");
    }
    assert_eq!(Workplace::new().paw("check").code, 2);
}

#[test]
fn the_version_is_the_package_s() {
    assert_eq!(Workplace::new().paw("--version").out, concat!("paw ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn every_benchmark_is_listed_and_explained() {
    let workplace = Workplace::new();
    let listed: serde_json::Value = serde_json::from_str(&workplace.paw("list --format json").out).unwrap();
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|row| row["benchmark"].as_str().unwrap()).collect();
    assert!(names.contains(&"dgemm") && names.contains(&"stream_triad") && names.contains(&"peak_f64"), "{names:?}");
    for name in names {
        let ran = workplace.paw(&format!("list {name}"));
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        for fact in ["purpose", "timed", "formula", "providers", "files"] {
            assert!(ran.out.contains(fact), "{name} has no {fact}:\n{}", ran.out);
        }
    }
}

#[test]
fn a_benchmark_names_its_files_and_variables() {
    let out = Workplace::new().paw_with(&[("MAX_BLAS_SIZE", "512")], "list dgemm").out;
    for part in ["dgemm_flops-np_", "MAX_BLAS_SIZE = 512", "2*m*n*k", "blas_dgemm", "transa"] {
        assert!(out.contains(part), "{part} is missing:\n{out}");
    }
}

#[test]
fn every_variable_is_listed_with_the_value_in_effect() {
    let out =
        Workplace::new().paw_with(&[("NREPS", "25"), ("MAX_BLAS_SIZE", "512")], "list --environment --format csv").out;
    assert_eq!(out.lines().filter(|line| line.contains("_SIZE,")).count(), 19, "{out}");
    for line in ["NREPS,25,10,", "MAX_BLAS_SIZE,512,10000,", "MED_BLAS_SIZE,512,1024,", "WINDOW_SIZE,128,128,"] {
        assert!(out.contains(line), "{line} is missing:\n{out}");
    }
}

#[test]
fn the_embedded_library_is_always_there() {
    assert!(Workplace::new().paw("list --libraries").out.contains("embedded"));
}

#[test]
fn the_machine_is_shown_in_every_format() {
    let workplace = Workplace::new();
    assert!(workplace.paw("machine").out.contains("fingerprint"));
    let machine: serde_json::Value = serde_json::from_str(&workplace.paw("machine --format json").out).unwrap();
    assert!(machine["identity"]["cores"].as_u64().unwrap() >= 1);
    assert!(workplace.paw("machine --format csv").out.starts_with("part,fact,value\n"));
}

#[test]
fn shells_get_their_completions() {
    for shell in ["bash", "zsh", "fish"] {
        let out = Workplace::new().paw(&format!("completions {shell}")).out;
        assert!(out.contains("compare") && !out.contains("Compare run B with run A, point by point\n\n"), "{shell}");
    }
}

#[test]
fn no_line_is_wider_than_asked() {
    for (columns, args) in [("50", "list"), ("60", "list dgemm"), ("70", "list --environment")] {
        let out = Workplace::new().paw_with(&[("COLUMNS", columns)], args).out;
        let widest = out.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns.parse().unwrap(), "{args} at {columns}: {widest}\n{out}");
    }
}
