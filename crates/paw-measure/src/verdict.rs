//! How a cell ended, from its series and its check.

use paw_data::outcome::{Caveat, Check, CheckVerdict, Ending, Outcome, Status};

use crate::caveat;
use crate::diagnostics::{self, EndedSeries};
use crate::ending;
use crate::fault::Fault;
use crate::prepared_cell::PreparedCell;
use crate::series::Series;

/// How a cell ended, where the group stopped for `halt`; `check` is the result of checking its answer, if it was checked.
pub(crate) fn outcome(
    cell: &PreparedCell,
    series: &Series,
    halt: Option<Ending>,
    check: Option<Result<Check, Fault>>,
) -> Outcome {
    let mut outcome = ended(cell, series, halt, check);
    outcome.caveats.extend(cell.caveats.iter().cloned());
    outcome
}

/// How a cell ended that was not timed: by its check, or by the fault that prevented it.
pub(crate) fn unmeasured(cell: u32, check: Result<Check, Fault>) -> Outcome {
    match check {
        Ok(check) if check.verdict == CheckVerdict::Fail => faulted(cell, &Fault::Wrong(Box::new(check))),
        Ok(check) => Outcome { check: Some(check), ..blank(cell) },
        Err(fault) => faulted(cell, &fault),
    }
}

fn blank(cell: u32) -> Outcome {
    Outcome { cell, status: Status::Measured, ending: None, why: None, check: None, caveats: Vec::new() }
}

fn ended(cell: &PreparedCell, series: &Series, halt: Option<Ending>, check: Option<Result<Check, Fault>>) -> Outcome {
    let mut outcome = blank(cell.cell.id);
    if let Some(fault) = &series.fault {
        return faulted(outcome.cell, fault);
    }
    if series.samples.is_empty() {
        let why = match halt {
            Some(_) => "interrupted before its first sample",
            None => "not measured: nothing was left to hold against it",
        };
        return faulted(outcome.cell, &Fault::Missing(why.to_owned()));
    }
    // A reference has no ending of its own where its subjects were done first: it has all the samples asked of it.
    let noted =
        series.ending.map(|noted| ending::confirmed(&cell.method.ending, &series.clean, &series.clean_of, noted));
    let ending = noted.or(halt).unwrap_or(Ending::Complete);
    outcome.ending = Some(ending);
    outcome.caveats = caveats(cell, series);
    match check {
        None => outcome.caveats.push(caveat::unchecked()),
        Some(Err(Fault::Interrupted)) => outcome.caveats.push(caveat::unchecked()),
        Some(Err(fault)) => return faulted(outcome.cell, &fault),
        Some(Ok(check)) => checked(&mut outcome, check),
    }
    outcome
}

fn faulted(cell: u32, fault: &Fault) -> Outcome {
    let (status, check) = match fault {
        Fault::Missing(_) | Fault::Interrupted => (Status::Skipped, None),
        Fault::Broken(_) => (Status::Failed, None),
        Fault::Wrong(check) | Fault::Spoiled(check) => (Status::Failed, Some(Check::clone(check))),
    };
    Outcome { status, why: Some(fault.to_string()), check, ..blank(cell) }
}

fn caveats(cell: &PreparedCell, series: &Series) -> Vec<Caveat> {
    let mut caveats = series.caveats.clone();
    caveats.extend(diagnostics::caveats(&EndedSeries {
        method: &cell.method,
        instrument: &cell.workload.instrument(),
        placement: cell.placement,
        samples: &series.samples,
        combine: cell.cell.combine,
        share: cell.cell.share_of_iteration(),
    }));
    if series.unwatched > 0 {
        caveats.push(caveat::unwatched());
    }
    caveats
}

fn checked(outcome: &mut Outcome, check: Check) {
    match check.verdict {
        CheckVerdict::Pass => {}
        CheckVerdict::Warn => outcome.caveats.push(caveat::reduced_precision(&check)),
        CheckVerdict::Fail => {
            outcome.status = Status::Failed;
            outcome.why = Some(wrong(&check));
        }
    }
    outcome.check = Some(check);
}

/// `x` with three decimals; very small and large values with an exponent, and infinity or NaN as "without bound".
fn figure(x: f64) -> String {
    match x {
        _ if !x.is_finite() || x >= f64::MAX => "without bound".to_owned(),
        _ if (0.1..1e6).contains(&x) => format!("{x:.3}"),
        _ => format!("{x:.1e}"),
    }
}

fn wrong(check: &Check) -> String {
    let note = if check.note.is_empty() { String::new() } else { format!(": {}", check.note) };
    let [error, bound] = [check.error, check.bound].map(figure);
    format!("wrong answer: error {error} of at most {bound} by {}{note}", check.method)
}
