//! The request of `paw run`, from flags and variables. No other room sees a flag.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use paw_data::axis;
use paw_data::method::{Method, Plan};
use paw_data::point::AxisValue;
use paw_machine::threads::{self, PlacementOrder};
use paw_measure::watchdog::PATIENCE_MIN_S;
use paw_suites::benchmark::{Axis, Benchmark, Values};
use paw_suites::choice::{
    CombineChoice, Ladder, ProviderChoice, StartMode, ThreadPlacement, Threads, WorkerEnvironment,
};
use paw_suites::device;
use paw_suites::host::Host;
use paw_suites::request::RunRequest;

use crate::amount;
use crate::cli::{self, RunArgs};
use crate::config::Config;
use crate::environment::EnvVars;
use crate::failure::Failure;
use crate::job::{self, is_mpi};
use crate::method::{self, is_paws};
use crate::selection::{self, Catalogue, Selection, Vocabulary, closest};
use crate::setting;
use crate::variable::FAMILIES;

/// Axes with the values set for them.
type Axes = BTreeMap<String, Vec<AxisValue>>;

/// The quick assessment ends within two minutes; discovery, workers and the report take the rest.
const QUICK_BUDGET_S: f64 = 100.0;

/// The inputs of a request.
#[derive(Debug)]
pub struct RequestInputs<'a> {
    pub args: &'a RunArgs,
    /// All benchmarks.
    pub catalogue: &'a Catalogue,
    pub host: &'a Host,
    /// Environment variables in effect.
    pub env: &'a EnvVars,
    /// The settings of `paw.toml`.
    pub config: &'a Config,
    /// The program started as worker, with its first arguments.
    pub worker: (PathBuf, Vec<String>),
    /// The seed, unless one was typed.
    pub seed: u64,
}

/// PAW's variable for the first loop count of transfers to coprocessors.
const COPROCESSOR_LOOPS: &str = "NLOOP_PHI_MAX";

/// A request, with notes on settings that may surprise the user.
#[derive(Debug)]
pub struct Interpreted {
    pub request: RunRequest,
    /// One sentence for each surprising setting.
    pub notes: Vec<String>,
}

/// The request of flags and variables.
pub fn interpret(asked: &RequestInputs<'_>) -> Result<Interpreted, Failure> {
    let RequestInputs { args, catalogue, env, .. } = asked;
    env.check()?;
    let quick = args.names.is_empty();
    let selection = if quick { quick_selection(catalogue) } else { selection::select(&args.names, catalogue)? };
    let chosen = method::choose(&args.measuring, env)?;
    let mut notes = chosen.notes;
    let mut axes = settings(&args.points.set, &selection.benchmarks, asked.host)?;
    lasting(args.points.lasting.as_deref(), &selection.benchmarks, &mut axes)?;
    let typed = axes.clone();
    window(env, &selection, &mut axes);
    if args.ranks.ack {
        axes.entry(axis::ACK.to_owned()).or_insert_with(|| vec![AxisValue::from("yes")]);
    }
    let sizes = paw_sizes(asked, &selection, &typed, &chosen.method, &mut notes);
    let explicit = sizes.explicit || selection.benchmarks.iter().any(|b| is_ladder_set(b, &typed));
    let budget_s = args.measuring.campaign.budget.as_deref().map(amount::seconds).transpose();
    let budget_s = budget_s.map_err(|why| Failure::usage(format!("--budget: {why}")))?;
    // A shortened default ladder lets fifty benchmarks of messages, or twenty of transfers, end within two minutes.
    let shortened = !explicit && !is_paws(&chosen.method.name) && selection.benchmarks.iter().any(|b| is_shortened(b));
    let has_sizes = |b: &Benchmark| is_shortened(b) && b.common.axes.first().is_some_and(|axis| axis.name == axis::N);
    if shortened
        && !quick
        && let Some(benchmark) = selection.benchmarks.iter().find(|b| has_sizes(b))
    {
        notes.push(short_ladder(benchmark, env));
    }
    let budget_s = budget_s.or((quick || shortened).then_some(QUICK_BUDGET_S));
    let slow = |b: &&&'static Benchmark| b.common.variables.contains(&COPROCESSOR_LOOPS);
    let most = env.count(COPROCESSOR_LOOPS).unsigned_abs();
    let loops_max = selection.benchmarks.iter().filter(slow).map(|b| (b.name, most)).collect();
    let request = RunRequest {
        providers: providers(&args.points.provider, env, asked.config),
        threads: threads(asked, &selection, &mut notes)?,
        benchmarks: selection.benchmarks,
        axes,
        ladders: sizes.ladders,
        warmup: sizes.warmup,
        loops_max,
        place: place(args.points.place),
        ladder: if explicit { Ladder::Full } else { Ladder::UntilOneSecond },
        combine: args.ranks.combine.map(CombineChoice::from),
        start: args.ranks.sync.map_or(StartMode::default(), StartMode::from),
        plan: Plan {
            invocations: method::invocations(args.measuring.campaign.invocations.as_deref())?,
            until: args.measuring.campaign.until.map(Into::into),
            ..Plan::new(chosen.method, args.measuring.campaign.seed.unwrap_or(asked.seed), budget_s)
        },
        deadline: Duration::from_secs(env.count("PAW_DEADLINE").unsigned_abs()),
        rank_timeout: env
            .number("PAW_DEADLINE")
            .map_or(Duration::from_secs_f64(PATIENCE_MIN_S), |seconds| Duration::from_secs(seconds.unsigned_abs())),
        environment: if args.points.clean_env { WorkerEnvironment::Clean } else { WorkerEnvironment::Inherited },
        worker: asked.worker.clone(),
        quick,
    };
    Ok(Interpreted { request, notes })
}

