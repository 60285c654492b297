//! Interprets the flags of `paw app` as a request.

use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use paw_apps::expectation::{Expectation, OutputNeed};
use paw_apps::ignored_codes::IgnoredCodes;
use paw_apps::input;
use paw_apps::launch::Aslr;
use paw_apps::metric::Metric;
use paw_apps::plan;
use paw_apps::request::{AppRequest, LaunchOptions, NamedTemplate, OutputMode};
use paw_apps::sweep;
use paw_apps::template::Template;
use paw_apps::variables;
use paw_data::application::{
    Application, Better, COMMAND, NamedCommand, Reference, RooflineFacts, ThreadPoint, WorkFormula,
};
use paw_data::axis::{COPIES, THREADS};
use paw_data::point::{AxisValue, Point};
use paw_data::secondary::MetricName;
use paw_formula::Formula;
use paw_machine::threads::{PlacementOrder, ThreadFit, cpus_in};
use paw_measure::prepared_cell::Drive;
use paw_suites::choice::{ThreadPlacement, Threads};
use paw_suites::host::Host;
use paw_suites::placement::Placement;

use crate::amount;
use crate::cli::{AppArgs, RoofPrecision};
use crate::fail_on::FailOn;
use crate::failure::Failure;
use crate::method::count;
use crate::run_request;

mod axes;
mod commands;
mod method;

/// A request, and the facts that the run records of it.
#[derive(Debug)]
pub struct Interpreted {
    /// The request.
    pub request: AppRequest,
    /// The facts for the run's header.
    pub facts: Application,
    /// The comparisons that are an error.
    pub fail_on: Option<FailOn>,
}

/// An error of the command line, with the way out where -- was forgotten in front of a program's own flags.
pub fn explained(mut refused: clap::Error) -> clap::Error {
    let Some(ContextValue::String(argument)) = refused.get(ContextKind::InvalidArg) else { return refused };
    let typed: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(way_out) = commands::forgotten_separator(&typed, argument) {
        refused.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![way_out.into()]));
    }
    refused
}

/// Interprets `args` on this machine; `options.logs` is still empty.
pub fn interpret(args: &AppArgs, host: &Host) -> Result<Interpreted, Failure> {
    let mut commands = commands::commands(args)?;
    let other = |flag: &str, typed: &Option<String>| typed.as_deref().map(|text| line(args, flag, text)).transpose();
    let (mut axes, alternatives) = axes::axes(args)?;
    let against = against(args, &commands, (&axes, &alternatives))?;
    if let Some(reference) = &against.reference {
        axes::put_first(reference, &mut commands, &mut axes);
    }
    let base = if against.base_is_named { None } else { other("--base", &args.sweep.base)? };
    let metrics = args.reading.metric.iter().map(|text| Metric::parse(text).map_err(|e| wrong("--metric", e)));
    let metrics = metrics.collect::<Result<Vec<_>, _>>()?;
    let expectations = Expectation::all(&args.reading.verify).map_err(|e| wrong("--verify", e))?;
    let place = run_request::place(args.sweep.place);
    let threads = threads(args, host, place)?;
    let options = LaunchOptions {
        directory: None,
        logs: PathBuf::new(),
        outputs: outputs(args, &metrics, &expectations)?,
        stdin: args.launching.input.clone().filter(|file| file != Path::new("null")),
        timeout_s: args
            .launching
            .timeout
            .as_deref()
            .map(|text| amount::seconds(text).map_err(|e| wrong("--timeout", e)))
            .transpose()?,
        prepare: other("--prepare", &args.launching.prepare)?,
        conclude: other("--conclude", &args.launching.conclude)?,
        setup: other("--setup", &args.launching.setup)?,
        cleanup: other("--cleanup", &args.launching.cleanup)?,
        ignored: IgnoredCodes::parse(args.launching.ignore_failure.as_deref())
            .map_err(|why| wrong("--ignore-failure", why))?,
        aslr: if args.launching.no_aslr { Aslr::Off } else { Aslr::Kept },
    };
    let names = names(&axes, &threads);
    let compared = commands.len() > 1 || axes.iter().any(|(name, v)| alternatives.contains(name) && v.len() > 1);
    let amount =
        |flag: &str, typed: &Option<String>| typed.as_deref().map(|text| of_point(flag, text, &names)).transpose();
    let request = AppRequest {
        flops: amount("--flops", &args.reading.flops)?,
        bytes: amount("--bytes", &args.reading.bytes)?,
        drive: drive(args, &metrics)?,
        processors: processors(host, place),
        copies: copies(&args.sweep.copies, host)?,
        exclude: args.sweep.exclude.iter().map(|text| formula("--exclude", text)).collect::<Result<_, _>>()?,
        weak: weak(args, &axes)?,
        plan: method::plan(args, compared, against.reference.as_ref())?,
        commands,
        base,
        axes,
        alternatives,
        threads,
        options,
        metrics,
        expectations,
    };
    used(&request)?;
    let facts = facts(args, &request, against.reference, host)?;
    if let Some(work) = &facts.work {
        // What no sweep can be made of is refused when it is planned.
        let points = sweep::points(&plan::axes(&request), &request.exclude).unwrap_or_default();
        has_work(work, points.iter())?;
    }
    let fail_on = args.method.fail_on.as_deref().map(|text| FailOn::parse(text).map_err(|e| wrong("--fail-on", e)));
    Ok(Interpreted { request, facts, fail_on: fail_on.transpose()? })
}

