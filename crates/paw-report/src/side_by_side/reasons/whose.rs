//! Whose time makes the difference between two builds, by samples: that of the kernel's own code, or of the functions that it calls.

use paw_data::profile::{Profile, Share};

use crate::number::significant;
use crate::side_by_side::times::{Versus, versus};
use crate::side_by_side::{Pair, Side};

/// A part of the difference that makes it: the other part has no more than a fifth of it.
const MOST: f64 = 0.8;
/// A share of the time below this is not told apart.
const LEAST: f64 = 0.02;

/// The time of an iteration of one build, in its unit.
struct Split {
    whole: f64,
    own: f64,
    /// Half the 95 % interval of both parts, by the number of samples.
    half: f64,
}

impl Split {
    fn called(&self) -> f64 {
        self.whole - self.own
    }
}

/// The time in the kernel itself and in what it calls, of both; where all of it is in one function, that function.
pub fn sentence(pair: &Pair<'_>) -> Option<String> {
    let (first, second) = (pair.first.profile?, pair.second.profile?);
    let told = sampled(pair).and_then(|versus| {
        let (one, two) =
            (split(&pair.first, first, &versus, Which::First)?, split(&pair.second, second, &versus, Which::Second)?);
        let calls = |split: &Split| split.called() > LEAST * split.whole;
        (calls(&one) || calls(&two)).then(|| words(&versus, &one, &two))
    });
    told.or_else(|| Some(format!("By samples, the first spends {}; the second {}.", most(first)?, most(second)?)))
}

/// Which of two.
#[derive(Clone, Copy)]
enum Which {
    First,
    Second,
}

/// The level at which both were sampled.
fn sampled<'r>(pair: &Pair<'r>) -> Option<Versus<'r>> {
    let (first, second) = (pair.first.profile?.cell?, pair.second.profile?.cell?);
    let same = |v: &Versus<'_>| v.first.record.cell.id == first && v.second.record.cell.id == second;
    versus(pair).into_iter().find(same)
}

fn split(side: &Side<'_>, profile: &Profile, versus: &Versus<'_>, which: Which) -> Option<Split> {
    let row = match which {
        Which::First => versus.first,
        Which::Second => versus.second,
    };
    let whole = versus.unit.median(&row.timing?).value;
    let own = own_share(side, profile)?;
    whole.is_finite().then_some(Split { whole, own: own.share * whole, half: own.half * whole })
}

/// The share of samples in the functions whose code was read: the kernel, and what it calls in its own file.
fn own_share(side: &Side<'_>, profile: &Profile) -> Option<Share> {
    let functions = &side.code?.functions;
    let is_own = |index: u32| {
        let name = profile.functions.get(index as usize).and_then(|function| function.name.as_deref());
        name.is_some_and(|name| functions.iter().any(|own| own.name == name || own.symbol == name))
    };
    let times = profile.function_times();
    let samples = times.iter().filter(|time| is_own(time.function)).map(|time| time.own.samples).sum();
    Some(profile.share(samples))
}

fn words(versus: &Versus<'_>, one: &Split, two: &Split) -> String {
    let figure = |value: f64| significant(value, 3);
    let whole = format!(
        "By samples at {}, of the first's {} {} an iteration ",
        versus.level,
        figure(one.whole),
        versus.unit.word()
    );
    let parts = |split: &Split| format!("{} ± {}", figure(split.own), significant(split.half, 2));
    let text = format!(
        "{whole}{} are in its own code and {} in what it calls; of the second's {}, {} and {}.",
        parts(one),
        figure(one.called()),
        figure(two.whole),
        parts(two),
        figure(two.called())
    );
    text + &difference(one, two).map(|why| format!(" {why}")).unwrap_or_default()
}

/// Which part makes the difference; `None` where sampling cannot tell.
fn difference(one: &Split, two: &Split) -> Option<String> {
    let (whole, own, called) = (two.whole - one.whole, two.own - one.own, two.called() - one.called());
    let half = one.half.hypot(two.half);
    let verb = if whole > 0.0 { "longer" } else { "shorter" };
    let share = |part: f64| format!("{} of {}", significant(part.abs(), 2), significant(whole.abs(), 2));
    let makes = |part: f64| part / whole >= MOST && part.abs() > half;
    if makes(own) {
        Some(format!("It is its own code that takes {verb} ({}), not what it calls.", share(own)))
    } else if makes(called) {
        Some(format!("It is what it calls that takes {verb} ({}), not its own code.", share(called)))
    } else {
        None
    }
}

/// `71.2 ± 1.9% (1.42 s) in exp`.
fn most(profile: &Profile) -> Option<String> {
    let top = profile.function_times().into_iter().next()?;
    let own = top.own;
    let (share, half) = (100.0 * own.share, 100.0 * own.half);
    let seconds = crate::number::duration(own.seconds);
    Some(format!("{share:.1} ± {half:.1}% ({seconds}) in {}", profile.title(top.function)))
}
