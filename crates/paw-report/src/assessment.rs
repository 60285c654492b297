//! What a machine reaches and how far to trust it: the first lines of every view.

use paw_data::cell::Role;
use paw_data::kernel::Question;
use paw_data::quantity::Quantity;
use paw_data::run::Run;
use paw_data::trust::{CONTENDED, Trust};

use crate::exchange;
use crate::latency;
use crate::number::{self, Scale};
use crate::offload;
use crate::reading::{Grade, Reading, share_word};
use crate::section::Section;
use crate::series::axis_part;
use crate::step;

/// One figure of the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What it is: `dgemm`, `triad`, `peak_f64`, `latency`.
    pub label: String,
    /// The figure; several where it is one a level.
    pub parts: Vec<Part>,
    /// The share of a reference measured in the same rounds: `84% of peak`; empty where there is none.
    pub share: String,
    /// Where it was reached: provider, point.
    pub place: String,
    /// How far to trust it.
    pub grade: Grade,
    /// The word for a figure that is to be doubted; else empty.
    pub doubt: &'static str,
}

/// One number of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What it belongs to, where there are several: `L1`.
    pub name: String,
    /// The digits.
    pub number: String,
    /// The unit with its prefix.
    pub unit: String,
}

impl Part {
    /// `value` in a scale of its own.
    pub fn of(name: &str, value: f64, quantity: Quantity, half_width: Option<f64>) -> Self {
        let scale = Scale::of(value, quantity);
        Self { name: name.to_owned(), number: scale.digits(value, half_width), unit: scale.unit }
    }

    /// `number` as text.
    pub fn new(number: String, unit: impl Into<String>) -> Self {
        Self { name: String::new(), number, unit: unit.into() }
    }
}

impl Finding {
    /// The figure with its share and its doubt, in one line.
    pub fn line(&self) -> String {
        let rest =
            [&self.share, self.doubt].map(|part| if part.is_empty() { String::new() } else { format!(", {part}") });
        self.value() + &rest.concat()
    }

    /// The figure in one line: `118.2 GFLOP/s`, `L1 1.05 ns · L2 4.42 ns`.
    pub fn value(&self) -> String {
        let parts = self.parts.iter().map(|p| format!("{} {} {}", p.name, p.number, p.unit).trim().to_owned());
        parts.collect::<Vec<_>>().join(" · ")
    }
}

/// What a machine reaches and how far to trust it.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// The figures, the most asked for first.
    pub findings: Vec<Finding>,
    /// `good`, `doubtful`, `contended`, `wrong answers` or `nothing measured`.
    pub word: &'static str,
    /// The worst of what the word rests on.
    pub grade: Grade,
    /// Sentences: why that word, and what is missing from the run.
    pub reasons: Vec<String>,
}

/// What `sections`, all of `run`, say of its trust, and those of them that are `tables` of the machine.
pub fn assessment<'s, 'r: 's>(
    run: &Run,
    sections: &'s [Section<'r>],
    tables: impl Iterator<Item = &'s Section<'r>>,
) -> Assessment {
    let (word, grade, mut reasons) = trust(run, sections);
    reasons.extend(gaps(run));
    // A program's time is no figure of the machine.
    let others: Vec<&Section<'_>> = tables.collect();
    let mut findings = findings(&others);
    findings.extend(exchange::findings(run, sections));
    findings.extend(offload::findings(run));
    Assessment { findings, word, grade, reasons }
}

