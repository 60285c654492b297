//! The conclusions of a kernel's run in sentences: at each level the fastest right build, and wrong answers.

use paw_data::cell::Role;
use paw_data::kernel::Question;
use paw_data::matrix::{Matrix, MatrixRow, Panel, RowStatus};
use paw_data::sensitivity::{CacheStep, Curve, Factor, Sensitivity};
use paw_stats::interval::Bounds;
use paw_stats::plateau::Plateau;
use paw_stats::speedup::Sampling;
use paw_stats::stability::{Grade, Stability};

use crate::kernel::KernelAnalysis;
use crate::kernel::builds::{extent, unit};
use crate::kernel::curves;
use crate::kernel::figure::{self, Unit};
use crate::kernel::sentence::{is, listed, was};
use crate::number::{half_width, plural, significant};

/// More names than this are a table, not a sentence.
const NAMES: usize = 3;

/// The conclusions of the run: a name for the margin, and sentences.
pub fn verdict(look: &KernelAnalysis<'_>) -> Vec<(String, String)> {
    match look {
        KernelAnalysis::Builds(matrix) => {
            let panels = matrix.panels.iter().map(|panel| (short(panel), level(panel)));
            let found = searched(matrix).map(|text| ("found".to_owned(), text));
            std::iter::once((String::new(), counts(matrix))).chain(found).chain(panels).collect()
        }
        KernelAnalysis::Answers(matrix) => vec![(String::new(), counts(matrix) + &all_wrong(matrix))],
        KernelAnalysis::Curves(sensitivity) => protocol(sensitivity),
    }
}

/// The result of a search: the flags of its last step's reference, their gain over the first, and whether more may help.
fn searched(matrix: &Matrix<'_>) -> Option<String> {
    let steps = || matrix.panels.iter().filter(|panel| panel.step.is_some());
    let bases = || steps().filter_map(Panel::base);
    let (first, last) = (bases().next()?, bases().next_back()?);
    let taken = matrix.panels.iter().zip(matrix.panels.iter().skip(1)).filter_map(|(panel, next)| {
        let joined = next.base()?.record.cell.provider.as_str();
        panel.rows.iter().find(|row| row.record.cell.provider == joined)?.speedup
    });
    let gains: Vec<f64> = taken.map(|speedup| speedup.value).collect();
    let open = steps().next_back().and_then(open);
    if first.name() == last.name() {
        return Some(match open {
            Some(why) => format!("no flag is known to make {} faster: {why}.", first.name()),
            None => format!("no flag made {} faster.", first.name()),
        });
    }
    let gain = significant(gains.iter().product(), 3);
    let steps = plural(gains.len(), "step");
    let open = open.map_or(String::new(), |why| format!(" Whether another flag helps is not known: {why}."));
    Some(format!("{}, {gain} times as fast as {} by {steps}.{open}", last.name(), first.name()))
}

/// Why the last step of a search does not tell whether one of its flags helps; `None` if it does.
fn open(step: &Panel<'_>) -> Option<String> {
    let is_open = |row: &&MatrixRow<'_>| matches!(row.standing, RowStatus::Unfinished | RowStatus::Skipped);
    match step.rows.iter().filter(is_open).count() {
        0 if step.is_told() => None,
        0 => Some(format!("{} had too few clean rounds, {} of {}", short(step), step.rounds, step.needed)),
        n => Some(format!(
            "{} of {} in {} {} not measured to the end",
            n,
            plural(step.rows.len(), "build"),
            short(step),
            was(n)
        )),
    }
}

/// A level's name for the margin.
pub fn short(panel: &Panel<'_>) -> String {
    if let Some(step) = panel.step {
        return format!("step {step}");
    }
    if panel.name.is_empty() { panel.label() } else { panel.name.to_owned() }
}