/// What becomes of the outputs: as typed, or as little as metrics and expectations need.
fn outputs(args: &AppArgs, metrics: &[Metric], expectations: &[Expectation]) -> Result<OutputMode, Failure> {
    let by_metrics = if metrics.is_empty() { OutputNeed::None } else { OutputNeed::Ends };
    let need = expectations.iter().map(Expectation::need).fold(by_metrics, Ord::max);
    let typed = args.launching.output.as_deref().map(|typed| typed.to_string_lossy().into_owned());
    let mode = match typed.as_deref() {
        _ if args.launching.keep_output => OutputMode::Whole,
        _ if args.launching.show_output => OutputMode::Shown,
        Some("inherit") => OutputMode::Shown,
        Some("null") => OutputMode::Discarded,
        Some("pipe") => OutputMode::Ends,
        Some(file) => OutputMode::File(file.into()),
        None => match need {
            OutputNeed::None => OutputMode::Discarded,
            OutputNeed::Ends => OutputMode::Ends,
            OutputNeed::Whole => OutputMode::Whole,
        },
    };
    let gives = match mode {
        OutputMode::Discarded | OutputMode::Shown => OutputNeed::None,
        OutputMode::Ends => OutputNeed::Ends,
        OutputMode::Whole | OutputMode::File(_) => OutputNeed::Whole,
    };
    if gives < need {
        let sentence = format!("--metric or --verify reads what the program prints, which is {mode}");
        return Err(Failure::usage(sentence).hint("--keep-output keeps all of it, --output pipe its beginning and end"));
    }
    Ok(mode)
}

fn wrong(flag: &str, why: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("{flag}: {why}"))
}

/// Parses a command that was typed as one text.
fn line(args: &AppArgs, flag: &str, text: &str) -> Result<Template, Failure> {
    if args.launching.shell {
        Ok(Template::shell(text))
    } else {
        Template::parse_line(text).map_err(|e| wrong(flag, e))
    }
}

/// Parses a formula; the error has a caret at its place.
fn formula(flag: &str, text: &str) -> Result<Formula, Failure> {
    Formula::parse(text).map_err(|error| Failure::usage(format!("{flag}: {error}\n{}", error.caret())))
}

/// The names that a formula about a point may use.
fn names<'a>(axes: &'a [(String, Vec<AxisValue>)], threads: &[ThreadPoint]) -> Vec<&'a str> {
    let own = axes.iter().map(|(name, _)| name.as_str()).chain([COPIES]);
    own.chain((!threads.is_empty()).then_some(THREADS)).collect()
}

/// Parses a formula over `names`.
pub fn of_point(flag: &str, text: &str, names: &[&str]) -> Result<Formula, Failure> {
    let formula = formula(flag, text)?;
    let checked = formula.check_names(&|name| names.contains(&name));
    checked.map_err(|error| Failure::usage(format!("{flag}: {error}\n{}", error.caret())))?;
    Ok(formula)
}

/// What alternatives are held against.
struct Against {
    /// It, where it is not the fastest.
    reference: Option<Reference>,
    /// Whether --base names it, and no command of its own.
    base_is_named: bool,
}

