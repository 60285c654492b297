//! The floating-point peak: `peak_f64`, `peak_f32`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::headline::{Family, Pick};
use paw_data::outcome::Check;
use paw_data::point::{AxisValue, Point};
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::peak::{Mix, Peak};
use paw_native::real::Real;

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Providers, Start, Values};
use crate::choice::Threads;
use crate::engine::Engine;
use crate::host::Host;

/// Double precision.
pub const PEAK_F64: Benchmark = Own {
    name: "peak_f64",
    purpose: "How many double-precision operations can the cores do, at the clock they really run at?",
    timed: "independent chains of fused multiply-adds in registers, on each thread",
    formula: "2000*flops_per_turn*threads; a turn takes every chain of registers a few steps on",
    work: work::<f64>,
    start: start::<f64>,
}
.of(Common {
    suite: "peak",
    family: Family::Peak,
    headline: Quantity::Flops,
    providers: Providers::Native,
    axes: &[ISA_F64, MIX],
    references: &[],
    variables: &[],
    threads: &[Threads::Count(1), Threads::All],
    by_name: false,
    counts_waits: false,
    memory_bytes: |_| 0.0,
})
.quick(&[(axis::ISA, Values::Machine(widest::<f64>))])
.precision(Precision::Double)
.figures(&[Figure { line: 30, preference: 0, label: "peak_f64", pick: Pick::Best }]);

/// Single precision.
pub const PEAK_F32: Benchmark = Own {
    name: "peak_f32",
    purpose: "How many single-precision operations can the cores do, at the clock they really run at?",
    timed: "independent chains of fused multiply-adds in registers, on each thread",
    formula: "2000*flops_per_turn*threads; a turn takes every chain of registers a few steps on",
    work: work::<f32>,
    start: start::<f32>,
}
.of(Common { axes: &[ISA_F32, MIX], ..PEAK_F64.common })
.quick(&[(axis::ISA, Values::Machine(widest::<f32>))])
.quick_threads(&[Threads::All])
.precision(Precision::Single)
.figures(&[Figure { line: 31, preference: 0, label: "peak_f32", pick: Pick::Best }]);

const ISA_F64: Axis = Axis { name: axis::ISA, meaning: "instruction set", values: Values::Machine(isas::<f64>) };
const ISA_F32: Axis = Axis { values: Values::Machine(isas::<f32>), ..ISA_F64 };
const MIX: Axis = Axis {
    name: axis::MIX,
    meaning: "multiply-adds alone (fma), or as many plain additions beside them (fma+add)",
    values: Values::Words(&["fma", "fma+add"]),
};

/// Turns of one iteration: some microseconds, long beside the start of the threads.
pub(super) const TURNS: u64 = 2_000;

fn isas<T: Real>(_: &Host) -> Vec<AxisValue> {
    Peak::all_here::<T>(Mix::MultiplyAdd).map(|peak| AxisValue::from(peak.isa())).collect()
}

fn widest<T: Real>(_: &Host) -> Vec<AxisValue> {
    Peak::widest::<T>(Mix::MultiplyAdd).map(|peak| AxisValue::from(peak.isa())).into_iter().collect()
}

fn peak<T: Real>(point: &Point) -> Option<Peak> {
    let mix = if point.text(axis::MIX) == Some("fma+add") { Mix::MultiplyAddAndAdd } else { Mix::MultiplyAdd };
    point.text(axis::ISA).map_or_else(|| Peak::widest::<T>(mix), |isa| Peak::of::<T>(isa, mix))
}

/// Work of one iteration: each thread does the same number of operations.
fn work<T: Real>(point: &Point) -> Work {
    let threads = point.int(axis::THREADS).unwrap_or(1) as f64;
    let flops = peak::<T>(point).map_or(0.0, |peak| peak.flops_per_turn() as f64) * TURNS as f64 * threads;
    Work { flops, flops_paw: flops, ..Work::default() }
}

/// A loop in registers that every thread runs, and the number it ends with.
pub(super) struct RegisterLoop {
    pub(super) engine: Rc<Engine>,
    pub(super) run: Box<dyn Fn(u64) -> f64 + Sync>,
    pub(super) expected: f64,
}

fn start<T: Real>(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let isa = start.point.text(axis::ISA).unwrap_or("best");
    let mix = start.point.text(axis::MIX).unwrap_or("fma");
    let missing =
        || Fault::Missing(format!("no {mix} loop for {isa} on this processor; `paw list peak_f64` names those there"));
    let peak = peak::<T>(start.point).ok_or_else(missing)?;
    let run = Box::new(move |turns| peak.run(turns));
    Ok(Box::new(RegisterLoop { engine: Rc::clone(start.engine), run, expected: peak.expected() }))
}

impl Timed for RegisterLoop {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let (run, pool) = (&self.run, &self.engine.native()?.pool);
        let start = clock.start();
        pool.run(|_| {
            std::hint::black_box(run(loops * TURNS));
        });
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let (run, expected) = (&self.run, self.expected);
        let results = self.engine.native()?.pool.map(|_| run(TURNS));
        let wrong = results.iter().find(|found| **found != expected);
        Ok(answer::exact("sum of the chains", wrong.map(|found| format!("the chains end at {found}, not {expected}"))))
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }
}
