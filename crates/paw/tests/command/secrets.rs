//! Secrets of the command line and the environment reach no file and no output; `--redact` hides who measured where.

use std::fs;
use std::path::Path;

use crate::workplace::{TINY, Workplace};

const SECRET: &str = "hunter2-and-more";

/// The names of all files below `directory` that hold `text`.
fn holding(directory: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(text) {
            found.push(path.display().to_string());
        }
    }
    found
}

/// Runs the rest of a line with secrets in the environment; no output and no file of the run in `r` may hold them.
fn keeps_secrets(line: &str) -> String {
    let workplace = Workplace::new();
    let set = format!("SLURM_JWT={SECRET} I_MPI_PASSWORD={SECRET} OMP_NUM_THREADS=1");
    let ran = workplace.shell(&format!("{set} $PAW {line} --out r; {set} $PAW {line} --dry-run"));
    assert!(!ran.out.contains(SECRET) && !ran.err.contains(SECRET), "{line}: {}{}", ran.out, ran.err);
    assert_eq!(holding(&workplace.path("r"), SECRET), Vec::<String>::new(), "{line}");
    workplace.read("r/run.jsonl")
}

#[test]
fn a_run_of_benchmarks_records_the_variables_without_their_secrets() {
    let run = keeps_secrets(TINY);
    assert!(run.contains(r#""SLURM_JWT":"[hidden]""#) && run.contains(r#""I_MPI_PASSWORD":"[hidden]""#), "{run}");
    assert!(run.contains(r#""OMP_NUM_THREADS":"1""#), "{run}");
}

#[test]
fn a_program_is_recorded_without_the_secrets_of_its_command() {
    for command in [
        format!("sh -c true --password {SECRET}"),
        format!("sh -c true --api-key={SECRET} https://me:{SECRET}@host"),
        format!("sh -c 'echo {SECRET} >&2; exit 3' --token {SECRET}"),
    ] {
        // The program is asked for last.
        let line = format!("app --quiet --reps 2 --out r -- {command}");
        let workplace = Workplace::new();
        let dry = line.replace("--out r", "--dry-run");
        let ran = workplace.shell(&format!("$PAW {line}; $PAW {dry}; $PAW report r --out all.html"));
        assert!(!ran.out.contains(SECRET) && !ran.err.contains(SECRET), "{line}: {}{}", ran.out, ran.err);
        let logs = workplace.path("r/logs");
        let leaks: Vec<_> = holding(&workplace.path(""), SECRET);
        // What the program itself prints is its own.
        assert!(leaks.iter().all(|leak| Path::new(leak).starts_with(&logs)), "{leaks:?}");
        assert!(workplace.read("r/run.jsonl").contains("[hidden]"));
    }
}

#[test]
fn a_run_of_an_older_version_is_shown_without_its_secrets() {
    let workplace = Workplace::new();
    workplace.paw(&format!("{TINY} --out r"));
    let run = workplace.read("r/run.jsonl");
    let old = run.replacen("\"argv\":[", &format!("\"argv\":[\"--password\",\"{SECRET}\","), 1);
    assert_ne!(old, run);
    workplace.write("r/run.jsonl", old);
    for line in ["report r --out -", "export r --format json", "export r --format md"] {
        let ran = workplace.paw(line);
        assert!(ran.code == 0 && !ran.out.contains(SECRET), "{line}: {}", ran.err);
    }
}

#[test]
fn redact_hides_host_user_and_paths() {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let workplace = Workplace::new();
    let home = workplace.path("").display().to_string();
    let ran = workplace.shell(&format!("HOME=/home/somebody $PAW {TINY} --redact --out {home}/r"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let named =
        |text: &str, name: &str| text.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == name);
    for file in ["r/run.jsonl", "r/report.html"] {
        let text = workplace.read(file);
        assert!(!text.contains(home.trim_end_matches('/')) && !named(&text, host.trim()), "{file}");
    }
    workplace.paw(&format!("{TINY} --out open"));
    let shown = workplace.paw("report open --redact --out -").out;
    assert!(shown.contains("<html") && !named(&shown, host.trim()));
}
