//! Pairs of processors as a matrix: what pairs that share a core, a cache or a package take, and every pair by its processors.

use std::collections::BTreeMap;

use paw_data::axis;
use paw_data::machine::{Processor, Sharing};
use paw_sort::OrderBy;
use paw_stats::quantile;

use crate::benchmark::measured_groups::MeasuredGroups;
use crate::benchmark::overview::graded;
use crate::model::{Align, Column, Field, Overview, Picture, Row, Sentence, Table, Tone};
use crate::number;
use crate::plot::RowLinks;
use crate::plot::heat_map::{HeatMap, STEPS, step_of};
use crate::reading::Reading;
use crate::section::Section;

/// The most processors that a terminal shows as a matrix of numbers.
const NUMBERS_MAX: usize = 16;
/// Processors from which the pairs are shown as a matrix.
const MATRIX_MIN: usize = 3;
/// Characters of a matrix without numbers, from the least to the most.
const SHADES: [&str; 4] = ["░", "▒", "▓", "█"];

/// Cells by their two processors.
type ByPair<'s, 'r> = BTreeMap<(u32, u32), &'s Reading<'r>>;

/// The pairs of a section, in matrices of one way to take turns each.
pub struct CorePairs<'s, 'r> {
    section: &'s Section<'r>,
    /// Processors in the order of the sets that were measured, then of packages, caches and cores: neighbours in the machine are
    /// neighbours in the matrix.
    processors: Vec<Processor>,
    /// What the other axes say, and the pairs by their processors.
    matrices: Vec<(String, ByPair<'s, 'r>)>,
    /// The pairs of each matrix by what they take.
    measured: Vec<MeasuredGroups>,
    /// What is known of where processors lie.
    known: &'s [Processor],
}

impl<'s, 'r> CorePairs<'s, 'r> {
    /// The pairs of `section`, on a machine of `processors`; `None` where its cells are not pairs of processors.
    pub fn of(section: &'s Section<'r>, processors: &'s [Processor]) -> Option<Self> {
        let mut matrices: Vec<(String, ByPair<'s, 'r>)> = Vec::new();
        for reading in &section.rows {
            let pair = pair(&section.at(reading, axis::PAIRS))?;
            let others = section.axes.iter().filter(|axis| **axis != axis::PAIRS);
            let name = others.map(|axis| section.at(reading, axis)).collect::<Vec<_>>().join(" ");
            match matrices.iter_mut().find(|(own, _)| *own == name) {
                Some((_, pairs)) => drop(pairs.insert(pair, reading)),
                None => matrices.push((name, BTreeMap::from([(pair, reading)]))),
            }
        }
        let mut own: Vec<u32> =
            matrices.iter().flat_map(|(_, pairs)| pairs.keys()).flat_map(|(a, b)| [*a, *b]).collect();
        own.sort_unstable();
        own.dedup();
        let place = |cpu: &u32| processors.iter().find(|known| known.cpu == *cpu).copied();
        let unplaced = |cpu: &u32| Processor { cpu: *cpu, core: *cpu, ..Processor::default() };
        let mut own: Vec<Processor> = own.iter().map(|cpu| place(cpu).unwrap_or_else(|| unplaced(cpu))).collect();
        own.order_by_key(|p| (p.package, p.l3, p.l2, p.core, p.cpu));
        let measured: Vec<MeasuredGroups> =
            matrices.iter().map(|(_, pairs)| MeasuredGroups::of(&times(pairs))).collect();
        // As measured first: the topology decides what time does not.
        let cpus: Vec<u32> = own.iter().map(|p| p.cpu).collect();
        let places = measured.first().map(|groups| groups.places(&cpus)).unwrap_or_default();
        own.order_by_key(|p| places.get(&p.cpu).cloned());
        Some(Self { section, processors: own, matrices, measured, known: processors })
    }

    /// Whether there are enough processors for a matrix.
    pub fn is_matrix(&self) -> bool {
        self.processors.len() >= MATRIX_MIN
    }

    /// What the pairs that share the same thing take: their number, least, median and most. Empty where nothing is known of what
    /// processors share.
    pub fn groups(&self) -> Table {
        let rows = self.matrices.iter().flat_map(|(name, pairs)| {
            let mut groups: BTreeMap<Sharing, Vec<f64>> = BTreeMap::new();
            for ((a, b), reading) in pairs {
                let place = |cpu: &u32| self.known.iter().find(|known| known.cpu == *cpu);
                if let (Some(a), Some(b), Some(value)) = (place(a), place(b), reading.value) {
                    groups.entry(Sharing::of(a, b)).or_default().push(value.middle);
                }
            }
            groups.into_iter().map(|(sharing, values)| self.group([name, sharing.words()], &values)).collect::<Vec<_>>()
        });
        self.grouped("by what two processors share", "processors", rows.collect())
    }

