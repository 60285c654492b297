//! Plans the cells of a kernel on a device, with their jobs.

use std::path::Path;

use paw_data::axis;
use paw_data::build::Build;
use paw_data::cell::Cell;
use paw_data::kernel::{Cache, Calls, Float, SUITE};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::device::Backend;
use paw_measure::fault::Fault;

use super::request::DeviceRequest;
use crate::builds::Built;
use crate::campaign::{KernelJob, Planned};
use crate::job::{Answers, Argument, CallJob, JobDescription, LaunchJob, ProgramSource};
use crate::request::Workbench;
use crate::spec::device::point::LaunchPoint;
use crate::spec::device::{BLOCK, CACHE, DeviceCache, DeviceReference, Include};
use crate::spec::{Parameter, PointError};

/// All cells of a request, one group for each point: blocks and states of the caches are alternatives.
pub fn groups(request: &DeviceRequest, bench: &Workbench, reference: Option<&Built>) -> Vec<Vec<Planned>> {
    let mut id = 0;
    let group = |(number, point): (u32, Vec<u64>)| {
        let blocks = request.spec.block.iter();
        let alternatives = blocks.flat_map(|block| request.measure.cache.iter().map(move |cache| (*block, *cache)));
        let cell = |(alternative, (block, cache)): (usize, (u32, DeviceCache))| {
            id += 1;
            planned((request, bench, reference), (id - 1, number, alternative), &point, (block, cache))
        };
        alternatives.enumerate().map(cell).collect()
    };
    (0..).zip(request.spec.points()).map(group).collect()
}

/// The cells of a check: one state of the caches, which do not change answers.
pub fn checks(request: &DeviceRequest, bench: &Workbench, reference: Option<&Built>) -> Vec<Vec<Planned>> {
    let mut request = request.clone();
    request.measure.cache.truncate(1);
    groups(&request, bench, reference)
}

fn planned(
    (request, bench, reference): (&DeviceRequest, &Workbench, Option<&Built>),
    (id, group, alternative): (u32, u32, usize),
    axes: &[u64],
    (block, cache): (u32, DeviceCache),
) -> Planned {
    let spec = &request.spec;
    let place = spec.launch_point(axes, block).map_err(refused);
    let answers = answers(request, bench, axes);
    let job = place
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|place| job(request, bench, place, (cache, answers.clone())).map_err(refused));
    let reference = match (&answers, reference) {
        (Answers::Against(path), Some(built)) => Some(place.as_ref().map_err(Clone::clone).and_then(|place| {
            let arguments = spec.arguments(place).map_err(refused)?;
            processor(request, bench, (built, path), arguments)
        })),
        _ => None,
    };
    let method = request.method(cache);
    let work = place.as_ref().map(|place| spec.work(place));
    let (flops, bytes) = work.map_or((None, None), |work| work.unwrap_or_default());
    let point = point(request, axes, block, cache);
    let cell = Cell {
        id,
        group,
        method: method.name.clone(),
        work: Work { flops: flops.unwrap_or(0.0), bytes: bytes.unwrap_or(0.0), ..Work::default() },
        formula: match request.measure.include {
            Include::Kernel => "time of a launch".to_owned(),
            Include::Transfer => "time of a launch with its transfers".to_owned(),
        },
        build: Some(Build {
            compiler: request.backend().title().to_owned(),
            flags: spec.options.join(" "),
            command: spec.options.clone(),
            ..Build::default()
        }),
        ..Cell::new(SUITE, &spec.name, request.device(), Quantity::Time, point)
    };
    let description = job.map(|job| JobDescription::Launch(Box::new(job)));
    Planned { cell, job: KernelJob { method, description, reference, alternative } }
}

/// The job of the reference, which writes its answers into the file at `path`.
fn processor(
    request: &DeviceRequest,
    bench: &Workbench,
    (built, path): (&Built, &Path),
    arguments: Vec<Argument>,
) -> Result<CallJob, Fault> {
    Ok(CallJob {
        library: built.library.clone().map_err(Fault::Broken)?,
        function: built.function.clone(),
        arguments,
        result: None,
        seed: request.measure.seed,
        warmup: 0,
        calls: Calls::Fenced,
        cache: Cache::Warm,
        float: Float::AsLinked,
        restore: None,
        repeats: 1,
        instrument: bench.instrument.clone(),
        answers: Answers::Write(path.to_owned()),
        tolerance: request.spec.tolerance,
    })
}

fn refused(why: PointError) -> Fault {
    Fault::Broken(why.to_string())
}

fn answers(request: &DeviceRequest, bench: &Workbench, axes: &[u64]) -> Answers {
    match &request.spec.reference {
        DeviceReference::Repeated => Answers::Repeatable,
        DeviceReference::File(path) => Answers::AgainstNumbers(path.clone()),
        DeviceReference::Function(entry) => Answers::AgainstFunction(entry.clone()),
        DeviceReference::Processor(..) => {
            let names: Vec<String> =
                request.spec.axes.iter().zip(axes).map(|(axis, value)| format!("{}={value}", axis.name)).collect();
            let name = if names.is_empty() { "answers".to_owned() } else { names.join(",") };
            Answers::Against(bench.answers.join(format!("{name}.bin")))
        }
    }
}

fn job(
    request: &DeviceRequest,
    bench: &Workbench,
    place: &LaunchPoint<'_>,
    (cache, answers): (DeviceCache, Answers),
) -> Result<LaunchJob, PointError> {
    let spec = &request.spec;
    let grid = spec.grid(place)?;
    let found = spec.arguments(place)?;
    let arguments = spec.signature.parameters.iter().zip(found).map(|(parameter, found)| argument(parameter, found));
    let measure = &request.measure;
    Ok(LaunchJob {
        backend: spec.backend,
        index: request.index,
        program: text(request, bench),
        entry: spec.entry.clone(),
        blocks: grid.blocks,
        block: grid.threads,
        shared_bytes: grid.shared_bytes,
        threads: place.threads,
        arguments: arguments.collect(),
        seed: measure.seed,
        warmup: measure.warmup,
        cache,
        include: measure.include,
        host: measure.host.name().to_owned(),
        answers,
        tolerance: spec.tolerance,
    })
}

fn text(request: &DeviceRequest, bench: &Workbench) -> ProgramSource {
    let spec = &request.spec;
    let mut names = vec![spec.entry.clone()];
    if let DeviceReference::Function(entry) = &spec.reference {
        names.push(entry.clone());
    }
    // OpenCL C has no templates; CUDA's compiler gets every name, so that a kernel need not be `extern "C"`.
    names.retain(|_| spec.backend == Backend::Cuda);
    ProgramSource {
        text: request.text.clone(),
        name: spec.source.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        options: spec.options.clone(),
        names,
        log: bench.builds.join(format!("{}.log", spec.name)),
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

fn point(request: &DeviceRequest, axes: &[u64], block: u32, cache: DeviceCache) -> Point {
    let mut point = Point::new();
    for (axis, value) in request.spec.axes.iter().zip(axes) {
        point.set(&axis.name, i64::try_from(*value).unwrap_or(i64::MAX).into());
    }
    point.set(axis::DEVICES, 1_i64.into());
    if request.spec.block.len() > 1 {
        point.set(BLOCK, i64::from(block).into());
    }
    if request.measure.cache.len() > 1 {
        point.set(CACHE, cache.name().into());
    }
    point
}