/// `12 builds at 2 levels: 10 right, 1 wrong, 1 failed.`
fn counts(matrix: &Matrix<'_>) -> String {
    let mut builds: Vec<(String, (RowStatus, bool))> = Vec::new();
    for row in matrix.panels.iter().flat_map(|p| p.rows.iter().chain(&p.residency)) {
        let own = (row.standing, row.standing == RowStatus::Right && figure::is_empty(row));
        match builds.iter_mut().find(|(name, _)| *name == row.name()) {
            Some((_, worst)) => *worst = (*worst).max(own),
            None => builds.push((row.name(), own)),
        }
    }
    let words = [
        ((RowStatus::Right, false), "right"),
        ((RowStatus::Right, true), "with an empty answer"),
        ((RowStatus::Wrong, false), "wrong"),
        ((RowStatus::Failed, false), "failed"),
        ((RowStatus::Skipped, false), "skipped"),
        ((RowStatus::Unfinished, false), "not finished"),
    ];
    let count = |standing| builds.iter().filter(|(_, own)| *own == standing).count();
    let words = words.map(|(standing, word)| (count(standing), word));
    let words: Vec<String> = words.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let words = if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) };
    format!("{}{words}.", extent(matrix))
}

/// Which answers are wrong, and how.
fn all_wrong(matrix: &Matrix<'_>) -> String {
    let wrong = matrix.panels.iter().flat_map(Panel::wrong);
    wrong.map(|row| format!(" {}: {}.", row.name(), wrongness(row))).collect()
}

fn wrongness(row: &MatrixRow<'_>) -> String {
    row.accuracy().map_or_else(|| "its answer is wrong".to_owned(), figure::off)
}

/// The fastest of a level, or those that nothing separates, and which answers are wrong.
pub fn level(panel: &Panel<'_>) -> String {
    let leaders = panel.leaders();
    let unit = unit(panel);
    let mut sentences = vec![first(panel, &leaders, &unit)];
    sentences.extend(wrong(panel, leaders.first().copied(), &unit));
    sentences.extend(panel.problem());
    sentences.join(" ")
}

fn first(panel: &Panel<'_>, leaders: &[&MatrixRow<'_>], unit: &Unit) -> String {
    let Some((row, timing)) = leaders.first().and_then(|row| Some((*row, row.timing?))) else {
        let is_timed = panel.rows.iter().any(|row| row.timing.is_some());
        return if is_timed { "No build has a right answer." } else { "No build has a time." }.to_owned();
    };
    let alone = panel.rows.iter().filter(|row| row.is_ranked()).count() == 1;
    let names: Vec<String> = leaders.iter().map(|row| row.name()).collect();
    let head = match (panel.is_told(), names.as_slice()) {
        _ if alone => format!("{} takes {}", row.name(), unit.words(&timing)),
        (false, _) => format!("{} has the smallest median: {}", row.name(), unit.words(&timing)),
        (true, [one]) => format!("{one} is the fastest: {}", unit.words(&timing)),
        (true, many) => {
            format!("{} are the fastest, and nothing separates them: {}", listed(many, NAMES), unit.words(&timing))
        }
    };
    let ranked = panel.rows.iter().filter(|row| row.is_ranked()).count();
    let doubt = match panel.is_told() {
        true => String::new(),
        false => format!(
            "; too few rounds to separate {ranked} builds: {} are needed, and {} {} clean",
            panel.needed,
            panel.rounds,
            was(panel.rounds)
        ),
    };
    head + &faster(panel, leaders)
        + &right(row)
        + &unsteady(figure::steadiness(&timing, panel.by))
        + &one_processor(panel)
        + &doubt
        + "."
}

fn faster(panel: &Panel<'_>, leaders: &[&MatrixRow<'_>]) -> String {
    let speedup = leaders.first().and_then(|row| row.speedup);
    let Some((base, found)) = panel.base().zip(speedup) else { return String::new() };
    if leaders.iter().any(|row| std::ptr::eq(row.record, base.record)) {
        return if leaders.len() > 1 { ", the reference among them".to_owned() } else { String::new() };
    }
    let ends = figure::ratio_ends(found.interval, found.taken);
    let ends = if ends.is_empty() { ends } else { format!(" (95%: {ends})") };
    format!(", {} times as fast as {}{ends}", significant(found.value, 3), base.name())
}