/// What alternatives are held against: what --base names, or, where they are judged one by one, the first.
fn against(
    args: &AppArgs,
    commands: &[NamedTemplate],
    (axes, alternatives): (&axes::Axes, &[String]),
) -> Result<Against, Failure> {
    let base = args.sweep.base.as_deref();
    let named = base.and_then(|text| axes::named_reference(text, commands, (axes, alternatives)));
    let base_is_named = named.is_some();
    let is_judged = args.sweep.versus.is_some() || args.method.fail_on.is_some();
    let first = || is_judged.then(|| axes::first_reference(commands, axes, alternatives)).flatten();
    let reference = named.or_else(first);
    if args.method.fail_on.is_some() && reference.is_none() {
        return Err(Failure::usage("--fail-on needs something to compare: there is one command")
            .hint("several commands: paw app --fail-on slower './old' './new'; or values: --set mode=old,new"));
    }
    Ok(Against { reference, base_is_named })
}

/// Checks that every placeholder has values, and that every parameter appears in a command.
fn used(request: &AppRequest) -> Result<(), Failure> {
    plan::check(request).map_err(|error| Failure::usage(error.to_string()))?;
    let commands = request.commands.iter().map(|command| &command.template);
    let names: Vec<&str> = commands.chain(plan::asides(request)).flat_map(Template::names).collect();
    match request.axes.iter().find(|(axis, _)| !names.contains(&axis.as_str())) {
        Some((axis, _)) => Err(Failure::usage(format!(
            "--set {axis}: no command has {{{axis}}}, so that all its values would measure the same"
        ))),
        None => Ok(()),
    }
}

fn weak(args: &AppArgs, axes: &axes::Axes) -> Result<Option<String>, Failure> {
    let Some(weak) = &args.sweep.weak else { return Ok(None) };
    if args.sweep.threads.is_empty() {
        return Err(Failure::usage(format!("--weak {weak} grows with the threads, and there is no --threads"))
            .hint("--threads topology"));
    }
    axes::named("--weak", weak, axes)?;
    Ok(Some(weak.clone()))
}

fn copies(typed: &[String], host: &Host) -> Result<Vec<u32>, Failure> {
    let copies = |text: &String| run_request::at_once("--copies", "copies", count("--copies", text)?.into(), host);
    typed.iter().map(copies).collect()
}

fn threads(args: &AppArgs, host: &Host, place: ThreadPlacement) -> Result<Vec<ThreadPoint>, Failure> {
    let mut wanted = Vec::new();
    for text in &args.sweep.threads {
        let threads = run_request::thread_count(text, host)?;
        wanted.push(threads);
        if threads == Threads::Topology {
            wanted.push(Threads::Oversubscribed);
        }
    }
    Ok(host.placements(&wanted, place).into_iter().map(|placement| point(host, placement, place)).collect())
}

fn point(host: &Host, placement: Placement, place: ThreadPlacement) -> ThreadPoint {
    let mut cpus = placement.cpus;
    cpus.truncate(placement.threads as usize);
    let allowed = host.topology.allowed();
    let given = |cpu: u32| if cpus.is_empty() { allowed.contains(cpu) } else { cpus.contains(&cpu) };
    let hardware_threads = allowed.iter().filter(|cpu| given(*cpu)).count() as u32;
    let cores = host.topology.allowed_cores().iter().filter(|(_, of)| of.iter().any(given)).count() as u32;
    let place = match place {
        ThreadPlacement::Default | ThreadPlacement::Order(PlacementOrder::Cores) => "cores",
        ThreadPlacement::Order(PlacementOrder::Compact) => "compact",
        ThreadPlacement::Order(PlacementOrder::Scatter) => "scatter",
        ThreadPlacement::Unbound => "none",
    };
    ThreadPoint {
        threads: placement.threads,
        rule: placement.rule,
        cpus,
        place: place.to_owned(),
        oversubscribed: placement.fit == ThreadFit::Oversubscribed,
        hardware_threads,
        cores,
    }
}

/// All processors in the order in which threads take them; empty: unbound.
fn processors(host: &Host, place: ThreadPlacement) -> Vec<u32> {
    let all = host.topology.allowed().len() as u32;
    match place {
        ThreadPlacement::Unbound => Vec::new(),
        ThreadPlacement::Default => cpus_in(&host.topology, PlacementOrder::Cores, all),
        ThreadPlacement::Order(order) => cpus_in(&host.topology, order, all),
    }
}

/// The name of what decides when runs suffice: what is typed, or the headline; `None`: wall time.
fn driving(args: &AppArgs) -> Option<&str> {
    args.reading.drive.as_deref().or(args.reading.headline.as_deref())
}

