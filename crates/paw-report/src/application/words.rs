//! Words for what an application is looked at by.

use paw_data::scaling::{Yardstick, YardstickKind};

/// ` by fit_ms`; empty of wall time.
pub fn by(yardstick: Yardstick<'_>) -> String {
    yardstick.metric().map_or(String::new(), |fact| format!(" by {}", fact.name))
}

/// What is best: `time`, `fit_ms`.
pub fn noun(yardstick: Yardstick<'_>) -> &str {
    yardstick.metric().map_or("time", |fact| &fact.name)
}

/// `Fastest`, `Fastest by fit_ms`, `Best by energy`.
pub fn superlative(yardstick: Yardstick<'_>) -> String {
    let word = if yardstick.is_pace() { "Fastest" } else { "Best" };
    word.to_owned() + &by(yardstick)
}

/// `1.12 times (99%: 1.10…1.14) as fast as A`; of what is no pace `better by a factor of 1.12 (…) than A`.
pub fn ratio(yardstick: Yardstick<'_>, ratio: &str, ends: &str, other: &str) -> String {
    if yardstick.is_pace() {
        format!("{ratio} times{ends} as fast as {other}")
    } else {
        format!("better by a factor of {ratio}{ends} than {other}")
    }
}

/// `faster`; of what is no pace `better`.
pub fn comparative(yardstick: Yardstick<'_>) -> &'static str {
    if yardstick.is_pace() { "faster" } else { "better" }
}

/// The title of a column of ratios to the base.
pub fn gain_title(yardstick: Yardstick<'_>) -> &'static str {
    if yardstick.is_pace() { "speed-up" } else { "better\ntimes" }
}

/// What the ratio of two alternatives is of: `time`, or `fit_ms`; of what is better where there is more its inverse is the cost.
pub fn ratio_of(yardstick: Yardstick<'_>) -> String {
    match (yardstick.metric(), yardstick.kind()) {
        (None, _) => "time".to_owned(),
        (Some(fact), YardstickKind::Time(_)) => fact.name.clone(),
        (Some(fact), _) if yardstick.more_is_better() => format!("1/{}", fact.name),
        (Some(fact), _) => fact.name.clone(),
    }
}

/// A title of a column over its unit.
pub fn over_unit(title: &str, unit: &str) -> String {
    if unit.is_empty() { title.to_owned() } else { format!("{title}\n{unit}") }
}