fn right(row: &MatrixRow<'_>) -> String {
    match (row.check(), row.accuracy()) {
        _ if figure::is_empty(row) => "; its answer is empty, so that its check says nothing".to_owned(),
        (None, _) if row.record.cell.role == Role::Base => "; it is the reference of all answers".to_owned(),
        (None, _) => "; its answer was not checked".to_owned(),
        (Some(_), Some(accuracy)) if accuracy.differing == 0 => "; its answer is the same, bit for bit".to_owned(),
        (Some(_), Some(accuracy)) => format!("; its answer is right, {}", figure::off(accuracy)),
        (Some(_), None) => "; its answer is right".to_owned(),
    }
}

/// The builds whose threads had one processor, however the ranking came out.
fn one_processor(panel: &Panel<'_>) -> String {
    let bound = panel.rows.iter().filter(|row| row.had_one_processor());
    let names: Vec<String> = bound.map(MatrixRow::name).collect();
    match names.len() {
        0 => String::new(),
        n => format!(
            "; {} {} linked with a library of threads and had one processor: this ranking says nothing of several (`--threads 2`)",
            listed(&names, NAMES),
            was(n)
        ),
    }
}

fn unsteady(stability: Option<Stability>) -> String {
    let found = stability.filter(|s| s.grade != Grade::Good);
    found.map_or(String::new(), |s| {
        format!(
            "; its samples are unsteady, {}: the median lies {} above the minimum",
            s.grade.word(),
            half_width(s.spread)
        )
    })
}

/// The builds with wrong answers; for the fastest of those that would win, its time and its error.
fn wrong(panel: &Panel<'_>, leader: Option<&MatrixRow<'_>>, unit: &Unit) -> Vec<String> {
    let fastest = leader.and_then(|row| row.timing);
    let gain = |row: &MatrixRow<'_>| row.timing.zip(fastest).filter(|(own, first)| panel.by.order(own, first).is_lt());
    // Rows go by speed.
    let tempting = panel.wrong().find_map(|row| Some((row, gain(row)?.0)));
    let told = tempting.map(|(row, timing)| {
        let (time, word) = (unit.digits(&timing), unit.word());
        format!("{} would be faster ({time} {word}), but its answer is wrong: {}.", row.name(), wrongness(row))
    });
    let others = panel.wrong().filter(|row| tempting.is_none_or(|(first, _)| !std::ptr::eq(first, *row)));
    let names: Vec<String> = others.map(MatrixRow::name).collect();
    let also = if told.is_some() { " also" } else { "" };
    let rest = (!names.is_empty()).then(|| format!("Wrong {}{also} {}.", is(names.len()), listed(&names, NAMES)));
    told.into_iter().chain(rest).collect()
}

/// Builds that are the same machine code, in sentences.
pub fn identical(look: &KernelAnalysis<'_>) -> Vec<String> {
    let (KernelAnalysis::Builds(matrix) | KernelAnalysis::Answers(matrix)) = look else { return Vec::new() };
    let sentence = |names: Vec<String>| format!("The same machine code: {}.", names.join(" = "));
    matrix.identical().into_iter().map(sentence).collect()
}

/// The result for each factor.
fn protocol(sensitivity: &Sensitivity<'_>) -> Vec<(String, String)> {
    let several = sensitivity.curves.iter().any(|curve| curve.name() != sensitivity.curves[0].name());
    let build = |curve: &Curve<'_>| if several { format!("{}: ", curve.name()) } else { String::new() };
    let factors = sensitivity.curves.iter().filter(|curve| curve.factor != Factor::Size);
    let word = |factor: Factor| if factor == Factor::Warmup { "warm-up" } else { "calls" };
    let first =
        sensitivity.curves.first().map(|curve| if several { String::new() } else { format!("{}: ", curve.name()) });
    let asked = match sensitivity.kernel.question {
        Question::Residency => "what an iteration costs where the data no longer fit a cache.",
        _ => "what warm-up, calls of a sample and size do to the time of an iteration.",
    };
    let mut told = vec![(String::new(), first.unwrap_or_default() + asked)];
    told.extend(factors.map(|curve| (word(curve.factor).to_owned(), build(curve) + &plateau(curve))));
    for (i, step) in sensitivity.steps.iter().enumerate() {
        // Among the sizes past the end of a cache, the last shows the effect best.
        let is_last = |other: &CacheStep<'_>| (other.boundary, &other.build) != (step.boundary, &step.build);
        let Some(ratio) = step.ratio.filter(|_| sensitivity.steps.get(i + 1).is_none_or(is_last)) else { continue };
        let own = if several { format!("{}: ", step.build) } else { String::new() };
        told.push((
            step.boundary.name.to_owned(),
            format!(
                "{own}from n = {:.0} to n = {:.0}, past its end, {}.",
                step.below.x,
                step.above.x,
                past_the_end(ratio.value, ratio.interval, ratio.taken)
            ),
        ));
    }
    if told.len() == 1 {
        told.push((String::new(), "Nothing was varied that has a number.".to_owned()));
    }
    told
}

