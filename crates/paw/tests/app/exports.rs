//! Times for other programs, and times that came from hyperfine.

use paw_data::outcome::Status;
use paw_data::scaling::Scaling;
use paw_data::secondary::SecondaryMetric;

use crate::workplace::{Workplace, ended};

const RECORDED: &str = include_str!("../fixtures/hyperfine.json");

#[test]
fn every_export_has_every_command() {
    let workplace = Workplace::new();
    let ran = workplace.app(
        "-r 6 -L n 1,2 --export-json t.json --export-csv t.csv --export-markdown t.md --export-asciidoc t.adoc \
         --export-orgmode - -n 'a|b' -- true {n}",
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let json: serde_json::Value = serde_json::from_str(&workplace.read("t.json")).unwrap();
    let results = json["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for (result, n) in results.iter().zip(["1", "2"]) {
        assert_eq!(result["command"], "a|b");
        assert_eq!(result["parameters"]["n"], n);
        let times: Vec<f64> = result["times"].as_array().unwrap().iter().map(|t| t.as_f64().unwrap()).collect();
        let mean = times.iter().sum::<f64>() / 6.0;
        assert!((result["mean"].as_f64().unwrap() / mean - 1.0).abs() < 1e-12 && times.len() == 6);
        assert_eq!(result["exit_codes"], serde_json::json!([0, 0, 0, 0, 0, 0]));
        assert!(result["user"].as_f64().unwrap() + result["system"].as_f64().unwrap() > 0.0);
    }
    let csv = workplace.read("t.csv");
    assert!(
        csv.starts_with("command,mean,stddev,median,user,system,min,max,") && csv.contains("runs,relative"),
        "{csv}"
    );
    assert_eq!((csv.lines().count(), csv.lines().next().unwrap().ends_with("parameter_n")), (3, true), "{csv}");
    let markdown = workplace.read("t.md");
    assert!(markdown.starts_with("| Command | Mean [") && markdown.contains("| `a\\|b` |"), "{markdown}");
    assert!(markdown.lines().nth(1).unwrap().starts_with("|:---|---:|") && markdown.contains("| 1.00 |"), "{markdown}");
    assert!(workplace.read("t.adoc").contains("|===\n| Command\n| Mean ["), "{}", workplace.read("t.adoc"));
    assert!(ran.out.contains("|--+--+") && ran.out.contains("| =a\\|b= |"), "{}", ran.out);
}

#[test]
fn hyperfines_format_says_what_it_has_no_place_for() {
    let workplace = Workplace::new();
    let ran = workplace.shell("exec $PAW app --quiet --reps 3 --set code=0,1 --out r -- sh -c 'exit {code}'");
    assert_eq!(ran.code, 3, "{}", ran.err);
    let exported = workplace.shell("exec $PAW export r --format hyperfine");
    let document: serde_json::Value = serde_json::from_str(&exported.out).unwrap();
    assert_eq!(document["results"].as_array().map(Vec::len), Some(1));
    assert!(exported.err.contains("cells without times are left out, 1 of 2"), "{}", exported.err);
}

#[test]
fn an_export_that_cannot_be_is_refused_before_anything_runs() {
    let workplace = Workplace::new();
    let ran = workplace.app("--export-csv none/t.csv -- touch ran");
    assert_eq!(ran.code, 2);
    assert!(ran.sentence().contains("--export-csv none/t.csv: no file can be there"), "{}", ran.err);
    assert!(!workplace.path("ran").exists());
}

#[test]
fn a_file_of_hyperfine_is_a_run_and_comes_back() {
    let workplace = Workplace::new();
    workplace.write("h.json", RECORDED);
    let ran = workplace.shell("exec $PAW import h.json --out r");
    assert_eq!((ran.code, ran.out.starts_with("r: 4 points")), (0, true), "{} {}", ran.out, ran.err);
    let run = workplace.run();
    let scaling = Scaling::of(&run).expect("an application");
    assert_eq!(scaling.app.command, ["sh -c \"sleep {n}; exit 3\" {m}"]);
    assert_eq!(scaling.app.commands().map(|(name, _)| name).skip(1).collect::<Vec<_>>(), ["named", "sleep 0.02"]);
    assert_eq!(run.records[0].cell.point.to_string(), "m=a n=0.01");
    assert_eq!(run.records[0].samples.secondary(SecondaryMetric::ExitCode), Some(&[3.0; 3][..]));
    assert_eq!(run.records[2].samples.elapsed_s[0], 0.011941950000000002);
    for shown in ["report r --out r.html", "export r --format md", "compare r r"] {
        let ran = workplace.shell(&format!("exec $PAW {shown}"));
        assert_eq!(ran.code, 0, "{shown}: {}", ran.err);
    }
    let page = workplace.shell("exec $PAW export r --format md").out;
    assert!(page.contains("failing-runs") && page.contains("what a run used"), "{page}");
    let back: serde_json::Value =
        serde_json::from_str(&workplace.shell("exec $PAW export r --format hyperfine").out).unwrap();
    let recorded: serde_json::Value = serde_json::from_str(RECORDED).unwrap();
    for (own, theirs) in back["results"].as_array().unwrap().iter().zip(recorded["results"].as_array().unwrap()) {
        for key in ["times", "exit_codes", "parameters", "min", "max", "median"] {
            assert_eq!(own[key], theirs[key], "{key} of {}", theirs["command"]);
        }
        for key in ["mean", "stddev", "user"] {
            let (own, theirs) = (own[key].as_f64().unwrap(), theirs[key].as_f64().unwrap());
            assert!((own - theirs).abs() <= 1e-9 * theirs, "{key}: {own} {theirs}");
        }
    }
    assert_eq!(back["results"][0]["command"], "sh -c \"sleep 0.01; exit 3\" a");
}

#[test]
fn a_file_with_means_alone_has_means_alone() {
    let workplace = Workplace::new();
    workplace.write(
        "h.json",
        r#"{"results": [{"command": "./a", "mean": 0.25, "min": 0.2}, {"command": "./b", "mean": null}]}"#,
    );
    let ran = workplace.shell("exec $PAW import h.json --out r");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = workplace.run();
    let [record, empty] = run.records.as_slice() else { panic!("{} cells", run.records.len()) };
    assert_eq!(ended(empty), (Status::Skipped, "the file has no time of it"));
    let time = record.imported_time.as_ref().unwrap();
    assert_eq!((time.mean, time.min, record.samples.len()), (0.25, 0.2, 0));
    assert!(workplace.shell("exec $PAW export r --format csv").out.contains("0.25"));
}

#[test]
fn a_command_that_hyperfine_measured_twice_has_two_names() {
    let workplace = Workplace::new();
    let result = |times: &str| format!(r#"{{"command": "./a", "times": [{times}], "parameters": {{"n": 1}}}}"#);
    workplace.write("h.json", format!(r#"{{"results": [{}, {}]}}"#, result("1, 1.1, 1.2"), result("2, 2.1, 2.2")));
    let ran = workplace.shell("$PAW import h.json --out r && exec $PAW show r");
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("is not decided: ./a (1.10 s) or ./a (2) (it takes 1.909 times as long"), "{}", ran.out);
    // One was measured after the other: nothing is held against anything round by round.
    assert!(words.contains("over that of the fastest, by medians") && !words.contains("in a round"), "{}", ran.out);
}

#[test]
fn threads_that_hyperfine_scanned_are_thread_counts() {
    let workplace = Workplace::new();
    let result = |n: u32| {
        let time = 1.0 / f64::from(n);
        format!(
            r#"{{"command": "./a -t {n}", "times": [{time}, {time}, {time}, {time}], "parameters": {{"threads": "{n}"}}}}"#
        )
    };
    workplace.write("h.json", format!(r#"{{"results": [{}, {}]}}"#, result(1), result(2)));
    let ran = workplace.shell("$PAW import h.json --out r && exec $PAW show r");
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("2 threads: 500.0 ms") && words.contains("2.00 times as fast as 1 thread"), "{}", ran.out);
    assert!(!words.contains("is not decided: threads="), "{}", ran.out);
}

#[test]
fn json_of_hyperfine_that_is_damaged_is_refused_with_the_place() {
    for (text, why) in [
        ("{\"results\": [", "h.json is no whole JSON of hyperfine: EOF"),
        ("{\"results\": []}", "h.json is JSON of hyperfine without a time"),
        (
            "{\"results\": [{\"command\": \"a\", \"times\": [1]}, {\"command\": \"b\", \"times\": [-1]}]}",
            "h.json: result 2, `b`, has the time -1 s: correct it",
        ),
    ] {
        let workplace = Workplace::new();
        workplace.write("h.json", text);
        let ran = workplace.shell("exec $PAW import h.json --out r");
        assert!(ran.code == 7 && ran.err.contains(why) && !workplace.path("r").exists(), "{text}: {}", ran.err);
    }
}

#[test]
fn json_of_others_is_refused_by_name() {
    for text in [
        "{}",
        "{\"results\": []}",
        "{\"results\": [{}]}",
        "[1",
        "{\"results\": [{\"command\": \"a\", \"times\": [\"x\"]}]}",
    ] {
        let workplace = Workplace::new();
        workplace.write("h.json", text);
        let ran = workplace.shell("exec $PAW import h.json --out r");
        assert_eq!(ran.code, 7, "{text}: {}", ran.out);
        assert!(ran.err.contains("h.json") && ran.err.contains("JSON of hyperfine"), "{}", ran.err);
    }
}
