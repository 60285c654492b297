//! Plans the cells of a request, with their groups and jobs.

use std::path::PathBuf;

use paw_data::build::Build;
use paw_data::cell::{Cell, Combine, Rank, Role};
use paw_data::kernel::{LEVEL, Level, SIZE, SUITE, VARIANT};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::fault::Fault;

use crate::builds::Built;
use crate::campaign::{KernelJob, Planned};
use crate::job::{Answers, CallJob, JobDescription};
use crate::request::{KernelRequest, Workbench};
use crate::spec::{Measure, Reference};

/// Calls whose answers are compared if threads may race: a race need not show in one.
const REPEATS: u32 = 20;

/// Makes cells and numbers them.
pub struct KernelPlanner<'a> {
    request: &'a KernelRequest,
    bench: &'a Workbench,
    /// The build whose answers are the reference; `None` if the reference is no build.
    reference: Option<&'a Built>,
    next: u32,
}

/// The group, size and settings of a cell.
#[derive(Debug, Clone)]
pub struct CellSettings<'a> {
    /// Number of its group.
    pub group: u32,
    /// The name of its level; `None` if sizes are varied.
    pub level: Option<&'a str>,
    /// Its size.
    pub n: u64,
    /// Its role in the group.
    pub role: Role,
    /// How it is measured.
    pub measure: Measure,
    /// Further axes of its point.
    pub axes: Vec<(&'static str, i64)>,
}

impl<'a> KernelPlanner<'a> {
    /// A planner without cells.
    pub fn new(request: &'a KernelRequest, bench: &'a Workbench, reference: Option<&'a Built>) -> Self {
        Self { request, bench, reference, next: 0 }
    }

    /// The cells of one level, one for each build, with their roles: base, residency or subject.
    pub fn level(&mut self, group: u32, level: &Level, builds: &[Built]) -> Vec<Planned> {
        let base = base(builds, self.request);
        let cell = |(number, built): (usize, &Built)| {
            let role = match (built.is_residency(), base == Some(number)) {
                (true, _) => Role::Bandwidth,
                (false, true) => Role::Base,
                (false, false) => Role::Subject,
            };
            let measure = self.request.measure;
            let spot = CellSettings { group, level: Some(&level.name), n: level.n, role, measure, axes: Vec::new() };
            self.cell(built, spot)
        };
        builds.iter().enumerate().map(cell).collect()
    }

    /// The next cell: `built` with the settings `spot`.
    pub fn cell(&mut self, built: &Built, spot: CellSettings<'_>) -> Planned {
        let id = self.next;
        self.next += 1;
        let spec = &self.request.spec;
        let answers = self.answers(built, spot.n);
        let job = self.job(built, spot.n, &spot.measure, answers.clone());
        let reference = match (&answers, self.reference) {
            (Answers::Against(path), Some(reference)) => {
                Some(self.job(reference, spot.n, &spot.measure, Answers::Write(path.clone())))
            }
            _ => None,
        };
        let method = self.request.method_of(&spot.measure);
        let cpus = &self.bench.cpus;
        let pinned = (!cpus.is_empty()).then(|| Rank { cpus: cpus.clone(), ..Rank::default() });
        let cell = Cell {
            id,
            benchmark: spec.name.clone(),
            suite: SUITE.to_owned(),
            provider: built.build.name(),
            role: spot.role,
            group: spot.group,
            point: point(&spot, &built.build, self.request),
            method: method.name.clone(),
            work: self.work(spot.n),
            formula: format!("time of one of {} iterations of a call", spec.iterations),
            headline: Quantity::Time,
            report: None,
            combine: Combine::Single,
            instrument: 0,
            ranks: pinned.into_iter().collect(),
            team: None,
            library: None,
            build: Some(built.build.clone()),
            dat: None,
        };
        let description = job.map(JobDescription::Call);
        Planned { cell, job: KernelJob { method, description, reference, alternative: 0 } }
    }

