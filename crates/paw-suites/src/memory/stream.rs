//! STREAM: `stream_copy`, `stream_scale`, `stream_add`, `stream_triad`.

use std::cell::RefCell;
use std::rc::Rc;

use paw_data::axis;
use paw_data::headline::Pick;
use paw_data::outcome::{Caveat, Check};
use paw_data::point::{AxisValue, Point};
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::{Aligned, OutOfMemory, Pages};
use paw_native::pool::ThreadPool;
use paw_native::stream::{CopyRoutine, Stores, StreamArrays, StreamKernels, StreamOp};

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Start, Values};
use crate::choice::Threads;
use crate::engine::Engine;
use crate::host::Host;
use crate::memory::granted_pages::{PAGES, caveat, pages, refuse};

/// c = a.
pub const COPY: Benchmark = Own {
    name: "stream_copy",
    purpose: "What does the memory deliver to a copy (STREAM)?",
    timed: "c = a over arrays of at least four times the last cache, all threads together",
    formula: "2*8*floor(bytes/8); two arrays of whole doubles",
    work: |point| work(point, StreamOp::Copy),
    start: |start| begin(start, StreamOp::Copy),
}
.of(Common { axes: &[BYTES, COPY_STORE, PAGES], ..ARRAYS })
.aliases(&["stream"])
.quick(&[(axis::STORE, Values::Each(&["normal", "nt", "memcpy"]))])
.quick_threads(&[Threads::All])
.figures(&[Figure { line: 20, preference: 1, label: "stream_copy", pick: Pick::Best }]);

/// b = s c.
pub const SCALE: Benchmark = Own {
    name: "stream_scale",
    purpose: "What does the memory deliver to a scaled copy (STREAM)?",
    timed: "b = s c over arrays of at least four times the last cache, all threads together",
    formula: "2*8*floor(bytes/8); two arrays of whole doubles",
    work: |point| work(point, StreamOp::Scale),
    start: |start| begin(start, StreamOp::Scale),
}
.of(ARRAYS)
.aliases(&["stream"])
.figures(&[Figure { line: 20, preference: 1, label: "stream_scale", pick: Pick::Best }]);

/// c = a + b.
pub const ADD: Benchmark = Own {
    name: "stream_add",
    purpose: "What does the memory deliver to a sum of two arrays (STREAM)?",
    timed: "c = a + b over arrays of at least four times the last cache, all threads together",
    formula: "3*8*floor(bytes/8); three arrays of whole doubles",
    work: |point| work(point, StreamOp::Add),
    start: |start| begin(start, StreamOp::Add),
}
.of(ARRAYS)
.aliases(&["stream"])
.figures(&[Figure { line: 20, preference: 1, label: "stream_add", pick: Pick::Best }]);

/// a = b + s c.
pub const TRIAD: Benchmark = Own {
    name: "stream_triad",
    purpose: "What does the memory deliver to the triad (STREAM), the figure most often quoted?",
    timed: "a = b + s c over arrays of at least four times the last cache, all threads together",
    formula: "3*8*floor(bytes/8); three arrays of whole doubles",
    work: |point| work(point, StreamOp::Triad),
    start: |start| begin(start, StreamOp::Triad),
}
.of(ARRAYS)
.aliases(&["stream"])
.quick(&[])
.quick_threads(&[Threads::All])
.figures(&[Figure { line: 20, preference: 0, label: "stream_triad", pick: Pick::Best }]);

/// What the four have in common.
const ARRAYS: Common =
    Common { axes: &[BYTES, STORE, PAGES], memory_bytes: |point| 3.0 * array_bytes(point), ..super::BANDWIDTH };

const BYTES: Axis = Axis { name: axis::BYTES, meaning: "bytes of each array", values: Values::Machine(array_sizes) };
const STORE: Axis = Axis {
    name: axis::STORE,
    meaning: "stores through the caches (normal: each line is first read), or past them (nt, non-temporal)",
    values: Values::Each(&["normal", "nt"]),
};
const COPY_STORE: Axis = Axis {
    name: axis::STORE,
    meaning: "a loop that stores through the caches (normal) or past them (nt), the C library's memcpy, or rep movsb",
    values: Values::Each(&["normal", "nt", "memcpy", "movsb"]),
};

fn array_sizes(host: &Host) -> Vec<AxisValue> {
    vec![AxisValue::Int(host.memory_bytes_for(super::CACHES * host.all_last_caches_bytes(), 3) as i64)]
}

fn array_bytes(point: &Point) -> f64 {
    point.float(axis::BYTES).unwrap_or(0.0)
}

fn work(point: &Point, op: StreamOp) -> Work {
    let elements = (array_bytes(point) / 8.0).floor();
    let flops = op.flops() as f64 * elements;
    Work { bytes: 8.0 * op.arrays() as f64 * elements, flops, flops_paw: flops, ..Work::default() }
}

struct StreamKernel {
    engine: Rc<Engine>,
    arrays: Rc<RefCell<StreamArrays>>,
    code: Code,
}

/// The code that is timed.
#[derive(Debug, Clone, Copy)]
enum Code {
    Loop(StreamOp, Stores),
    Copy(CopyRoutine),
}

impl Code {
    fn run(self, arrays: &mut StreamArrays, pool: &ThreadPool) {
        match self {
            Code::Loop(op, stores) => arrays.run(pool, op, stores),
            Code::Copy(routine) => arrays.copy(pool, routine),
        }
    }

