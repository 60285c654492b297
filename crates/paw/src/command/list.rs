//! `paw list`: what can be measured, with what, steered by which variables.

use paw_suites::benchmark::{Benchmark, Providers};
use paw_suites::host::Host;

use crate::cli::{Format, ListArgs};
use crate::command::explain::explain;
use crate::command::libraries::{device_names, device_words, libraries, mpi_here, mpi_line};
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

/// What is measured and in no catalogue.
const YOURS: &str = "Yours: any program, as in paw app -- ./program; any function in C, C++, Fortran or Rust, as in paw kernel new mykernel";

fn benchmarks(catalogue: &[&'static Benchmark], blas: &[String], format: Format) -> String {
    let mut table = Table::new(&["benchmark", "suite", "PAW's name", "providers", "purpose"]);
    let (blas_here, mpi, devices, after) = match format {
        Format::Text => {
            let devices = format!("Devices: {}", device_words());
            let lines = [format!("BLAS here: {}", blas.join(", ")), mpi_line(), devices, YOURS.to_owned()];
            let lines = lines.iter().flat_map(|line| wrapped(line, print::width()));
            let after = lines.map(|line| format!("{line}\n")).collect::<String>();
            ("any BLAS".to_owned(), "any MPI".to_owned(), "any device".to_owned(), format!("\n{after}"))
        }
        _ => (blas.join(", "), mpi_here().join(", "), device_names().join(", "), String::new()),
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