/// Whether PAW has the benchmark, with a longer ladder than the default.
fn is_shortened(benchmark: &Benchmark) -> bool {
    benchmark.dat.is_some() && (is_mpi(benchmark) || benchmark.common.suite == device::SUITE)
}

/// The note on a default ladder of messages or transfers.
fn short_ladder(benchmark: &Benchmark, env: &EnvVars) -> String {
    let family =
        FAMILIES.iter().find(|(family, _)| benchmark.common.variables.contains(&format!("MAX_{family}_SIZE").as_str()));
    let all = family.map_or_else(
        || "n=1..1000000".to_owned(),
        |(family, _)| {
            let sizes = env.sizes(family);
            format!("n={}..{}", sizes.min, sizes.max)
        },
    );
    let sizes = if is_mpi(benchmark) { "message sizes" } else { "sizes" };
    format!("fewer {sizes} than PAW measures, to end within two minutes; --method paw or --set {all} has them all")
}

fn quick_selection(catalogue: &Catalogue) -> Selection {
    let benchmarks = catalogue.iter().copied().filter(|benchmark| benchmark.quick.is_some()).collect();
    Selection { benchmarks, vocabulary: Vocabulary::Own }
}

pub fn place(typed: Option<cli::Place>) -> ThreadPlacement {
    match typed {
        None => ThreadPlacement::Default,
        Some(cli::Place::Cores) => ThreadPlacement::Order(PlacementOrder::Cores),
        Some(cli::Place::Compact) => ThreadPlacement::Order(PlacementOrder::Compact),
        Some(cli::Place::Scatter) => ThreadPlacement::Order(PlacementOrder::Scatter),
        Some(cli::Place::None) => ThreadPlacement::Unbound,
    }
}

fn is_ladder_set(benchmark: &Benchmark, axes: &Axes) -> bool {
    benchmark.common.axes.first().is_some_and(|ladder| axes.contains_key(ladder.name))
}

