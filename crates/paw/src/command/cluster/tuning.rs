//! `paw cluster tuning`: the algorithms of a library's collectives against each other.

use std::collections::BTreeSet;
use std::path::PathBuf;

use paw_data::run::Run;
use paw_data::store::Extent;
use paw_machine::environment::{VariableEffect, known};
use paw_report::TuningRow;

use crate::cli::Format;
use crate::exit::Code;
use crate::failure::Failure;
use crate::table::{Table, wrapped};
use crate::{open, print};

/// Reads the runs and prints what each of them has set, and the table.
pub fn tuning(paths: &[PathBuf], format: Format) -> Result<Code, Failure> {
    let read = |path: &PathBuf| open::open_named(path, Extent::Figures);
    let runs: Vec<Run> = paths.iter().map(read).collect::<Result<_, _>>()?;
    let settings = settings(&runs);
    if settings.iter().all(|own| *own == settings[0]) {
        return Err(Failure::usage("the runs do not differ in a variable of their MPI library").hint(
            "set one for each run, as in OMPI_MCA_coll_tuned_allreduce_algorithm=3 or MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring",
        ));
    }
    let rows = paw_report::tuning(&runs);
    if rows.is_empty() {
        return Err(Failure::nothing("no collective has a number of good or fair trust with an interval in two runs")
            .hint("measure the same collectives in each: mpirun -n 4 paw run allreduce --set cadence=isolated"));
    }
    let table = table(&rows);
    if format != Format::Text {
        print::show(&table.written(format, print::width()))?;
        return Ok(Code::Done);
    }
    let width = print::width();
    let legend = settings.iter().enumerate().map(|(nth, own)| format!("{} = {own}", letter(nth)));
    let legend: String = legend.flat_map(|line| wrapped(&line, width)).map(|line| format!("{line}\n")).collect();
    print::show(&format!("{legend}\n{}", table.written(Format::Text, width)))?;
    Ok(Code::Done)
}

/// What steers the MPI library in each run, of what the runs differ in.
fn settings(runs: &[Run]) -> Vec<String> {
    let steers = |name: &str| known(name).is_some_and(|variable| variable.effect == VariableEffect::Transport);
    let names: BTreeSet<&String> =
        runs.iter().flat_map(|run| run.header.env.keys()).filter(|name| steers(name)).collect();
    let differs = |name: &&&String| runs.iter().any(|run| run.header.env.get(**name) != runs[0].header.env.get(**name));
    let names: Vec<&String> = names.iter().filter(differs).copied().collect();
    let own = |run: &Run| {
        let set = names.iter().filter_map(|name| Some(format!("{name}={}", run.header.env.get(*name)?)));
        let set: Vec<String> = set.collect();
        if set.is_empty() { "nothing set".to_owned() } else { set.join(" ") }
    };
    runs.iter().map(own).collect()
}

fn table(rows: &[TuningRow]) -> Table {
    let mut table = Table::new(&["collective", "n", "fastest", "time", "against A"]);
    for row in rows {
        let fastest: Vec<String> = row.fastest.iter().map(|nth| letter(*nth)).collect();
        let gain = match row.gain {
            Some(times) => format!("A takes at least {:.2} times as long", (times * 100.0).floor() / 100.0),
            None if row.fastest.contains(&0) && row.fastest.len() > 1 => "nothing tells them from A".to_owned(),
            None if row.fastest.contains(&0) => "A itself".to_owned(),
            None => "A has no sound number".to_owned(),
        };
        table.row([&row.collective, &row.n.to_string(), &fastest.join(" "), &row.time, &gain]);
    }
    table
}

/// `A`, `B`, … `Z`, and numbers from there on.
fn letter(nth: usize) -> String {
    u8::try_from(nth)
        .ok()
        .filter(|nth| *nth < 26)
        .map_or_else(|| (nth + 1).to_string(), |nth| char::from(b'A' + nth).to_string())
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn runs_have_letters() {
        assert_eq!([0, 1, 25, 26].map(letter), ["A", "B", "Z", "27"]);
    }
}
