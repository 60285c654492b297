//! The best figures of a machine and how far to trust them: the first lines of every view.

use paw_data::kernel::Question;
use paw_data::outcome::Outcome;
use paw_data::run::Run;
use paw_data::trust::{CONTENDED, Reason, Trust};

use crate::finding::Finding;
use crate::grade::Grade;
use crate::headline::headline;
use crate::number;
use crate::offload;
use crate::reading::{Reading, Value};
use crate::section::Section;

/// The best figures of a machine and how far to trust them.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// The figures, the most asked for first.
    pub findings: Vec<Finding>,
    /// `good`, `fair` or `poor` where all measured cells are, else how many are good; `contended`, `wrong answers` or
    /// `nothing measured`; where answers were asked for, `right` or `empty answers`.
    pub word: String,
    /// The grade behind the word.
    pub grade: Grade,
    /// Sentences: why that word, and what is missing from the run.
    pub reasons: Vec<String>,
}

/// The assessment of `run`: trust from all its `sections`, figures from those that are `tables` of the machine.
pub fn assessment<'s, 'r: 's>(
    run: &Run,
    sections: &'s [Section<'r>],
    tables: impl Iterator<Item = &'s Section<'r>>,
) -> Assessment {
    let (word, grade, mut reasons) = trust(run, sections);
    reasons.extend(gaps(run));
    // The time of a user's program says nothing about the machine.
    let others: Vec<&Section<'_>> = tables.collect();
    let mut findings = headline(run, &others);
    findings.extend(offload::findings(run, sections));
    Assessment { findings, word, grade, reasons }
}

fn trust(run: &Run, sections: &[Section<'_>]) -> (String, Grade, Vec<String>) {
    let rows = || sections.iter().flat_map(|s| &s.rows);
    let of = |grade: Grade| rows().filter(|r| r.grade == grade).count();
    let (good, poor) = (of(Grade::Number(Trust::Good)), of(Grade::Number(Trust::Poor)));
    let measured = rows().filter(|r| r.value.is_some()).count();
    let wrong = rows().filter(|r| r.check().is_some_and(|(_, word)| word == "wrong")).count();
    let checked = rows().filter(|r| r.check().is_some()).count();
    let empty = rows().filter(|r| r.record.outcome.as_ref().is_some_and(Outcome::is_empty_answer)).count();
    let tally = Tally::of(rows().filter_map(|r| r.value));
    let share = tally.share();
    let programs = run.records.iter().filter_map(|record| record.outcome.as_ref()).filter(|o| o.is_contended()).count();
    let mut reasons = Vec::new();
    if wrong > 0 {
        let without = match (run.header.kernel.is_some(), wrong) {
            (true, _) => ", which is not ranked",
            (false, 1) => " and has no number",
            (false, _) => " and have no number",
        };
        reasons.push(format!("{} gave a wrong answer{without}.", number::plural(wrong, "cell")));
    }
    reasons.extend(tally.sentence());
    if programs > 0 {
        reasons.push(format!("Other work ran on the processors of {}.", number::plural(programs, "measured program")));
    }
    let one_process = of_one_process(rows());
    let are = |n: usize| if n == 1 { "is" } else { "are" };
    let is_mixed = [good, poor].iter().any(|n| ![0, measured].contains(n));
    let words = format!("{good} of {measured} good{}", if poor > 0 { format!(", {poor} poor") } else { String::new() });
    if is_mixed {
        reasons.extend(one_process.map(|code| format!("The samples of each come from {code}.")));
    } else if measured > 0 {
        let cells = number::plural(measured, "measured cell");
        let code = one_process.map_or(String::new(), |code| format!(": the samples of each come from {code}"));
        reasons.push(match (good, measured) {
            (0, 1) => format!("The one measured cell is {}.", if poor == 0 { "fair" } else { "poor" }),
            (1, 1) => "The one measured cell is good.".to_owned(),
            // One process makes a number fair: what makes it poor is in its row.
            (0, _) if poor > 0 => format!("{poor} of {cells} {} poor.", are(poor)),
            (0, _) => format!("None of {cells} is good{code}."),
            _ => format!("{good} of {cells} {} good.", are(good)),
        });
    }
    let (word, grade) = match () {
        () if wrong > 0 => ("wrong answers", Grade::Broken),
        () if asked_for_answers(run) && empty > 0 => ("empty answers", Grade::Number(Trust::Poor)),
        () if asked_for_answers(run) && checked > 0 => ("right", Grade::Number(Trust::Good)),
        () if measured == 0 => ("nothing measured", Grade::Absent),
        () if share > CONTENDED || programs > 0 => ("contended", Grade::Number(Trust::Poor)),
        () if is_mixed => {
            let grade = if poor * 2 > measured { Trust::Poor } else { Trust::Fair };
            return (words, Grade::Number(grade), reasons);
        }
        () if poor > 0 => ("poor", Grade::Number(Trust::Poor)),
        () if good == 0 => ("fair", Grade::Number(Trust::Fair)),
        () => ("good", Grade::Number(Trust::Good)),
    };
    if is_mixed {
        reasons.push(format!("{words}."));
    }
    (word.to_owned(), grade, reasons)
}

/// The samples of all rows with a number.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    taken: usize,
    disturbed: usize,
    /// Disturbed ones that count, because fewer than three of their series were clean.
    counted: usize,
}

