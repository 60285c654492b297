//! The plan of a request on this host: groups of cells to be interleaved, in order, with their placement.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use paw_data::axis;
use paw_data::cell::{Cell, Combine, Dat, Rank, Role};
use paw_data::headline::ReportPlace;
use paw_data::point::{AxisValue, Point};
use paw_data::precision::Precision;
use paw_foreign::device::DeviceKind;
use paw_measure::planned::{Campaign, Group, PlannedCell};

use crate::benchmark::{Axis, Benchmark, Providers, ReferenceProvider, Values};
use crate::choice::{CombineChoice, ProviderChoice, StartMode, Threads};
use crate::device::peer_pairs;
use crate::device_inventory::DeviceInventory;
use crate::device_sample::Depth;
use crate::device_set::DeviceGrouping;
use crate::estimate::{self, Operands};
use crate::host::Host;
use crate::ladder;
use crate::mpi;
use crate::placement::Placement;
use crate::plan_error::PlanError;
use crate::provider::{Provider, Resolved};
use crate::request::RunRequest;
use crate::teamwork::Teamwork;

pub mod questions;

/// A hash of the plan: equal on ranks that will make the same calls in the same order for `request`.
pub fn fingerprint(campaign: &Campaign<Assignment>, request: &RunRequest) -> u64 {
    let mut hasher = DefaultHasher::new();
    let RunRequest { ladder, start, warmup, plan, .. } = request;
    format!("{ladder:?} {start:?} {warmup:?} {plan:?}").hash(&mut hasher);
    for planned in campaign.cells() {
        let Cell { id, group, combine, point, .. } = &planned.cell;
        let is_here = matches!(planned.job.provider, Resolved::Here(_));
        format!("{id} {group} {} {point} {combine:?} {is_here}", planned.job.benchmark.name).hash(&mut hasher);
    }
    hasher.finish()
}

/// A cell of the catalogue.
pub type PlannedBenchmark = PlannedCell<Assignment>;

/// The benchmark, provider and placement of a cell of the catalogue.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The catalogue entry.
    pub benchmark: &'static Benchmark,
    /// The provider, or why there is none.
    pub provider: Resolved,
    /// Its processors, and the rule that chose them.
    pub placement: Placement,
}

/// What a cell on devices has in common with the others of its group on devices alike; `None` of other cells.
pub fn likeness(planned: &PlannedBenchmark, host: &Host) -> Option<String> {
    let Cell { benchmark, point, .. } = &planned.cell;
    Some(format!("{benchmark} {point} {}", host.devices.likeness(planned.job.provider.devices()?)))
}

/// Plans a request on a host: which cells, in which groups, on which processors.
pub fn plan(request: &RunRequest, host: &Host) -> Result<Campaign<Assignment>, PlanError> {
    let mut planner =
        Planner { request, host, next_cell: 0, first_group: 0, groups: Vec::new(), operands: Operands::default() };
    let (in_turn, others): (Vec<_>, Vec<_>) = request.benchmarks.iter().partition(|b| planner.is_in_turn(b));
    for benchmark in others {
        planner.benchmark(benchmark)?;
    }
    planner.questions(&in_turn)?;
    Ok(Campaign { groups: planner.groups })
}

/// The value that PAW has on an axis, where it is not the only default: it calls collectives back to back, its windows have one buffer, and
/// of the words that are all measured by default it has the first.
fn paws_variant(axis: &Axis) -> Option<(String, Vec<AxisValue>)> {
    let word = match (axis.name, &axis.values) {
        (axis::CADENCE, _) => axis::STREAMING,
        (axis::BUFFERS, _) => axis::ONE,
        (_, Values::Each(words)) => words.first()?,
        _ => return None,
    };
    Some((axis.name.to_owned(), vec![AxisValue::from(word)]))
}

/// The precision of the operations that a benchmark counts at a point: by the type of its numbers, where that is an axis.
fn precision(benchmark: &Benchmark, point: &Point) -> Option<Precision> {
    match point.text(axis::TYPE) {
        Some("f32") => Some(Precision::Single),
        Some("f16") => Some(Precision::Reduced),
        _ => benchmark.precision,
    }
}

struct Planner<'a> {
    request: &'a RunRequest,
    host: &'a Host,
    next_cell: u32,
    /// Number of the first group.
    first_group: u32,
    groups: Vec<Group<Assignment>>,
    operands: Operands,
}

