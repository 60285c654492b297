//! The peaks of short numbers: `peak_f16`, `peak_bf16`, `peak_int8`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::point::{AxisValue, Point};
use paw_data::precision::Precision;
use paw_data::work::Work;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::peak::short::{ShortNumber, ShortPeak};

use super::fma::{PEAK_F64, RegisterLoop, TURNS};
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};

/// A peak of one number type.
macro_rules! peak {
    ($constant:ident, $name:literal, $axis:ident, $number:ident, $purpose:literal, $timed:literal) => {
        #[doc = concat!("The benchmark `", $name, "`.")]
        pub const $constant: Benchmark = Own {
            name: $name,
            purpose: $purpose,
            timed: $timed,
            formula: "2000*operations_per_turn*threads; a multiply-add is two operations",
            work: |point| work(ShortNumber::$number, point),
            start: |start| begin(ShortNumber::$number, $name, start),
        }
        .of(Common { axes: &[$axis], ..PEAK_F64.common })
        .precision(Precision::Reduced);

        const $axis: Axis = Axis {
            name: axis::ISA,
            meaning: "instruction set",
            values: Values::Machine(|_| instruction_sets(ShortNumber::$number)),
        };
    };
}

peak!(
    PEAK_F16,
    "peak_f16",
    ISA_F16,
    F16,
    "How many half-precision operations can the cores do, at the clock they really run at?",
    "independent chains of fused multiply-adds of binary16 numbers in registers, or products of tiles (amx), on each thread"
);
peak!(
    PEAK_BF16,
    "peak_bf16",
    ISA_BF16,
    Bf16,
    "How many operations on bfloat16 numbers can the cores do, at the clock they really run at?",
    "independent chains of products of bfloat16 numbers, summed in single precision, in registers or on tiles (amx), on each thread"
);
peak!(
    PEAK_INT8,
    "peak_int8",
    ISA_INT8,
    Int8,
    "How many operations on bytes can the cores do, at the clock they really run at?",
    "independent chains of products of bytes, summed in 32 bits, in registers or on tiles (amx), on each thread"
);

/// What stands for the instruction set on a processor that has none: the cell says so.
const NONE: &str = "none";

fn instruction_sets(number: ShortNumber) -> Vec<AxisValue> {
    let mut all: Vec<_> = ShortPeak::all_here(number).map(|peak| AxisValue::from(peak.isa)).collect();
    if all.is_empty() {
        all.push(AxisValue::from(NONE));
    }
    all
}

/// The loop of a point; the widest one where the point names none.
fn peak(number: ShortNumber, point: &Point) -> Option<&'static ShortPeak> {
    match point.text(axis::ISA) {
        Some(isa) => ShortPeak::named(number, isa),
        None => ShortPeak::all_here(number).last(),
    }
}

/// Work of one iteration: each thread does the same number of operations.
fn work(number: ShortNumber, point: &Point) -> Work {
    let threads = point.int(axis::THREADS).unwrap_or(1) as f64;
    let flops = peak(number, point).map_or(0.0, |peak| peak.operations_per_turn() as f64) * TURNS as f64 * threads;
    Work { flops, flops_paw: flops, ..Work::default() }
}

fn begin(number: ShortNumber, benchmark: &str, start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let missing = || match start.point.text(axis::ISA) {
        Some(NONE) | None => {
            Fault::Missing("this processor has no instructions for such numbers that paw has a loop of".to_owned())
        }
        Some(isa) => {
            Fault::Missing(format!("no loop of {isa} on this processor; `paw list {benchmark}` names those there"))
        }
    };
    let peak = peak(number, start.point).ok_or_else(missing)?;
    let run = Box::new(|turns| peak.run(turns));
    Ok(Box::new(RegisterLoop { engine: Rc::clone(start.engine), run, expected: peak.expected() }))
}
