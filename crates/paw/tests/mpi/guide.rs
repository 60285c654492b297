//! What went wrong in the original PAW does not go wrong here: held under the mock, whose times are known.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::job::{Job, PAW};
use crate::mock;

/// Few and short repetitions of the method that repeats PAW's.
const PAWS: [(&str, &str); 2] = [("NREPS", "3"), ("NLOOP_MAX", "3")];

/// Runs what must go well; the cells, each of which is measured and right.
fn cells(job: &Job, ranks: usize, variables: &[(&str, &str)], args: &str) -> Vec<Value> {
    let variables: Vec<_> = PAWS.iter().chain(variables).copied().collect();
    let ran = mock::paw(job, ranks, &variables, args);
    assert_eq!(ran.code, 0, "{args} with {variables:?}: {}{}", ran.out, ran.err);
    for outcome in job.lines("r", "outcome") {
        assert_eq!(outcome["status"], "measured", "{args} with {variables:?}: {outcome}");
        assert_eq!(outcome["check"]["verdict"], "pass", "{args} with {variables:?}: {outcome}");
    }
    let cells = job.lines("r", "cell");
    assert!(!cells.is_empty());
    cells
}

#[test]
fn a_largest_size_below_the_one_of_the_warm_up_holds() {
    for args in ["run p2p_send --method paw --quiet", "run p2p_send --quiet"] {
        let job = Job::new();
        let cells = cells(&job, 2, &[("MAX_P2P_SIZE", "100")], args);
        let sizes: Vec<i64> = cells.iter().map(|cell| cell["point"]["n"].as_i64().unwrap()).collect();
        assert!(sizes.contains(&1) && sizes.iter().all(|n| *n <= 100), "{args}: {sizes:?}");
    }
}

#[test]
fn every_window_size_is_measured_as_such() {
    for (window, method) in [("16", " --method paw"), ("1", " --method paw"), ("16", ""), ("1", "")] {
        for name in ["p2p_mrate", "p2p_mrate_bidir"] {
            let job = Job::new();
            let args = format!("run {name}{method} --set n=1,64 --set buffers=one,each --reps 3 --loops 2 --quiet");
            for cell in cells(&job, 2, &[("WINDOW_SIZE", window)], &args) {
                assert_eq!(cell["point"]["window"].to_string(), window, "{cell}");
                let directions = if name == "p2p_mrate" { 1.0 } else { 2.0 };
                let messages = directions * window.parse::<f64>().unwrap();
                assert_eq!(cell["work"]["messages"].as_f64(), Some(messages), "{cell}");
            }
        }
    }
}

#[test]
fn accumulation_is_right_on_three_and_four_ranks() {
    for ranks in [3, 4] {
        for method in ["", " --method paw"] {
            let args = format!("run col_acc col_acc_fence col_racc{method} --set n=1,10 --reps 3 --loops 2 --quiet");
            cells(&Job::new(), ranks, &[], &args);
        }
    }
}

#[test]
fn a_rank_that_times_nothing_is_no_fastest_rank() {
    // A get is a way there and one back.
    let alpha = ("MOCK_MPI_ALPHA_NS", "50000");
    for combine in ["min", "mean", "max", "paw"] {
        let job = Job::new();
        let args =
            format!("run p2p_rget p2p_rput p2p_get_flush --combine {combine} --set n=1 --reps 4 --loops 2 --quiet");
        for cell in cells(&job, 2, &[alpha], &args) {
            let took_s = mock::least_s(&job, "r", &cell);
            assert!(took_s >= 50e-6, "{combine}: {took_s} s an operation of {cell}");
        }
    }
}