    /// The pairs in the groups that their times tell apart, and what those of each share. Empty where there is one group.
    pub fn measured_groups(&self) -> Table {
        let rows = self.matrices.iter().zip(&self.measured).filter(|(_, groups)| groups.are_several());
        let rows = rows.flat_map(|((name, pairs), groups)| {
            let row = |(group, members): (usize, &Vec<(u32, u32)>)| {
                let values = members.iter().filter_map(|pair| Some(pairs.get(pair)?.value?.middle)).collect::<Vec<_>>();
                let mut row = self.group([name, &(group + 1).to_string()], &values);
                row.fields.push(groups.sharing(group, self.known).into());
                row
            };
            groups.all().iter().enumerate().map(row).collect::<Vec<_>>()
        });
        self.grouped("in groups as measured", "group", rows.collect())
    }

    /// Where times and topology disagree.
    pub fn disagreements(&self) -> Vec<Sentence> {
        let mut cpus: Vec<u32> = self.processors.iter().map(|p| p.cpu).collect();
        cpus.sort_unstable();
        let of = |((name, _), groups): (&(String, ByPair<'_, '_>), &MeasuredGroups)| {
            let label = if self.matrices.len() > 1 { name.clone() } else { String::new() };
            let sentence = |text: String| Sentence { label: label.clone(), text };
            groups.disagreements(self.known, &cpus).into_iter().map(sentence).collect::<Vec<_>>()
        };
        self.matrices.iter().zip(&self.measured).flat_map(of).collect()
    }

    /// A table of groups of pairs under its title.
    fn grouped(&self, by: &str, key: &str, rows: Vec<Row>) -> Table {
        let number = |title: &str| Column::new(title, Align::Right, Column::ALWAYS);
        let columns = vec![
            Column::new("turn", Align::Left, Column::ALWAYS),
            Column::new(key, Align::Left, Column::ALWAYS),
            number("count"),
            number("least"),
            number("median"),
            number("most"),
            Column::new("by the topology", Align::Left, 100).shrinking(12),
        ];
        let unit = self.section.unit();
        let unit = if unit.is_empty() { String::new() } else { format!(" in {unit}") };
        Table::dense(format!("round trip{unit} {by}"), columns, rows)
    }

    fn group(&self, [name, key]: [&str; 2], values: &[f64]) -> Row {
        let (least, most) = ends(values.iter().copied());
        let mut fields = vec![Field::from(name), key.into(), values.len().to_string().into()];
        let median = quantile::median(values).unwrap_or(f64::NAN);
        let numbers = [(least, Tone::Plain), (median, Tone::Strong), (most, Tone::Plain)];
        fields.extend(numbers.map(|(value, tone)| Field::new(self.digits(value), tone)));
        Row { fields, ..Row::default() }
    }

    fn digits(&self, value: f64) -> String {
        match &self.section.scale {
            Some(scale) => scale.digits(value, None),
            None => number::quantity(value, self.section.quantity, None),
        }
    }

    /// All pairs: the first processor, whose memory has the line, down and the second across; in numbers, or in shades where they are many.
    pub fn overview(&self) -> Overview {
        let (columns, title) = match self.processors.len() <= NUMBERS_MAX {
            true => {
                let across = |p: &Processor| Column::new(p.cpu.to_string(), Align::Right, Column::ALWAYS);
                (self.processors.iter().map(across).collect(), String::new())
            }
            false => (vec![Column::new("all processors", Align::Left, Column::ALWAYS)], self.shades_title()),
        };
        let has_names = self.matrices.len() > 1;
        let mut all = vec![Column::new("cpu", Align::Right, Column::ALWAYS)];
        if has_names {
            all.insert(0, Column::new("turn", Align::Left, Column::ALWAYS));
        }
        let keys = all.len();
        all.extend::<Vec<Column>>(columns);
        let row = |name: &str, pairs: &ByPair<'_, '_>, p: &Processor| {
            let mut fields: Vec<Field> = has_names.then(|| name.into()).into_iter().collect();
            fields.push(p.cpu.to_string().into());
            fields.extend(self.row(pairs, p.cpu));
            Row { fields, ..Row::default() }
        };
        let rows = self.matrices.iter().flat_map(|(name, pairs)| self.processors.iter().map(|p| row(name, pairs, p)));
        Overview { table: Table::new(title, all, rows.collect()).of_one_scale(), keys, ..Overview::default() }
    }

