//! How a kernel is measured on a device, and what its answers are held against: the words of `[measure]` and `[reference]`.

use paw_foreign::device::HostKind;
use paw_measure::method::NAMES;

use super::super::SpecError;
use super::super::item::Item;
use super::super::page::Section;
use super::super::variant::{existing, flags};
use super::{DeviceCache, DeviceMeasure, DeviceReference, Include};

/// What the caches hold, by the word for it.
pub const CACHES: &[(&str, &[DeviceCache])] = &[
    ("cold", &[DeviceCache::Cold]),
    ("warm", &[DeviceCache::Warm]),
    ("both", &[DeviceCache::Cold, DeviceCache::Warm]),
];
/// What the time holds, by the word for it.
const INCLUDES: &[(&str, Include)] = &[("kernel", Include::Kernel), ("kernel+transfer", Include::Transfer)];
/// Memory of the host, by the word for it.
const HOSTS: &[(&str, HostKind)] =
    &[("pageable", HostKind::Pageable), ("pinned", HostKind::Pinned), ("registered", HostKind::Registered)];
/// Flags of a C function that answers are held against: as the processor computes without liberties.
const FLAGS: &str = "-O2";

/// Keys of `[measure]`.
const KEYS: &[&str] = &["warmup", "reps", "metas", "method", "cache", "include", "host", "seed"];

/// What `[measure]` says.
pub(super) fn measure(item: &Item<'_>) -> Result<DeviceMeasure, SpecError> {
    let section = Section::within(item, KEYS)?;
    let usual = DeviceMeasure::default();
    let metas = |item: &Item<'_>| {
        let number = item.whole(1)?;
        u32::try_from(number).map_err(|_| item.error(format!("`metas` is {number}: at most {} are taken", u32::MAX)))
    };
    let methods: Vec<(&str, &str)> = NAMES.iter().map(|name| (*name, *name)).collect();
    Ok(DeviceMeasure {
        warmup: section.map("warmup", |item| item.whole(0))?.unwrap_or(usual.warmup),
        reps: section.map("reps", |item| item.whole(1))?,
        metas: section.map("metas", metas)?,
        method: section.map("method", |item| item.word(&methods))?.map_or(usual.method, str::to_owned),
        cache: section.map("cache", |item| item.word(CACHES))?.map_or(usual.cache, <[DeviceCache]>::to_vec),
        include: section.map("include", |item| item.word(INCLUDES))?.unwrap_or(usual.include),
        host: section.map("host", |item| item.word(HOSTS))?.unwrap_or(usual.host),
        seed: section.map("seed", |item| item.whole(0))?.unwrap_or(usual.seed),
    })
}

/// What `[reference]` says.
pub(super) fn reference(item: &Item<'_>) -> Result<DeviceReference, SpecError> {
    let section = Section::within(item, &["file", "entry", "source", "flags"])?;
    let named: Vec<&Item<'_>> = ["file", "entry", "source"].into_iter().filter_map(|key| section.get(key)).collect();
    if let [first, second, ..] = named.as_slice() {
        let message = format!("`{}` and `{}` exclude each other: keep one of them", first.name, second.name);
        return Err(item.page.error(second.key.clone(), message));
    }
    if let Some(flags) = section.get("flags").filter(|_| section.get("source").is_none()) {
        return Err(item
            .page
            .error(flags.key.clone(), "`flags` build a `source`, and none is named: remove one of both"));
    }
    Ok(match named.first() {
        Some(item) if item.name == "file" => DeviceReference::File(existing(item)?),
        Some(item) if item.name == "entry" => DeviceReference::Entry(item.filled()?.text.to_owned()),
        Some(item) => {
            let flags = section.map("flags", flags)?.unwrap_or_else(|| FLAGS.to_owned());
            DeviceReference::Processor(existing(item)?, flags)
        }
        None => DeviceReference::Repeated,
    })
}