impl Tally {
    fn of(values: impl Iterator<Item = Value>) -> Self {
        values.fold(Self::default(), |all, value| {
            let left_out = value.taken.saturating_sub(value.used);
            Self {
                taken: all.taken + value.taken,
                disturbed: all.disturbed + value.disturbed,
                counted: all.counted + value.disturbed.saturating_sub(left_out),
            }
        })
    }

    /// The share that was disturbed.
    fn share(self) -> f64 {
        if self.taken == 0 { 0.0 } else { self.disturbed as f64 / self.taken as f64 }
    }

    /// How many were disturbed, and what became of them; `None` where none was.
    fn sentence(self) -> Option<String> {
        let (share, samples) = (number::percent(self.share()), number::plural(self.taken, "sample"));
        let fate = match self.disturbed - self.counted {
            _ if self.counted == 0 => "kept in the file, left out of estimates".to_owned(),
            0 => "they count, because too few others were taken".to_owned(),
            left_out => format!(
                "kept in the file; {left_out} left out of estimates, {} counted, because too few others were taken",
                self.counted
            ),
        };
        (self.disturbed > 0).then(|| format!("{share} of {samples} were disturbed by other work: {fate}."))
    }
}

/// `1 job`, where the samples of every row with a number come from one.
fn of_one_process<'s, 'r: 's>(rows: impl Iterator<Item = &'s Reading<'r>>) -> Option<String> {
    let few =
        |reading: &Reading<'_>| reading.reasons.iter().find(|r| matches!(r, Reason::FewInvocations { .. })).cloned();
    let mut all = rows.filter(|reading| reading.value.is_some()).map(few);
    let code = all.next().flatten()?.code().to_string();
    all.all(|other| other.is_some_and(|other| other.code() == code)).then_some(code)
}

/// Whether the run checks answers only.
fn asked_for_answers(run: &Run) -> bool {
    run.header.kernel.as_ref().is_some_and(|kernel| kernel.question == Question::Check)
}

/// Why the run is incomplete.
fn gaps(run: &Run) -> Vec<String> {
    let mut gaps = Vec::new();
    if let Some(damage) = &run.damage {
        gaps.push(format!("The file is damaged: {damage}"));
    }
    match &run.end {
        None => gaps.push("The run was cut off before its end: what was measured until then is shown.".to_owned()),
        Some(end) => gaps.extend(match end.state.as_str() {
            "done" | "imported" => None,
            "interrupted" => Some("The run was interrupted: what was measured until then is shown.".to_owned()),
            "unsaved" => Some("Not all of the run could be saved: what was saved is shown.".to_owned()),
            other => Some(format!("The run ended as `{other}`, which this paw does not know: it may lack something.")),
        }),
    }
    gaps
}
