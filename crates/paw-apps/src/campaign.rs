//! Runs a plan: one group of interleaved cells after the other.

use std::cell::RefCell;
use std::rc::Rc;

use paw_data::method::{LoopRule, Memory, Method, Plan};
use paw_data::run::Instrument;
use paw_measure::clock::Clock;
use paw_measure::disturbance::Placement;
use paw_measure::measure::measure;
use paw_measure::prepared_cell::{Drive, PreparedCell};
use paw_measure::session::Session;
use paw_measure::watch::{Control, Watch};

use crate::launcher::Launcher;
use crate::plan::{Campaign, Planned};
use crate::program::{Program, ProgramContext};
use crate::request::Request;

/// A group gets at least this much of a budget, in seconds: too little measures nothing.
const GROUP_MIN_S: f64 = 0.1;

/// Measures all cells; `watch` hears of everything, and may stop it. `instrument` is the monotonic clock.
pub fn run(campaign: Campaign, request: &Request, launcher: Launcher, instrument: Instrument, watch: &mut dyn Watch) {
    let context = ProgramContext {
        launcher: Rc::new(RefCell::new(launcher)),
        metrics: request.metrics.clone().into(),
        expectations: request.expectations.clone().into(),
        warmups: request.plan.method.warmup,
        instrument,
    };
    let session = Session::alone(Clock::monotonic());
    let groups = campaign.groups.len();
    for (number, group) in campaign.groups.into_iter().enumerate() {
        if watch.asked() == Control::Stop {
            return;
        }
        let left_s = request.plan.budget_s.map(|budget_s| budget_s - session.at_s());
        let plan = Plan {
            budget_s: left_s.map(|left_s| (left_s / (groups - number) as f64).max(GROUP_MIN_S)),
            seed: request.plan.seed.wrapping_add(number as u64),
            ..request.plan.clone()
        };
        let mut cells: Vec<_> = group.into_iter().map(|planned| prepared(planned, request, &context)).collect();
        measure(&mut cells, &plan, &session, watch);
    }
}

fn prepared(planned: Planned, request: &Request, context: &ProgramContext) -> PreparedCell {
    // A sample is one run; memory is always fresh.
    let method = Method { loops: LoopRule::Fixed(1), memory: Memory::Kept, ..request.plan.method.clone() };
    let drive = if planned.cell.provider == crate::plan::BASE { Drive::Time } else { request.drive.clone() };
    let cell = planned.cell.clone();
    let program = Program::new(planned, context.clone());
    PreparedCell::new(cell, method, Box::new(program)).placed(Placement::Program).driven(drive)
}
