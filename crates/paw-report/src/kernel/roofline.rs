//! The builds of a kernel under the roofs that were measured with them.

use paw_data::machine::Identity;
use paw_data::matrix::{Matrix, MatrixRow, Panel};
use paw_data::quantity::Quantity;

use crate::latency::data_caches;
use crate::model::{Align, Column, ColumnKind, Field, Picture, Row, Table, Tone, Value};
use crate::number::{percent, quantity, significant};
use crate::plot::RowLinks;
use crate::plot::roofline::{Dot, draw};
use crate::reading::Reading;
use crate::roofline::{MEMORY, Roofs};

/// A share of a roof from which the roof does not hold the build: repeated runs of one machine differ by less.
const PASSED: f64 = 1.05;

/// The title of the table.
pub const TITLE: &str = "under the measured roofs";

/// A kernel's builds and their roofs.
#[derive(Debug)]
pub struct Roofline<'a> {
    roofs: Vec<Roofs>,
    spots: Vec<Spot<'a>>,
    /// Why there is no point, if there is none.
    missing: Option<&'static str>,
}

/// A build at a level.
#[derive(Debug)]
struct Spot<'a> {
    panel: &'a Panel<'a>,
    row: &'a MatrixRow<'a>,
    intensity: f64,
    rate: f64,
    /// The lowest roof over it: name and operations per second; `None` if its level's bandwidth was not measured.
    roof: Option<(String, f64)>,
}

impl<'a> Roofline<'a> {
    /// The roofline of `matrix` under the roofs among `readings`; `None` where none were measured.
    pub fn of<'r>(
        matrix: &'a Matrix<'a>,
        readings: impl Iterator<Item = &'r Reading<'r>>,
        identity: &Identity,
    ) -> Option<Self> {
        let roofs = Roofs::of(readings, identity, matrix.kernel.precision());
        let set = roofs.first()?;
        let rows = matrix.panels.iter().flat_map(|panel| panel.rows.iter().map(move |row| (panel, row)));
        let spots: Vec<Spot<'_>> = rows.filter_map(|(panel, row)| spot(panel, row, set, identity)).collect();
        let missing = spots
            .is_empty()
            .then_some("The roofline has no point: the spec states no `flops` of a call (`flops = \"2*n\"`).");
        Some(Self { roofs, spots, missing })
    }

    /// The builds called `names` alone.
    pub fn only(mut self, names: &[&str]) -> Self {
        self.spots.retain(|spot| names.contains(&spot.row.name().as_str()));
        self
    }

    /// A row for each build and level.
    pub fn table(&self) -> Table {
        let number = |title: &str, importance| Column::new(title, Align::Right, importance);
        let columns = vec![
            Column::new("level", Align::Left, Column::ALWAYS),
            Column::new("build", Align::Left, Column::ALWAYS).of(ColumnKind::Name).shrinking(10),
            number("FLOP\na byte", 190),
            number("GFLOP/s", Column::ALWAYS),
            number("lowest roof", 210),
            Column::new("", Align::Left, 200),
            number("of it", Column::ALWAYS),
        ];
        let row = |spot: &Spot<'_>| {
            let share = spot.roof.as_ref().map(|(_, rate)| spot.rate / rate);
            let roof = spot.roof.as_ref();
            let tone = if share.is_some_and(|share| share > PASSED) { Tone::Doubt } else { Tone::Plain };
            let build = spot.name(self.has_variants());
            let name = Value::Name { build: build.clone(), variant: String::new() };
            Row {
                fields: vec![
                    spot.level().into(),
                    Field::from(build).with(name),
                    significant(spot.intensity, 3).into(),
                    Field::new(significant(spot.rate / 1e9, 3), Tone::Strong),
                    Field::maybe(roof.map(|(_, rate)| significant(rate / 1e9, 3))),
                    Field::maybe(roof.map(|(name, _)| name.clone())),
                    Field::new(share.map_or(String::new(), percent), tone),
                ],
                absent: None,
                cell: Some(spot.row.record.cell.id),
            }
        };
        Table::dense(TITLE, columns, self.spots.iter().map(row).collect())
    }

    /// What the roofs are, and which builds pass theirs.
    pub fn notes(&self) -> Vec<String> {
        let Some(set) = self.roofs.first() else { return Vec::new() };
        let peaks =
            set.peaks.iter().map(|peak| format!("{} {}", peak.name, quantity(peak.rate, Quantity::Flops, None)));
        let slopes =
            set.slopes.iter().map(|slope| format!("{} {}", slope.name, quantity(slope.rate, Quantity::Bytes, None)));
        let roofs: Vec<String> = peaks.chain(slopes).collect();
        let measured = format!("Roofs measured in this run, each the highest of its cells: {}.", roofs.join(", "));
        let variants = self.has_variants();
        let above = self.spots.iter().filter(|spot| spot.share() > PASSED);
        let passed: Vec<String> = above.map(|spot| spot.place(variants)).collect();
        let passed = (!passed.is_empty()).then(|| {
            format!(
                "Above its roof: {}. Its data came from a nearer cache than its level, or its `flops` or `bytes` are not what the code does, or the machine was slower while the roofs were measured; `paw kernel fit` and a second run would tell.",
                passed.join("; ")
            )
        });
        std::iter::once(measured).chain(passed).chain(self.missing.map(str::to_owned)).collect()
    }

    /// Whether builds differ in their variant.
    fn has_variants(&self) -> bool {
        self.spots.iter().any(|spot| spot.row.variant != self.spots[0].row.variant)
    }

    /// The plot.
    pub fn pictures(&self, links: &RowLinks) -> Vec<Picture> {
        let dots: Vec<Dot> = self.spots.iter().map(|spot| spot.dot(self.has_variants())).collect();
        let picture = |svg| {
            Picture {
            svg,
            title: "Roofline".to_owned(),
            caption: "Every build at every level, under roofs that this machine measured in the same run: the peak of each instruction set, and the bandwidth of each cache and of memory. A point can reach the slope of its own level at most.".to_owned(),
            legend: Vec::new(),
        }
        };
        draw(&self.roofs, &dots, links).into_iter().map(picture).collect()
    }
}

