//! The groups of counters: those that are part of paw, and files of users.

use std::path::Path;

use paw_data::document::Document;
use paw_perf::Refusal;
use paw_perf::circumstances::Circumstances;
use paw_perf::core_kind::{self, CoreKind};
use paw_perf::counting::{Counting, EventReading, Start};
use paw_perf::event::Event;
use paw_perf::group::{EventTable, Group};
use paw_perf::processor::Processor;

use crate::failure::Failure;
use crate::selection::closest;

/// The files below `groups/`, in the order in which they are listed.
const FILES: &[(&str, &str)] = &[
    ("SW", include_str!("../groups/SW.toml")),
    ("CPI", include_str!("../groups/CPI.toml")),
    ("BRANCH", include_str!("../groups/BRANCH.toml")),
    ("L1D", include_str!("../groups/L1D.toml")),
    ("L2", include_str!("../groups/L2.toml")),
    ("L2CACHE", include_str!("../groups/L2CACHE.toml")),
    ("L3", include_str!("../groups/L3.toml")),
    ("MEM", include_str!("../groups/MEM.toml")),
    ("FLOPS", include_str!("../groups/FLOPS.toml")),
    ("TLB", include_str!("../groups/TLB.toml")),
    ("CLOCK", include_str!("../groups/CLOCK.toml")),
    ("STALL", include_str!("../groups/STALL.toml")),
    ("TOPDOWN", include_str!("../groups/TOPDOWN.toml")),
    ("ENERGY", include_str!("../groups/ENERGY.toml")),
];

/// All groups of paw.
pub fn all() -> Vec<Group> {
    FILES.iter().map(|(name, text)| parsed(name, text).expect("a test reads every group of paw")).collect()
}

fn parsed(name: &str, text: &str) -> Result<Group, String> {
    let path = format!("groups/{name}.toml");
    Group::parse(name, &Document { path: Path::new(&path), text }).map_err(|error| error.to_string())
}

/// The group called `typed`, in any case, or the one in the file at `typed`.
///
/// # Errors
/// There is no such group, or its file is wrong.
pub fn find(typed: &str) -> Result<Group, Failure> {
    if Path::new(typed).extension().is_some_and(|kind| kind == "toml") {
        return Group::read(Path::new(typed)).map_err(|error| Failure::usage(error.to_string()));
    }
    if let Some((name, text)) = FILES.iter().find(|(name, _)| name.eq_ignore_ascii_case(typed)) {
        return parsed(name, text).map_err(Failure::usage);
    }
    let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    let failure = Failure::usage(format!("there is no group of counters `{typed}`"));
    Err(match closest(&typed.to_uppercase(), names.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("there are {}; a file of your own ends in .toml", names.join(", "))),
    })
}

/// A group on one machine: its events there, or why it has none.
#[derive(Debug)]
pub struct GroupHere {
    /// The table that fits the processor.
    pub table: EventTable,
    /// The microarchitecture of the table; empty if it is one for all.
    pub processor: String,
    /// The events that the machine can name.
    pub events: Vec<Event>,
    /// Names and texts of the others, and why.
    pub unresolved: Vec<(String, String, String)>,
    /// The cores that count, of a processor that has several kinds.
    pub cores: Option<CoreKind>,
}

/// A group that was asked for, and its events on this machine.
#[derive(Debug)]
pub struct AskedGroup {
    /// The group.
    pub group: Group,
    /// Its events.
    pub here: GroupHere,
}

/// The groups called `names`, as `processor`.
///
/// # Errors
/// There is no such group, or it has no events for the processor.
pub fn asked(names: &[String], processor: &Processor) -> Result<Vec<AskedGroup>, Failure> {
    let group = |name: &String| -> Result<AskedGroup, Failure> {
        let group = find(name)?;
        let here = here(&group, processor, Path::new("/")).map_err(Failure::missing)?;
        Ok(AskedGroup { group, here })
    };
    let mut groups: Vec<AskedGroup> = Vec::new();
    for name in names {
        let asked = group(name)?;
        if groups.iter().all(|known| known.group.name != asked.group.name) {
            groups.push(asked);
        }
    }
    Ok(groups)
}

/// The group of what cachegrind simulates; it needs no event of this machine.
pub fn simulated() -> Result<AskedGroup, Failure> {
    let group = parsed("CACHEGRIND", include_str!("../simulation/CACHEGRIND.toml")).map_err(Failure::usage)?;
    let table = group.table(&Processor::default()).cloned();
    let table = table.ok_or_else(|| Failure::usage("the simulated group has no events"))?;
    let here = GroupHere { table, processor: String::new(), events: Vec::new(), unresolved: Vec::new(), cores: None };
    Ok(AskedGroup { group, here })
}

/// # Errors
/// One of `groups` cannot be counted here: the reason, and the way out.
pub fn available(groups: &[AskedGroup]) -> Result<(), Failure> {
    match groups.iter().find_map(|asked| Some((asked, unavailable(&asked.here)?))) {
        Some((asked, why)) => Err(Failure::missing(format!("group {} cannot be counted: {why}", asked.group.name))),
        None => Ok(()),
    }
}