fn drive(args: &AppArgs, metrics: &[Metric]) -> Result<Drive, Failure> {
    let reading = &args.reading;
    for (flag, name) in [("--headline", &reading.headline), ("--drive", &reading.drive)] {
        if let Some(name) = name.as_ref().filter(|name| !metrics.iter().any(|metric| metric.name == **name)) {
            return Err(Failure::usage(format!("{flag} {name}: there is no --metric {name}=")));
        }
    }
    let Some(name) = driving(args) else { return Ok(Drive::Time) };
    let column = MetricName::of_program(name);
    match metrics.iter().find(|metric| metric.name == name) {
        Some(metric) if metric.better == Better::Higher => Ok(Drive::Higher(column)),
        _ => Ok(Drive::Lower(column)),
    }
}

/// The facts for the run's header.
fn facts(
    args: &AppArgs,
    request: &AppRequest,
    against: Option<Reference>,
    host: &Host,
) -> Result<Application, Failure> {
    let inputs = args.reading.hash_input.iter().map(|path| input::read(path).map_err(|e| wrong("--hash-input", e)));
    let typed = |template: &Option<Template>| template.as_ref().map(|template| template.typed().to_vec());
    let (first, others) = request.commands.split_first().expect("there is a command");
    let known = plan::axes(request);
    let axes: Vec<&str> = known.iter().map(|(axis, _)| axis.as_str()).collect();
    let named = |one: &NamedTemplate| NamedCommand { name: one.name.clone(), command: one.template.typed().to_vec() };
    Ok(Application {
        command: first.template.typed().to_vec(),
        name: if first.name == COMMAND { String::new() } else { first.name.clone() },
        others: others.iter().map(named).collect(),
        shell: args.launching.shell,
        base: typed(&request.base),
        axes: request.axes.iter().map(|(name, _)| name.clone()).collect(),
        alternatives: request.alternatives.clone(),
        against,
        threads: request.threads.clone(),
        hardware_threads: host.topology.allowed().len() as u32,
        metrics: request.metrics.iter().map(Metric::fact).collect(),
        drive: driving(args).map(str::to_owned),
        headline: args.reading.headline.clone(),
        roofline: args.roofline.map(|asked| RooflineFacts {
            precision: (asked == RoofPrecision::Single).then_some(asked.into()),
            flops: args.reading.flops.clone(),
            bytes: args.reading.bytes.clone(),
            refused: String::new(),
        }),
        work: args.reading.work.as_deref().map(|text| work_formula(text, &axes)).transpose()?,
        weak: request.weak.clone(),
        inputs: inputs.collect::<Result<_, _>>()?,
        variables: if request.threads.is_empty() {
            Vec::new()
        } else {
            variables::COUNTS.iter().map(ToString::to_string).collect()
        },
        verify: args.reading.verify.clone(),
        timeout_s: request.options.timeout_s,
        output: request.options.outputs.to_string(),
        resumed: None,
    })
}

/// Parses `5738 + 1867*n events`: a formula, and after the last blank an optional unit.
pub fn work_formula(text: &str, axes: &[&str]) -> Result<WorkFormula, Failure> {
    let (typed, unit) = work_parts(text);
    of_point("--work", typed, axes)?;
    Ok(WorkFormula { formula: typed.trim().to_owned(), unit: unit.to_owned() })
}

/// Checks that `work` is a number above 0 at each of the `points`: without one a point has no throughput.
pub fn has_work<'p>(work: &WorkFormula, mut points: impl Iterator<Item = &'p Point>) -> Result<(), Failure> {
    let formula = formula("--work", &work.formula)?;
    let found = points.find_map(|point| match formula.evaluate(&|name| point.float(name)) {
        Ok(value) if value.is_finite() && value > 0.0 => None,
        Ok(value) => Some((value.to_string(), point)),
        Err(_) => Some(("no number".to_owned(), point)),
    });
    let Some((value, point)) = found else { return Ok(()) };
    let place =
        Some(point.to_string()).filter(|place| !place.is_empty()).map_or(String::new(), |at| format!(" at {at}"));
    Err(Failure::usage(format!("--work: `{}` is {value}{place}, and there is no throughput of it", work.formula))
        .hint("write a formula that is more than 0 at every point"))
}

/// The formula and the unit of `5738 + 1867*n events`.
pub fn work_parts(text: &str) -> (&str, &str) {
    let parts = text.trim().rsplit_once(char::is_whitespace);
    let named = parts.filter(|(rest, unit)| Formula::parse(rest).is_ok() && unit.starts_with(char::is_alphabetic));
    named.unwrap_or((text.trim(), "operations"))
}
