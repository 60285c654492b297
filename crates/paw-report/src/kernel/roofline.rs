//! The builds of a kernel under the roofs that were measured with them.

use paw_data::machine::Identity;
use paw_data::matrix::{Matrix, MatrixRow, Panel};

use crate::latency::data_caches;
use crate::model::{Align, BuildName, Column, ColumnKind, Field, Value};
use crate::reading::Reading;
use crate::roofline::{MEMORY, Roofs};
use crate::under_roofs::{Source, Spot, UnderRoofs};

/// What may put a build above its roof.
const PASSING: &str = "Its data came from a nearer cache than its level, or its `flops` or `bytes` are not what the code does, or the machine was slower while the roofs were measured; `paw kernel fit` and a second run would tell.";
const CAPTION: &str = "Every build at every level, under roofs that this machine measured in the same run: the peak of each instruction set, and the bandwidth of each cache and of memory. A point can reach the slope of its own level at most.";
/// What to do where operations are not known.
const STATE: &str = "`flops` in the spec states them (`flops = \"2*n\"`)";

/// The builds of `matrix` that `wanted` picks under the roofs among `readings`; `None` where no roofs were measured.
pub fn under_roofs<'r>(
    matrix: &Matrix<'_>,
    wanted: impl Fn(&MatrixRow<'_>) -> bool,
    readings: impl Iterator<Item = &'r Reading<'r>>,
    identity: &Identity,
) -> Option<UnderRoofs> {
    let precision = matrix.kernel.precision();
    let roofs = Roofs::of(readings, identity, precision);
    let set = roofs.first()?;
    let all = || matrix.panels.iter().flat_map(|panel| panel.rows.iter().map(move |row| (panel, row)));
    let rows = || all().filter(|(_, row)| wanted(row));
    let variants = rows().any(|(_, row)| rows().any(|(_, other)| other.variant != row.variant));
    let mut spots: Vec<Spot> = Vec::new();
    let mut refused: Vec<(String, Vec<String>)> = Vec::new();
    for (panel, row) in rows() {
        let Some(timing) = row.timing.filter(|_| row.is_ranked()) else { continue };
        let name = if variants { row.name() } else { row.record.cell.provider.to_string() };
        let place = format!("{name} at {}", short(panel));
        let (flops, bytes, source) = match work(row) {
            Ok(work) => work,
            Err(why) => {
                match refused.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, places)) => places.push(place),
                    None => refused.push((why, vec![place])),
                }
                continue;
            }
        };
        let rate = flops / (timing.median_s.value * row.record.cell.work.operations());
        if rate.is_finite() && rate > 0.0 {
            let level = level(panel, identity);
            let intensity = flops / bytes;
            let value = Value::Name(Box::new(BuildName { build: name.clone(), variant: String::new() }));
            spots.push(Spot {
                keys: vec![short(panel).into(), Field::from(name.clone()).with(value)],
                place,
                series: name,
                label: panel.name.to_owned(),
                cell: row.record.cell.id,
                source,
                intensity,
                rate,
                roof: set.lowest(&level, intensity),
            });
        }
    }
    let keys = vec![
        Column::new("level", Align::Left, Column::ALWAYS),
        Column::new("build", Align::Left, Column::ALWAYS).of(ColumnKind::Name).shrinking(10),
    ];
    let missing = missing(refused, spots.is_empty());
    Some(UnderRoofs { roofs, precision, keys, spots, passing: PASSING, caption: CAPTION, missing })
}

/// Operations and bytes of one call, and where they are from.
fn work(row: &MatrixRow<'_>) -> Result<(f64, f64, Source), String> {
    let work = row.record.cell.work;
    match (work.flops > 0.0, work.bytes > 0.0, &row.record.executed) {
        (true, true, _) => Ok((work.flops, work.bytes, Source::Spec)),
        (true, false, _) => Err("the spec states no `bytes` of a call".to_owned()),
        (false, _, Some(executed)) => executed.of_call().map(|(flops, bytes)| (flops, bytes, Source::MachineCode)),
        (false, _, None) => Err("the spec states no `flops` of a call".to_owned()),
    }
}

/// Why builds have no point: a sentence for each reason.
fn missing(refused: Vec<(String, Vec<String>)>, all: bool) -> Vec<String> {
    let is_one = all && refused.len() == 1;
    let sentence = |(why, places): (String, Vec<String>)| {
        let who =
            if is_one { "The roofline has no point".to_owned() } else { format!("No point of {}", places.join("; ")) };
        let hint = if why.contains("`bytes`") { String::new() } else { format!("; {STATE}") };
        format!("{who}: {why}{hint}.")
    };
    refused.into_iter().map(sentence).collect()
}

/// `L1`; the size where the level has no name.
fn short(panel: &Panel<'_>) -> String {
    if panel.name.is_empty() { panel.label() } else { panel.name.to_owned() }
}

/// The name of the slope of a panel: that of its level, or of the smallest cache that holds its data.
fn level(panel: &Panel<'_>, identity: &Identity) -> String {
    let caches = data_caches(identity);
    let names: Vec<String> = caches.iter().map(|cache| format!("L{}", cache.level)).collect();
    if names.iter().any(|name| name == panel.name) {
        return panel.name.to_owned();
    }
    let bytes = panel.level.map_or(u64::MAX, |level| level.footprint_bytes);
    let holds = caches.iter().position(|cache| bytes <= cache.size_bytes);
    holds.map_or_else(|| MEMORY.to_owned(), |at| names[at].clone())
}
