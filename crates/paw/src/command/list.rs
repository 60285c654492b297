//! `paw list`: what can be measured, with what, steered by which variables.

use paw_suites::benchmark::{Benchmark, Providers};
use paw_suites::host::Host;

use crate::cli::{Format, ListArgs};
use crate::command::explain::explain;
use crate::exit::Code;
use crate::failure::Failure;
use crate::here;
use crate::name;
use crate::print;
use crate::surroundings::Surroundings;
use crate::table::{Table, wrapped};
use crate::variable::{Kind, Scope, VARIABLES};

/// Lists benchmarks, variables or libraries.
pub fn list(args: &ListArgs) -> Result<Code, Failure> {
    let surroundings = Surroundings::of_process();
    let catalogue = paw_suites::catalogue();
    let text = if args.environment {
        environment(&surroundings).written(args.format, print::width())
    } else if args.libraries {
        libraries(&here::look()?.host).written(args.format, print::width())
    } else if args.names.is_empty() {
        benchmarks(catalogue, &blas_names(&here::look()?.host), args.format)
    } else {
        let selection = name::select(&args.names, catalogue)?;
        explain(&selection.benchmarks, &blas_names(&here::look()?.host), &surroundings, args.format)
    };
    print::show(&text)?;
    Ok(Code::Done)
}

/// Names of the BLAS providers that are here.
pub fn blas_names(host: &Host) -> Vec<String> {
    host.blas_here().into_iter().map(|provider| provider.name).collect()
}

fn benchmarks(catalogue: &[&'static Benchmark], blas: &[String], format: Format) -> String {
    let mut table = Table::new(&["benchmark", "suite", "PAW's name", "providers", "purpose"]);
    let (here, after) = match format {
        Format::Text => (
            "any BLAS".to_owned(),
            format!("\n{}\n", wrapped(&format!("BLAS here: {}", blas.join(", ")), print::width()).join("\n")),
        ),
        _ => (blas.join(", "), String::new()),
    };
    for benchmark in catalogue {
        let providers = match benchmark.providers {
            Providers::Native => "native",
            Providers::Blas => &here,
            Providers::Mpi(_) => "any MPI",
        };
        let aliases = benchmark.aliases.join(", ");
        table.row([benchmark.name, benchmark.suite, &aliases, providers, benchmark.purpose]);
    }
    table.written(format, print::width()) + &after
}

fn libraries(host: &Host) -> Table {
    let mut table = Table::new(&["provider", "kind", "file", "why it was looked for there"]);
    for provider in host.blas_here() {
        let path = provider.library.as_deref();
        let why = path.and_then(|path| host.found_at(path)).map_or("part of paw", |found| found.why.as_str());
        let file = path.map_or_else(String::new, |path| path.display().to_string());
        table.row([&provider.name, "BLAS", &file, why]);
    }
    table
}

fn environment(surroundings: &Surroundings) -> Table {
    let mut table = Table::new(&["variable", "in effect", "default", "unit", "used by", "meaning"]);
    for variable in VARIABLES {
        let default = match variable.kind {
            Kind::Count(default) => default.to_string(),
            Kind::Text | Kind::Threads => "not set".to_owned(),
        };
        let scope = match variable.scope {
            Scope::Suite(suite) => format!("{suite} suite"),
            Scope::PawMethods => "--method paw".to_owned(),
            Scope::PawNames => "PAW names".to_owned(),
            Scope::All => "everything".to_owned(),
        };
        let in_effect = surroundings.in_effect(variable);
        table.row([variable.name, &in_effect, &default, variable.unit, &scope, variable.meaning]);
    }
    table
}
