//! Memory of each node from the processors of each node, as a matrix: what was measured, beside what firmware says of distances.

use std::collections::{BTreeMap, BTreeSet};

use paw_data::axis;
use paw_data::machine::hardware::MemoryNode;
use paw_data::quantity::Quantity;

use crate::benchmark::overview::graded;
use crate::model::{Align, Column, Field, Picture, Row, Sentence, Table};
use crate::number;
use crate::plot::RowLinks;
use crate::plot::heat_map::{HeatMap, STEPS, step_of};
use crate::reading::Reading;
use crate::section::Section;

/// What firmware calls the distance of local memory (ACPI 6.5, 5.2.17: SLIT).
const LOCAL: f64 = 10.0;

/// Readings by the node of the processors and the node of the memory.
type ByNodes<'s, 'r> = BTreeMap<(u32, u32), &'s Reading<'r>>;

/// The cells of a section, by nodes; a matrix for each of the points that their other axes make.
pub struct NodeMatrix<'s, 'r> {
    section: &'s Section<'r>,
    nodes: &'s [MemoryNode],
    matrices: Vec<(String, ByNodes<'s, 'r>)>,
}

impl<'s, 'r> NodeMatrix<'s, 'r> {
    /// The matrices of `section`, on a machine of `nodes`; `None` where its cells are not memory seen from processors of a node.
    pub fn of(section: &'s Section<'r>, nodes: &'s [MemoryNode]) -> Option<Self> {
        let mut matrices: Vec<(String, ByNodes<'s, 'r>)> = Vec::new();
        for reading in &section.rows {
            let (from, to) = section.at(reading, axis::NODES).split_once('-').map(|(a, b)| (a.parse(), b.parse()))?;
            let pair = (from.ok()?, to.ok()?);
            let others = section.axes.iter().filter(|axis| **axis != axis::NODES);
            let name = others.map(|axis| section.at(reading, axis)).collect::<Vec<_>>().join(" ");
            match matrices.iter_mut().find(|(own, _)| *own == name) {
                Some((_, cells)) => drop(cells.insert(pair, reading)),
                None => matrices.push((name, BTreeMap::from([(pair, reading)]))),
            }
        }
        (!matrices.is_empty()).then_some(Self { section, nodes, matrices })
    }

    /// The nodes of processors, and those of memory.
    fn sides(&self) -> (Vec<u32>, Vec<u32>) {
        let pairs = || self.matrices.iter().flat_map(|(_, cells)| cells.keys());
        let side = |numbers: BTreeSet<u32>| numbers.into_iter().collect();
        (side(pairs().map(|(from, _)| *from).collect()), side(pairs().map(|(_, to)| *to).collect()))
    }

    fn node(&self, number: u32) -> Option<&MemoryNode> {
        self.nodes.iter().find(|node| node.number == number)
    }

    /// The matrix: nodes of processors down, nodes of memory across, and below each row its ratios to local memory, and firmware's
    /// distances ÷ 10.
    pub fn table(&self) -> Table {
        let (rows, columns) = self.sides();
        let has_names = self.matrices.len() > 1;
        let mut all: Vec<Column> = Vec::new();
        if has_names {
            all.push(Column::new("cells", Align::Left, Column::ALWAYS));
        }
        all.push(Column::new("", Align::Left, Column::ALWAYS));
        all.extend(columns.iter().map(|to| Column::new(format!("to {to}"), Align::Right, Column::ALWAYS)));
        let row = |name: &str, label: String, fields: Vec<Field>| {
            let mut own: Vec<Field> = has_names.then(|| name.into()).into_iter().collect();
            own.push(label.into());
            own.extend(fields);
            Row { fields: own, ..Row::default() }
        };
        let of_node = |name: &str, cells: &ByNodes<'_, '_>, from: u32| {
            let measured = |to: &u32| match cells.get(&(from, *to)) {
                Some(reading) => graded(self.section, reading),
                None => "".into(),
            };
            let text = |value: Option<f64>| value.map_or(String::new(), |value| number::significant(value, 3)).into();
            let ratios = columns.iter().map(|to| text(ratio(cells, (from, *to)))).collect();
            let distances = columns.iter().map(|to| text(self.distance(from, *to).map(|d| d / LOCAL))).collect();
            [
                row(name, format!("from {from}"), columns.iter().map(measured).collect()),
                row(name, "  ÷ local".to_owned(), ratios),
                row(name, "  firmware".to_owned(), distances),
            ]
        };
        let of_matrix = |(name, cells): &(String, ByNodes<'_, '_>)| {
            rows.iter().flat_map(|from| of_node(name, cells, *from)).collect::<Vec<_>>()
        };
        let found = self.matrices.iter().flat_map(of_matrix).collect();
        let title = format!(
            "{} from the processors of a node to the memory of a node; firmware's distances ÷ 10",
            self.section.unit()
        );
        Table::dense(title, all, found)
    }

