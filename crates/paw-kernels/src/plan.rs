//! Plans the cells of a request, with their groups and jobs: what processors and devices share, then the cells of processors.

use paw_data::build::Build;
use paw_data::cell::{Cell, Rank, Role};
use paw_data::kernel::{LEVEL, Level, SIZE, SUITE, VARIANT};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::fault::Fault;

use crate::builds::Built;
use crate::campaign::{KernelJob, Planned};
use crate::job::{Answers, Argument, CallJob, JobDescription};
use crate::request::{KernelRequest, Target, Workbench};
use crate::spec::{Measure, PointError, Reference, Spec};

/// Calls whose answers are compared if threads may race: a race need not show in one.
const REPEATS: u32 = 20;

/// Makes cells and numbers them.
pub struct KernelPlanner<'a, S: Target = Spec> {
    pub(crate) request: &'a KernelRequest<S>,
    pub(crate) bench: &'a Workbench,
    /// The build whose answers are the reference; `None` if the reference is no build.
    reference: Option<&'a Built>,
    next: u32,
}

impl<'a, S: Target> KernelPlanner<'a, S> {
    /// A planner without cells.
    pub fn new(request: &'a KernelRequest<S>, bench: &'a Workbench, reference: Option<&'a Built>) -> Self {
        Self { request, bench, reference, next: 0 }
    }

    /// `cell` with the next number, measured by `job`.
    pub(crate) fn planned(&mut self, cell: Cell, job: KernelJob) -> Planned {
        let id = self.next;
        self.next += 1;
        Planned { cell: Cell { id, method: job.method.name.as_str().into(), ..cell }, job }
    }

    /// A child's use of its answers; those of a reference build at this point are in the file `point` of the answers.
    pub(crate) fn answers(&self, point: &str) -> Answers {
        match self.request.spec.reference().0 {
            Reference::File(path) => Answers::AgainstNumbers(path.clone()),
            Reference::Function(name) => Answers::AgainstFunction(name.clone()),
            Reference::First | Reference::Build { .. } | Reference::Source(..) => match self.reference {
                Some(_) => Answers::Against(self.bench.answers.join(format!("{point}.bin"))),
                None => Answers::Repeatable,
            },
        }
    }

    /// The job of the reference build, if `answers` are compared with its own.
    pub(crate) fn reference(
        &self,
        answers: &Answers,
        measure: &Measure,
        arguments: Result<Vec<Argument>, Fault>,
    ) -> Option<Result<CallJob, Fault>> {
        let (Answers::Against(path), Some(built)) = (answers, self.reference) else { return None };
        Some(self.call(built, measure, Answers::Write(path.clone()), arguments))
    }

    /// The job of a child that calls `built`.
    fn call(
        &self,
        built: &Built,
        measure: &Measure,
        answers: Answers,
        arguments: Result<Vec<Argument>, Fault>,
    ) -> Result<CallJob, Fault> {
        let spec = &self.request.spec;
        Ok(CallJob {
            library: built.library.clone().map_err(Fault::Broken)?,
            function: built.function.clone(),
            arguments: arguments?,
            result: spec.result(),
            seed: measure.seed,
            warmup: measure.warmup,
            warmup_s: measure.warmup_s,
            calls: measure.calls,
            cache: measure.cache,
            float: measure.float,
            restore: measure.restore,
            repeats: if self.races(built) { REPEATS } else { 1 },
            instrument: self.bench.instrument.clone(),
            answers,
            tolerance: spec.reference().1,
            change: None,
        })
    }

    /// Whether threads of `built` may race: it was linked with a library of threads and has several processors.
    fn races(&self, built: &Built) -> bool {
        !built.build.runtime.is_empty() && self.bench.threads.is_some_and(|threads| threads > 1)
    }
}

/// Why a cell has no job: its point does not exist.
pub(crate) fn refused(why: PointError) -> Fault {
    Fault::Broken(why.to_string())
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

impl CellSettings<'_> {
    /// A subject of the group `group` at the size `n`, measured as `measure` says.
    pub fn new(group: u32, n: u64, measure: Measure) -> Self {
        Self { group, level: None, n, role: Role::Subject, measure, axes: Vec::new() }
    }
}

impl KernelPlanner<'_> {
    /// The cells of one level, one for each build, with their roles: base, residency or subject.
    pub fn level(&mut self, group: u32, level: &Level, builds: &[Built]) -> Vec<Planned> {
        let base = base(builds, self.request);
        let cell = |(number, built): (usize, &Built)| {
            let role = match (built.is_residency(), base == Some(number)) {
                (true, _) => Role::Bandwidth,
                (false, true) => Role::Base,
                (false, false) => Role::Subject,
            };
            let spot = CellSettings::new(group, level.n, self.request.measure);
            self.cell(built, CellSettings { level: Some(&level.name), role, ..spot })
        };
        builds.iter().enumerate().map(cell).collect()
    }

    /// The next cell: `built` with the settings `spot`.
    pub fn cell(&mut self, built: &Built, spot: CellSettings<'_>) -> Planned {
        let (request, bench) = (self.request, self.bench);
        let (spec, measure) = (&request.spec, &spot.measure);
        // A residency variant computes something else than the reference.
        let answers = if built.is_residency() { Answers::Repeatable } else { self.answers(&format!("n={}", spot.n)) };
        let arguments = self.arguments(spot.n);
        let reference = self.reference(&answers, measure, arguments.clone());
        let description = self.call(built, measure, answers, arguments).map(JobDescription::Call);
        let pinned = (!bench.cpus.is_empty()).then(|| Rank { cpus: bench.cpus.clone(), ..Rank::default() });
        let point = point(&spot, &built.build, request);
        let cell = Cell {
            role: spot.role,
            group: spot.group,
            work: self.work(spot.n),
            formula: format!("time of one of {} iterations of a call", spec.iterations).into(),
            ranks: pinned.into_iter().collect(),
            build: Some(Box::new(built.build.clone())),
            ..Cell::new(SUITE, &spec.name, built.build.name(), Quantity::Time, point)
        };
        self.planned(cell, KernelJob { method: request.method_of(measure), description, reference, alternative: 0 })
    }

    /// The job of one call of `built` at the size `n`, whose answers are not checked.
    ///
    /// # Errors
    /// It was not built, or does not fit into memory.
    pub fn unchecked(&self, built: &Built, n: u64) -> Result<CallJob, Fault> {
        self.call(built, &self.request.measure, Answers::Repeatable, self.arguments(n))
    }

    /// The arguments of a call at the size `n`, if the kernel exists there and fits into memory.
    fn arguments(&self, n: u64) -> Result<Vec<Argument>, Fault> {
        let spec = &self.request.spec;
        spec.iterations_at(n).map_err(refused)?;
        let arguments = spec.arguments(n).map_err(refused)?;
        let bytes = spec.footprint_bytes(n).map_err(refused)?;
        if bytes as f64 > self.bench.free_bytes {
            let (needed, free) = (bytes as f64 / 1e9, self.bench.free_bytes / 1e9);
            return Err(Fault::Missing(format!(
                "n = {n} needs {needed:.1} GB of memory and {free:.1} GB are free; choose a smaller size"
            )));
        }
        Ok(arguments)
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
