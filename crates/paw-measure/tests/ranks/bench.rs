//! A benchmark whose cost a test writes down, and all it takes to measure it.

use paw_data::cell::{Cell, Combine};
use paw_data::method::{Method, Plan};
use paw_data::outcome::{Check, CheckVerdict};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, Instrument};
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::method;
use paw_measure::workload::Timed;

/// A timed region that lets its cost of scripted time pass, and breaks at one call.
pub struct Bench {
    pub script: Script,
    pub per_loop_s: f64,
    pub calls: u32,
    pub breaks_at: Option<u32>,
    /// What passes after every region, unseen by its clock readings.
    pub afterwards_s: f64,
}

impl Bench {
    pub fn costing(per_loop_s: f64, script: &Script) -> Self {
        Self { script: script.clone(), per_loop_s, calls: 0, breaks_at: None, afterwards_s: 0.0 }
    }
}

impl Timed for Bench {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.calls += 1;
        if self.breaks_at == Some(self.calls) {
            return Err(Fault::Broken("it fell over".to_owned()));
        }
        let start = clock.start();
        self.script.advance(loops as f64 * self.per_loop_s);
        let elapsed_s = clock.seconds(start, clock.stop());
        self.script.advance(self.afterwards_s);
        Ok(elapsed_s)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let method = "by hand".to_owned();
        Ok(Check { method, error: 0.0, bound: 1.0, verdict: CheckVerdict::Pass, note: String::new(), accuracy: None })
    }
}

/// A bench whose regions cost `fixed_s` seconds more, however many iterations they hold.
pub struct Fixed {
    pub bench: Bench,
    pub fixed_s: f64,
}

impl Timed for Fixed {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.bench.script.advance(self.fixed_s);
        Ok(self.fixed_s + self.bench.time(loops, clock)?)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.bench.verify()
    }
}

/// A scripted clock's instrument.
pub fn instrument() -> Instrument {
    Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s: 20e-9, hz: None }
}

/// The default method.
pub fn adaptive() -> Method {
    method::default()
}

/// A plan without a budget.
pub fn plan() -> Plan {
    Plan::new(method::default(), 7, None)
}

/// A cell with this number.
pub fn cell(id: u32, combine: Combine) -> Cell {
    Cell { id, combine, ..Cell::new("", "toy", "native", Quantity::Time, Point::new()) }
}
