//! A run from the command line to the files it leaves.

use crate::workplace::{TINY, Workplace};
use crate::wrong_library::mock;

#[test]
fn a_run_leaves_its_file_its_report_and_paw_s_files() {
    let workplace = Workplace::new();
    let ran = workplace.paw(TINY);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("dgemm"), "{}", ran.out);
    let [run] = &workplace.names("paw-results")[..] else { panic!("{:?}", workplace.names("paw-results")) };
    let left = workplace.names(&format!("paw-results/{run}"));
    assert_eq!(left, ["dgemm_flops-np_0001.dat", "dgemm_time-np_0001.dat", "report.html", "run.jsonl"]);
}

#[test]
fn the_directory_and_the_names_are_the_user_s() {
    let workplace = Workplace::new();
    let ran = workplace.paw(&format!("{TINY} --out mine --dat plots --dat-names 1.6"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(workplace.names("mine"), ["report.html", "run.jsonl"]);
    assert_eq!(workplace.names("plots"), ["dgemm_fp-np_0001.dat", "dgemm_time-np_0001.dat"]);
}

#[test]
fn results_go_to_stdout_and_talk_to_stderr() {
    let workplace = Workplace::new();
    let json = workplace.paw(&format!("{TINY} --format json"));
    let document: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(document["run"]["schema"], "paw.run/1");
    assert_eq!(json.err, "", "--quiet is quiet");
    let csv = workplace.paw(&format!("{TINY} --format csv"));
    assert!(csv.out.starts_with("benchmark,provider,point,"), "{}", csv.out);
    let loud = workplace.paw(TINY.trim_end_matches(" --quiet"));
    assert!(loud.err.contains("saved in paw-results"), "{}", loud.err);
}

#[test]
fn the_run_says_how_it_was_asked_for() {
    let workplace = Workplace::new();
    let variables = [("NREPS", "3"), ("OPENBLAS_NUM_THREADS", "1")];
    let args = "run dgemm --set n=8,16 --provider embedded --threads 1 --method paw --seed 7 --quiet --out r";
    assert_eq!(workplace.paw_with(&variables, args).code, 0);
    let text = std::fs::read_to_string(workplace.path("r/run.jsonl")).unwrap();
    let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(header["plan"]["seed"], 7);
    assert_eq!(header["plan"]["method"]["name"], "paw");
    assert_eq!(header["plan"]["method"]["ending"]["fixed"]["samples"], 3);
    assert_eq!(header["env"]["OPENBLAS_NUM_THREADS"], "1");
    assert_eq!(header["argv"][1], "run");
    assert!(text.lines().last().unwrap().contains("\"done\""), "{text}");
}

#[test]
fn a_plan_is_shown_and_nothing_is_done() {
    let workplace = Workplace::new();
    let ran = workplace.paw("run dgemm --set n=8..64 --provider embedded --threads 1 --dry-run --seed 5");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for part in ["n=8 ", "n=64 ", "one thread", "peak_f64", "at nominal speeds", "seed 5"] {
        assert!(ran.out.contains(part), "{part} is missing:\n{}", ran.out);
    }
    assert!(workplace.names(".").is_empty());
}

#[test]
fn a_run_is_exported_reported_and_compared() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out a")).code, 0);
    assert_eq!(workplace.paw(&format!("{TINY} --out b")).code, 0);
    let samples = workplace.paw("export a --format csv --samples");
    let of_dgemm = samples.out.lines().filter(|line| line.contains(",measure,") && line.contains("dgemm")).count();
    assert!((6..=12).contains(&of_dgemm), "disturbed ones are taken again, once: {of_dgemm}");
    assert!(workplace.paw("export a/run.jsonl --format md").out.contains("dgemm"));
    assert_eq!(workplace.paw("export a --format json --out a.json").out, "");
    assert!(std::fs::read_to_string(workplace.path("a.json")).unwrap().contains("paw.run/1"));
    let dat = workplace.paw("export a --format dat --out old");
    assert_eq!(dat.out.lines().count(), 2, "{}", dat.out);
    assert_eq!(workplace.names("old"), ["dgemm_flops-np_0001.dat", "dgemm_time-np_0001.dat"]);
    assert_eq!(workplace.paw("report a b").out, "report.html\n");
    assert!(workplace.paw("report a --out -").out.to_lowercase().starts_with("<!doctype html>"));
    let again = workplace.paw("report a a --out -");
    assert!(again.err.contains("is named again: it is shown once"), "{}", again.err);
    let compared = workplace.paw("compare a b");
    assert_eq!(compared.code, 0, "{}", compared.err);
    assert!(!compared.out.is_empty());
}

#[test]
fn a_budget_ends_a_run() {
    let workplace = Workplace::new();
    let ran = workplace
        .paw("run dgemm --set n=8 --provider embedded --threads 1 --reps 1000000 --loops 10 --budget 0.5s --quiet");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("dgemm"));
}

