//! Devices that are alike: at how many points each was measured, and which of them lies apart from its likes.

use std::collections::{BTreeMap, BTreeSet};

use paw_data::cell::Role;
use paw_data::machine::Device;
use paw_data::run::{Record, Run};
use paw_stats::dissimilar::{apart, are_alike};

use crate::machine::members;
use crate::number::plural;

/// Most devices that a sentence names.
const NAMED: usize = 3;

/// Name and text of a line for each class of three devices or more that are alike and of which any was measured.
pub fn alike(run: &Run) -> Vec<(String, String)> {
    let mut classes: Vec<Vec<&Device>> = Vec::new();
    for device in &run.header.machine.devices {
        match classes.iter_mut().find(|class| class[0].is_like(device)) {
            Some(class) => class.push(device),
            None => classes.push(vec![device]),
        }
    }
    let lines = classes.iter().filter(|class| class.len() > 2).filter_map(|class| of_class(class, run));
    lines.map(|line| ("alike".to_owned(), line)).collect()
}

fn of_class(class: &[&Device], run: &Run) -> Option<String> {
    let measured: Vec<&Record> =
        run.records.iter().filter(|r| r.cell.role == Role::Subject && !r.samples.elapsed_s.is_empty()).collect();
    let points = |id: &str| {
        let of = measured.iter().filter(|record| record.cell.provider == id);
        of.map(|record| format!("{} {}", record.cell.benchmark, record.cell.point)).collect::<BTreeSet<_>>()
    };
    let mut counts: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for device in class {
        counts.entry(points(&device.id).len()).or_default().push(&device.id);
    }
    if counts.keys().all(|count| *count == 0) {
        return None;
    }
    let how = |(count, ids): (&usize, &Vec<&str>)| match count {
        0 => format!("{} not alone", named(ids, class.len())),
        count => format!("{} at {}", named(ids, class.len()), plural(*count, "point")),
    };
    let mut parts = vec![counts.iter().rev().map(how).collect::<Vec<_>>().join(", ")];
    let ids: Vec<&str> = class.iter().map(|device| device.id.as_str()).collect();
    let pairs: BTreeSet<&str> =
        measured.iter().map(|r| r.cell.provider.as_str()).filter(|id| is_pair(id, &ids)).collect();
    let all = class.len() * (class.len() - 1) / 2;
    if !pairs.is_empty() && pairs.len() < all {
        parts.push(format!("{} of {all} pairs", pairs.len()));
    }
    parts.extend(differences(class, &measured));
    if counts.len() > 1 || (!pairs.is_empty() && pairs.len() < all) {
        let backend = class[0].id.trim_end_matches(|c: char| c.is_ascii_digit());
        parts.push(format!("--provider {backend} measures every one at every point"));
    }
    Some(format!("{} × {}: {}", class.len(), class[0].product, parts.join("; ")))
}

fn named(ids: &[&str], all: usize) -> String {
    match ids.len() {
        count if count == all => format!("all {count}"),
        0..=NAMED => ids.join(", "),
        more => format!("{more} others"),
    }
}

/// Whether a provider is two of these devices: `cuda0+1`.
fn is_pair(provider: &str, ids: &[&str]) -> bool {
    let members = members(provider);
    members.len() == 2 && members.iter().all(|member| ids.contains(&member.as_str()))
}

/// What lies apart from its likes, at the points at which all were measured.
fn differences(class: &[&Device], measured: &[&Record]) -> Vec<String> {
    let mut found: BTreeMap<usize, (f64, Vec<&str>, usize)> = BTreeMap::new();
    let (mut compared, mut alike) = (0, 0);
    let mut seen = BTreeSet::new();
    for at in measured {
        if !seen.insert(format!("{} {}", at.cell.benchmark, at.cell.point)) {
            continue;
        }
        let same = |record: &&&Record| record.cell.benchmark == at.cell.benchmark && record.cell.point == at.cell.point;
        let times = |device: &&Device| {
            let record = measured.iter().filter(same).find(|record| record.cell.provider == device.id);
            record.map_or_else(Vec::new, |record| record.samples.per_loop_s())
        };
        let times: Vec<Vec<f64>> = class.iter().map(times).collect();
        if times.iter().any(Vec::is_empty) {
            continue;
        }
        compared += 1;
        alike += usize::from(are_alike(&times));
        for (index, ratio) in apart(&times) {
            let (farthest, names, points) = found.entry(index).or_insert_with(|| (ratio, Vec::new(), 0));
            *points += 1;
            if ratio.ln().abs() > farthest.ln().abs() {
                *farthest = ratio;
            }
            if !names.contains(&at.cell.benchmark.as_str()) {
                names.push(at.cell.benchmark.as_str());
            }
        }
    }
    let told = |(index, (ratio, names, points)): (&usize, &(f64, Vec<&str>, usize))| {
        let (id, names) = (&class[*index].id, names.join(", "));
        match points {
            // What another load did to it then would look the same.
            1 => format!(
                "{id} took {ratio:.2} × the time of its likes once, in {names}: a second run would tell whether it lies apart"
            ),
            _ => format!("{id} lies apart in {names}: up to {ratio:.2} × the time of its likes"),
        }
    };
    if !found.is_empty() {
        return found.iter().map(told).collect();
    }
    let (shared, unclear) = (plural(compared, "point"), compared - alike);
    match (compared, unclear) {
        (0, _) => Vec::new(),
        (_, 0) => vec![format!("none lies more than 10 % apart at the {shared} that all share")],
        _ => vec![format!(
            "whether any lies apart is not known at {unclear} of the {shared} that all share: few samples, or samples that moved; \
             a larger --budget would tell"
        )],
    }
}