    /// Whether threads of `built` may race: it was linked with a library of threads and has several processors.
    fn races(&self, built: &Built) -> bool {
        !built.build.runtime.is_empty() && self.bench.threads.is_some_and(|threads| threads > 1)
    }

    /// A child's use of the answers of `built` at the size `n`. A residency variant computes something else than the reference.
    fn answers(&self, built: &Built, n: u64) -> Answers {
        match &self.request.spec.reference {
            _ if built.is_residency() => Answers::Repeatable,
            Reference::File(path) => Answers::AgainstNumbers(path.clone()),
            Reference::Function(name) => Answers::AgainstFunction(name.clone()),
            Reference::First | Reference::Build { .. } => match self.reference {
                Some(_) => Answers::Against(self.file(n)),
                None => Answers::Repeatable,
            },
        }
    }

    fn file(&self, n: u64) -> PathBuf {
        self.bench.answers.join(format!("n={n}.bin"))
    }

    fn job(&self, built: &Built, n: u64, measure: &Measure, answers: Answers) -> Result<CallJob, Fault> {
        let spec = &self.request.spec;
        let library = built.library.clone().map_err(Fault::Broken)?;
        let wrong = |why: String| Fault::Broken(why);
        spec.iterations_at(n).map_err(|why| wrong(why.to_string()))?;
        let arguments = spec.arguments(n).map_err(|why| wrong(why.to_string()))?;
        let bytes = spec.footprint_bytes(n).map_err(|why| wrong(why.to_string()))?;
        if bytes as f64 > self.bench.free_bytes {
            let (needed, free) = (bytes as f64 / 1e9, self.bench.free_bytes / 1e9);
            return Err(Fault::Missing(format!(
                "n = {n} needs {needed:.1} GB of memory and {free:.1} GB are free; choose a smaller size"
            )));
        }
        Ok(CallJob {
            library,
            function: built.function.clone(),
            arguments,
            result: spec.signature.result,
            seed: measure.seed,
            warmup: measure.warmup,
            calls: measure.calls,
            cache: measure.cache,
            float: measure.float,
            restore: measure.restore,
            repeats: if self.races(built) { REPEATS } else { 1 },
            instrument: self.bench.instrument.clone(),
            answers,
            tolerance: spec.tolerance,
        })
    }

    fn work(&self, n: u64) -> Work {
        let spec = &self.request.spec;
        Work {
            operations: spec.iterations_at(n).map_or(1.0, |iterations| iterations as f64),
            flops: spec.flops_at(n).ok().flatten().unwrap_or(0.0),
            bytes: spec.bytes_at(n).unwrap_or(0.0),
            ..Work::default()
        }
    }
}

fn point(spot: &CellSettings<'_>, build: &Build, request: &KernelRequest) -> Point {
    let mut point = Point::new();
    if let Some(level) = spot.level {
        point.set(LEVEL, level.into());
    }
    point.set(SIZE, (spot.n as i64).into());
    if !request.spec.variants.is_empty() {
        point.set(VARIANT, build.variant.as_str().into());
    }
    for (axis, value) in &spot.axes {
        point.set(axis, (*value).into());
    }
    point
}

/// The base of speed-ups, by its place among `builds`: the build that the spec names as the reference, else the first of its variant, else
/// the first that computes.
pub fn base(builds: &[Built], request: &KernelRequest) -> Option<usize> {
    let named = |built: &Built| {
        let Build { variant, compiler, flags, label, .. } = &built.build;
        request.spec.reference.fits(variant, compiler, [flags, label])
    };
    let first = |fits: &dyn Fn(&Built) -> bool| builds.iter().position(|built| !built.is_residency() && fits(built));
    let variant = request.spec.reference_variant().map_or("", |variant| &variant.name);
    first(&named).or_else(|| first(&|built| built.build.variant == variant)).or_else(|| first(&|_| true))
}
