//! `paw kernel measure` and `paw kernel check` of a kernel on a device.

use std::path::{Path, PathBuf};

use paw_data::kernel::{Cache, Kernel, Question};
use paw_foreign::device::Backend;
use paw_kernels::builds::Built;
use paw_kernels::builds::identical::Identical;
use paw_kernels::builds::{compiler, jobs};
use paw_kernels::campaign::Planned;
use paw_kernels::device::request::DeviceRequest;
use paw_kernels::plan::KernelPlanner;
use paw_kernels::request::Workbench;
use paw_kernels::spec::device::{DeviceCache, DeviceSpec};
use paw_kernels::spec::{Language, Reference};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::{instrument, method};
use paw_suites::device_inventory::DeviceInventory;

use super::setup::{self, Setup};
use crate::amount::counted;
use crate::cli::{AskedArgs, Format};
use crate::exit::Code;
use crate::failure::Failure;
use crate::kernel::{TypedCounts, asked, wrong};
use crate::print;
use crate::selection::closest;
use crate::setting;
use crate::table::Table;

/// Compiles, measures or checks, saves, shows.
pub fn launch(spec: DeviceSpec, args: &AskedArgs, question: Question) -> Result<Code, Failure> {
    if let Some(flag) = of_processors(args) {
        return Err(not_of_a_device(flag, &spec));
    }
    let mut here = setup::here(&args.leaving)?;
    let request = request(spec, args, question)?;
    let spec = &request.spec;
    if args.leaving.dry_run {
        return dry_run(&request, args.leaving.format);
    }
    here.look_for_devices()?;
    let device = device(spec.backend, &here.host.devices, args.on.device.as_deref())?;
    let mut setup = Setup::open(here, &args.protocol, &args.leaving)?;
    // Launches are timed by the device and the monotonic clock, on any processor.
    let instrument = instrument::measure(&Clock::monotonic());
    let index = device.as_ref().map_or(0, |index| *index);
    setup.bench = Workbench { cpus: Vec::new(), device: index, threads: None, instrument, ..setup.bench };
    let mut sources = vec![spec.source.as_path(), spec.path.as_path()];
    let mut reference = None;
    if let Reference::Source(path, flags) = &spec.reference {
        sources.push(path);
        reference = device.is_ok().then(|| built(&setup, spec, path, flags)).transpose()?;
    }
    let bench = setup.bench.clone();
    let mut groups = KernelPlanner::new(&request, &bench, reference.as_ref()).groups();
    if let Err(why) = device {
        let missing = |planned: &mut Planned| planned.job.description = Err(Fault::Missing(why.clone()));
        groups.iter_mut().flatten().for_each(missing);
    }
    let facts = Kernel { device: spec.device(index), ..request.facts() };
    let mut session = setup.begin(&request.plan(), facts, &sources, groups.iter().map(Vec::len).sum())?;
    setup.measure(&request.plan(), question, groups, &mut session);
    let (run, fault) = setup.close(session, &args.protocol);
    setup.show(&args.leaving, &run, fault)
}

/// A typed flag that has no meaning for a device.
fn of_processors(args: &AskedArgs) -> Option<&'static str> {
    let AskedArgs { sizes, builds, protocol, .. } = args;
    let typed = [
        ("--levels", !sizes.levels.is_empty()),
        ("--n", sizes.n.is_some()),
        ("--caches", !sizes.caches.is_empty()),
        ("--ram", sizes.ram.is_some()),
        ("--rule", !sizes.rule.is_empty()),
        ("--compilers", !builds.compilers.is_empty()),
        ("--flags", !builds.flags.is_empty()),
        ("--variants", !builds.variants.is_empty()),
        ("--keep-identical", builds.keep_identical),
        ("--calls", protocol.calls.is_some()),
        ("--float", protocol.float.is_some()),
        ("--restore", protocol.restore.is_some()),
        ("--threads", protocol.threads.is_some()),
    ];
    typed.into_iter().find(|(_, is_typed)| *is_typed).map(|(flag, _)| flag)
}

/// Why a flag is refused.
pub fn not_of_a_device(flag: &str, spec: &DeviceSpec) -> Failure {
    let axes: Vec<&str> = spec.axes.iter().map(|axis| axis.name.as_str()).chain(["block"]).collect();
    Failure::usage(format!("{flag} belongs to kernels for a processor, and {} runs on a device", spec.name))
        .hint(format!("sizes are set with --set AXIS=VALUES; there are {}", axes.join(", ")))
}

