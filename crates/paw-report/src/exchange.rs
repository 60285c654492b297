//! What ranks reach together, as the first lines of every view: the shortest message, the asymptotic bandwidth, the rate of messages, a small allreduce.

use paw_data::pairing;
use paw_data::quantity::Quantity;
use paw_data::run::Run;

use crate::assessment::{Finding, Part, best_reading, place};
use crate::family::is_of_ranks;
use crate::reading::Reading;
use crate::secondary::in_quantity;
use crate::section::Section;
use crate::step;

/// The benchmarks that stand for messages between pairs, the first that was measured before the others.
const BANDWIDTHS: [&str; 3] = ["p2p_send", "p2p_isend", "p2p_isend_ping"];
/// The same for the shortest message.
const LATENCIES: [&str; 4] = ["latency", "p2p_send", "p2p_isend", "p2p_isend_ping"];

/// A cell and the section it stands in.
type Located<'s, 'r> = (&'s Section<'r>, &'s Reading<'r>);

/// What the ranks of `run` reach.
pub fn findings(run: &Run, sections: &[Section<'_>]) -> Vec<Finding> {
    let all = [
        latency(sections).map(|found| finding(run, "MPI latency", found, Quantity::Time, String::new())),
        bandwidth(sections).map(|found| finding(run, "MPI bandwidth", found, Quantity::Bytes, half(found))),
        rate(sections).map(|found| finding(run, "message rate", found, Quantity::Messages, String::new())),
        allreduce(sections).map(|found| {
            let cell = &found.1.record.cell;
            let label = found.0.ladder.map_or(String::new(), |ladder| format!(" {}", step::text(cell, ladder)));
            finding(run, &format!("allreduce{label}"), found, Quantity::Time, String::new())
        }),
    ];
    all.into_iter().flatten().flatten().collect()
}

/// The first of `names` that is among the benchmarks of ranks.
fn first<'s, 'r>(sections: &'s [Section<'r>], names: &[&str]) -> Option<&'s Section<'r>> {
    let named = |name: &str| {
        let own = |s: &&Section<'_>| is_of_ranks(s) && s.benchmarks.contains(&name);
        sections.iter().filter(own).find(|s| s.rows.iter().any(|r| r.value.is_some()))
    };
    names.iter().find_map(|name| named(name))
}

/// The fastest cell at the smallest size.
fn latency<'s, 'r>(sections: &'s [Section<'r>]) -> Option<Located<'s, 'r>> {
    let section = first(sections, &LATENCIES)?;
    let own = section.rows.iter().filter(|r| LATENCIES.contains(&r.record.cell.benchmark.as_str()));
    let time = |r: &Reading<'_>| in_quantity(r, Quantity::Time).map(|(seconds, _)| seconds);
    let timed = smallest(section, own).into_iter().filter_map(|r| Some((r, time(r)?)));
    timed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(r, _)| (section, r))
}

fn bandwidth<'s, 'r>(sections: &'s [Section<'r>]) -> Option<Located<'s, 'r>> {
    let section = first(sections, &BANDWIDTHS)?;
    best_reading(section.rows.iter()).map(|r| (section, r))
}

fn rate<'s, 'r>(sections: &'s [Section<'r>]) -> Option<Located<'s, 'r>> {
    let section = first(sections, &["p2p_mrate", "p2p_mrate_bidir"])?;
    best_reading(section.rows.iter()).map(|r| (section, r))
}

/// The smallest allreduce of most ranks, each call by itself where that was measured.
fn allreduce<'s, 'r>(sections: &'s [Section<'r>]) -> Option<Located<'s, 'r>> {
    let section = first(sections, &["allreduce"])?;
    let most = section.rows.iter().filter(|r| r.value.is_some()).filter_map(Reading::participants).max();
    let own = smallest(section, section.rows.iter().filter(|r| r.participants() == most));
    let isolated = |r: &&&Reading<'_>| r.record.cell.point.text("cadence") == Some("isolated");
    let chosen = own.iter().find(isolated).or(own.first())?;
    Some((section, chosen))
}

/// Those of `rows` that have a number, at the smallest size that has one.
fn smallest<'s, 'r: 's>(section: &Section<'_>, rows: impl Iterator<Item = &'s Reading<'r>>) -> Vec<&'s Reading<'r>> {
    let size =
        |r: &Reading<'_>| section.ladder.and_then(|ladder| step::position(&r.record.cell, ladder)).unwrap_or(0.0);
    let valued: Vec<&Reading<'_>> = rows.filter(|r| r.value.is_some()).collect();
    let least = valued.iter().map(|r| size(r)).fold(f64::INFINITY, f64::min);
    valued.into_iter().filter(|r| size(r) <= least).collect()
}

fn finding(
    run: &Run,
    label: &str,
    (section, reading): Located<'_, '_>,
    quantity: Quantity,
    share: String,
) -> Option<Finding> {
    let (value, interval) = in_quantity(reading, quantity)?;
    let half_width = interval.map(|(low, high)| (high - low) / 2.0);
    let place = [place(section, reading)]
        .into_iter()
        .chain(closeness(run, reading).map(str::to_owned))
        .collect::<Vec<_>>()
        .join(", ");
    let parts = vec![Part::of("", value, quantity, half_width)];
    Some(Finding { label: label.to_owned(), parts, share, place, grade: reading.grade, doubt: reading.grade.doubt() })
}

/// How close the pairs of the cell's team run, where they all run alike.
fn closeness(run: &Run, reading: &Reading<'_>) -> Option<&'static str> {
    let team = run.team(&reading.record.cell)?;
    match pairing::counts(&pairing::pairs(&team.ranks)).as_slice() {
        [(closeness, _)] => Some(closeness.words()),
        _ => None,
    }
}

/// The smallest message that reaches half of the bandwidth found, by the cells that differ from it in nothing but size: n½
/// of R. W. Hockney.
fn half((section, best): Located<'_, '_>) -> String {
    let Some((ladder, value)) = section.ladder.zip(best.value) else { return String::new() };
    let rest = |r: &Reading<'_>| {
        let others: Vec<String> = section.axes.iter().map(|axis| section.at(r, axis)).collect();
        (r.record.cell.benchmark.clone(), r.record.cell.provider.clone(), r.participants(), others)
    };
    let reaches = |r: &&Reading<'_>| rest(r) == rest(best) && r.value.is_some_and(|v| v.middle >= value.middle / 2.0);
    let size = |r: &Reading<'_>| step::position(&r.record.cell, ladder).unwrap_or(f64::INFINITY);
    let first = section.rows.iter().filter(reaches).min_by(|a, b| size(a).total_cmp(&size(b)));
    first.map_or(String::new(), |r| format!("half of it at {}", section.at(r, ladder)))
}