#[test]
fn files_have_paws_names_and_can_be_read_again() {
    let job = Job::new();
    let sizes = [("MAX_P2P_SIZE", "4"), ("MAX_COL_SIZE", "4")];
    cells(&job, 2, &sizes, "run latency p2p_get p2p_mrate col_ardc --method paw --quiet");
    let files = ["latency.dat", "get_bw-np_0002.dat", "mrate_rate-np_0002.dat", "allreduce_time-np_0002.dat"];
    for file in files {
        let path = job.path("r").join(file);
        assert!(path.exists(), "{file} is not among {:?}", names(&job));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("Test") && text.lines().any(|line| !line.starts_with('#')), "{file}: {text}");
        let old = format!("old-{file}");
        let output = Command::new(PAW)
            .current_dir(job.path(""))
            .args(["import", path.to_str().unwrap(), "--out", &old])
            .output()
            .unwrap();
        assert!(output.status.success(), "{file}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
        assert!(!job.lines(&old, "cell").is_empty(), "{file} has points");
    }
}

/// The comments of a file by PAW 1.6, as its format is described, in place of ours; seven columns of each row, and rates by 2^20.
fn as_paw_16(text: &str) -> String {
    let is_rate = text.contains("AVG(MB/s)") || text.contains("AVG(MIO/s)");
    let mut lines = vec!["#====".to_owned(), "# PAW - Performance Assessment Workbench v1.6".to_owned()];
    for line in text.lines() {
        if line.starts_with("# Date") || line.starts_with("# Test") {
            lines.push(line.to_owned());
        } else if line.contains("AVG(") {
            lines.push(line.split("\tMEDIAN").next().unwrap().to_owned());
        } else if !line.starts_with('#') && !line.is_empty() {
            let columns = line.split_whitespace().take(7).enumerate();
            let column = |(at, text): (usize, &str)| match text.parse::<f64>() {
                Ok(rate) if is_rate && (1..5).contains(&at) => format!("{:.6E}", rate * 1e6 / 1_048_576.0),
                _ => text.to_owned(),
            };
            lines.push(columns.map(column).collect::<Vec<_>>().join("\t"));
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn what_paw_16_measured_is_compared_cell_by_cell() {
    let job = Job::new();
    let sizes = [("MAX_P2P_SIZE", "4"), ("MAX_COL_SIZE", "4")];
    let args = "run latency p2p_send p2p_isend_ping p2p_put_fence p2p_mrate p2p_mrate_bidir col_ardc col_bct col_acc \
                --method paw16 --dat-names 1.6 --quiet";
    let ours = cells(&job, 2, &sizes, args).len();
    let old = job.path("old-files");
    fs::create_dir(&old).unwrap();
    for name in names(&job).into_iter().filter(|name| name.ends_with(".dat")) {
        fs::write(old.join(&name), as_paw_16(&fs::read_to_string(job.path("r").join(&name)).unwrap())).unwrap();
    }
    let paw = |args: &[&str]| {
        let output = Command::new(PAW).current_dir(job.path("")).args(args).output().unwrap();
        let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        assert!(output.status.success(), "{args:?}: {out}{err}");
        out
    };
    let provider = job.lines("r", "cell")[0]["provider"].as_str().unwrap().to_owned();
    paw(&["import", "old-files", "--as", &provider, "--out", "old"]);
    let compared = paw(&["compare", "old", "r"]);
    assert!(compared.contains(&format!("{ours} cells in common")), "{compared}");
    assert!(!compared.contains("only in") && !compared.contains("compared under different names"), "{compared}");
    // Files of our own say what they hold.
    paw(&["import", "r", "--out", "again"]);
    let compared = paw(&["compare", "again", "r"]);
    assert!(compared.contains(&format!("{ours} cells in common")), "{compared}");
}

#[test]
fn paw_16_counts_the_slowest_rank_and_the_guide_the_fastest() {
    let combined = |method: &str| {
        let job = Job::new();
        let args = format!("run p2p_send p2p_mrate col_ardc --method {method} --set n=1 --quiet");
        let cells = cells(&job, 2, &[], &args);
        cells.into_iter().map(|cell| cell["combine"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(combined("paw16"), ["slowest"; 3]);
    assert_eq!(combined("paw"), ["fastest"; 3]);
}

fn names(job: &Job) -> Vec<String> {
    let entries = fs::read_dir(job.path("r")).unwrap().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
