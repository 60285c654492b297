//! `paw list NAME`: definition, timed region, formula, axes and files of a benchmark.

use paw_data::quantity::Quantity;
use paw_suites::benchmark::{Axis, Benchmark, Providers, Values};
use paw_suites::host::Host;
use paw_suites::teamwork::{Carrier, Series, Teamwork};

use crate::cli::Format;
use crate::environment::EnvVars;
use crate::print;
use crate::provider_names::{blas_names, devices_summary, mpi_versions};
use crate::table::Table;
use crate::variable::{VARIABLES, VariableScope};

/// The explanation of `benchmarks` on a machine.
pub fn explain(benchmarks: &[&'static Benchmark], host: &Host, env: &EnvVars, format: Format) -> String {
    let facts = |benchmark: &&'static Benchmark| facts(benchmark, host, env);
    if format == Format::Text {
        let texts = benchmarks.iter().map(|benchmark| {
            let mut table = Table::new(&[benchmark.name, ""]);
            facts(benchmark).iter().for_each(|(fact, value)| table.row([&format!("  {fact}"), value]));
            table.written(format, print::width())
        });
        return texts.collect::<Vec<_>>().join("\n");
    }
    let mut table = Table::new(&["benchmark", "fact", "value"]);
    for benchmark in benchmarks {
        facts(benchmark).iter().for_each(|(fact, value)| table.row([benchmark.name, fact, value]));
    }
    table.written(format, print::width())
}

fn facts(benchmark: &Benchmark, host: &Host, env: &EnvVars) -> Vec<(&'static str, String)> {
    let providers = match benchmark.common.providers {
        Providers::Native => "native: paw's own code".to_owned(),
        Providers::Blas(routine) => {
            format!("{} (here), or any library that has it by its path", blas_names(host, routine).join(", "))
        }
        Providers::Mpi(Teamwork { carrier: Carrier::Devices, .. }) => {
            "NCCL for NVIDIA's devices, RCCL for AMD's, between ranks that an MPI launcher started".to_owned()
        }
        Providers::Mpi(_) => match &mpi_versions()[..] {
            [] => "the MPI library of the launcher; none was found here (--mpi-library PATH names one)".to_owned(),
            here => format!("the MPI library of the launcher; here: {}", here.join(", ")),
        },
        Providers::Device(_) => devices_summary(),
    };
    let mut facts = vec![("purpose", benchmark.purpose.to_owned()), ("suite", benchmark.common.suite.to_owned())];
    // The two halves of the ranks do different things: each gets a line.
    facts.extend(benchmark.timed.split(" | ").map(|half| ("timed", half.to_owned())));
    facts.extend([
        ("formula", format!("per iteration {}, shown as {}", benchmark.formula, benchmark.common.headline.unit())),
        ("providers", providers),
    ]);
    if let Providers::Mpi(teamwork) = benchmark.common.providers {
        facts.extend(ranks(teamwork, benchmark.name));
    }
    facts.extend(benchmark.common.axes.iter().map(|axis| ("axis", described(axis))));
    let references: Vec<_> = benchmark.common.references.iter().map(|reference| reference.benchmark).collect();
    if !references.is_empty() {
        facts.push(("held against", format!("{}, measured in the same rounds", references.join(", "))));
    }
    facts.push(("files", files(benchmark)));
    facts.extend(variables(benchmark, env).map(|line| ("variable", line)));
    if !benchmark.aliases.is_empty() {
        facts.push(("PAW's name", benchmark.aliases.join(", ")));
    }
    facts
}

/// Facts about ranks: how many, how their times are combined, how to start them.
fn ranks(teamwork: Teamwork, name: &str) -> Vec<(&'static str, String)> {
    let Teamwork { ranks, combine, guide, series, thread_level: _, carrier: _ } = teamwork;
    let guide = if guide == combine { String::new() } else { format!("; --method paw: {}", guide.words()) };
    let mut facts = vec![("ranks", ranks.words().to_owned()), ("combined", format!("{}{guide}", combine.words()))];
    if series == Series::Once {
        facts.push(("samples", "one a job: it cannot be repeated within one".to_owned()));
    }
    facts.push(("start", format!("mpirun -n {} paw run {name}", ranks.nearest(2))));
    facts
}

fn described(axis: &Axis) -> String {
    let default = match &axis.values {
        Values::Doubling(from, to) => format!("{from}..{to}, doubling"),
        Values::Ints(values) => listed(values),
        Values::Floats(values) => listed(values),
        Values::Words([only]) => (*only).to_owned(),
        Values::Words(words) => format!("{} (or {})", words[0], words[1..].join(", ")),
        Values::Each(words) => words.join(", "),
        Values::Giving { words, .. } => {
            let told = words.iter().map(|(word, meaning)| format!("{word} ({meaning})"));
            told.collect::<Vec<_>>().join("; or ")
        }
        Values::Follows(other) => format!("as {other}"),
        Values::Sampled { .. } => "an even choice of this machine's (`all`: every one)".to_owned(),
        Values::Machine(_) | Values::Told(_) => "from this machine's caches and processor".to_owned(),
    };
    format!("{}: {}; default {default}", axis.name, axis.meaning)
}

fn listed(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn files(benchmark: &Benchmark) -> String {
    let rate = match benchmark.common.headline {
        Quantity::Flops | Quantity::Cycles => "flops",
        Quantity::Messages | Quantity::Updates => "rate",
        // PAW has a file of bandwidths next to the times of collectives.
        Quantity::Bytes | Quantity::Time => "bw",
    };
    let (np, counted) = match benchmark.common.providers {
        Providers::Mpi(_) => ("0002", "ranks"),
        Providers::Native | Providers::Blas(_) => ("0001", "threads really used"),
        // PAW's files of devices state no number of devices.
        Providers::Device(_) => ("0001", "devices"),
    };
    let dat = benchmark.dat.map(|(stem, _)| match stem.strip_suffix(".dat") {
        Some(_) => format!(", {stem}"),
        None if stem.contains("{}") => {
            format!(", {}.dat and {}.dat of the first device", stem.replace("{}", "time"), stem.replace("{}", rate))
        }
        None => format!(", {stem}_time-np_{np}.dat and {stem}_{rate}-np_{np}.dat (np: {counted}), a folder for each provider where there are several"),
    });
    format!("run.jsonl, report.html{}", dat.unwrap_or_default())
}

/// Environment variables that affect the benchmark, with the values in effect.
fn variables(benchmark: &Benchmark, env: &EnvVars) -> impl Iterator<Item = String> {
    let steers = |name: &str, scope: VariableScope| {
        benchmark.common.variables.contains(&name) || scope == VariableScope::PawMethods
    };
    let lines = VARIABLES.iter().filter(move |variable| steers(variable.name, variable.scope));
    lines.map(|v| format!("{} = {}: {}", v.name, env.in_effect(v), v.meaning))
}
