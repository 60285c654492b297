//! The remedies as a shell script, for people to read and run.

use paw_machine::doctor::{Examined, Level, Setting, Step};

use crate::table::wrapped;

/// Columns of a comment.
const WIDTH: usize = 100;

/// The script: what disturbs first, then what can be better. It changes nothing until somebody runs it.
pub fn fix_script(findings: &[Examined]) -> String {
    let mut text = "#!/bin/sh\n".to_owned();
    text += &comment(
        "What disturbs measurements on this machine, and the remedy, by `paw doctor --fix-script`. Read it, delete what you do not \
         want, and run the rest as root. A restart of the machine forgets what is set here.",
    );
    let disturbing = |examined: &&Examined| examined.finding.level.disturbs();
    let optional = |examined: &&Examined| examined.finding.level == Level::Info && !examined.finding.steps.is_empty();
    let parts = [
        ("What disturbs:", findings.iter().filter(disturbing).collect::<Vec<_>>()),
        ("What can be better, where it matters to you:", findings.iter().filter(optional).collect()),
    ];
    for (title, part) in parts.into_iter().filter(|(_, part)| !part.is_empty()) {
        text += &format!("\n{}", comment(title));
        text += &part.into_iter().map(remedy).collect::<String>();
    }
    text
}

fn remedy(examined: &Examined) -> String {
    let finding = &examined.finding;
    let steps = finding.steps.iter().map(|step| match step {
        Step::Write(Setting { path, value }) => format!("echo {} > {}\n", quoted(value), quoted(path)),
        Step::Command(line) => format!("{line}\n"),
    });
    let mut text = format!("\n{}", comment(&format!("{}: {}", examined.id, finding.cause)));
    if finding.steps.is_empty() {
        text += &comment(&format!("No command: {}", finding.action));
    }
    text + &steps.collect::<String>()
}

fn comment(text: &str) -> String {
    wrapped(&text.replace(char::is_control, " "), WIDTH - 2).iter().map(|line| format!("# {line}\n")).collect()
}

/// A word that a POSIX shell reads as `text`.
fn quoted(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| "''".to_owned(), std::borrow::Cow::into_owned)
}