    /// `string-moves`: the processor does not say that its string instruction is fast.
    fn caveat(self) -> Option<Caveat> {
        let Code::Copy(routine) = self else { return None };
        (!routine.is_promised_fast()).then(|| {
            Caveat::new(
                "string-moves",
                "the processor promises no fast rep movsb (neither ERMS nor FSRM in CPUID leaf 7)",
                "none: a loop or memcpy copies faster there",
            )
        })
    }
}

fn begin(start: &Start<'_>, op: StreamOp) -> Result<Box<dyn Timed>, Fault> {
    let code = match start.point.text(axis::STORE) {
        Some("nt") => Code::Loop(op, Stores::NonTemporal),
        Some("memcpy") if op == StreamOp::Copy => Code::Copy(CopyRoutine::Memcpy),
        Some("movsb") if op == StreamOp::Copy => Code::Copy(CopyRoutine::RepMovsb),
        _ => Code::Loop(op, Stores::Normal),
    };
    match code {
        Code::Loop(_, Stores::NonTemporal) if !StreamKernels::new().has_non_temporal() => {
            return Err(Fault::Missing("this instruction set has no stores past the caches".to_owned()));
        }
        Code::Copy(routine) if !routine.is_here() => {
            return Err(Fault::Missing("this processor has no string instruction for copies".to_owned()));
        }
        _ => {}
    }
    let len = (array_bytes(start.point) / 8.0) as usize;
    let arrays = arrays(start.engine, len, pages(start.point))?;
    Ok(Box::new(StreamKernel { engine: Rc::clone(start.engine), arrays, code }))
}

/// The engine's arrays, made anew where they have another length or other pages.
fn arrays(engine: &Engine, len: usize, pages: Pages) -> Result<Rc<RefCell<StreamArrays>>, Fault> {
    let native = engine.native()?;
    let mut kept = native.arrays.borrow_mut();
    if kept.as_ref().is_none_or(|arrays| (arrays.borrow().len(), arrays.borrow().pages()) != (len, pages)) {
        *kept = None;
        let arrays = StreamArrays::try_new(StreamKernels::new(), &native.pool, len, pages);
        *kept = Some(Rc::new(RefCell::new(granted(arrays)?)));
    }
    Ok(Rc::clone(kept.as_ref().expect("made above")))
}

/// Arrays that were made, unless the system refused the memory or gave one of them no huge page though asked.
fn granted(made: Result<StreamArrays, OutOfMemory>) -> Result<StreamArrays, Fault> {
    let arrays = made.map_err(|error| Fault::Missing(error.to_string()))?;
    arrays.arrays().iter().try_for_each(|array| refuse(array.pages(), array.page_count()))?;
    Ok(arrays)
}

impl Timed for StreamKernel {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let mut arrays = self.arrays.borrow_mut();
        let pool = &self.engine.native()?.pool;
        let start = clock.start();
        for _ in 0..loops {
            self.code.run(&mut arrays, pool);
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// STREAM's own check: every element holds the value that the operations so far leave.
    fn verify(&mut self) -> Result<Check, Fault> {
        let mut arrays = self.arrays.borrow_mut();
        let pool = &self.engine.native()?.pool;
        self.code.run(&mut arrays, pool);
        let error = arrays.error();
        Ok(answer::exact(
            "every element",
            (error != 0.0).then(|| format!("an element is off by {error:e} of its value")),
        ))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        let pool = &self.engine.native()?.pool;
        let mut arrays = self.arrays.borrow_mut();
        let (len, pages) = (arrays.len(), arrays.pages());
        let make = |len| StreamArrays::try_new(StreamKernels::new(), pool, len, pages);
        // The old arrays are freed first: memory may not hold both.
        *arrays = make(0).map_err(|e| Fault::Missing(e.to_string()))?;
        *arrays = granted(make(len))?;
        Ok(())
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }

    fn caveats(&self) -> Vec<Caveat> {
        let arrays = self.arrays.borrow();
        let counts = arrays.arrays().iter().map(Aligned::page_count);
        caveat(arrays.pages(), counts).into_iter().chain(self.code.caveat()).collect()
    }
}

#[cfg(test)]
mod tests {
    use paw_data::outcome::CheckVerdict::{Fail, Pass};

    use super::*;
    use crate::engine::local;

    #[test]
    fn a_changed_element_is_found_in_every_array() {
        let engine = local(&[]).expect("our own code runs everywhere");
        let loops = StreamOp::ALL.map(|op| Code::Loop(op, Stores::Normal));
        for code in loops.into_iter().chain([CopyRoutine::Memcpy, CopyRoutine::RepMovsb].map(Code::Copy)) {
            for (array, value) in [(0, 1.5), (1, f64::NAN), (2, 1.0 + f64::EPSILON)] {
                let arrays = arrays(&engine, 1000, Pages::Plain).expect("there is room");
                let mut kernel = StreamKernel { engine: Rc::clone(&engine), arrays, code };
                kernel.renew().expect("there is room");
                assert_eq!(kernel.verify().expect("it runs").verdict, Pass, "{code:?}");
                let written = kernel.arrays.borrow_mut().arrays_mut()[array][500];
                kernel.arrays.borrow_mut().arrays_mut()[array][500] = written * value;
                let is_overwritten = matches!(
                    (code, array),
                    (Code::Loop(StreamOp::Triad, _), 0)
                        | (Code::Loop(StreamOp::Scale, _), 1)
                        | (Code::Loop(StreamOp::Copy | StreamOp::Add, _) | Code::Copy(_), 2)
                );
                // An operation restores the array that it writes.
                let expected = if is_overwritten { Pass } else { Fail };
                assert_eq!(kernel.verify().expect("it runs").verdict, expected, "{code:?} {array}");
            }
        }
    }
}