#[test]
fn the_quick_assessment_has_a_limit_of_two_minutes() {
    let ran = Workplace::new().paw("run --dry-run");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for part in ["dgemm", "stream_triad", "peak_f64", "memory_latency", "at most 1m40s"] {
        assert!(ran.out.contains(part), "{part} is missing:\n{}", ran.out);
    }
}

#[test]
fn a_variable_that_caps_a_library_is_warned_of_and_can_be_taken_away() {
    let workplace = Workplace::new();
    let capped = [("OPENBLAS_CORETYPE", "Haswell")];
    let header = |out: &str| {
        let text = std::fs::read_to_string(workplace.path(out).join("run.jsonl")).unwrap();
        serde_json::from_str::<serde_json::Value>(text.lines().next().unwrap()).unwrap()
    };
    let library = mock(&workplace, "correct");
    let beside = TINY.replace("embedded", &format!("embedded,{}", library.display()));
    let ran = workplace.paw_with(&capped, &format!("{beside} --out a"));
    assert!(ran.err.contains("OPENBLAS_CORETYPE=Haswell"), "{}", ran.err);
    assert_eq!(header("a")["env"]["OPENBLAS_CORETYPE"], "Haswell");
    let ran = workplace.paw_with(&capped, &format!("{beside} --clean-env --out b"));
    assert_eq!(ran.err, "");
    assert!(header("b")["env"]["OPENBLAS_CORETYPE"].is_null());
    let ran = workplace.paw_with(&capped, &format!("{TINY} --out c"));
    assert_eq!(ran.err, "", "no library is measured that the variable could cap");
}

#[test]
fn threads_sit_where_the_user_says_and_the_run_tells_where() {
    let workplace = Workplace::new();
    let cpus = |place: &str| {
        let out = format!("r-{place}");
        let ran = workplace.paw(&format!("{TINY} --place {place} --out {out}"));
        assert_eq!(ran.code, 0, "{place}: {}", ran.err);
        let text = std::fs::read_to_string(workplace.path(&out).join("run.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let cells: Vec<_> = lines.filter(|line| line["line"] == "cell").collect();
        cells[0]["ranks"][0]["cpus"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(["cores", "compact", "scatter", "none"].map(cpus), [1, 1, 1, 0]);
    assert_eq!(workplace.paw(&format!("{TINY} --place moon")).code, 2);
}

#[test]
fn what_is_done_before_the_first_sample_is_said_while_it_is_done() {
    let workplace = Workplace::new();
    let ran = workplace.paw("run dgemm --set n=8 --provider embedded --threads 1 --reps 6 --loops 10 --out r");
    let said: Vec<&str> = ran.err.lines().filter(|line| !line.starts_with("warning: ")).collect();
    assert_eq!(said[..2], ["reading this machine", "measuring 2 cells into r"], "{}", ran.err);
    assert!(said[2].starts_with("paw: 0 of 2 cells after ") && said[2].contains(", about "), "{}", ran.err);
    assert!(said[2].contains(" left, starting dgemm n=8"), "{}", ran.err);
}
