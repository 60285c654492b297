//! Findings as a table, the worst first: level, check, and a paragraph of cause, effect, remedy and source.

use paw_machine::doctor::{Examined, Level, Privilege, Step};
use paw_report::{BAD, DOUBT, FAINT};
use serde_json::{Value, json};

use crate::cli::Format;
use crate::print;
use crate::table::{Table, wrapped};

/// The findings in the format asked for; a text is at most `width` columns wide.
pub fn written(findings: &[Examined], format: Format, width: usize) -> String {
    match format {
        Format::Json => format!("{:#}\n", json!(findings.iter().map(object).collect::<Vec<_>>())),
        Format::Text => text(findings, width),
        Format::Csv | Format::Md => table(findings).written(format, width),
    }
}

fn text(findings: &[Examined], width: usize) -> String {
    let mut rows: Vec<&Examined> = findings.iter().collect();
    rows.sort_by_key(|examined| examined.finding.level);
    let mut table = Table::new(&["level", "check", "what was found"]);
    for examined in rows {
        table.row([examined.finding.level.word(), examined.id, &paragraph(examined)]);
    }
    let painted = table.written(Format::Text, width).lines().map(|line| painted(line) + "\n").collect::<String>();
    let disturbing = findings.iter().filter(|examined| examined.finding.level.disturbs()).count();
    let count = |level| findings.iter().filter(|examined| examined.finding.level == level).count();
    let sum = format!(
        "{}: {} FAIL, {} WARN, {} INFO, {} UNKNOWN, {} OK.",
        capitalised(&print::disturbed(disturbing)),
        count(Level::Fail),
        count(Level::Warn),
        count(Level::Info),
        count(Level::Unknown),
        count(Level::Ok)
    );
    format!("{painted}\n{}\n", wrapped(&sum, width).join("\n"))
}

/// What was read, what it does, what helps, and where it was read.
fn paragraph(examined: &Examined) -> String {
    let finding = &examined.finding;
    match finding.level {
        Level::Unknown => format!("{}: {}", finding.path, finding.cause),
        Level::Ok if finding.cause.is_empty() => format!("{} ({})", finding.value, finding.path),
        Level::Ok => format!("{}: {} ({})", finding.value, finding.cause, finding.path),
        _ => {
            let size = examined.size.map_or_else(String::new, |size| format!(" ({size})"));
            let root = if examined.privilege == Privilege::Root { " (as root)" } else { "" };
            let read = if finding.cause.contains(&finding.path) {
                finding.value.clone()
            } else {
                format!("{}: {}", finding.path, finding.value)
            };
            let sentences = [
                capitalised(&finding.cause),
                capitalised(examined.effect) + &size,
                format!("Remedy{root}: {}", finding.action),
                format!("Read: {read}"),
            ];
            sentences.join(". ")
        }
    }
}

/// A line with its level in colour, where it begins with one.
fn painted(line: &str) -> String {
    let styles = [("FAIL", BAD), ("WARN", DOUBT), ("UNKNOWN", FAINT)];
    let found = styles.into_iter().find(|(word, _)| line.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')));
    found.map_or_else(|| line.to_owned(), |(word, style)| print::colour().paint(word, style) + &line[word.len()..])
}

fn capitalised(phrase: &str) -> String {
    let mut characters = phrase.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

fn steps(examined: &Examined) -> impl Iterator<Item = String> {
    examined.finding.steps.iter().map(|step| match step {
        Step::Write(setting) => format!("echo {} > {}", setting.value, setting.path),
        Step::Command(line) => line.clone(),
    })
}

fn object(examined: &Examined) -> Value {
    let finding = &examined.finding;
    json!({
        "id": examined.id,
        "level": finding.level.word(),
        "value": finding.value,
        "path": finding.path,
        "cause": finding.cause,
        "effect": examined.effect,
        "size": examined.size,
        "action": finding.action,
        "root": examined.privilege == Privilege::Root,
        "commands": steps(examined).collect::<Vec<_>>(),
    })
}

fn table(findings: &[Examined]) -> Table {
    let mut table = Table::new(&["check", "level", "value", "path", "root", "action", "effect", "size", "cause"]);
    for examined in findings {
        let finding = &examined.finding;
        table.row([
            examined.id,
            finding.level.word(),
            &finding.value,
            &finding.path,
            if examined.privilege == Privilege::Root { "yes" } else { "no" },
            &finding.action,
            examined.effect,
            examined.size.unwrap_or(""),
            &finding.cause,
        ]);
    }
    table
}