fn request(mut spec: DeviceSpec, args: &AskedArgs, question: Question) -> Result<DeviceRequest, Failure> {
    for text in &args.on.set {
        let parted = setting::split(text).map_err(Failure::usage)?;
        spec.set(parted.axis, &parted.tokens.join(",")).map_err(|why| wrong("--set", why))?;
    }
    let mut measure = spec.measure.clone();
    if let Some(name) = &args.on.method {
        measure.method = method::preset(name).ok_or_else(|| unknown(name))?.name;
        measure.metas = None;
    }
    let TypedCounts { warmup, reps, metas } = TypedCounts::of(&args.protocol, measure.reps)?;
    measure.warmup = warmup.unwrap_or(measure.warmup);
    measure.reps = reps;
    measure.metas = metas.or(measure.metas);
    match args.protocol.cache.map(Into::into) {
        Some(Cache::Cold) => measure.cache = vec![DeviceCache::Cold],
        Some(Cache::Warm) => measure.cache = vec![DeviceCache::Warm],
        None => {}
    }
    asked(spec, question, measure, &args.protocol)
}

fn unknown(name: &str) -> Failure {
    let failure = wrong("--method", format!("`{name}` is no method"));
    match closest(name, method::NAMES.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("methods: {}", method::NAMES.join(", "))),
    }
}

/// The number of the device, or the reason why `backend` has none, if none was asked for by name.
fn device(backend: Backend, inventory: &DeviceInventory, typed: Option<&str>) -> Result<Result<u32, String>, Failure> {
    let here: Vec<u32> =
        inventory.devices().filter(|facts| facts.backend == backend).map(|facts| facts.index).collect();
    let asked = typed.map(|name| index(backend, name)).transpose()?;
    let missing =
        inventory.found().iter().find(|found| found.backend == backend).and_then(|found| found.missing.clone());
    if here.is_empty() {
        let why = missing.unwrap_or_else(|| format!("no device of {} was found", backend.title()));
        return match typed {
            Some(name) => Err(Failure::missing(format!("{name}: {why}"))),
            None => Ok(Err(why)),
        };
    }
    match asked.flatten() {
        Some(index) if here.contains(&index) => Ok(Ok(index)),
        Some(index) => {
            let names: Vec<String> = here.iter().map(|index| format!("{backend}{index}")).collect();
            Err(Failure::usage(format!("there is no device {backend}{index}; here: {}", names.join(", ")))
                .hint("`paw list --libraries` describes them"))
        }
        None => Ok(Ok(here[0])),
    }
}

/// The number in a device's name; `None` for the name of a back-end.
fn index(backend: Backend, name: &str) -> Result<Option<u32>, Failure> {
    let lower = name.to_ascii_lowercase();
    let word = backend.name();
    match lower.strip_prefix(word).map(|rest| (rest, rest.parse())) {
        Some(("", _)) => Ok(None),
        Some((_, Ok(index))) => Ok(Some(index)),
        _ => Err(wrong("--device", format!("`{name}` is no device that {} kernels run on", backend.title()))
            .hint(format!("write {word}, {word}0, {word}1"))),
    }
}

/// Builds the reference of the answers with the first C compiler found.
fn built(setup: &Setup, spec: &DeviceSpec, path: &Path, flags: &str) -> Result<Built, Failure> {
    let found = compiler::find(Language::C, &[], &compiler::environment_path()).into_iter().flatten();
    let compilers: Vec<_> = found.take(1).collect();
    if compilers.is_empty() {
        return Err(Failure::missing(format!("{} cannot be built: no compiler of C is on PATH", path.display()))
            .hint("install gcc or clang, or hold the answers against an `entry` or a `file`"));
    }
    let spec = spec.on_processor(PathBuf::from(path));
    let jobs = jobs(&spec, &compilers, &[flags.to_owned()]).map_err(|why| Failure::usage(why.to_string()))?;
    let mut builds = setup.build(&jobs, &spec, Identical::Keep, "reference");
    builds.pop().ok_or_else(|| Failure::nothing(format!("{} was not built", path.display())))
}

/// Prints the launches that would be made.
fn dry_run(request: &DeviceRequest, format: Format) -> Result<Code, Failure> {
    let spec = &request.spec;
    let mut table = Table::new(&["point", "block", "threads", "blocks", "caches"]);
    let caches: Vec<&str> = request.measure.cache.iter().map(|cache| cache.name()).collect();
    for point in spec.points() {
        for block in &spec.block {
            let place = spec.launch_point(&point, *block).map_err(|why| Failure::usage(why.to_string()))?;
            let grid = spec.grid(&place).map_err(|why| Failure::usage(why.to_string()))?;
            let axes: Vec<String> = place.axes.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let [threads, blocks] = [place.threads, grid.blocks].map(|number| number.to_string());
            table.row([&axes.join(" "), &block.to_string(), &threads, &blocks, &caches.join(", ")]);
        }
    }
    let mut text = table.written(format, print::width());
    if format == Format::Text {
        let launches = counted(spec.points().len() * spec.block.len() * caches.len(), "cell");
        let method = request.method(request.measure.cache[0]).name;
        text += &format!("\n{launches} by {method}; seed {}\nnothing was compiled or measured\n", request.seed);
    }
    print::show(&text)?;
    Ok(Code::Done)
}