impl Spot<'_> {
    fn share(&self) -> f64 {
        self.roof.as_ref().map_or(0.0, |(_, rate)| self.rate / rate)
    }

    /// The build, with its variant where `variants` differ.
    fn name(&self, variants: bool) -> String {
        if variants { self.row.name() } else { self.row.record.cell.provider.clone() }
    }

    /// `L1`; the size where the level has no name.
    fn level(&self) -> String {
        if self.panel.name.is_empty() { self.panel.label() } else { self.panel.name.to_owned() }
    }

    fn place(&self, variants: bool) -> String {
        format!("{} at {} ({})", self.name(variants), self.level(), percent(self.share()))
    }

    fn dot(&self, variants: bool) -> Dot {
        let figure = quantity(self.rate, Quantity::Flops, None);
        let roof =
            self.roof.as_ref().map_or(String::new(), |(name, _)| format!(", {} of {name}", percent(self.share())));
        Dot {
            series: self.name(variants),
            intensity: self.intensity,
            rate: self.rate,
            label: self.panel.name.to_owned(),
            title: format!("{}, {}: {figure}{roof}", self.name(variants), self.panel.label()),
            cell: self.row.record.cell.id,
        }
    }
}

fn spot<'a>(panel: &'a Panel<'a>, row: &'a MatrixRow<'a>, set: &Roofs, identity: &Identity) -> Option<Spot<'a>> {
    let work = row.record.cell.work;
    let timing = row.timing.filter(|_| row.is_ranked() && work.flops > 0.0 && work.bytes > 0.0)?;
    let rate = work.flops / (timing.median_s.value * work.operations());
    let intensity = work.flops / work.bytes;
    let slope = set.slope(&level(panel, identity));
    let peak = set.peaks.first()?;
    let roof = slope.map(|slope| match slope.rate * intensity {
        under if under < peak.rate => (format!("{} bandwidth", slope.name), under),
        _ => (format!("{} peak", peak.name), peak.rate),
    });
    (rate.is_finite() && rate > 0.0).then_some(Spot { panel, row, intensity, rate, roof })
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
