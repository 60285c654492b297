//! Checks the answers of a cell: in every process that its samples come from, outside the timed regions.

use paw_data::outcome::{Check, CheckVerdict};

use super::Group;
use crate::fault::Fault;

impl Group<'_, '_> {
    /// Checks the answer in a process that is about to end, and keeps the worst check so far; a wrong answer gives the cell up.
    pub(super) fn check_process(&mut self, i: usize) -> Result<(), Fault> {
        let check = self.check(i)?;
        if check.verdict == CheckVerdict::Fail {
            return Err(Fault::Wrong(Box::new(check)));
        }
        self.series[i].check = Some(check);
        Ok(())
    }

    /// The worst check of the cell: of the processes that have ended, and of the one that it has now.
    pub(super) fn check(&mut self, i: usize) -> Result<Check, Fault> {
        self.resume(i)?;
        let mine = self.cells[i].workload.verify();
        let mut check = self.session.team().judge(mine)?;
        if self.pace.is_spread() && check.verdict != CheckVerdict::Pass {
            let note = if check.note.is_empty() { check.method.clone() } else { check.note };
            check.note = format!("{note} (in process {})", self.pace.invocations());
        }
        Ok(worse(self.series[i].check.take(), check))
    }
}

/// The worse of two checks, by verdict and then by error; the later one of equals.
fn worse(before: Option<Check>, now: Check) -> Check {
    let rank = |check: &Check| match check.verdict {
        CheckVerdict::Pass => 0,
        CheckVerdict::Warn => 1,
        CheckVerdict::Fail => 2,
    };
    let is_worse = |check: &Check| rank(check) > rank(&now) || rank(check) == rank(&now) && check.error > now.error;
    before.filter(is_worse).unwrap_or(now)
}
