//! The checks as a table: expected, tolerance, measured, result.

use paw_data::selftest::{CheckResult, Selftest, SelftestCheck};

use super::check::Row;
use super::checks::CHECKS;
use crate::cli::Format;
use crate::table::Table;

/// Width of the columns of the text: with gaps and the longest result 80.
const WIDTHS: [usize; 3] = [33, 15, 18];

/// The self-test in the format asked for; the sentences below a text are at most `width` columns wide.
pub fn written(selftest: &Selftest, format: Format, width: usize) -> String {
    match format {
        Format::Json => format!("{:#}\n", serde_json::json!(selftest)),
        Format::Text => lines(selftest) + &notes(selftest, width),
        Format::Csv | Format::Md => table(selftest).written(format, width),
    }
}

fn lines(selftest: &Selftest) -> String {
    let line = |name: &str, expected: &str, measured: &str, result: &str| {
        let [first, second, third] = WIDTHS;
        format!("{name:first$} {expected:second$} {measured:third$} {result}\n")
    };
    let of_check = |check: &SelftestCheck| {
        let decimals = decimals(&check.check);
        let measured = check.measured.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"));
        line(&check.check, &expected(check, decimals), &format!("{measured:>9} {}", check.unit), short(check.result))
    };
    let head = line("check", "expected", &format!("{:>9}", "measured"), "result");
    selftest.checks.iter().fold(head, |text, check| text + &of_check(check))
}

/// The word of a row, whose reason is below the table.
fn short(result: CheckResult) -> &'static str {
    if result == CheckResult::CannotTell { "cannot tell" } else { result.word() }
}

fn table(selftest: &Selftest) -> Table {
    let mut table = Table::new(&["check", "unit", "expected", "low", "high", "measured", "result", "why"]);
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for check in &selftest.checks {
        table.row([
            check.check.trim(),
            &check.unit,
            &check.expected.to_string(),
            &number(check.low),
            &number(check.high),
            &number(check.measured),
            check.result.word(),
            check.why.as_deref().unwrap_or(""),
        ]);
    }
    table
}

/// The reasons of undecided checks, what helps against failed ones, and a summary.
fn notes(selftest: &Selftest, width: usize) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for check in selftest.with(CheckResult::CannotTell) {
        let why = check.why.as_deref().unwrap_or("");
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, checks)) => checks.push(check.check.trim()),
            None => reasons.push((why, vec![check.check.trim()])),
        }
    }
    let reasons = reasons.iter().map(|(why, checks)| format!("Cannot tell here: {}: {why}.", checks.join(", ")));
    let help = |check: &SelftestCheck| Some(format!("FAIL: {}: {}.", check.check.trim(), check.why.as_ref()?));
    let reasons = reasons.chain(selftest.with(CheckResult::Fail).filter_map(help));
    let count = |result| selftest.with(result).count();
    let sum = format!(
        "{} pass, {} FAIL, {} cannot tell here, in {:.1} s.",
        count(CheckResult::Pass),
        count(CheckResult::Fail),
        count(CheckResult::CannotTell),
        selftest.elapsed_s
    );
    let lines = reasons.chain([sum]).flat_map(|line| crate::table::wrapped(&line, width));
    lines.fold("\n".to_owned(), |text, line| text + &line + "\n")
}

/// The value expected with its tolerance: `3.00 ± 0.03`, `at most 1000`.
fn expected(check: &SelftestCheck, decimals: usize) -> String {
    let number = |value: f64| format!("{value:.decimals$}");
    match (check.low, check.high) {
        (Some(low), Some(high)) if ((check.expected - low) - (high - check.expected)).abs() < 1e-9 => {
            format!("{} ± {}", number(check.expected), number(check.expected - low))
        }
        (Some(low), Some(high)) => format!("{} … {}", number(low), number(high)),
        (Some(low), None) => format!("at least {low}"),
        (None, high) => format!("at most {}", high.unwrap_or(check.expected)),
    }
}

fn decimals(name: &str) -> usize {
    let rows = CHECKS.iter().flat_map(|check| check.rows);
    rows.into_iter().find(|row: &&Row| row.name == name).map_or(3, |row| row.decimals)
}
