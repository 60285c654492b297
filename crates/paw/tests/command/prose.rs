//! README, the guides and messages name no command, flag or benchmark that does not exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::workplace::Workplace;

/// The commands of paw, without kernel's own.
pub const COMMANDS: &[&str] = &[
    "list",
    "run",
    "app",
    "kernel",
    "profile",
    "analyze",
    "again",
    "campaign",
    "cluster",
    "compare",
    "gate",
    "history",
    "show",
    "report",
    "export",
    "import",
    "doctor",
    "machine",
    "selftest",
    "install",
    "schema",
    "completions",
];
const OF_KERNELS: &[&str] =
    &["counters", "new", "fit", "check", "measure", "sensitivity", "matrix", "explain", "analyze", "profile"];
/// Flags of other programs that the documents mention.
const FOREIGN: &[&str] =
    &["--cap-add", "--release", "--cpu-bind", "--gpus-per-task", "--bind-to", "--load", "--mca", "--minutes"];

/// README and the guides: name and text.
fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guides = fs::read_dir(root.join("docs")).expect("the guides").map(|entry| entry.expect("an entry").path());
    let pages = guides.filter(|path| path.extension().is_some_and(|kind| kind == "md")).chain([root.join("README.md")]);
    pages.map(|path| (path.display().to_string(), fs::read_to_string(&path).expect("a text"))).collect()
}

/// What stands between backticks within lines of prose.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

#[test]
fn flags_and_commands_of_the_documents_exist() {
    let workplace = Workplace::new();
    let mut help = workplace.paw("--help").out;
    COMMANDS.iter().for_each(|command| help += &workplace.paw(&format!("{command} --help")).out);
    OF_KERNELS.iter().for_each(|command| help += &workplace.paw(&format!("kernel {command} --help")).out);
    ["set", "update"].iter().for_each(|command| help += &workplace.paw(&format!("gate {command} --help")).out);
    help += &workplace.paw("history add --help").out;
    ["plan", "report", "watch", "tuning"]
        .iter()
        .for_each(|command| help += &workplace.paw(&format!("cluster {command} --help")).out);
    let known: BTreeSet<&str> = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).collect();
    for (page, text) in documents() {
        for span in spans(&text) {
            let words = || span.split(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)));
            for flag in words().filter(|word| word.starts_with("--") && word.len() > 2 && !FOREIGN.contains(word)) {
                assert!(known.contains(flag), "{page}: `{span}`: there is no {flag}");
            }
            let mut rest = span.strip_prefix("paw ").into_iter().flat_map(str::split_whitespace);
            let command = rest.next().filter(|word| word.chars().all(|c| c.is_ascii_lowercase()));
            if let Some(command) = command {
                assert!(COMMANDS.contains(&command), "{page}: `{span}`: there is no such command");
            }
            let name =
                rest.next().filter(|name| command == Some("run") && name.starts_with(|c: char| c.is_ascii_lowercase()));
            if let Some(name) = name {
                assert_eq!(workplace.paw(&format!("list {name}")).code, 0, "{page}: `{span}`: there is no {name}");
            }
        }
    }
}

/// The sources of all crates below `directory`: name and text.
fn sources(directory: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs" || kind == "html") {
            found.push((path.display().to_string(), fs::read_to_string(&path).expect("a text")));
        }
    }
}

#[test]
fn every_command_that_a_message_names_exists() {
    let mut all = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut all);
    let mut spans = 0;
    for (file, text) in &all {
        for span in text.split("`paw ").skip(1).filter_map(|rest| rest.split(['`', '\n']).next()) {
            let mut words = span.split_whitespace().map(|word| word.trim_end_matches('.'));
            let is_name = |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
            let Some(command) = words.next().filter(is_name) else { continue };
            let own = words.next().filter(|_| command == "kernel").filter(is_name);
            let exists = COMMANDS.contains(&command);
            assert!(exists && own.is_none_or(|own| OF_KERNELS.contains(&own)), "{file}: `paw {span}`: no such command");
            spans += 1;
        }
    }
    assert!(spans > 100, "only {spans} commands were found in {} files", all.len());
}

#[test]
fn files_of_a_benchmark_have_names_and_no_templates() {
    let workplace = Workplace::new();
    for (name, file) in [
        ("gpu_in_pinned", "gpu_transfer_bw_in_pinned.dat"),
        ("gpu_dgemm", "gpu_dgemm_flops.dat"),
        ("phi_keep_al_in", "mic0_keep_al_time_in.dat"),
        ("dgemm", "dgemm_flops-np_0001.dat"),
    ] {
        let shown = workplace.paw(&format!("list {name}")).out;
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(file) && !shown.contains("{}"), "{shown}");
    }
}
