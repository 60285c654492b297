//! Pairs of devices as a matrix: every ordered pair in its place, pairs without a way, and links that lie apart from their likes.

use std::collections::{BTreeMap, BTreeSet};

use paw_data::axis;
use paw_data::headline::Family;
use paw_data::outcome::Status;
use paw_data::quantity::Quantity;
use paw_stats::dissimilar::{APART, apart, are_alike};

use crate::benchmark::absence::absences;
use crate::benchmark::overview::graded;
use crate::model::{Align, Column, Field, Overview, Picture, Row, Sentence, Table, Tone, Value};
use crate::number;
use crate::plot::RowLinks;
use crate::plot::heat_map::{HeatMap, STEPS, step_of};
use crate::reading::Reading;
use crate::section::Section;

/// What stands for a pair that is not measured, for it reaches each other by the host alone.
const NO_WAY: &str = "no way";
/// Links that a sentence names.
const NAMED: usize = 4;

/// Cells by their two devices.
type ByPair<'s, 'r> = BTreeMap<(u32, u32), &'s Reading<'r>>;

/// The cells of a section, by pairs of devices; a matrix for each of the points that their other axes make.
pub struct DevicePairs<'s, 'r> {
    section: &'s Section<'r>,
    matrices: Vec<(String, ByPair<'s, 'r>)>,
}

impl<'s, 'r> DevicePairs<'s, 'r> {
    /// The matrices of `section`; `None` where its cells are not pairs of devices.
    pub fn of(section: &'s Section<'r>) -> Option<Self> {
        if section.family != Some(Family::Devices) {
            return None;
        }
        let mut matrices: Vec<(String, ByPair<'s, 'r>)> = Vec::new();
        for reading in &section.rows {
            let text = section.at(reading, axis::PAIRS);
            let (first, second) = text.split_once('-')?;
            let pair = (first.parse().ok()?, second.parse().ok()?);
            let others = section.ladder.iter().chain(&section.axes).filter(|axis| **axis != axis::PAIRS);
            let mut names: Vec<String> = others.map(|axis| section.at(reading, axis)).collect();
            names.retain(|name| !name.is_empty());
            let name = names.join(" ");
            match matrices.iter_mut().find(|(own, _)| *own == name) {
                Some((_, cells)) => drop(cells.insert(pair, reading)),
                None => matrices.push((name, BTreeMap::from([(pair, reading)]))),
            }
        }
        (!matrices.is_empty()).then_some(Self { section, matrices })
    }

    /// The devices, by number.
    fn devices(&self) -> Vec<u32> {
        let pairs = self.matrices.iter().flat_map(|(_, cells)| cells.keys());
        pairs.flat_map(|(first, second)| [*first, *second]).collect::<BTreeSet<u32>>().into_iter().collect()
    }

    /// The matrices one below the other: the device that works down, the device whose memory it uses across.
    pub fn overview(&self) -> Overview {
        let devices = self.devices();
        let has_names = self.matrices.len() > 1;
        let mut columns: Vec<Column> = Vec::new();
        if has_names {
            columns.push(Column::new("cells", Align::Left, Column::ALWAYS));
        }
        columns.push(Column::new("device", Align::Right, Column::ALWAYS));
        let keys = columns.len();
        columns.extend(devices.iter().map(|device| Column::new(device.to_string(), Align::Right, Column::ALWAYS)));
        let row = |name: &str, cells: &ByPair<'_, '_>, first: u32| {
            let mut fields: Vec<Field> = has_names.then(|| name.into()).into_iter().collect();
            fields.push(first.to_string().into());
            fields.extend(devices.iter().map(|second| self.field(cells.get(&(first, *second)).copied())));
            Row { fields, ..Row::default() }
        };
        let rows = self.matrices.iter().flat_map(|(name, cells)| devices.iter().map(|first| row(name, cells, *first)));
        let title = format!(
            "{}: the device on the left does the work, with the memory of the device on top",
            self.section.unit()
        );
        let absent = absences(self.section).into_iter().map(|absence| {
            let count = number::plural(absence.cells, "cell");
            format!("{count}, the first {}: {}", self.section.at(absence.first, axis::PAIRS), absence.why)
        });
        let table = Table::new(title, columns, rows.collect()).of_one_scale();
        Overview { table, keys, absent: absent.collect(), ..Overview::default() }
    }

