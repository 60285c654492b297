//! Lists of processors, as the kernel writes them.

/// The processors of `0,8-9`.
pub(crate) fn cpus(list: &str) -> Vec<u32> {
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        Some(first..=last.min(first + 4096))
    };
    list.split(',').filter_map(range).flatten().collect()
}
