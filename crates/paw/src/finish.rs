//! The end of a run: its last record, the tables, the exit code.

use std::path::Path;

use paw_data::run::{End, Run};
use paw_suites::host::Host;

use crate::cli::LeavingArgs;
use crate::exit::{self, Code, Skips};
use crate::fail_on::FailOn;
use crate::failure::Failure;
use crate::file;
use crate::host_facts;
use crate::outdir::REPORT_FILE;
use crate::print;
use crate::session::Session;
use crate::show::{Shown, show_measured};
use crate::signals::Signals;

#[derive(Debug, Clone, Copy)]
pub struct ExitRule {
    /// Whether skipped cells are an error.
    pub skips: Skips,
    /// Whether a contended machine is an error.
    pub strict_env: bool,
    /// The comparisons of programs that are an error.
    pub fail_on: Option<FailOn>,
}

pub fn end(gate: ExitRule, session: &Session, signals: &Signals, host: &Host) -> End {
    let code = code(gate, session.run(), signals, session.fault());
    let state = match (signals.code(), session.fault()) {
        (Some(_), _) => "interrupted",
        (None, Some(_)) => "unsaved",
        (None, None) => "done",
    };
    End { state: state.to_owned(), exit: code as i32, machine_state: host_facts::state_now(host) }
}

fn code(gate: ExitRule, run: &Run, signals: &Signals, fault: Option<&Failure>) -> Code {
    let outcomes = run.records.iter().filter_map(|record| record.outcome.as_ref());
    let contended = (gate.strict_env && exit::is_contended(run)).then_some(Code::Missing);
    let slower = gate.fail_on.filter(|rule| !rule.met(run).is_empty()).map(|_| Code::Finding);
    let others = [signals.code(), fault.map(|fault| fault.code), contended, slower];
    exit::strongest(outcomes.map(|outcome| exit::of_outcome(outcome, gate.skips)).chain(others.into_iter().flatten()))
}

/// Prints the results, even those that could not be saved, and writes the report.
pub fn finish(leaving: &LeavingArgs, run: &Run, fault: Option<Failure>, directory: &Path) -> Result<Code, Failure> {
    let ended = run.end.as_ref().map_or(0, |end| end.exit);
    let (how, shown) = show_measured(run, leaving);
    let report = file::write(&directory.join(REPORT_FILE), &paw_report::html(std::slice::from_ref(run)));
    let faults = [fault, report.err(), shown.err()];
    let mut codes = vec![Code::from_number(ended)];
    for failure in faults.into_iter().flatten() {
        print::message(&format!("paw: {failure}"));
        codes.push(failure.code);
    }
    if !leaving.quiet {
        let more = if how == Shown::Short { ": `paw show` prints all of it" } else { "" };
        print::message(&format!("saved in {}{more}", directory.display()));
    }
    Ok(exit::strongest(codes))
}