    fn field(&self, reading: Option<&Reading<'_>>) -> Field {
        match reading {
            None => "".into(),
            Some(reading) if has_no_way(reading) => {
                Field::new(NO_WAY, Tone::Faint).with(Value::Graded(reading.grade, reading.record.cell.id))
            }
            Some(reading) => graded(self.section, reading),
        }
    }

    /// Which links lie apart from the others of their matrix.
    pub fn sentences(&self) -> Vec<Sentence> {
        let mut said = Vec::new();
        for (name, cells) in &self.matrices {
            let measured: Vec<_> = cells.iter().filter(|(_, reading)| reading.value.is_some()).collect();
            let times: Vec<Vec<f64>> =
                measured.iter().map(|(_, reading)| reading.record.samples.per_loop_s()).collect();
            let found = apart(&times);
            let start = if name.is_empty() { String::new() } else { format!("{name}: ") };
            if found.is_empty() && measured.len() > 2 {
                let (percent, pairs) = (number::percent(APART), number::plural(measured.len(), "pair"));
                said.push(if are_alike(&times) {
                    format!("{start}none of {pairs} lies more than {percent} apart from the others.")
                } else {
                    format!(
                        "{start}whether any of {pairs} lies apart is not known: few samples, or samples that moved."
                    )
                });
            }
            let told: Vec<String> = found
                .iter()
                .take(NAMED)
                .map(|(at, ratio)| {
                    let (first, second) = measured[*at].0;
                    format!("{first}-{second} takes {ratio:.2} × the time of the others")
                })
                .collect();
            let more = found.len().saturating_sub(NAMED);
            let rest = if more > 0 { format!(", and {more} more lie apart") } else { String::new() };
            if !told.is_empty() {
                said.push(format!("{start}{}{rest}.", told.join(", ")));
            }
        }
        said.into_iter().map(Sentence::from).collect()
    }

    /// A heat map for each matrix of three devices and more, each with its own scale: reads and writes, engines and kernels differ.
    pub fn pictures(&self, links: &RowLinks) -> Vec<Picture> {
        let devices = self.devices();
        if devices.len() < 3 {
            return Vec::new();
        }
        let picture = |(name, cells): &(String, ByPair<'_, '_>)| {
            let middles = cells.values().filter_map(|reading| reading.value).map(|value| value.middle);
            let (least, most) =
                middles.fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
            let cell = |row: usize, column: usize| {
                let reading = cells.get(&(devices[row], devices[column]))?;
                let link = links.link(reading.record.cell.id);
                match reading.value {
                    Some(value) => Some((step_of(value.middle, least, most, STEPS), self.section.value(reading), link)),
                    None => has_no_way(reading).then(|| (0, NO_WAY.to_owned(), link)),
                }
            };
            let labels: Vec<String> = devices.iter().map(ToString::to_string).collect();
            let label = format!("{} {name}: {} devices", self.section.title(), labels.len());
            let svg = HeatMap { rows: labels.clone(), columns: labels, apart: Vec::new(), label, cell: &cell }.svg();
            let more =
                if self.section.quantity == Quantity::Time { "the darker, the longer" } else { "the darker, the more" };
            let caption =
                format!("The device on the left does the work, with the memory of the device on top; {more}.");
            Picture { svg, title: name.clone(), caption, legend: Vec::new() }
        };
        self.matrices.iter().map(picture).collect()
    }
}

/// Whether a pair was skipped because only the host connects it.
fn has_no_way(reading: &Reading<'_>) -> bool {
    let outcome = reading.record.outcome.as_ref();
    outcome.is_some_and(|outcome| {
        outcome.status == Status::Skipped && outcome.why.as_deref().is_some_and(|why| why.contains("without the host"))
    })
}