    fn row(&self, pairs: &ByPair<'_, '_>, cpu: u32) -> Vec<Field> {
        if self.processors.len() <= NUMBERS_MAX {
            let field =
                |p: &Processor| either(pairs, cpu, p.cpu).map_or("".into(), |reading| graded(self.section, reading));
            return self.processors.iter().map(field).collect();
        }
        let (least, most) = self.ends();
        let shade = |p: &Processor| match either(pairs, cpu, p.cpu).and_then(|reading| reading.value) {
            Some(value) => SHADES[step_of(value.middle, least, most, SHADES.len())],
            None => " ",
        };
        vec![self.processors.iter().map(shade).collect::<String>().into()]
    }

    fn shades_title(&self) -> String {
        let (least, most) = self.ends();
        let upto = |n: usize| self.digits(least * (most / least).powf(n as f64 / SHADES.len() as f64));
        let steps: Vec<String> = (1..=SHADES.len()).map(|n| format!("{} to {}", SHADES[n - 1], upto(n))).collect();
        format!("round trip from {} {}: {}", self.digits(least), self.section.unit(), steps.join(", "))
    }

    /// The least and the most of all pairs.
    fn ends(&self) -> (f64, f64) {
        let readings = self.matrices.iter().flat_map(|(_, pairs)| pairs.values());
        ends(readings.filter_map(|reading| reading.value).map(|value| value.middle))
    }

    /// A heat map for each way to take turns.
    pub fn pictures(&self, links: &RowLinks) -> Vec<Picture> {
        let (least, most) = self.ends();
        let picture = |(name, pairs): &(String, ByPair<'_, '_>)| {
            let title = if self.matrices.len() > 1 { name.clone() } else { String::new() };
            let cell = |row: usize, column: usize| {
                let reading = either(pairs, self.processors[row].cpu, self.processors[column].cpu)?;
                let value = reading.value?.middle;
                let (text, link) = (self.section.value(reading), links.link(reading.record.cell.id));
                Some((step_of(value, least, most, STEPS), text, link))
            };
            let labels: Vec<String> = self.processors.iter().map(|p| p.cpu.to_string()).collect();
            let apart = self.apart();
            let label = format!("{} {name}: {} processors", self.section.title(), labels.len());
            let svg = HeatMap { rows: labels.clone(), columns: labels, apart, label, cell: &cell }.svg();
            Picture { svg, title, caption: self.caption(), legend: Vec::new() }
        };
        self.matrices.iter().map(picture).collect()
    }

    /// Whether a processor is apart from the next: they share no cache, or are of different sets where the topology does not tell sets that
    /// were measured.
    fn apart(&self) -> Vec<bool> {
        let cpus: Vec<u32> = self.processors.iter().map(|p| p.cpu).collect();
        let untold = self.measured.first().filter(|groups| groups.is_finer(self.known));
        let places = untold.map(|groups| groups.places(&cpus)).unwrap_or_default();
        let set = |p: &Processor| places.get(&p.cpu).and_then(|places| places.first());
        let is_apart =
            |two: &[Processor]| Sharing::of(&two[0], &two[1]) >= Sharing::Package || set(&two[0]) != set(&two[1]);
        self.processors.windows(2).map(is_apart).collect()
    }

    fn caption(&self) -> String {
        let (least, most) = self.ends();
        let unit = self.section.unit();
        format!(
            "Round trip of a cache line, from {} (lightest) to {} {unit} (darkest); the processor on the left has the line in its memory. \
             Neighbours are those that were measured to be near; lines divide processors that share no cache, or that are in different \
             sets of which the topology does not tell.",
            self.digits(least),
            self.digits(most)
        )
    }
}

/// What each pair that has a number takes.
fn times(pairs: &ByPair<'_, '_>) -> BTreeMap<(u32, u32), f64> {
    pairs.iter().filter_map(|(pair, reading)| Some((*pair, reading.value?.middle))).collect()
}

/// The reading of the pair `first`-`second`; where only the pair the other way round was measured, that one.
fn either<'a, 'r>(pairs: &ByPair<'a, 'r>, first: u32, second: u32) -> Option<&'a Reading<'r>> {
    pairs.get(&(first, second)).or_else(|| pairs.get(&(second, first))).copied()
}

/// The processors of a pair such as `0-1`.
fn pair(text: &str) -> Option<(u32, u32)> {
    let (first, second) = text.split_once('-')?;
    Some((first.parse().ok()?, second.parse().ok()?))
}

/// The least and the most of `values`.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(least, most), value: f64| (value.min(least), value.max(most)))
}
