//! How steps ended, and the table of them.

use crate::acceptance::ledger::{self, LedgerLine, StepState};
use crate::acceptance::step::Step;
use crate::amount::span;
use crate::cli::Format;
use crate::exit::Code;
use crate::print;
use crate::table::Table;

/// A row of the table: a step, and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub step: String,
    /// Its directory; empty where nothing was started.
    pub directory: String,
    /// `None`: it was not begun.
    pub exit: Option<Code>,
    pub elapsed_s: Option<f64>,
    pub why: String,
}

impl Row {
    /// A step that was not begun, and why.
    pub fn skipped(step: &Step, why: &str) -> Self {
        Self { step: step.name.clone(), directory: String::new(), exit: None, elapsed_s: None, why: why.to_owned() }
    }

    /// The result in a word, with the exit code unless it is 0.
    pub fn ended(&self) -> String {
        match self.exit {
            None => "not begun".to_owned(),
            Some(Code::Done) => "done".to_owned(),
            Some(code) => format!("{} (exit {})", word(code), code as i32),
        }
    }
}

/// The meaning of an exit code.
fn word(code: Code) -> &'static str {
    match code {
        Code::Done => "done",
        Code::Finding => "finding",
        Code::Usage => "wrong usage",
        Code::Failed => "failed",
        Code::Missing => "not here",
        Code::Inconclusive => "inconclusive",
        Code::Nothing => "nothing selected",
        Code::Io => "cannot read or write",
        Code::Bug => "bug of paw",
        Code::HungUp | Code::Interrupted | Code::Terminated => "interrupted",
    }
}

/// Whether a step that ended so is whole: an interruption leaves the rest to be measured.
pub fn is_whole(exit: Code) -> bool {
    !matches!(exit, Code::HungUp | Code::Interrupted | Code::Terminated)
}

/// The row of a step that needs nothing more; `None` where it is missing, or was interrupted.
pub fn finished(lines: &[LedgerLine], step: &Step) -> Option<Row> {
    match ledger::state(lines, &step.name) {
        StepState::Ended { exit, elapsed_s, why } if is_whole(exit) => {
            Some(Row { step: step.name.clone(), directory: step.directory(), exit: Some(exit), elapsed_s, why })
        }
        _ => None,
    }
}

/// The steps that `step` needs and that did not end with 0, as a reason; `None` where it may begin.
pub fn unmet(lines: &[LedgerLine], step: &Step) -> Option<String> {
    let is_met = |need: &String| matches!(ledger::state(lines, need), StepState::Ended { exit: Code::Done, .. });
    let unmet: Vec<&str> = step.needs.iter().filter(|need| !is_met(need)).map(String::as_str).collect();
    (!unmet.is_empty()).then(|| format!("needs {}, which did not end with 0", unmet.join(" and ")))
}

/// Seconds that steps have taken, those that were interrupted included.
pub fn spent_s(lines: &[LedgerLine]) -> f64 {
    let elapsed = lines.iter().filter_map(|line| match line {
        LedgerLine::Ended { elapsed_s, .. } => *elapsed_s,
        _ => None,
    });
    elapsed.sum()
}

/// The table of all steps.
pub fn table(rows: &[Row]) -> String {
    let mut table = Table::new(&["step", "result", "took", "left in", "because"]);
    for row in rows {
        let took = row.elapsed_s.map(span).unwrap_or_default();
        table.row([row.step.as_str(), &row.ended(), &took, &row.directory, &row.why]);
    }
    table.written(Format::Text, print::width())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_step_is_missing_and_a_failed_one_is_not() {
        let step = Step {
            number: 1,
            name: "a".to_owned(),
            words: vec!["paw".to_owned()],
            budget_s: None,
            seed: None,
            needs: vec!["b".to_owned()],
        };
        let ended = |name: &str, exit| LedgerLine::Ended {
            step: name.to_owned(),
            exit,
            elapsed_s: Some(2.0),
            why: String::new(),
        };
        for (exit, is_finished) in [(0, true), (3, true), (5, true), (130, false), (143, false)] {
            assert_eq!(finished(&[ended("a", exit)], &step).is_some(), is_finished, "{exit}");
        }
        assert_eq!(unmet(&[ended("b", 0)], &step), None);
        assert_eq!(unmet(&[ended("b", 1)], &step).unwrap(), "needs b, which did not end with 0");
        assert_eq!(spent_s(&[ended("a", 130), ended("a", 0)]), 4.0);
    }

    #[test]
    fn the_table_keeps_to_narrow_terminals() {
        let row = Row {
            step: "blas".to_owned(),
            directory: "01-blas".to_owned(),
            exit: Some(Code::Inconclusive),
            elapsed_s: Some(300.0),
            why: "its time of 5m0s was over".to_owned(),
        };
        let text = table(&[row]);
        assert!(text.contains("inconclusive (exit 5)") && text.contains("5m0s"), "{text}");
    }
}
