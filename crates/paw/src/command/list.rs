//! `paw list`: what can be measured, with what, steered by which variables.

use crate::cli::ListArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;
use crate::surroundings::Surroundings;
use crate::table::Table;
use crate::variable::{Kind, Scope, VARIABLES};

/// Lists benchmarks, variables or libraries.
pub fn list(args: &ListArgs) -> Result<Code, Failure> {
    let table = environment(&Surroundings::of_process());
    print::show(&table.written(args.format, print::width()))?;
    Ok(Code::Done)
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
