//! `paw` alone: what this machine is, what can be measured here, and what to type next.

use std::collections::BTreeMap;

use paw_suites::benchmark::{Benchmark, Providers};

use crate::command::list::blas_names;
use crate::exit::Code;
use crate::failure::Failure;
use crate::here;
use crate::print;
use crate::shape;

/// The next three commands of someone who is new.
const NEXT: [(&str, &str); 3] = [
    ("paw run", "a quick assessment of this machine, in two minutes at most"),
    ("paw list", "everything that can be measured; `paw list dgemm` explains one benchmark"),
    ("paw run dgemm --threads 1,all", "one benchmark over its sizes, every BLAS library that is here"),
];

/// Shows what this machine is and what can be done with it.
pub fn bare() -> Result<Code, Failure> {
    let here = here::look()?;
    let mut text = shape::identity(&here.machine.identity);
    text += &format!("caches: {}\n\ncan be measured here:\n", shape::caches(&here.machine.identity.caches));
    for (suite, benchmarks) in suites(paw_suites::catalogue()) {
        let names: Vec<_> = benchmarks.iter().map(|benchmark| benchmark.name).collect();
        let is_blas = benchmarks.iter().any(|benchmark| benchmark.providers == Providers::Blas);
        let by = if is_blas { format!(" (by {})", blas_names(&here.host).join(", ")) } else { String::new() };
        text += &format!("  {suite:8} {}{by}\n", names.join(" "));
    }
    text += "\nnext:\n";
    for (command, purpose) in NEXT {
        text += &format!("  {command:30} {purpose}\n");
    }
    print::show(&text)?;
    Ok(Code::Done)
}

/// The catalogue by suites.
fn suites(catalogue: &[&'static Benchmark]) -> BTreeMap<&'static str, Vec<&'static Benchmark>> {
    let mut suites: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for benchmark in catalogue {
        suites.entry(benchmark.suite).or_default().push(*benchmark);
    }
    suites
}
