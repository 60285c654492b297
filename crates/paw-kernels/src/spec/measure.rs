//! How a kernel is measured, and what its answers may differ by: the words of `[measure]` and `[tolerance]`.

use paw_data::kernel::{Cache, Calls, Float, Tolerance};

use super::item::Item;
use super::page::Section;
use super::{Measure, SpecError};

/// How calls follow each other, by the word for it.
pub const CALLS: &[(&str, Calls)] = &[("throughput", Calls::Throughput), ("fenced", Calls::Fenced)];
/// What the caches hold, by the word for it.
pub const CACHE: &[(&str, Cache)] = &[("warm", Cache::Warm), ("cold", Cache::Cold)];
/// Floating-point environments, by the word for each.
pub const FLOAT: &[(&str, Float)] = &[("as-linked", Float::AsLinked), ("ieee", Float::Ieee), ("ftz", Float::Ftz)];

/// Keys of `[measure]`.
const KEYS: &[&str] = &["warmup", "reps", "metas", "calls", "cache", "float", "seed"];

/// What `[measure]` says.
pub(super) fn measure(item: &Item<'_>) -> Result<Measure, SpecError> {
    let section = Section::within(item, KEYS)?;
    let usual = Measure::default();
    let metas = |item: &Item<'_>| {
        let number = item.whole(1)?;
        u32::try_from(number).map_err(|_| item.error(format!("`metas` is {number}: at most {} are taken", u32::MAX)))
    };
    Ok(Measure {
        warmup: section.map("warmup", |item| item.whole(0))?.unwrap_or(usual.warmup),
        reps: section.map("reps", |item| item.whole(1))?,
        metas: section.map("metas", metas)?.unwrap_or(usual.metas),
        calls: section.map("calls", |item| item.word(CALLS))?.unwrap_or(usual.calls),
        cache: section.map("cache", |item| item.word(CACHE))?.unwrap_or(usual.cache),
        float: section.map("float", |item| item.word(FLOAT))?.unwrap_or(usual.float),
        seed: section.map("seed", |item| item.whole(0))?.unwrap_or(usual.seed),
    })
}

/// What `[tolerance]` says.
pub(super) fn tolerance(item: &Item<'_>) -> Result<Tolerance, SpecError> {
    let section = Section::within(item, &["relative", "ulp"])?;
    let usual = Tolerance::default();
    Ok(Tolerance {
        relative: section.map("relative", Item::positive)?.unwrap_or(usual.relative),
        ulp: section.map("ulp", |item| item.whole(0))?.unwrap_or(usual.ulp),
    })
}
