//! Benchmarks whose cost a test writes down.

use paw_data::cell::{Cell, Role};
use paw_data::method::{Method, Plan};
use paw_data::outcome::{Check, CheckVerdict};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, Instrument};
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::local::Local;
use paw_measure::method;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::session::Session;
use paw_measure::workload::Timed;

/// A timed region that does what a test says: advance the script by the cost of so many iterations, disturb it, break.
pub struct Bench<F> {
    script: Script,
    region: F,
    check: Check,
    renewals: Script,
}

impl<F: FnMut(&Script, u64) -> Result<(), Fault>> Bench<F> {
    /// A benchmark whose region is `region`, and whose answer is right.
    pub fn new(script: &Script, region: F) -> Self {
        Self { script: script.clone(), region, check: check(CheckVerdict::Pass), renewals: Script::new(1.0, 0.0) }
    }

    /// This benchmark with another answer.
    pub fn answering(mut self, verdict: CheckVerdict) -> Self {
        self.check = check(verdict);
        self
    }

    /// A script that advances by a second at every renewal.
    pub fn counting(mut self, renewals: &Script) -> Self {
        self.renewals = renewals.clone();
        self
    }
}

impl<F: FnMut(&Script, u64) -> Result<(), Fault>> Timed for Bench<F> {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        (self.region)(&self.script, loops)?;
        Ok(clock.seconds(start, clock.stop()))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        Ok(self.check.clone())
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.renewals.advance(1.0);
        Ok(())
    }
}

/// A region that costs `per_loop_s` an iteration.
pub fn steady(per_loop_s: f64) -> impl FnMut(&Script, u64) -> Result<(), Fault> {
    move |script, loops| {
        script.advance(loops as f64 * per_loop_s);
        Ok(())
    }
}

/// A region whose cost swings by ± `by` around 2 ms after every second call (a cell of a group is called once when it resumes
/// and once when it is timed): the interval of its median never narrows.
pub fn swinging(by: f64) -> impl FnMut(&Script, u64) -> Result<(), Fault> {
    let mut call = 0;
    move |script, loops| {
        let sign = if call % 4 < 2 { 1.0 } else { -1.0 };
        call += 1;
        script.advance(loops as f64 * 2e-3 * (1.0 + sign * by));
        Ok(())
    }
}

/// Time read by a clock of 1 ns steps that costs nothing, so that every elapsed time is the scripted one.
pub fn free_clock() -> Script {
    Script::new(1e-9, 0.0)
}

/// An entry for a region in scripted time.
pub fn entry<F>(id: u32, method: Method, script: &Script, bench: Bench<F>) -> PreparedCell
where
    F: FnMut(&Script, u64) -> Result<(), Fault> + 'static,
{
    let local = Local::new(bench, Clock::Scripted(script.clone()), instrument(script));
    PreparedCell::new(cell(id, Role::Subject), method, Box::new(local))
}

/// A session of this process alone in scripted time.
pub fn session(script: &Script) -> Session<'static> {
    Session::alone(Clock::Scripted(script.clone()))
}

/// What the clock costs: an empty region reads it.
fn instrument(script: &Script) -> Instrument {
    let clock = Clock::Scripted(script.clone());
    let overhead_s = clock.seconds(clock.start(), clock.stop());
    Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s, hz: None }
}

/// A preset by its name.
pub fn preset(name: &str) -> Method {
    method::preset(name).expect("the tests name presets that exist")
}

/// A plan with this seed and no budget.
pub fn plan(seed: u64) -> Plan {
    Plan::new(method::default(), seed, None)
}

/// A cell with this number.
pub fn cell(id: u32, role: Role) -> Cell {
    Cell { id, role, ..Cell::new("", "toy", "native", Quantity::Time, Point::new()) }
}

/// A check that came out so.
pub fn check(verdict: CheckVerdict) -> Check {
    let note = if verdict == CheckVerdict::Pass { "" } else { "c[3] is off" };
    Check { method: "by hand".to_owned(), error: 7.0, bound: 4.0, verdict, note: note.to_owned(), accuracy: None }
}
