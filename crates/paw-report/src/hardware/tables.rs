//! Tables of hardware threads, caches and adapters.

use std::collections::BTreeMap;

use paw_data::machine::hardware::{Adapter, CacheInstance, Hardware, HardwareThread};

use crate::hardware::cpus::ranges;
use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::number::size;

/// Hardware threads that have a row each: more are grouped, or the rest of the page would be out of sight.
const ROWS_MAX: usize = 32;
/// Groups of a cache's processors that are written out.
const GROUPS_MAX: usize = 5;

/// Hardware threads; of a large machine those that differ in numbers alone share a row.
pub fn threads(hardware: &Hardware) -> Table {
    let threads = &hardware.threads;
    let columns = vec![
        Column::new("cpu", Align::Right, Column::ALWAYS).shrinking(7),
        Column::new("thread", Align::Right, 190),
        Column::new("core", Align::Right, 230).shrinking(7),
        Column::new("core id", Align::Right, 120).shrinking(7),
        Column::new("cluster", Align::Right, 110).shrinking(7),
        Column::new("die", Align::Right, 130),
        Column::new("package", Align::Right, 210),
        Column::new("node", Align::Right, 200).shrinking(4),
        Column::new("kind", Align::Left, 220),
        Column::new("capacity", Align::Right, 140),
        Column::new("at most", Align::Right, 180).titled("frequency at most"),
        Column::new("available", Align::Left, Column::ALWAYS),
    ];
    let groups: Vec<Vec<&HardwareThread>> =
        if threads.len() > ROWS_MAX { alike(threads) } else { threads.iter().map(|thread| vec![thread]).collect() };
    let mut table = Table::dense("hardware threads", columns, groups.iter().map(|group| thread_row(group)).collect());
    if threads.len() > ROWS_MAX {
        table.note =
            "hardware threads that differ in their numbers alone share a row; `--format csv` and `json` have each"
                .to_owned();
    }
    table
}

/// Hardware threads of the same package, die and kind.
fn alike(threads: &[HardwareThread]) -> Vec<Vec<&HardwareThread>> {
    let key =
        |t: &HardwareThread| (t.package, t.die, t.node, t.kind.clone(), t.capacity, t.frequency_max_hz, t.available);
    let mut groups: Vec<Vec<&HardwareThread>> = Vec::new();
    let mut places = BTreeMap::new();
    for thread in threads {
        let at = *places.entry(key(thread)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(thread);
    }
    groups
}

fn thread_row(group: &[&HardwareThread]) -> Row {
    let first = group[0];
    let own = |of: fn(&HardwareThread) -> u32| ranges(&group.iter().map(|t| of(t)).collect::<Vec<_>>());
    let known =
        |of: fn(&HardwareThread) -> Option<i64>| ranges(&group.iter().filter_map(|t| of(t)).collect::<Vec<_>>());
    let frequency = first.frequency_max_hz.map(|hz| format!("{:.2} GHz", hz as f64 / 1e9));
    let available = if first.available { Field::from("yes") } else { Field::new("no", Tone::Doubt) };
    let fields = vec![
        own(|t| t.cpu).into(),
        own(|t| t.thread).into(),
        own(|t| t.core).into(),
        known(|t| t.core_id).into(),
        known(|t| t.cluster).into(),
        known(|t| t.die).into(),
        known(|t| t.package_id.or(Some(t.package.into()))).into(),
        Field::maybe(first.node.map(|node| node.to_string())),
        first.kind.clone().into(),
        Field::maybe(first.capacity.map(|capacity| capacity.to_string())),
        Field::maybe(frequency),
        available,
    ];
    Row { fields, ..Row::default() }
}

/// Caches, those alike in a row.
pub fn caches(hardware: &Hardware) -> Table {
    let columns = vec![
        Column::new("cache", Align::Left, Column::ALWAYS),
        Column::new("size", Align::Right, Column::ALWAYS),
        Column::new("line", Align::Right, 160),
        Column::new("ways", Align::Right, 180),
        Column::new("sets", Align::Right, 170),
        Column::new("count", Align::Right, 210),
        Column::new("threads", Align::Right, 200).titled("hardware threads of each"),
        Column::new("shared by cpu", Align::Left, 150).shrinking(10),
    ];
    let mut groups: Vec<Vec<&CacheInstance>> = Vec::new();
    let key = |c: &CacheInstance| (c.level, c.kind.clone(), c.size_bytes, c.line_bytes, c.ways, c.sets, c.cpus.len());
    for cache in &hardware.caches {
        match groups.iter_mut().find(|group| key(group[0]) == key(cache)) {
            Some(group) => group.push(cache),
            None => groups.push(vec![cache]),
        }
    }
    Table::dense("caches", columns, groups.iter().map(|group| cache_row(group)).collect())
}

fn cache_row(group: &[&CacheInstance]) -> Row {
    let first = group[0];
    let number = |value: Option<u32>| Field::maybe(value.map(|value| value.to_string()));
    let mut sharers: Vec<String> = group.iter().take(GROUPS_MAX).map(|cache| ranges(&cache.cpus)).collect();
    if group.len() > GROUPS_MAX {
        sharers[GROUPS_MAX - 2] = "…".to_owned();
        sharers[GROUPS_MAX - 1] = group.last().map(|cache| ranges(&cache.cpus)).unwrap_or_default();
    }
    let fields = vec![
        first.name().into(),
        size(first.size_bytes as f64).into(),
        Field::maybe(first.line_bytes.map(|bytes| format!("{bytes} B"))),
        number(first.ways),
        number(first.sets),
        group.len().to_string().into(),
        first.cpus.len().to_string().into(),
        sharers.join(" | ").into(),
    ];
    Row { fields, ..Row::default() }
}

/// Adapters on the bus.
pub fn adapters(hardware: &Hardware) -> Table {
    let columns = vec![
        Column::new("adapter", Align::Left, Column::ALWAYS),
        Column::new("what", Align::Left, 230),
        Column::new("names", Align::Left, 220).shrinking(8),
        Column::new("vendor:\ndevice", Align::Left, 120).titled("vendor:device"),
        Column::new("link", Align::Left, 130),
        Column::new("node", Align::Right, 180),
        Column::new("near cpu", Align::Left, 200).shrinking(8),
    ];
    let row = |adapter: &Adapter| {
        let fields = vec![
            adapter.bus_id.clone().into(),
            adapter.class.clone().into(),
            adapter.names.join(", ").into(),
            adapter.id.clone().into(),
            adapter.link.clone().into(),
            Field::maybe(adapter.node.map(|node| node.to_string())),
            ranges(&adapter.cpus).into(),
        ];
        Row { fields, ..Row::default() }
    };
    Table::dense("adapters", columns, hardware.adapters.iter().map(row).collect())
}
