//! `paw cluster tuning`: the algorithms of a library's collectives against each other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use paw_data::pairing;
use paw_data::run::Run;
use paw_data::store::Extent;
use paw_machine::environment::{VariableEffect, known};
use paw_report::{TuningRow, is_of_rules, open_mpi_rules};

use crate::amount::counted;
use crate::cli::{Format, TuningArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::table::{Table, wrapped};
use crate::{file, open, print};

/// Reads the runs, prints what each of them has set, and the table; and writes rules where they are asked for.
pub fn tuning(args: &TuningArgs) -> Result<Code, Failure> {
    let read = |path: &PathBuf| open::open_named(path, Extent::Figures);
    let runs: Vec<Run> = args.runs.iter().map(read).collect::<Result<_, _>>()?;
    of_one_library(&runs)?;
    let names = names(&runs);
    let settings = settings(&runs, &names);
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
    let (table, width, doubts) = (table(&rows), print::width(), doubts(&runs, &rows, &names));
    if args.format == Format::Text {
        let legend = settings.iter().enumerate().map(|(nth, own)| format!("{} = {own}", letter(nth)));
        let legend: String = legend.flat_map(|line| wrapped(&line, width)).map(|line| format!("{line}\n")).collect();
        print::show(&format!("{legend}\n{}", table.written(Format::Text, width)))?;
    } else {
        print::show(&table.written(args.format, width))?;
    }
    for doubt in &doubts {
        print::warn(doubt);
    }
    match (&args.rules, doubts.is_empty()) {
        (None, _) => Ok(Code::Done),
        (Some(path), true) => write_rules(path, &runs, &rows, &names).map(|()| Code::Done),
        (Some(_), false) => Err(Failure::usage("rules are not made of runs that differ in more than an algorithm")
            .hint("measure the jobs again, on the same nodes and placed alike")),
    }
}

/// Refuses runs of several libraries: algorithms are those of one.
fn of_one_library(runs: &[Run]) -> Result<(), Failure> {
    let library = |run: &Run| {
        let of_team = run.teams.iter().find_map(|team| team.library.as_ref());
        of_team.map_or_else(|| "an unknown library".to_owned(), |library| library.version.clone())
    };
    let libraries: Vec<String> = runs.iter().map(library).collect();
    match libraries.iter().find(|other| **other != libraries[0]) {
        None => Ok(()),
        Some(other) => Err(Failure::usage(format!("the runs are of {}, and of {other}", libraries[0])).hint(
            "the algorithms of one library are set against each other here; `paw compare A -- B` compares libraries",
        )),
    }
}

/// What else than an algorithm may be the reason for what the table says, a sentence each.
fn doubts(runs: &[Run], rows: &[TuningRow], names: &[&String]) -> Vec<String> {
    let mut doubts = Vec::new();
    let places: Vec<String> = runs.iter().map(place).collect();
    if let Some(other) = (1..runs.len()).find(|other| places[*other] != places[0]) {
        let (first, other) = (&places[0], (letter(other), &places[other]));
        doubts.push(format!("A is of {first}, and {} of {}: that may be what makes them differ", other.0, other.1));
    }
    let variables: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    let mut unnamed = rows.iter().filter(|row| row.differs_unnamed(&variables));
    if let Some(first) = unnamed.next() {
        let more = match unnamed.count() {
            0 => String::new(),
            more => format!(" and {}", counted(more, "further row")),
        };
        doubts.push(format!(
            "the runs differ in {} n={}{more}, for which no variable that they differ in is named: where that call does not use the \
             others, the jobs differ by themselves, and so may all rows; repeat both",
            first.collective, first.n
        ));
    }
    doubts
}

/// The machine of a run, and how its ranks lie.
fn place(run: &Run) -> String {
    let identity = &run.header.machine.identity;
    let team = run.teams.first().map(|team| &team.ranks[..]).unwrap_or_default();
    let hosts: BTreeSet<&str> = team.iter().map(|rank| rank.host.as_str()).collect();
    let pairs = pairing::counts(&pairing::pairs(team));
    let pairs = pairs.iter().map(|(closeness, n)| format!(", {} {}", counted(*n, "pair"), closeness.words()));
    let nodes = counted(hosts.len(), "node");
    format!("{} ({}), {nodes}{}", identity.cpu, identity.hardware(), pairs.collect::<String>())
}

/// Writes the rules that the table carries, and says how Open MPI is told of them.
fn write_rules(path: &Path, runs: &[Run], rows: &[TuningRow], names: &[&String]) -> Result<(), Failure> {
    if let Some(other) = names.iter().find(|name| !is_of_rules(name)) {
        return Err(Failure::usage(format!("the runs differ in {other}, which no rule of Open MPI's can say"))
            .hint("compare runs that differ in OMPI_MCA_coll_tuned_<collective>_algorithm alone; for MPICH, set its variable itself"));
    }
    let environments: Vec<_> = runs.iter().map(|run| &run.header.env).collect();
    let rules = open_mpi_rules(&environments, rows).map_err(Failure::nothing)?;
    file::write(path, &rules.text)?;
    let sizes = if rules.sizes == 1 { "1 size".to_owned() } else { format!("{} sizes", rules.sizes) };
    print::message(&format!(
        "wrote rules for {sizes} of messages to {0}; Open MPI reads them where OMPI_MCA_coll_tuned_use_dynamic_rules=1 and OMPI_MCA_coll_tuned_dynamic_rules_filename={0}",
        path.display()
    ));
    Ok(())
}

/// The variables that steer the MPI library and in which the runs differ.
fn names(runs: &[Run]) -> Vec<&String> {
    let steers = |name: &str| known(name).is_some_and(|variable| variable.effect == VariableEffect::Transport);
    let names: BTreeSet<&String> =
        runs.iter().flat_map(|run| run.header.env.keys()).filter(|name| steers(name)).collect();
    let differs = |name: &&&String| runs.iter().any(|run| run.header.env.get(**name) != runs[0].header.env.get(**name));
    names.iter().filter(differs).copied().collect()
}

/// What each run has set of them.
fn settings(runs: &[Run], names: &[&String]) -> Vec<String> {
    let own = |run: &Run| {
        let set = names.iter().filter_map(|name| Some(format!("{name}={}", run.header.env.get(name.as_str())?)));
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
