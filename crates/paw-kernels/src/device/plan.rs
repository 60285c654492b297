//! Plans the cells of a kernel on a device, with their jobs.

use paw_data::axis;
use paw_data::build::Build;
use paw_data::cell::Cell;
use paw_data::kernel::{Calls, Question, SUITE};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::device::Backend;
use paw_measure::fault::Fault;

use crate::campaign::{KernelJob, Planned};
use crate::job::{Answers, Argument, JobDescription, LaunchJob, ProgramSource};
use crate::plan::{KernelPlanner, refused};
use crate::spec::device::point::LaunchPoint;
use crate::spec::device::{BLOCK, CACHE, DeviceCache, DeviceSpec, Include};
use crate::spec::{Measure, Parameter, PointError, Reference};

impl KernelPlanner<'_, DeviceSpec> {
    /// All cells of the request, one group for each point: blocks and states of the caches are alternatives. A check has one state,
    /// because caches do not change answers.
    pub fn groups(&mut self) -> Vec<Vec<Planned>> {
        let request = self.request;
        let caches = match request.question {
            Question::Check => &request.measure.cache[..1],
            _ => &request.measure.cache,
        };
        let group = |(number, axes): (u32, Vec<u64>)| {
            let alternatives =
                request.spec.block.iter().flat_map(|block| caches.iter().map(move |cache| (*block, *cache)));
            let cell = |(alternative, (block, cache)): (usize, (u32, DeviceCache))| {
                let mut point = self.point(&axes, block);
                if caches.len() > 1 {
                    point.set(CACHE, cache.name().into());
                }
                self.launch((number, alternative), point, request.spec.launch_point(&axes, block), cache)
            };
            alternatives.enumerate().map(cell).collect()
        };
        (0..).zip(request.spec.points()).map(group).collect()
    }

    fn point(&self, axes: &[u64], block: u32) -> Point {
        let spec = &self.request.spec;
        let mut point = Point::new();
        for (axis, value) in spec.axes.iter().zip(axes) {
            point.set(&axis.name, i64::try_from(*value).unwrap_or(i64::MAX).into());
        }
        point.set(axis::DEVICES, 1_i64.into());
        if spec.block.len() > 1 {
            point.set(BLOCK, i64::from(block).into());
        }
        point
    }

    /// The next cell, an alternative of a group: the kernel launched at `place`.
    fn launch(
        &mut self,
        (group, alternative): (u32, usize),
        point: Point,
        place: Result<LaunchPoint<'_>, PointError>,
        cache: DeviceCache,
    ) -> Planned {
        let request = self.request;
        let spec = &request.spec;
        let place = place.map_err(refused);
        let axes = place.iter().flat_map(|place| &place.axes);
        let names: Vec<String> = axes.map(|(name, value)| format!("{name}={value}")).collect();
        let answers = self.answers(&if names.is_empty() { "answers".to_owned() } else { names.join(",") });
        let arguments = place.clone().and_then(|place| spec.arguments(&place).map_err(refused));
        let once = Measure { seed: request.measure.seed, warmup: 0, calls: Calls::Fenced, ..Measure::default() };
        let reference = self.reference(&answers, &once, arguments.clone());
        let work = place.as_ref().map(|place| spec.work(place));
        let (flops, bytes) = work.map_or((None, None), |work| work.unwrap_or_default());
        let job = place.and_then(|place| self.job(&place, arguments, cache, answers));
        let cell = Cell {
            group,
            work: Work { flops: flops.unwrap_or(0.0), bytes: bytes.unwrap_or(0.0), ..Work::default() },
            formula: match request.measure.include {
                Include::Kernel => "time of a launch".into(),
                Include::Transfer => "time of a launch with its transfers".into(),
            },
            build: Some(Box::new(Build {
                compiler: spec.backend.title().to_owned(),
                flags: spec.options.join(" "),
                command: spec.options.clone(),
                ..Build::default()
            })),
            ..Cell::new(SUITE, &spec.name, spec.device(self.bench.device), Quantity::Time, point)
        };
        let description = job.map(|job| JobDescription::Launch(Box::new(job)));
        self.planned(cell, KernelJob { method: request.method(cache), description, reference, alternative })
    }

    fn job(
        &self,
        place: &LaunchPoint<'_>,
        arguments: Result<Vec<Argument>, Fault>,
        cache: DeviceCache,
        answers: Answers,
    ) -> Result<LaunchJob, Fault> {
        let (spec, measure) = (&self.request.spec, &self.request.measure);
        let grid = spec.grid(place).map_err(refused)?;
        let arguments = spec.signature.parameters.iter().zip(arguments?);
        Ok(LaunchJob {
            backend: spec.backend,
            index: self.bench.device,
            program: self.program(),
            entry: spec.entry.clone(),
            blocks: grid.blocks,
            block: grid.threads,
            shared_bytes: grid.shared_bytes,
            threads: place.threads,
            arguments: arguments.map(|(parameter, found)| argument(parameter, found)).collect(),
            seed: measure.seed,
            warmup: measure.warmup,
            cache,
            include: measure.include,
            host: measure.host.name().to_owned(),
            answers,
            tolerance: spec.tolerance,
        })
    }

    fn program(&self) -> ProgramSource {
        let spec = &self.request.spec;
        let mut names = vec![spec.entry.clone()];
        if let Reference::Function(entry) = &spec.reference {
            names.push(entry.clone());
        }
        // OpenCL C has no templates; the compilers of C++ get every name, so that a kernel need not be `extern "C"`.
        names.retain(|_| spec.backend != Backend::OpenCl);
        ProgramSource {
            text: spec.text.clone(),
            words: spec.words.clone(),
            name: spec.source.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            options: spec.options.clone(),
            names,
            log: self.bench.builds.join(format!("{}.log", spec.name)),
        }
    }
}

/// `found` in the width of the device's register.
fn argument(parameter: &Parameter, found: Argument) -> Argument {
    match found {
        // The low half of two's complement, as a register of 32 bits has it.
        Argument::Whole(value) if parameter.element.bytes() <= 4 => Argument::Narrow(value as i32),
        other => other,
    }
}
