//! Findings as a table, a line each, the worst first; and one finding with everything that is known of it.

use paw_machine::doctor::{Examined, Level, Privilege, Step};
use paw_report::{BAD, DOUBT, FAINT};
use paw_sort::OrderBy;
use serde_json::{Value, json};

use crate::cli::Format;
use crate::print;
use crate::table::{Table, wrapped};

/// Which findings a text has a line for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// Those that disturb, and what the machine does not say.
    Worst,
    /// All of them.
    All,
}

/// The findings in the format asked for; a text is at most `width` columns wide.
pub fn written(findings: &[Examined], listed: Listed, format: Format, width: usize) -> String {
    match format {
        Format::Json => format!("{:#}\n", json!(findings.iter().map(object).collect::<Vec<_>>())),
        Format::Text => text(findings, listed, width),
        Format::Csv | Format::Md => table(findings).written(format, width),
    }
}

/// A line for each finding, the worst first, with the remedy below it, and one line for the others.
fn text(findings: &[Examined], listed: Listed, width: usize) -> String {
    let mut rows: Vec<&Examined> = findings.iter().collect();
    rows.order_by_key(|examined| examined.finding.level);
    let is_listed =
        |examined: &Examined| listed == Listed::All || !matches!(examined.finding.level, Level::Info | Level::Ok);
    rows.retain(|examined| is_listed(examined));
    let mut table = Table::new(&["level", "check", "value"]);
    for examined in rows {
        table.row([examined.finding.level.word(), examined.id, &value(examined)]);
        let remedy = remedy(examined).filter(|_| examined.finding.level.disturbs());
        remedy.iter().for_each(|remedy| table.row(["", "", remedy]));
    }
    let painted = table.written(Format::Text, width).lines().map(|line| painted(line) + "\n").collect::<String>();
    let count = |level| findings.iter().filter(|examined| examined.finding.level == level).count();
    let levels = [Level::Fail, Level::Warn, Level::Unknown, Level::Info, Level::Ok];
    let counts: Vec<String> = levels.map(|level| format!("{} {}", count(level), level.word())).to_vec();
    let disturbed = capitalised(&print::disturbed(count(Level::Fail) + count(Level::Warn)));
    let all = if listed == Listed::Worst { "; `paw doctor --all` lists all" } else { "" };
    let sum = format!("{disturbed}: {}. `paw doctor CHECK` says everything about one{all}.", counts.join(", "));
    format!("{painted}\n{}\n", wrapped(&sum, width).join("\n"))
}

/// What was read, in short; of what the machine does not say, where and why not.
fn value(examined: &Examined) -> String {
    let finding = &examined.finding;
    match finding.level {
        Level::Unknown => format!("{}: {}", finding.path, finding.cause),
        _ => finding.value.clone(),
    }
}

/// The remedy, where there is one.
fn remedy(examined: &Examined) -> Option<String> {
    let Examined { finding, privilege, .. } = examined;
    let needs_root = *privilege == Privilege::Root && !finding.action.starts_with("sudo ");
    let root = if needs_root { " (root)" } else { "" };
    (!finding.action.is_empty()).then(|| format!("fix{root}: {}", finding.action))
}

/// Everything about each finding, a paragraph of its own.
pub fn details(findings: &[Examined], width: usize) -> String {
    let pages: Vec<String> = findings.iter().map(|examined| detail(examined, width)).collect();
    pages.join("\n")
}

fn detail(examined: &Examined, width: usize) -> String {
    let finding = &examined.finding;
    let mut table = Table::new(&["level", finding.level.word()]);
    let root = if examined.privilege == Privilege::Root { "needed for the fix" } else { "not needed" };
    let lines: [(&str, &str); 8] = [
        ("check", examined.id),
        ("value", finding.value.as_str()),
        ("read", &finding.path),
        ("cause", &finding.cause),
        ("effect", examined.effect),
        ("size", examined.size.unwrap_or("nobody has measured it")),
        ("fix", &finding.action),
        ("root", if finding.action.is_empty() { "" } else { root }),
    ];
    lines.iter().filter(|(_, text)| !text.is_empty()).for_each(|(name, text)| table.row([name, text]));
    steps(examined).for_each(|step| table.row(["command", &step]));
    let text = table.written(Format::Text, width);
    text.split_inclusive('\n').map(|line| painted_detail(line, finding.level)).collect()
}

/// The first line of a detail with its level in colour.
fn painted_detail(line: &str, level: Level) -> String {
    match line.strip_prefix("level") {
        Some(rest) if rest.trim() == level.word() => {
            let blanks = &line[..line.len() - rest.trim_start().len()];
            format!("{blanks}{}\n", painted(&format!("{} ", level.word())).trim_end())
        }
        _ => line.to_owned(),
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