fn findings(sections: &[&Section<'_>]) -> Vec<Finding> {
    let bests = bests(sections);
    let of = |name: &str| bests.iter().filter(|b| b.subject && b.finding.label.contains(name)).collect::<Vec<_>>();
    let suite = |suite: &str, quantity| {
        let same = |b: &&Best<'_>| b.subject && b.suite == suite && b.quantity == quantity;
        bests.iter().filter(same).collect::<Vec<_>>()
    };
    let peaks = suite("peak", Quantity::Flops);
    let references = bests.iter().filter(|b| b.role == Role::Peak).collect();
    let on_host = |best: &&Best<'_>| best.suite != "device";
    let mut found = first_of([of("dgemm").into_iter().filter(on_host).collect(), suite("blas", Quantity::Flops)], 1);
    found.extend(first_of([of("triad").into_iter().filter(on_host).collect(), suite("memory", Quantity::Bytes)], 1));
    found.extend(first_of([peaks, references], usize::MAX));
    found.extend(sections.iter().find_map(|s| latency_finding(s)));
    found.extend(DEVICE_FINDINGS.iter().flat_map(|name| of(name).into_iter().take(1)).map(|best| best.finding.clone()));
    found
}

/// What is asked first of a device.
const DEVICE_FINDINGS: [&str; 5] = ["gpu_in_pinned", "gpu_out_pinned", "device_triad", "gpu_dgemm", "gpu_bf16gemm"];

/// The best cell of one benchmark.
struct Best<'s> {
    finding: Finding,
    suite: &'s str,
    quantity: Quantity,
    role: Role,
    subject: bool,
}

fn bests<'s>(sections: &[&'s Section<'_>]) -> Vec<Best<'s>> {
    let of = |section: &'s Section<'_>, benchmark: &str| {
        let rows = section.rows.iter().filter(|r| r.record.cell.benchmark == benchmark);
        let finding = best(section, best_reading(rows)?)?;
        let (suite, quantity, role) = (section.suite, section.quantity, section.role);
        Some(Best { finding, suite, quantity, role, subject: role == Role::Subject })
    };
    sections.iter().flat_map(|s| s.benchmarks.iter().filter_map(move |b| of(s, b))).collect()
}