/// `group` on the machine whose files are below `root`, as `processor`.
///
/// # Errors
/// The sentence why the group has no events for it.
pub fn here(group: &Group, processor: &Processor, root: &Path) -> Result<GroupHere, String> {
    let Some(table) = group.table(processor) else {
        let of = if processor.name.is_empty() { &processor.numbers } else { &processor.name };
        return Err(format!(
            "group {} has no events for this processor ({of}): it has those of {}; write the events of its manual into a file \
             of your own",
            group.name,
            group.processors().join(", ")
        ));
    };
    let circumstances = Circumstances::read(root);
    let (mut events, mut unresolved) = (Vec::new(), Vec::new());
    for resolved in table.resolve(root) {
        match resolved.event {
            Ok(event) => events.push(event),
            Err(error) => {
                unresolved.push((resolved.name, resolved.text, Refusal::of_unresolved(&error, &circumstances)))
            }
        }
    }
    let processor = if table.is_generic() { String::new() } else { processor.name.clone() };
    let cores = core_kind::allowed(root).ok().flatten().filter(|_| events.iter().any(Event::is_of_processor));
    Ok(GroupHere { table: table.clone(), processor, events, unresolved, cores })
}

/// Why nothing of `group` can be counted here, or only a part; `None` if all can.
pub fn obstacle(group: &GroupHere) -> Option<String> {
    let opened = Counting::open(&group.events, Start::OnExec).read();
    let refused = opened.into_iter().filter_map(|reading| Some((reading.name, reading.count.err()?)));
    let unresolved = group.unresolved.iter().map(|(name, _, why)| (name.clone(), why.clone()));
    let all: Vec<(String, String)> = unresolved.chain(refused).collect();
    let (name, why) = all.first()?;
    let whole = all.len() == group.table.events.len() || all.len() > 1 && all.iter().all(|(_, other)| other == why);
    Some(if whole { why.clone() } else { format!("without {name}: {why}") })
}

