//! `paw list`: what can be measured, with what, steered by which variables.

use paw_suites::benchmark::{Benchmark, Providers};
use paw_suites::host::Host;

use crate::cli::{Format, ListArgs};
use crate::command::explain::explain;
use crate::command::libraries::{device_names, devices_summary, libraries, mpi_summary, mpi_versions};
use crate::environment::EnvVars;
use crate::exit::Code;
use crate::failure::Failure;
use crate::host_facts;
use crate::print;
use crate::selection;
use crate::table::{Table, wrapped};
use crate::variable::{VARIABLES, VariableKind, VariableScope};

/// Lists benchmarks, variables or libraries.
pub fn list(args: &ListArgs) -> Result<Code, Failure> {
    let env = EnvVars::of_process();
    let catalogue = paw_suites::catalogue();
    let text = if args.environment {
        environment(&env).written(args.format, print::width())
    } else if args.libraries {
        libraries(&host_facts::read()?.host).written(args.format, print::width())
    } else if args.names.is_empty() {
        benchmarks(catalogue, &blas_names(&host_facts::read()?.host), args.format)
    } else {
        let selection = selection::select(&args.names, catalogue)?;
        explain(&selection.benchmarks, &blas_names(&host_facts::read()?.host), &env, args.format)
    };
    print::show(&text)?;
    Ok(Code::Done)
}

/// Names of the BLAS providers that are here.
pub fn blas_names(host: &Host) -> Vec<String> {
    host.blas_here().into_iter().map(|provider| provider.name).collect()
}

/// What is measured and in no catalogue.
const YOURS: &str = "Yours: any program, as in paw app -- ./program; any function in C, C++, Fortran or Rust, as in paw kernel new mykernel";

fn benchmarks(catalogue: &[&'static Benchmark], blas: &[String], format: Format) -> String {
    let mut table = Table::new(&["benchmark", "suite", "PAW's name", "providers", "purpose"]);
    let (blas_here, mpi, devices, after) = match format {
        Format::Text => {
            let devices = format!("Devices: {}", devices_summary());
            let lines = [format!("BLAS here: {}", blas.join(", ")), mpi_summary(), devices, YOURS.to_owned()];
            let lines = lines.iter().flat_map(|line| wrapped(line, print::width()));
            let after = lines.map(|line| format!("{line}\n")).collect::<String>();
            ("any BLAS".to_owned(), "any MPI".to_owned(), "any device".to_owned(), format!("\n{after}"))
        }
        _ => (blas.join(", "), mpi_versions().join(", "), device_names().join(", "), String::new()),
    };
    for benchmark in catalogue {
        let providers = match benchmark.providers {
            Providers::Native => "native",
            Providers::Blas => &blas_here,
            Providers::Mpi(_) => &mpi,
            Providers::Device(_) => &devices,
        };
        let aliases = benchmark.aliases.join(", ");
        table.row([benchmark.name, benchmark.suite, &aliases, providers, benchmark.purpose]);
    }
    table.written(format, print::width()) + &after
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
