//! `paw` alone: what this machine is, what can be measured here, and what to type next.

use std::collections::BTreeMap;

use paw_suites::benchmark::{Benchmark, Providers};

use crate::command::libraries::{devices_summary, mpi_versions};
use crate::command::list::blas_names;
use crate::exit::Code;
use crate::failure::Failure;
use crate::host_facts;
use crate::machine_description;
use crate::print;
use crate::table::wrapped;

/// The next commands of someone who is new.
const NEXT: &[(&str, &str)] = &[
    ("paw run", "a quick assessment of this machine, in two minutes at most"),
    ("paw list", "everything that can be measured; `paw list dgemm` explains one benchmark"),
    ("paw run dgemm --threads 1,all", "one benchmark over its sizes, every BLAS library that is here"),
    ("paw app -- ./program", "an application of yours: how fast, how it scales, how sure"),
    ("paw kernel new mykernel", "a function of yours: which compiler, flags and form of it are the fastest"),
];

/// A few words side by side; narrower terminals break the lines themselves.
const TEXT_WIDTH_MIN: usize = 24;

/// The next one where an MPI is.
const MESSAGES: (&str, &str) =
    ("mpirun -n 2 paw run", "what messages between two ranks cost, by the MPI of that mpirun");

/// Shows what this machine is and what can be done with it.
pub fn bare() -> Result<Code, Failure> {
    let facts = host_facts::read()?;
    let mut text = machine_description::identity(&facts.machine.identity);
    text +=
        &format!("caches: {}\n\ncan be measured here:\n", machine_description::caches(&facts.machine.identity.caches));
    let mpi = mpi_versions();
    for (suite, benchmarks) in suites(paw_suites::catalogue()) {
        let names: Vec<_> = benchmarks.iter().map(|benchmark| benchmark.name).collect();
        let by = match benchmarks.iter().map(|benchmark| benchmark.providers).find(|p| *p != Providers::Native) {
            Some(Providers::Blas) => format!(" (by {})", blas_names(&facts.host).join(", ")),
            Some(Providers::Mpi(_)) if mpi.is_empty() => " (no MPI library was found: load its module)".to_owned(),
            Some(Providers::Mpi(_)) => format!(" (by {}, under mpirun)", mpi.join(", ")),
            Some(Providers::Device(_)) => format!(" ({})", devices_summary()),
            Some(Providers::Native) | None => String::new(),
        };
        text += &hung(&format!("  {suite:8} "), &format!("{}{by}", names.join(" ")));
    }
    text += "\nnext:\n";
    for (command, purpose) in NEXT.iter().chain((!mpi.is_empty()).then_some(&MESSAGES)) {
        text += &hung(&format!("  {command:30} "), purpose);
    }
    print::show(&text)?;
    Ok(Code::Done)
}

/// `text` behind `start`, its further lines under its first.
fn hung(start: &str, text: &str) -> String {
    let lines = wrapped(text, print::width().saturating_sub(start.len()).max(TEXT_WIDTH_MIN));
    let indent = " ".repeat(start.len());
    let lines = lines.iter().enumerate().map(|(i, line)| format!("{}{line}\n", if i == 0 { start } else { &indent }));
    lines.collect()
}

/// The catalogue by suites.
fn suites(catalogue: &[&'static Benchmark]) -> BTreeMap<&'static str, Vec<&'static Benchmark>> {
    let mut suites: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for benchmark in catalogue {
        suites.entry(benchmark.suite).or_default().push(*benchmark);
    }
    suites
}