/// Why `group` is of no use here: none of its events can be counted, or none of the processor's; `None` if it is.
fn unavailable(group: &GroupHere) -> Option<String> {
    let opened = Counting::open(&group.events, Start::OnExec).read();
    let is_of_processor = |name: &str| group.events.iter().any(|e| e.name == name && e.is_of_processor());
    let refused = |reading: &EventReading| reading.count.clone().err();
    let of_processor: Vec<&EventReading> = opened.iter().filter(|reading| is_of_processor(&reading.name)).collect();
    let all: Vec<&EventReading> = if of_processor.is_empty() { opened.iter().collect() } else { of_processor };
    match all.iter().find(|reading| reading.count.is_ok()) {
        Some(_) => None,
        None => {
            let first = all.first().and_then(|reading| refused(reading));
            Some(first.or_else(|| group.unresolved.first().map(|(.., why)| why.clone())).unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use paw_data::counters::{CountedEvent, Counters};

    use super::*;

    #[test]
    fn every_group_is_readable_and_every_metric_has_its_meaning() {
        for (name, text) in FILES {
            let group = parsed(name, text).unwrap_or_else(|error| panic!("{error}"));
            for table in &group.tables {
                assert!(!table.manual.is_empty(), "{name}: where its events are from");
                assert!(!table.metrics.is_empty(), "{name} {:?}", table.processors);
                assert!(table.metrics.iter().all(|metric| metric.meaning.ends_with('.')), "{name}");
                let mut names: Vec<&str> = table.metrics.iter().map(|metric| metric.name.as_str()).collect();
                names.sort_unstable();
                let all = names.len();
                names.dedup();
                assert_eq!(names.len(), all, "{name} {:?}: a metric twice", table.processors);
            }
        }
    }

    #[test]
    fn every_file_of_the_directory_is_a_group() {
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/groups")).unwrap().count();
        assert_eq!(files, FILES.len());
    }

    /// The names of the report's metrics, as they are here, and the factor between their units.
    const REPORT: &[(&str, &str)] = &[
        ("runtime_unhalted_s", "runtime_unhalted"),
        ("clock_mhz", "clock"),
        ("cpi", "cpi"),
        ("l2d_load_bandwidth_mb_s", "l2d_load_bandwidth"),
        ("l2d_load_volume_gb", "l2d_load_volume"),
        ("l2d_evict_bandwidth_mb_s", "l2d_evict_bandwidth"),
        ("l2d_evict_volume_gb", "l2d_evict_volume"),
        ("l2_bandwidth_mb_s", "l2_bandwidth"),
        ("l2_volume_gb", "l2_volume"),
        ("l2_request_rate", "l2_request_rate"),
        ("l2_miss_rate", "l2_miss_rate"),
        ("l2_miss_ratio", "l2_miss_ratio"),
    ];

    #[test]
    fn the_published_reports_derived_values_come_out_of_its_counts() {
        let text = include_str!("../tests/fixtures/likwid_l2_groups.toml");
        let fixture: toml::Table = toml::from_str(text).unwrap();
        let mut checked = 0;
        for build in ["reference", "optimised"] {
            for name in ["L2", "L2CACHE"] {
                let published = fixture[build][name].as_table().unwrap();
                let derived = published["metrics"].as_table().unwrap();
                let group = find(name).unwrap();
                let table = group.table(&Processor::named("skylake")).unwrap();
                let count = |(event, text): &(String, String)| CountedEvent {
                    name: event.clone(),
                    event: text.clone(),
                    counts: vec![published[event.as_str()].as_integer().unwrap() as f64],
                    ..CountedEvent::default()
                };
                let counters = Counters {
                    seconds: vec![derived["runtime_s"].as_float().unwrap()],
                    calls: vec![1.0],
                    nominal_hz: Some(2808e6),
                    events: table.events.iter().map(count).collect(),
                    metrics: table.metrics.clone(),
                    ..Counters::default()
                };
                for (published, ours) in REPORT {
                    let Some(expected) = derived.get(*published).and_then(toml::Value::as_float) else { continue };
                    let metric = counters.metrics.iter().find(|metric| metric.name == *ours).unwrap();
                    let value = counters.value(metric).unwrap();
                    // Four decimals were printed, of small numbers seven digits; the nominal frequency is known to four.
                    let printed = if expected.abs() < 1e-4 { expected * 1e-6 } else { 0.5e-4 };
                    let bound = printed + expected * 5e-5;
                    assert!((value - expected).abs() <= bound, "{build} {name} {ours}: {value} and not {expected}");
                    checked += 1;
                }
            }
        }
        assert_eq!(checked, 2 * (9 + 6));
    }

    /// One repetition of `table` with these counts.
    fn counted(table: &EventTable, count: impl Fn(&str) -> f64) -> Counters {
        let event = |(name, text): &(String, String)| CountedEvent {
            name: name.clone(),
            event: text.clone(),
            counts: vec![count(name)],
            ..CountedEvent::default()
        };
        Counters {
            seconds: vec![0.5],
            calls: vec![10.0],
            iterations: 100.0,
            nominal_hz: Some(2e9),
            events: table.events.iter().map(event).collect(),
            metrics: table.metrics.clone(),
            ..Counters::default()
        }
    }

    #[test]
    fn every_metric_of_every_table_has_a_value_where_all_is_counted() {
        for group in all() {
            for table in &group.tables {
                let counters = counted(table, |_| 1e6);
                for metric in &counters.metrics {
                    let value = counters.value(metric);
                    assert!(value.is_ok(), "{} {:?} {}: {value:?}", group.name, table.processors, metric.name);
                }
            }
        }
        let simulated = simulated().unwrap();
        let counters = counted(&simulated.here.table, |_| 1e6);
        assert!(counters.metrics.iter().all(|metric| counters.value(metric).is_ok()));
    }

    #[test]
    fn the_shares_of_top_down_analysis_are_the_whole() {
        let group = find("TOPDOWN").unwrap();
        // A thousand cycles: of all slots half retire, a tenth is lost, a fifth lacks instructions, and a fifth waits.
        let check = |processor: &str, slots: f64, count: &dyn Fn(&str) -> f64| {
            let table = group.table(&Processor::named(processor)).unwrap();
            let counters = counted(table, count);
            let share = |name: &str| {
                let metric = counters.metrics.iter().find(|metric| metric.name == name).unwrap();
                counters.value(metric).unwrap()
            };
            let shares = ["retiring", "bad_speculation", "frontend_bound", "backend_bound"].map(share);
            for (share, expected) in shares.iter().zip([0.5, 0.1, 0.2, 0.2]) {
                assert!((share - expected).abs() < 1e-9, "{processor} of {slots} slots: {shares:?}");
            }
        };
        for (processor, width) in [("zen4", 6.0), ("zen5", 8.0)] {
            let slots = width * 1000.0;
            check(processor, slots, &|name| match name {
                "CYCLES" => 1000.0,
                "OPS_RETIRED" => 0.5 * slots,
                "OPS_DISPATCHED" => 0.6 * slots,
                "NO_OPS_FROM_FRONTEND" | "BACKEND_STALLS" => 0.2 * slots,
                _ => 0.0,
            });
        }
        check("icelake", 5000.0, &|name| match name {
            "SLOTS" => 5000.0,
            "RETIRING" => 2500.0,
            "BAD_SPECULATION" => 500.0,
            _ => 1000.0,
        });
        check("skylake", 4000.0, &|name| match name {
            "CYCLES" => 1000.0,
            "RETIRE_SLOTS" => 2000.0,
            "UOPS_ISSUED" => 2200.0,
            "RECOVERY_CYCLES" => 50.0,
            _ => 800.0,
        });
    }

    #[test]
    fn a_mistyped_group_is_recognised() {
        assert_eq!(find("l2cache").unwrap().name, "L2CACHE");
        assert_eq!(find("BRNCH").unwrap_err().hint.unwrap(), "did you mean `BRANCH`?");
        assert!(find("xyzzy").unwrap_err().hint.unwrap().contains("SW, CPI"));
    }
}
