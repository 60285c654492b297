//! Marks at the lines of the file of references, for the pages of GitHub and GitLab.

use std::collections::HashMap;
use std::path::Path;

use paw_data::baseline::judgement::{Judgement, Verdict};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::gate::result::{GateResult, sentence};

/// The file that GitLab's documentation names for a report of code quality.
pub const GITLAB_FILE: &str = "gl-code-quality-report.json";

/// How grave a judgement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gravity {
    Failing,
    Warning,
}

fn gravity(result: &GateResult<'_>, judgement: &Judgement<'_>) -> Option<Gravity> {
    match judgement.verdict {
        _ if result.fails(judgement) => Some(Gravity::Failing),
        Verdict::Pass | Verdict::NoBound | Verdict::OtherMachine => None,
        _ => Some(Gravity::Warning),
    }
}

/// The workflow commands of GitHub Actions, a line each.
pub fn github(result: &GateResult<'_>) -> String {
    let file = relative(result.file);
    let command = |judgement: &Judgement<'_>| {
        let command = match gravity(result, judgement)? {
            Gravity::Failing => "error",
            Gravity::Warning => "warning",
        };
        let title = format!("paw gate: {}", judgement.verdict.word());
        let said = format!("{}: {}", judgement.baseline.title(), sentence(judgement));
        let line = judgement.baseline.line;
        Some(format!("::{command} file={},line={line},title={}::{}\n", property(&file), property(&title), data(&said)))
    };
    result.judgements.iter().filter_map(command).collect()
}

/// `text` as the message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// `text` as a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// GitLab's report of code quality.
pub fn gitlab(result: &GateResult<'_>) -> String {
    let file = relative(result.file);
    let issue = |(judgement, fingerprint): (&Judgement<'_>, String)| {
        let severity = match (gravity(result, judgement)?, judgement.verdict) {
            (Gravity::Failing, Verdict::Wrong) => "critical",
            (Gravity::Failing, _) => "major",
            (Gravity::Warning, _) => "minor",
        };
        Some(json!({
            "description": format!("{}: {}: {}", judgement.verdict.word(), judgement.baseline.title(), sentence(judgement)),
            "check_name": format!("paw gate {}", judgement.verdict.word()),
            "fingerprint": fingerprint,
            "severity": severity,
            "location": { "path": file, "lines": { "begin": judgement.baseline.line } },
        }))
    };
    let issues: Vec<Value> = result.judgements.iter().zip(fingerprints(result, &file)).filter_map(issue).collect();
    format!("{:#}\n", json!(issues))
}

/// The path from the current directory, where the file is below it, without a leading `./`: the pages know files of the repository alone.
fn relative(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let below = path.strip_prefix(here).unwrap_or(path);
    below.strip_prefix(".").unwrap_or(below).display().to_string()
}

/// A fingerprint of each judgement: the same for the same verdict on the same reference, whatever its line and value are. References of
/// one name have numbers in the order of the file.
fn fingerprints(result: &GateResult<'_>, file: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut fingerprint = |judgement: &Judgement<'_>| {
        let baseline = judgement.baseline;
        let machine = baseline.machine.as_ref().map(ToString::to_string).unwrap_or_default();
        let name = [file, &baseline.title(), baseline.statistic.word(), &machine].join("\0");
        let number = seen.entry(name.clone()).and_modify(|number| *number += 1).or_insert(1);
        let digest = Sha256::digest(format!("{name}\0{}\0{number}", judgement.verdict.word()).as_bytes());
        digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    };
    result.judgements.iter().map(&mut fingerprint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_is_made_of_is_escaped() {
        assert_eq!(data("5 % a:b,c\nd"), "5 %25 a:b,c%0Ad");
        assert_eq!(property("a:b,c%"), "a%3Ab%2Cc%25");
    }
}
