//! `paw` alone: the machine, the first commands, and an example for each suite.

use crate::cli::Format;
use crate::exit::Code;
use crate::failure::Failure;
use crate::host_facts;
use crate::machine_description;
use crate::print;
use crate::suite::{SUITES, YOURS};
use crate::table::{Table, wrapped};

/// Commands to begin with.
const FIRST: &[(&str, &str)] = &[
    ("paw run", "assess this machine, in two minutes at most"),
    ("paw list", "list every benchmark; `paw list dgemm` explains one"),
];

/// Prints the machine, the first commands, and an example for each suite.
pub fn bare() -> Result<Code, Failure> {
    let facts = host_facts::read()?.with_libraries();
    let identity = &facts.machine.identity;
    let machine =
        format!("{}caches: {}", machine_description::identity(identity), machine_description::caches(&identity.caches));
    let width = print::width();
    let mut text: String =
        machine.lines().flat_map(|line| wrapped(line, width)).map(|line| format!("{line}\n")).collect();
    let mut first = Table::new(&["start with", ""]);
    FIRST.iter().for_each(|(command, purpose)| first.row([command, purpose]));
    let mut suites = Table::new(&["suite", "example", "measures"]);
    for suite in SUITES.iter().chain(YOURS) {
        suites.row([suite.name, suite.example, &suite.measures_here(&facts.host)]);
    }
    for table in [&first, &suites] {
        text += &format!("\n{}", table.written(Format::Text, width));
    }
    print::show(&text)?;
    Ok(Code::Done)
}
