//! Why one build is faster, in sentences, each with the figure that it rests on.

mod whose;

use paw_data::code::difference;
use paw_data::explained::{Finding, LevelExplained};
use paw_data::explanation::{Ablation, Explanation};
use paw_stats::interval::Bounds;

use crate::kernel::figure;
use crate::number::significant;
use crate::side_by_side::times::{Versus, versus};
use crate::side_by_side::{Pair, Side};

/// A paragraph of reasons.
pub struct Reasons {
    /// How the times compare.
    pub headline: String,
    /// What the code, the profile and the ablations say.
    pub sentences: Vec<String>,
}

/// What is known of why the builds of `pair` differ.
pub fn reasons(pair: &Pair<'_>) -> Reasons {
    let levels: Vec<String> = versus(pair).iter().map(|versus| compared(pair, versus)).collect();
    let headline = match levels.as_slice() {
        [] => format!("{} and {} were measured at no common level.", pair.first.name, pair.second.name),
        some => format!("{} against {}: {}.", pair.second.name, pair.first.name, some.join("; ")),
    };
    let sentences = [code(pair), vector_library(pair), whose::sentence(pair)].into_iter().flatten().chain(bounds(pair));
    let sentences = sentences.collect();
    Reasons { headline, sentences }
}

fn compared(pair: &Pair<'_>, versus: &Versus<'_>) -> String {
    let Some(speedup) = versus.speedup else {
        return format!("at {} one has no right answer or no time", versus.level);
    };
    let value = significant(speedup.value, 3);
    let ends = figure::ratio_ends(speedup.interval, speedup.taken);
    let times = |row: &paw_data::matrix::MatrixRow<'_>| row.timing.map(|timing| versus.unit.digits(&timing));
    let (Some(first), Some(second)) = (times(versus.first), times(versus.second)) else { return String::new() };
    let figures = format!("{second} for {first} {} an iteration", versus.unit.word());
    if !pair.of_one_run {
        return format!("at {} {value} times as fast ({figures}; one run a side decides nothing)", versus.level);
    }
    match speedup.interval.filter(|_| versus.decides) {
        Some(Bounds { low, .. }) if low > 1.0 => {
            format!("at {} {value} times as fast ({figures}; 95%: {ends})", versus.level)
        }
        Some(Bounds { high, .. }) if high < 1.0 => {
            format!("at {} slower, {value} of the speed ({figures}; 95%: {ends})", versus.level)
        }
        Some(_) => format!("at {} nothing separates them ({figures}; 95%: {ends})", versus.level),
        None if !ends.is_empty() => {
            format!(
                "at {} undecided, as both were not timed in the same rounds: {value} ({figures}; 95%: {ends})",
                versus.level
            )
        }
        None => format!("at {} undecided: too few common rounds for an interval ({figures})", versus.level),
    }
}

/// What the code of the second does otherwise.
fn code(pair: &Pair<'_>) -> Option<String> {
    let (first, second) = (pair.first.code?, pair.second.code?);
    let told = difference::differences(first, second);
    Some(match told.as_slice() {
        [] => format!("The code of both does the same as far as it was read: {}.", difference::summary(first)),
        told => format!("In its code: {}.", told.join("; ")),
    })
}

/// Functions that have a vector form in libmvec, in double precision.
const IN_LIBMVEC: &[&str] =
    &["exp", "log", "pow", "sin", "cos", "sincos", "tan", "tanh", "exp2", "log2", "log10", "atan2", "cbrt", "erf"];

/// The flag without which clang calls no vector function; `None` where it would change nothing.
fn vector_library(pair: &Pair<'_>) -> Option<String> {
    let side = [&pair.second, &pair.first].into_iter().find(|side| {
        let build = side.rows.first().and_then(|(_, row)| row.build);
        let is_vector = side.hot_loop().is_some_and(|(_, _, body)| body.packed > Some(0.0));
        is_vector && build.is_some_and(|build| build.compiler.contains("clang") && !build.flags.contains("-fveclib"))
    })?;
    let (_, found, _) = side.hot_loop()?;
    let is_there = |symbol: &str| IN_LIBMVEC.contains(&symbol.strip_suffix('f').unwrap_or(symbol));
    let call = found.calls.iter().find(|call| call.lanes.is_none() && is_there(&call.symbol))?;
    let build = side.rows.first().and_then(|(_, row)| row.build)?;
    let flags = &build.flags;
    Some(format!(
        "clang calls vector forms of {} only with -fveclib=libmvec; `--flags='{flags} -fveclib=libmvec'` would show what that changes.",
        call.words
    ))
}

/// What binds each at every level that both were explained at.
fn bounds(pair: &Pair<'_>) -> Vec<String> {
    let (Some(first), Some(second)) = (&pair.first.explained, &pair.second.explained) else { return Vec::new() };
    let same = |level: &&LevelExplained| second.levels.iter().find(|other| other.level == level.level);
    let both = first.levels.iter().filter_map(|level| Some((level, same(&level)?)));
    let told = both.map(|(a, b)| {
        let (one, two) = (binding(first.explanation, a), binding(second.explanation, b));
        format!("At {}, of the first {one}; of the second {two}.", a.level)
    });
    told.collect()
}

/// `the chain of additions binds (3.99 of 4.01 cycles)`.
fn binding(explanation: &Explanation, level: &LevelExplained) -> String {
    let of = |cycles: f64| format!("{cycles:.2} of {:.2} cycles an iteration", level.cycles);
    let calls = explanation.hot.as_ref().map_or(&[][..], |hot| &hot.calls);
    if !calls.is_empty() {
        let without = level.reduced.iter().find(|reduced| reduced.ablation == Ablation::NoCalls);
        let left = without.filter(|without| without.cycles.is_finite()).map(|without| without.cycles);
        let left = left.map_or(String::new(), |cycles| format!("; without the calls it takes {}", of(cycles)));
        return format!("the loop has no bound, because it calls {}{left}", called(calls));
    }
    match &level.finding {
        Finding::Binds(bound) => format!("{} binds ({})", bound.resource.words(), of(bound.cycles)),
        Finding::Unexplained(Some(bound)) | Finding::Untouched(Some(bound)) => {
            format!("no single bound explains it: the largest, {}, is {}", bound.resource.words(), of(bound.cycles))
        }
        Finding::Moved(_) => "what binds is not known, because the same loop elsewhere takes another time".to_owned(),
        Finding::Unexplained(None) | Finding::Untouched(None) | Finding::Unknown => {
            "what binds is not known".to_owned()
        }
    }
}

/// Names of called functions, each once.
fn called(calls: &[String]) -> String {
    let mut names: Vec<&str> = Vec::new();
    calls.iter().filter(|name| !name.is_empty()).for_each(|name| {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    });
    names.join(", ")
}

impl Side<'_> {
    /// The share of samples in `function`; `None` without a profile.
    pub fn share(&self, function: &str) -> Option<paw_data::profile::Share> {
        let profile = self.profile?;
        let times = profile.function_times();
        Some(
            times
                .iter()
                .find(|time| profile.title(time.function) == function)
                .map_or_else(|| profile.share(0), |t| t.own),
        )
    }
}
