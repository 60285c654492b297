//! `paw list`: benchmarks, libraries, and environment variables.

use paw_suites::benchmark::Providers;
use paw_suites::host::Host;
use paw_suites::teamwork::{Carrier, Teamwork};

use crate::cli::{Format, ListArgs};
use crate::command::counters;
use crate::command::explain::explain;
use crate::command::libraries::libraries;
use crate::environment::EnvVars;
use crate::exit::Code;
use crate::failure::Failure;
use crate::host_facts;
use crate::print;
use crate::provider_names::{blas_names, device_names, mpi_versions};
use crate::selection;
use crate::suite::{SUITES, YOURS};
use crate::table::{Table, wrapped};
use crate::variable::{VARIABLES, VariableKind, VariableScope};

/// Lists benchmarks, variables or libraries.
pub fn list(args: &ListArgs) -> Result<Code, Failure> {
    let env = EnvVars::of_process();
    let catalogue = paw_suites::catalogue();
    let text = if args.environment {
        environment(&env).written(args.format, print::width())
    } else if args.libraries {
        libraries(&host_facts::read()?.with_libraries().host).written(args.format, print::width())
    } else if args.counters {
        counters::counters(&args.names, args.format)?
    } else if args.names.is_empty() {
        match (host_facts::read()?.with_libraries().host, args.format) {
            (host, Format::Text) => by_suite(&host, print::width()),
            (host, format) => benchmarks(&host).written(format, print::width()),
        }
    } else {
        let selection = selection::select(&args.names, catalogue)?;
        explain(&selection.benchmarks, &host_facts::read()?.with_libraries().host, &env, args.format)
    };
    print::show(&text)?;
    Ok(Code::Done)
}

/// One row for each benchmark, for programs to read.
fn benchmarks(host: &Host) -> Table {
    let mut table = Table::new(&["benchmark", "suite", "PAW's name", "providers", "purpose"]);
    let (mpi, devices) = (mpi_versions().join(", "), device_names().join(", "));
    for benchmark in paw_suites::catalogue() {
        let blas;
        let providers = match benchmark.common.providers {
            Providers::Native => "native",
            Providers::Blas(routine) => {
                blas = blas_names(host, routine).join(", ");
                &blas
            }
            Providers::Mpi(Teamwork { carrier: Carrier::Devices, .. }) => "nccl, rccl",
            Providers::Mpi(_) => &mpi,
            Providers::Device(_) => &devices,
        };
        let aliases = benchmark.aliases.join(", ");
        table.row([benchmark.name, benchmark.common.suite, &aliases, providers, benchmark.purpose]);
    }
    table
}

/// The benchmarks suite by suite, a line each, for people to read.
fn by_suite(host: &Host, width: usize) -> String {
    let mut text = String::new();
    let paragraph = |line: &str| wrapped(line, width).join("\n") + "\n";
    for suite in SUITES {
        text += &paragraph(&format!("{} · {}", suite.name, suite.measures_here(host)));
        let names = suite.benchmarks().map(|benchmark| benchmark.name.len()).max().unwrap_or(0);
        for benchmark in suite.benchmarks() {
            let line = format!("  {:names$}  {}", benchmark.name, benchmark.purpose);
            text += &format!("{}\n", clipped(&line, width));
        }
        text += "\n";
    }
    for yours in YOURS {
        text += &paragraph(&format!("{} · {}, as in {}", yours.name, yours.measures, yours.example));
    }
    text += "\n";
    text += &paragraph("`paw list NAME` explains a benchmark, PAW's names (blas_dgemm, col_ardc) among them.");
    text
}

/// `line` in `width` columns, with an ellipsis where it is longer.
fn clipped(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width - 1).collect();
    format!("{}…", kept.trim_end())
}

fn environment(env: &EnvVars) -> Table {
    let mut table = Table::new(&["variable", "in effect", "default", "unit", "used by", "meaning"]);
    for variable in VARIABLES {
        let default = match variable.kind {
            VariableKind::Count(default) => default.to_string(),
            VariableKind::Text | VariableKind::Threads => "not set".to_owned(),
        };
        let scope = match variable.scope {
            VariableScope::Suite(suite) => format!("{suite} suite"),
            VariableScope::PawMethods => "--method paw".to_owned(),
            VariableScope::PawNames => "PAW names".to_owned(),
            VariableScope::All => "everything".to_owned(),
        };
        let in_effect = env.in_effect(variable);
        table.row([variable.name, &in_effect, &default, variable.unit, &scope, variable.meaning]);
    }
    table
}