impl Planner<'_> {
    /// Whether a benchmark has its turn among questions; PAW's methods measure it as PAW does.
    fn is_in_turn(&self, benchmark: &Benchmark) -> bool {
        let is_left_out = self.request.quick && self.is_of_this_processor(benchmark);
        benchmark.question.is_some() && !self.request.follows_paw() && !is_left_out
    }

    fn benchmark(&mut self, benchmark: &'static Benchmark) -> Result<(), PlanError> {
        if self.request.quick && self.is_of_this_processor(benchmark) {
            return Ok(());
        }
        let providers = self.providers(benchmark)?;
        let threads = match (&self.request.threads[..], benchmark.quick_threads) {
            ([], quick) if self.request.quick && !quick.is_empty() => quick,
            ([], _) => benchmark.common.threads,
            (typed, _) => typed,
        };
        let placements = match benchmark.common.providers {
            // The launcher has placed the ranks.
            Providers::Mpi(_) => vec![self.host.ranks.placement()],
            Providers::Device(_) => vec![self.host.beside()],
            Providers::Native | Providers::Blas(_) => self.host.placements(threads, self.request.place),
        };
        for points in ladder::points(benchmark, &self.axes(benchmark), self.host) {
            self.group(benchmark, &points, &providers, &placements);
        }
        Ok(())
    }

    /// Whether a benchmark of devices would find the host's own processor alone, which the quick assessment measures anyway.
    fn is_of_this_processor(&self, benchmark: &Benchmark) -> bool {
        let is_of_devices = matches!(benchmark.common.providers, Providers::Device(_));
        let mut devices = self.host.devices.devices().peekable();
        is_of_devices && devices.peek().is_some() && devices.all(|facts| facts.kind == DeviceKind::Cpu)
    }

    /// Axes as set by the user over those of the quick assessment, where this is one.
    fn axes(&self, benchmark: &Benchmark) -> BTreeMap<String, Vec<AxisValue>> {
        let mut axes = BTreeMap::new();
        if let (true, Some(quick)) = (self.request.quick, benchmark.quick) {
            for (name, values) in quick {
                axes.insert((*name).to_owned(), ladder::listed(values, self.host));
            }
        }
        if let (Some(steps), Some(ladder)) = (self.request.ladders.get(benchmark.name), benchmark.common.axes.first()) {
            axes.insert(ladder.name.to_owned(), steps.clone());
        }
        if self.request.follows_paw() && benchmark.dat.is_some() {
            axes.extend(benchmark.common.axes.iter().filter_map(paws_variant));
        }
        axes.extend(self.request.axes.clone());
        axes
    }

    fn providers(&self, benchmark: &Benchmark) -> Result<Vec<Resolved>, PlanError> {
        match benchmark.common.providers {
            Providers::Native => Ok(vec![Resolved::Here(Provider::native())]),
            Providers::Blas(routine) => self.host.blas_providers(routine, &self.request.providers, self.request.quick),
            Providers::Mpi(teamwork) => Ok(vec![self.host.ranks.provider(benchmark.name, teamwork)]),
            Providers::Device(together) => self.devices(benchmark, together),
        }
    }

    /// The devices of a benchmark: those typed, all, or of many alike those that stand for the others, and all at once.
    fn devices(&self, benchmark: &Benchmark, together: DeviceGrouping) -> Result<Vec<Resolved>, PlanError> {
        let devices = &self.host.devices;
        self.refuse_unknown()?;
        let is_one_set = together == DeviceGrouping::AtOnce;
        if is_one_set || benchmark.question.is_some() || !self.request.samples_devices() {
            return devices.providers(&self.request.providers, together);
        }
        let depths = [Depth::Detail, Depth::Answer].map(|depth| devices.sampled(together, depth));
        let [Some(mut sets), Some(every)] = depths else {
            return devices.providers(&self.request.providers, together);
        };
        sets.extend(every.into_iter().filter(|set| set.indexes.len() > 2));
        Ok(sets.into_iter().map(|set| Resolved::Here(Provider::devices(set))).collect())
    }

    /// Refuses a word that names neither a device nor a BLAS: every device would be measured in its place.
    fn refuse_unknown(&self) -> Result<(), PlanError> {
        let names = self.request.providers.iter().filter_map(|choice| match choice {
            ProviderChoice::Name(name) => Some(name),
            ProviderChoice::Path(_) => None,
        });
        let mut unknown = names.filter(|name| !DeviceInventory::understands(name) && !self.host.understands_blas(name));
        match unknown.next() {
            Some(name) => Err(PlanError::Usage(format!(
                "unknown provider '{name}'; devices here: {}. hint: `paw list --libraries` describes them",
                self.host.devices.listed()
            ))),
            None => Ok(()),
        }
    }

    fn group(&mut self, benchmark: &'static Benchmark, points: &[Point], providers: &[Resolved], places: &[Placement]) {
        let mut cells: Vec<PlannedBenchmark> = Vec::new();
        for point in points {
            let has_pair = |provider: &&Resolved| provider.devices().is_none_or(|set| peer_pairs::has(set, point));
            for placement in places {
                for provider in providers.iter().filter(has_pair) {
                    cells.push(self.planned(benchmark, point, provider, placement, Role::Subject));
                }
            }
        }
        for reference in benchmark.common.references {
            let entry = crate::named(reference.benchmark).expect("a reference names a benchmark of the catalogue");
            let (provider, own_places) = match reference.by {
                ReferenceProvider::Own => (Provider::native(), None),
                ReferenceProvider::BestBlas => {
                    (self.host.best_blas(), Some(self.host.placements(&[Threads::Cores], self.request.place)))
                }
            };
            let (provider, places) = (Resolved::Here(provider), own_places.as_deref().unwrap_or(places));
            for point in points.iter().filter_map(|point| (reference.point)(point, self.host)) {
                for placement in places {
                    let planned = self.planned(entry, &point, &provider, placement, reference.role);
                    if !cells.iter().any(|c| c.cell.benchmark == entry.name && c.cell.point == planned.cell.point) {
                        cells.push(planned);
                    }
                }
            }
        }
        for planned in &mut cells {
            planned.cell.id = self.next_cell;
            self.next_cell += 1;
        }
        let (method, ladder) = (&self.request.plan.method, self.request.ladder);
        let start_s: f64 = cells
            .iter()
            .map(|c| self.operands.start_s(&c.cell, &c.job.benchmark.common, c.job.placement.threads))
            .sum();
        let round_s = cells.iter().map(|c| estimate::round_s(&c.cell, ladder)).sum();
        let estimate_s = start_s + cells.iter().map(|c| estimate::cell_s(&c.cell, method, ladder)).sum::<f64>();
        let least_s = start_s + cells.iter().map(|c| estimate::least_s(&c.cell, ladder)).sum::<f64>();
        self.groups.push(Group { cells, estimate_s: Some(estimate_s), least_s, round_s: Some(round_s), share: None });
    }

    /// How the readings of ranks are combined: as typed, else as PAW's guide or PAW 1.6's code does under their methods, else as the
    /// benchmark states.
    fn combine(&self, benchmark: &Benchmark) -> Combine {
        let Providers::Mpi(Teamwork { combine, guide, .. }) = benchmark.common.providers else {
            return Combine::Single;
        };
        match self.request.combine {
            Some(CombineChoice::All(combine)) => combine,
            Some(CombineChoice::Guide) => guide,
            None if combine == Combine::Pairs => combine,
            None if self.request.follows_code() => Combine::Slowest,
            None if self.request.follows_paw() => guide,
            // A window needs a common clock: without one the first start is unknown.
            None if combine == Combine::Window && self.request.start == StartMode::Barrier => Combine::Slowest,
            None => combine,
        }
    }

    fn planned(
        &self,
        benchmark: &'static Benchmark,
        point: &Point,
        provider: &Resolved,
        placement: &Placement,
        role: Role,
    ) -> PlannedBenchmark {
        let is_mpi = matches!(benchmark.common.providers, Providers::Mpi(_));
        let devices = provider.devices();
        let (by, count) = match benchmark.common.providers {
            Providers::Mpi(_) => (axis::RANKS, self.host.ranks.calling(point) as i64),
            Providers::Device(_) => (axis::DEVICES, devices.map_or(1, |set| set.indexes.len()) as i64),
            Providers::Native | Providers::Blas(_) => (axis::THREADS, i64::from(placement.threads)),
        };
        let point = &point.clone().with(by, count);
        let size = benchmark.common.axes.first().map_or("", |axis| axis.name);
        // Messages are counted in doubles, and PAW's files in bytes.
        let element_bytes = is_mpi.then_some(mpi::ELEMENT_BYTES as u32);
        let dat = benchmark.dat.map(|(stem, title)| {
            let stem = devices.map_or_else(|| stem.to_owned(), |set| set.stem(stem));
            Dat { element_bytes, ..Dat::new(stem, title, size) }
        });
        let cell = Cell {
            role,
            group: self.first_group + self.groups.len() as u32,
            method: self.request.plan.method.name.as_str().into(),
            work: (benchmark.work)(point),
            formula: benchmark.formula.into(),
            report: Some(ReportPlace { precision: precision(benchmark, point), ..benchmark.report_place() }),
            combine: self.combine(benchmark),
            ranks: if is_mpi { Vec::new() } else { vec![Rank { cpus: placement.cpus.clone(), ..Rank::default() }] },
            team: is_mpi.then(|| mpi::partner::team(point)),
            dat: dat.filter(|_| role == Role::Subject).map(Box::new),
            ..Cell::new(
                benchmark.common.suite,
                benchmark.name,
                provider.name().to_owned(),
                benchmark.common.headline,
                point.clone(),
            )
        };
        PlannedBenchmark {
            cell,
            job: Assignment { benchmark, provider: provider.clone(), placement: placement.clone() },
        }
    }
}