/// The values of every `--set`; an axis set twice gets the values of both.
fn settings(typed: &[String], benchmarks: &[&'static Benchmark], host: &Host) -> Result<Axes, Failure> {
    let mut axes = Axes::new();
    for text in typed {
        let setting = setting::split(text).map_err(Failure::usage)?;
        let axis = axis(setting.axis, benchmarks)?;
        let values = setting::values(&setting, axis, host);
        let values = values.map_err(|why| Failure::usage(format!("--set {}: {why}", setting.axis)))?;
        axes.entry(axis.name.to_owned()).or_default().extend(values);
    }
    benchmarks.iter().flat_map(|benchmark| benchmark.common.axes).try_for_each(|axis| uncontradicted(axis, &axes))?;
    Ok(axes)
}

/// Sets the axis `seconds` from `--for`.
fn lasting(typed: Option<&str>, benchmarks: &[&'static Benchmark], axes: &mut Axes) -> Result<(), Failure> {
    let Some(text) = typed else { return Ok(()) };
    let seconds = amount::seconds(text).map_err(|why| Failure::usage(format!("--for: {why}")))?;
    if seconds.fract() != 0.0 {
        return Err(Failure::usage(format!("--for {text}: a load lasts whole seconds")));
    }
    if benchmarks.iter().all(|benchmark| benchmark.axis(axis::SECONDS).is_none()) {
        let failure = Failure::usage(format!("--for {text}: nothing that was selected is a load that lasts"));
        return Err(failure.hint("device_burn is one; --budget limits the time of every run"));
    }
    if axes.insert(axis::SECONDS.to_owned(), vec![AxisValue::Int(seconds as i64)]).is_some() {
        return Err(Failure::usage("--for and --set seconds are the same: leave one of them out".to_owned()));
    }
    Ok(())
}

/// Refuses an axis set beside another one that decides it.
fn uncontradicted(axis: &Axis, axes: &Axes) -> Result<(), Failure> {
    let Values::Giving { axes: given, .. } = axis.values else { return Ok(()) };
    let both = given.iter().find(|other| axes.contains_key(axis.name) && axes.contains_key(**other));
    both.map_or(Ok(()), |other| {
        let failure = Failure::usage(format!("--set {}: it decides {other}, which is set too", axis.name));
        Err(failure.hint(format!(
            "leave one of them out: without --set {}, {} are free",
            axis.name,
            given.join(" and ")
        )))
    })
}

fn axis(name: &str, benchmarks: &[&'static Benchmark]) -> Result<&'static Axis, Failure> {
    let all: Vec<_> = benchmarks.iter().flat_map(|benchmark| benchmark.common.axes).collect();
    if let Some(axis) = all.iter().find(|axis| axis.name == name) {
        return Ok(axis);
    }
    let failure = Failure::usage(format!("--set {name}: nothing that was selected has an axis `{name}`"));
    let mut names: Vec<_> = all.iter().map(|axis| axis.name).collect();
    names.sort_unstable();
    names.dedup();
    Err(match closest(name, names.iter().copied()) {
        _ if name == axis::THREADS => failure.hint("thread counts have a flag of their own: --threads 1,2"),
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None if names.is_empty() => failure.hint("it has no axes"),
        None => failure.hint(format!("axes: {}", names.join(", "))),
    })
}

/// Ladders from PAW's variables, if they are set, and of PAW's methods, if a suite's default is shorter.
struct PawSizes {
    ladders: BTreeMap<&'static str, Vec<AxisValue>>,
    warmup: BTreeMap<&'static str, AxisValue>,
    /// Whether the user set the end of a ladder.
    explicit: bool,
}

/// The sizes that PAW's variables and methods ask for, benchmark by benchmark; `--set` takes precedence.
fn paw_sizes(
    RequestInputs { env, host, .. }: &RequestInputs<'_>,
    selection: &Selection,
    typed: &Axes,
    method: &Method,
    notes: &mut Vec<String>,
) -> PawSizes {
    let mut sizes = PawSizes { ladders: BTreeMap::new(), warmup: BTreeMap::new(), explicit: false };
    for (family, suite) in FAMILIES {
        let [min, max] = ["MIN", "MAX"].map(|end| format!("{end}_{family}_SIZE"));
        let steers = |benchmark: &&&Benchmark| benchmark.common.variables.contains(&max.as_str());
        let steered: Vec<_> = selection.benchmarks.iter().filter(steers).collect();
        if steered.is_empty() {
            continue;
        }
        let mut range = env.sizes(family);
        if method.name == "paw16" && *family == "COL" {
            let divisor = crowding(job::size().unwrap_or(1), host.topology.cpus.len());
            (range.med, range.max) = ((range.med / divisor).max(1), (range.max / divisor).max(range.min));
        }
        if is_paws(&method.name) {
            sizes.warmup.extend(steered.iter().map(|benchmark| (benchmark.name, AxisValue::Int(range.med))));
        }
        let set = env.set_among(&[min.as_str(), max.as_str()]);
        if steered.iter().any(|benchmark| is_ladder_set(benchmark, typed)) {
            notes.extend((!set.is_empty()).then(|| format!("{}: --set n comes first", set.join(", "))));
            continue;
        }
        notes.extend(env.notes(suite));
        let mut steps = setting::doubling(range.min, range.max);
        if is_paws(&method.name) {
            // PAW doubles from MIN as long as it does not pass MAX, which is no size of its own.
            steps.dedup_by(|last, before| *last < *before * 2);
        }
        let steps: Vec<_> = steps.into_iter().map(AxisValue::Int).collect();
        // PAW's ladder of messages or transfers is too long for a default; only PAW's methods use it.
        if !set.is_empty() || is_paws(&method.name) {
            sizes.ladders.extend(steered.iter().map(|benchmark| (benchmark.name, steps.clone())));
        }
        // A MIN alone moves only the start of the default ladder, which ends where a sample would take over one second.
        sizes.explicit |= set.contains(&max.as_str());
    }
    sizes
}

/// By how much PAW's code divides the sizes of collectives since version 1.5: by the ranks of a processor of rank 0's node, were all of
/// them there.
fn crowding(ranks: usize, processors: usize) -> i64 {
    (ranks / processors.max(1)).max(1) as i64
}

/// Sets the axis `window` from PAW's variable, unless it was typed.
fn window(env: &EnvVars, selection: &Selection, axes: &mut Axes) {
    let has_window = selection.benchmarks.iter().any(|benchmark| benchmark.axis(axis::WINDOW).is_some());
    if let Some(size) = env.number("WINDOW_SIZE").filter(|_| has_window) {
        axes.entry(axis::WINDOW.to_owned()).or_insert_with(|| vec![AxisValue::Int(size)]);
    }
}

/// Providers as typed; else the embedded one and those that PAW_BLAS_LIBRARY or `paw.toml` name; else the default.
fn providers(typed: &[String], env: &EnvVars, config: &Config) -> Vec<ProviderChoice> {
    if !typed.is_empty() {
        return typed.iter().map(|text| provider(text)).collect();
    }
    let named: Vec<_> = match env.text("PAW_BLAS_LIBRARY") {
        Some(paths) => paths.split(':').filter(|path| !path.is_empty()).map(PathBuf::from).collect(),
        None => config.blas.as_slice().to_vec(),
    };
    if named.is_empty() {
        return Vec::new();
    }
    let embedded = ProviderChoice::Name("embedded".to_owned());
    std::iter::once(embedded).chain(named.into_iter().map(ProviderChoice::Path)).collect()
}

fn provider(text: &str) -> ProviderChoice {
    let is_file = text.contains('/') || text.contains(".so") || Path::new(text).is_file();
    if is_file { ProviderChoice::Path(PathBuf::from(text)) } else { ProviderChoice::Name(text.to_owned()) }
}

fn threads(asked: &RequestInputs<'_>, selection: &Selection, notes: &mut Vec<String>) -> Result<Vec<Threads>, Failure> {
    let RequestInputs { args, env, host, .. } = asked;
    if !args.points.threads.is_empty() {
        return args.points.threads.iter().map(|text| thread_count(text, host)).collect();
    }
    // PAW took its thread count from the environment; paw does so only if a benchmark was named as PAW's executable.
    let named = ["MKL_NUM_THREADS", "OMP_NUM_THREADS"].into_iter().find(|name| env.text(name).is_some());
    let Some(name) = named.filter(|_| selection.vocabulary == Vocabulary::Paw) else { return Ok(Vec::new()) };
    let count = at_once(name, "threads", env.number(name).unwrap_or(0), host)?;
    notes.push(format!("{name}: {count} threads"));
    Ok(vec![Threads::Count(count)])
}

/// A thread count or a word for one, as `--threads` takes it.
pub fn thread_count(text: &str, host: &Host) -> Result<Threads, Failure> {
    const WORDS: [(&str, Threads); 5] = [
        ("socket", Threads::Socket),
        ("cores", Threads::Cores),
        ("all", Threads::All),
        ("topology", Threads::Topology),
        ("oversubscribed", Threads::Oversubscribed),
    ];
    if let Some((_, threads)) = WORDS.iter().find(|(word, _)| *word == text) {
        return Ok(*threads);
    }
    match amount::positive(text) {
        Ok(count) => at_once("--threads", "threads", count, host).map(Threads::Count),
        Err(why) => Err(Failure::usage(format!("--threads: {why}"))
            .hint("write numbers, socket, cores, all, oversubscribed or topology")),
    }
}

/// A count of threads or copies from `source` that this machine can have.
pub fn at_once(source: &str, what: &'static str, count: i64, host: &Host) -> Result<u32, Failure> {
    threads::at_once(&host.topology, what, count).map_err(|error| Failure::usage(format!("{source}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::crowding;

    #[test]
    fn crowded_ranks_divide_the_sizes_of_collectives_as_whole_numbers_do() {
        let cases = [(2, 2), (3, 2), (4, 2), (9, 4), (1, 8), (5, 0)];
        assert_eq!(cases.map(|(ranks, processors)| crowding(ranks, processors)), [1, 1, 2, 2, 1, 5]);
    }
}
