//! `paw selftest`: whether this machine, its clock and paw's own code give the numbers that are known beforehand.

use std::rc::Rc;

use paw_data::selftest::{CheckResult, Selftest};

use crate::cli::{LeavingArgs, SelftestArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;
use crate::startup;

mod activity;
mod alternatives;
mod chains;
mod check;
mod checks;
mod comparison;
mod machine;
mod model;
mod multiply;
mod null_call;
mod pauses;
mod populations;
mod result_table;
mod round_trip;
#[cfg(test)]
mod scripted;
mod sleep;
mod steady;
mod timer;

use check::Check;
use machine::{Machine, ThisMachine};

/// Makes all checks and prints a line for each; a failed one is a finding.
pub fn selftest(args: &SelftestArgs) -> Result<Code, Failure> {
    let selftest = made()?;
    print::show(&result_table::written(&selftest, args.format, print::width()))?;
    let failed = selftest.with(CheckResult::Fail).next().is_some();
    Ok(if failed { Code::Finding } else { Code::Done })
}

/// The self-test that a run keeps, where the user asks for one; a check that fails is a warning.
pub fn kept(leaving: &LeavingArgs) -> Result<Option<Selftest>, Failure> {
    if !leaving.selftest || leaving.dry_run {
        return Ok(None);
    }
    if !leaving.quiet {
        print::message("making the self-test");
    }
    let selftest = made()?;
    if selftest.with(CheckResult::Fail).next().is_some() {
        print::warn(&format!("self-test: {} (`paw selftest` shows the figures)", selftest.sentence()));
    }
    Ok(Some(selftest))
}

/// The self-test of this machine, made now.
fn made() -> Result<Selftest, Failure> {
    let machine: Rc<dyn Machine> = Rc::new(ThisMachine::new(startup::worker()?));
    Ok(all(&machine, checks::CHECKS))
}

/// Makes `checks` on `machine`.
fn all(machine: &Rc<dyn Machine>, checks: &[Check]) -> Selftest {
    let clock = machine.clock();
    let start = clock.start();
    let checks = checks.iter().flat_map(|check| check.judged(machine)).collect();
    Selftest { checks, elapsed_s: clock.seconds(start, clock.stop()) }
}