/// What an iteration costs past the end of a cache, as far as the samples carry it.
fn past_the_end(ratio: f64, interval: Option<Bounds>, taken: Sampling) -> String {
    let times = significant(ratio, 3);
    let ends = figure::ratio_ends(interval, taken);
    match interval {
        None => format!(
            "it is not known how much longer an iteration takes: the medians have a ratio of {times}, and no interval"
        ),
        Some(found) if found.low <= 1.0 && found.high >= 1.0 => {
            format!("nothing tells that an iteration takes longer: {times} times as long (95%: {ends})")
        }
        Some(_) => format!("an iteration takes {times} times as long (95%: {ends})"),
    }
}

/// Where a curve becomes level, and the recommended value.
pub fn plateau(curve: &Curve<'_>) -> String {
    let unit = curves::unit(curve);
    let what = curve.factor.words();
    match curve.plateau {
        Some(Ok(found)) => {
            let timing = curve.spots.iter().find_map(|spot| spot.timing);
            let level = timing.map_or(String::new(), |t| {
                let within = 100.0 * found.tolerance;
                format!(" ({} {} ±{within:.0}%)", significant(unit.value(&t, found.level), 3), unit.word())
            });
            let (knee, recommended) = (found.knee, found.recommended);
            let from = format!("on its level{level} from {knee:.0} {what} on");
            match hidden(curve, &found) {
                None => format!("{from}: {recommended:.0} are recommended."),
                Some(x) => format!(
                    "{from} at the latest: {recommended:.0} suffice; fewer may, but {x:.0} were too unsteady to tell."
                ),
            }
        }
        Some(Err(why)) => format!("no level over the {what} measured: {why}. Measure larger ones."),
        None => String::new(),
    }
}

/// The last value before the knee of a curve, where its samples do not tell that it lies off the level: then the knee may lie lower.
fn hidden(curve: &Curve<'_>, found: &Plateau) -> Option<f64> {
    let last = curve.spots.iter().rfind(|spot| spot.x < found.knee)?;
    let median = curve.by.median(&last.timing?)?;
    let is_off = median.low.zip(median.high).is_some_and(|(low, high)| found.level < low || high < found.level);
    (!is_off).then_some(last.x)
}

/// Side effects that a check found, each of a build once.
pub fn side_effects(analysis: &KernelAnalysis<'_>) -> Vec<(String, String)> {
    let KernelAnalysis::Answers(matrix) = analysis else { return Vec::new() };
    let mut found: Vec<(String, String)> = Vec::new();
    for row in matrix.panels.iter().flat_map(|panel| panel.rows.iter().chain(&panel.residency)) {
        for caveat in row.record.outcome.iter().flat_map(|outcome| &outcome.caveats) {
            let sentence = (row.name(), format!("{}. → {}", caveat.cause, caveat.action));
            if !found.contains(&sentence) {
                found.push(sentence);
            }
        }
    }
    found
}

/// Wrong answers with where they are wrong, each build once.
pub fn wrong_answers(analysis: &KernelAnalysis<'_>) -> Vec<(String, String)> {
    let (KernelAnalysis::Builds(matrix) | KernelAnalysis::Answers(matrix)) = analysis else { return Vec::new() };
    let mut found: Vec<(String, String)> = Vec::new();
    for row in matrix.panels.iter().flat_map(|panel| panel.wrong()) {
        let note = row.check().map(|check| check.note.as_str()).filter(|note| !note.is_empty());
        let why = note.or(row.absence().map(|(_, why)| why)).unwrap_or_default().to_owned();
        if !found.iter().any(|(name, _)| *name == row.name()) {
            found.push((row.name(), why));
        }
    }
    found
}