    fn distance(&self, from: u32, to: u32) -> Option<f64> {
        self.node(from)?.distances.get(&to).map(|distance| f64::from(*distance))
    }

    /// What remote memory is beside local memory, and which memory has no processors.
    pub fn sentences(&self) -> Vec<Sentence> {
        let (rows, columns) = self.sides();
        let mut said = Vec::new();
        if rows.len() == 1 && columns.len() == 1 && self.nodes.len() < 2 {
            said.push(
                "This machine shows one memory node: no memory is remote, and the table has one row and one column."
                    .to_owned(),
            );
        }
        for (name, cells) in &self.matrices {
            let remote: Vec<f64> =
                cells.keys().filter(|(from, to)| from != to).filter_map(|at| ratio(cells, *at)).collect();
            let Some(least) = remote.iter().copied().reduce(f64::min) else { continue };
            let most = remote.iter().copied().fold(least, f64::max);
            let start = if self.matrices.len() > 1 { format!("{name}: ") } else { String::new() };
            let what = match self.section.quantity {
                Quantity::Time => "memory of another node takes",
                _ => "memory of another node delivers",
            };
            let [least, most] = [least, most].map(|ratio| number::significant(ratio, 3));
            let range = if least == most { least } else { format!("{least} to {most}") };
            let doubtful = cells.values().filter(|reading| reading.grade.doubtful()).count();
            let doubt =
                if doubtful > 0 { format!(", {doubtful} of {} cells doubtful", cells.len()) } else { String::new() };
            let count = number::plural(remote.len(), "pair") + &doubt;
            said.push(format!("{start}{what} {range} times what local memory does ({count})."));
        }
        said.extend(columns.iter().filter_map(|to| self.memory_only(*to)));
        said.into_iter().map(Sentence::from).collect()
    }

    /// That a node has no processors, with the nodes that reach it best.
    fn memory_only(&self, number: u32) -> Option<String> {
        let node = self.node(number).filter(|node| node.cpus.is_empty())?;
        let best =
            |class: u32| node.access.iter().find(|access| access.class == class).map(|access| &access.initiators[..]);
        let list = |nodes: &[u32]| nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let reach = match (best(1), best(0)) {
            (Some(own), _) => format!("firmware says that processors of node {} reach it best", list(own)),
            (None, Some(any)) => format!("firmware says that node {} reaches it best", list(any)),
            (None, None) => "firmware does not say who reaches it best".to_owned(),
        };
        Some(format!("Node {number} is memory without processors (HBM, CXL or a device's); {reach}."))
    }

    /// A heat map for each matrix of more than one cell: the darker, the more.
    pub fn pictures(&self, links: &RowLinks) -> Vec<Picture> {
        let (rows, columns) = self.sides();
        if rows.len() * columns.len() < 2 {
            return Vec::new();
        }
        let middles = self.matrices.iter().flat_map(|(_, cells)| cells.values()).filter_map(|reading| reading.value);
        let (least, most) = middles
            .fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value.middle), most.max(value.middle)));
        let picture = |(name, cells): &(String, ByNodes<'_, '_>)| {
            let title = if self.matrices.len() > 1 { name.clone() } else { String::new() };
            let cell = |row: usize, column: usize| {
                let reading = cells.get(&(rows[row], columns[column]))?;
                let link = links.link(reading.record.cell.id);
                Some((step_of(reading.value?.middle, least, most, STEPS), self.section.value(reading), link))
            };
            let label = format!(
                "{} {name}: processors of {} nodes, memory of {}",
                self.section.title(),
                rows.len(),
                columns.len()
            );
            let labels = |numbers: &[u32]| numbers.iter().map(ToString::to_string).collect();
            let map = HeatMap { rows: labels(&rows), columns: labels(&columns), apart: Vec::new(), label, cell: &cell };
            let caption = "Processors of a node on the left, memory of a node on top; the darker, the more. Numbers are the kernel's.";
            Picture { svg: map.svg(), title, caption: caption.to_owned(), legend: Vec::new() }
        };
        self.matrices.iter().map(picture).collect()
    }
}

/// The reading at `at` ÷ that of the same processors and their own memory; `None` where either has no number.
fn ratio(cells: &ByNodes<'_, '_>, at: (u32, u32)) -> Option<f64> {
    let local = cells.get(&(at.0, at.0))?.value?.middle;
    (local > 0.0).then_some(cells.get(&at)?.value?.middle / local)
}