/// The findings of the first list that has any, at most `most`.
fn first_of(lists: [Vec<&Best<'_>>; 2], most: usize) -> Vec<Finding> {
    let list = lists.into_iter().find(|list| !list.is_empty()).unwrap_or_default();
    list.into_iter().take(most).map(|b| b.finding.clone()).collect()
}

/// The cell with the best value, among those that have one.
pub fn best_reading<'s, 'r>(rows: impl Iterator<Item = &'s Reading<'r>>) -> Option<&'s Reading<'r>>
where
    'r: 's,
{
    let valued = rows.filter_map(|r| r.value.map(|v| (r, v.middle)));
    let better = |r: &Reading<'_>, v: f64| if r.quantity().more_is_better() { v } else { -v };
    valued.max_by(|(a, x), (b, y)| better(a, *x).total_cmp(&better(b, *y))).map(|(r, _)| r)
}

fn best(section: &Section<'_>, reading: &Reading<'_>) -> Option<Finding> {
    let value = reading.value?;
    Some(Finding {
        label: reading.record.cell.benchmark.clone(),
        parts: vec![Part::of("", value.middle, section.quantity, value.half_width())],
        share: reading.share.map(|s| format!("{} of {}", number::percent(s.value), share_word(&s))).unwrap_or_default(),
        place: place(section, reading),
        grade: reading.grade,
        doubt: reading.grade.doubt(),
    })
}

/// Where a figure was reached: `embedded, n=1024, 1 thread`.
pub fn place(section: &Section<'_>, reading: &Reading<'_>) -> String {
    let cell = &reading.record.cell;
    let step = section.ladder.filter(|l| cell.point.value(l).is_some());
    let step = step.map(|l| format!("{}={}", step::name(cell, l), step::text(cell, l)));
    let provider = std::iter::once(reading.record.cell.provider.clone());
    provider.chain(step).chain(alternative(section, reading)).collect::<Vec<_>>().join(", ")
}

/// What sets a cell apart beside its provider and its place on the ladder: `stores=nt`, `1 thread`.
fn alternative(section: &Section<'_>, reading: &Reading<'_>) -> Vec<String> {
    let cell = &reading.record.cell;
    let value = |a: &&str| cell.point.value(a).map(|_| axis_part(step::name(cell, a), &step::text(cell, a)));
    section.axes.iter().filter_map(value).chain(reading.participants().map(|n| section.participants.count(n))).collect()
}

fn latency_finding(section: &Section<'_>) -> Option<Finding> {
    let levels = section.levels.as_slice();
    let last = levels.last()?;
    Some(Finding {
        label: "latency".to_owned(),
        parts: levels.iter().map(|l| Part::of(&l.name, l.seconds, Quantity::Time, None)).collect(),
        share: String::new(),
        place: format!("{}, {}", section.title(), latency::sizes(levels)),
        grade: last.grade,
        doubt: last.grade.doubt(),
    })
}

fn trust(run: &Run, sections: &[Section<'_>]) -> (&'static str, Grade, Vec<String>) {
    let rows = || sections.iter().flat_map(|s| &s.rows);
    let of = |grade: Grade| rows().filter(|r| r.grade == grade).count();
    let (good, poor) = (of(Grade::Number(Trust::Good)), of(Grade::Number(Trust::Poor)));
    let measured = rows().filter(|r| r.value.is_some()).count();
    let wrong = rows().filter(|r| r.check().is_some_and(|(_, word)| word == "wrong")).count();
    let checked = rows().filter(|r| r.check().is_some()).count();
    let (taken, disturbed) = rows().filter_map(|r| r.value).fold((0, 0), |(t, d), v| (t + v.taken, d + v.disturbed));
    let share = if taken == 0 { 0.0 } else { disturbed as f64 / taken as f64 };
    let mut reasons = Vec::new();
    if wrong > 0 {
        let without = if run.header.kernel.is_some() { ", which is not ranked" } else { " and stand without a number" };
        reasons.push(format!("{} gave a wrong answer{without}.", number::plural(wrong, "cell")));
    }
    if disturbed > 0 {
        let share = number::percent(share);
        let samples = number::plural(taken, "sample");
        reasons.push(format!(
            "{share} of {samples} were disturbed by other work: kept in the file, left out of estimates."
        ));
    }
    if measured > 0 {
        let poor =
            if poor > 0 { format!(", {poor} {} poor", if poor == 1 { "is" } else { "are" }) } else { String::new() };
        let cells = number::plural(measured, "measured cell");
        reasons.push(match (good, measured) {
            (0, 1) => format!("Something speaks against the one measured cell{poor}."),
            (0, _) => format!("Something speaks against each of {cells}{poor}."),
            _ => format!("Nothing speaks against {good} of {cells}{poor}."),
        });
    }
    match () {
        () if wrong > 0 => ("wrong answers", Grade::Broken, reasons),
        () if asked_for_answers(run) && checked > 0 => ("right", Grade::Number(Trust::Good), reasons),
        () if measured == 0 => ("nothing measured", Grade::Absent, reasons),
        () if share > CONTENDED => ("contended", Grade::Number(Trust::Poor), reasons),
        // Half of the cells in doubt is where a reader should start with the caveats rather than the numbers.
        () if good * 2 < measured => ("doubtful", Grade::Number(Trust::Fair), reasons),
        () => ("good", Grade::Number(Trust::Good), reasons),
    }
}

/// Whether nothing was to be timed.
fn asked_for_answers(run: &Run) -> bool {
    run.header.kernel.as_ref().is_some_and(|kernel| kernel.question == Question::Check)
}

/// What is missing from the run itself.
fn gaps(run: &Run) -> Vec<String> {
    let mut gaps = Vec::new();
    if let Some(damage) = &run.damage {
        gaps.push(format!("The file is damaged: {damage}"));
    }
    match &run.end {
        None => gaps.push("The run was cut off before its end: what was measured until then is shown.".to_owned()),
        Some(end) if end.state == "interrupted" => {
            gaps.push("The run was interrupted: what was measured until then is shown.".to_owned());
        }
        Some(_) => {}
    }
    gaps
}
