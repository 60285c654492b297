//! Exit codes, and which of several wins.

use paw_data::cell::Role;
use paw_data::outcome::{CheckVerdict, Outcome, Status};
use paw_data::run::Run;
use paw_data::trust::CONTENDED;
use paw_suites::track::LADDER_ENDS;

/// The exit code, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// Done; skipped cells included.
    Done = 0,
    /// A wrong answer, a program that is slower where --fail-on asks, or a regression under a gate.
    Finding = 1,
    /// Wrong usage.
    Usage = 2,
    /// A measured program failed, timed out or did not build.
    Failed = 3,
    /// What was required is not here. With `--require`: something asked for; with `--strict-env` and `paw doctor --strict`: quiet. Under a
    /// gate: what the references have.
    Missing = 4,
    /// Under a gate: in doubt where --fail-on asks. Of a campaign: its time was over.
    Inconclusive = 5,
    /// No benchmark was selected, or no reference was judged.
    Nothing = 6,
    /// Cannot read or write.
    Io = 7,
    /// A bug of paw: an invariant does not hold.
    Bug = 70,
    /// SIGHUP, as of a terminal that closes; results are saved.
    HungUp = 129,
    /// SIGINT; results are saved.
    Interrupted = 130,
    /// SIGTERM; results are saved.
    Terminated = 143,
}

impl Code {
    /// The code of `number`; [`Code::Bug`] for an unknown one.
    pub fn from_number(number: i32) -> Self {
        PRECEDENCE.into_iter().find(|code| *code as i32 == number).unwrap_or(Code::Bug)
    }
}

/// Codes by precedence, the strongest first.
/// A usage error ends paw before any other code can arise, so that its place does not matter.
const PRECEDENCE: [Code; 12] = [
    Code::Interrupted,
    Code::Terminated,
    Code::HungUp,
    Code::Bug,
    Code::Io,
    Code::Usage,
    Code::Finding,
    Code::Failed,
    Code::Inconclusive,
    Code::Missing,
    Code::Nothing,
    Code::Done,
];

/// The strongest of `codes`; [`Code::Done`] without any.
pub fn strongest(codes: impl IntoIterator<Item = Code>) -> Code {
    let rank = |code: &Code| PRECEDENCE.iter().position(|c| c == code).unwrap_or(PRECEDENCE.len());
    codes.into_iter().min_by_key(rank).unwrap_or(Code::Done)
}

/// Whether skipped cells are an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skips {
    /// A skipped cell is a result.
    Fine,
    /// A skipped cell is an error.
    Missing,
}

/// The exit code for the outcome of one cell.
pub fn of_outcome(outcome: &Outcome, skips: Skips) -> Code {
    let wrong = outcome.check.as_ref().is_some_and(|check| check.verdict == CheckVerdict::Fail);
    match outcome.status {
        _ if wrong => Code::Finding,
        Status::Failed => Code::Failed,
        Status::Skipped if skips == Skips::Missing && !is_ladders_end(outcome) => Code::Missing,
        Status::Skipped | Status::Measured => Code::Done,
    }
}

/// Whether the cell lies past the end of a default ladder: the user did not ask for it.
fn is_ladders_end(outcome: &Outcome) -> bool {
    outcome.why.as_ref().is_some_and(|why| why.starts_with(LADDER_ENDS))
}

/// Whether too many of a run's samples were disturbed to trust them, or other work ran on the processors of a measured program:
/// all samples of a program count, so that none of them is marked.
pub fn is_contended(run: &Run) -> bool {
    let subjects = || run.records.iter().filter(|record| record.cell.role == Role::Subject);
    if subjects().filter_map(|record| record.outcome.as_ref()).any(Outcome::is_contended) {
        return true;
    }
    let (disturbed, all) = subjects()
        .flat_map(|record| &record.samples.disturbed)
        .fold((0, 0), |(disturbed, all), is| (disturbed + u32::from(*is), all + 1));
    f64::from(disturbed) > CONTENDED * f64::from(all)
}

#[cfg(test)]
mod tests {
    use paw_data::outcome::Check;

    use super::*;

    fn outcome(status: Status, verdict: Option<CheckVerdict>) -> Outcome {
        let check = verdict.map(|verdict| Check {
            method: "test".to_owned(),
            error: 0.0,
            bound: 1.0,
            verdict,
            note: String::new(),
            accuracy: None,
        });
        Outcome { cell: 0, status, ending: None, why: None, check, caveats: Vec::new() }
    }

    #[test]
    fn the_stronger_code_wins_in_any_order() {
        use Code::*;
        let cases: &[(&[Code], Code)] = &[
            (&[], Done),
            (&[Done, Done], Done),
            (&[Nothing, Done], Nothing),
            (&[Missing, Nothing], Missing),
            (&[Missing, Inconclusive], Inconclusive),
            (&[Failed, Inconclusive, Missing], Failed),
            (&[Finding, Failed], Finding),
            (&[Io, Finding, Failed], Io),
            (&[Bug, Io], Bug),
            (&[Interrupted, Bug, Io, Finding], Interrupted),
            (&[Terminated, Bug], Terminated),
        ];
        for (codes, expected) in cases {
            assert_eq!(strongest(codes.iter().copied()), *expected, "{codes:?}");
            assert_eq!(strongest(codes.iter().rev().copied()), *expected, "{codes:?} reversed");
        }
    }

    #[test]
    fn every_code_has_its_number() {
        let numbers = PRECEDENCE.map(|code| code as i32);
        assert_eq!(numbers, [130, 143, 129, 70, 7, 2, 1, 3, 5, 4, 6, 0]);
        assert_eq!(numbers.map(Code::from_number), PRECEDENCE);
        assert_eq!(Code::from_number(99), Code::Bug);
    }

    #[test]
    fn an_outcome_asks_for_its_code() {
        let cases = [
            (Status::Measured, None, Skips::Fine, Code::Done),
            (Status::Measured, Some(CheckVerdict::Warn), Skips::Fine, Code::Done),
            (Status::Failed, Some(CheckVerdict::Fail), Skips::Fine, Code::Finding),
            (Status::Failed, None, Skips::Fine, Code::Failed),
            (Status::Skipped, None, Skips::Fine, Code::Done),
            (Status::Skipped, None, Skips::Missing, Code::Missing),
            (Status::Measured, None, Skips::Missing, Code::Done),
        ];
        for (status, verdict, skips, expected) in cases {
            assert_eq!(of_outcome(&outcome(status, verdict), skips), expected, "{status:?} {verdict:?} {skips:?}");
        }
    }

    #[test]
    fn a_ladder_that_ends_by_itself_lacks_nothing() {
        let why = |why: String| Outcome { why: Some(why), ..outcome(Status::Skipped, None) };
        let end = why(format!("{LADDER_ENDS} 1 s, and one at n=8192 would last about 4 s"));
        assert_eq!(of_outcome(&end, Skips::Missing), Code::Done);
        assert_eq!(of_outcome(&why("libmpi.so: not found".to_owned()), Skips::Missing), Code::Missing);
    }
}
