//! Makes a row a cell with statistics and no samples.

use super::super::name::word;
use super::block::{Block, BlockOrigin};
use super::catalogue::{self, PawTest};
use super::table::ImportedRow;
use super::units::UnitScale;
use crate::axis;
use crate::cell::{Cell, Combine, Dat};
use crate::outcome::{Caveat, Ending, Outcome, Status};
use crate::point::{AxisValue, Point};
use crate::run::{Imported, Record};

/// A row's numbers in SI units.
pub(super) fn imported(entry: &ImportedRow, UnitScale { si, .. }: UnitScale) -> Imported {
    Imported {
        mean: entry.mean * si,
        min: entry.min * si,
        max: entry.max * si,
        sigma_pop: entry.sigma * si,
        loops: entry.loops,
        samples: entry.samples,
    }
}

/// The cell of a row of size `size`.
pub(super) fn cell(block: &Block, test: &PawTest, size: f64) -> Cell {
    let mut point = Point::new();
    let steps = size / f64::from(step_bytes(block, test));
    if !test.size.is_empty() {
        point.set(test.size, whole(steps));
    }
    let devices = catalogue::devices(&block.name.test);
    if test.suite == "device" {
        point.set(axis::DEVICES, (devices.split('+').count() as i64).into());
    }
    if block.origin != BlockOrigin::Ours {
        test.variants().iter().for_each(|(axis, value)| point.set(axis, (*value).into()));
    }
    for pair in block.fact("Point").unwrap_or_default().split_whitespace() {
        if let Some((axis, value)) = pair.split_once('=') {
            point.set(axis, word(value));
        }
    }
    // A point leaves its axes' defaults out, and PAW 1.6 names the window in any case.
    let is_default = |axis: &str, value: &AxisValue| axis == axis::WINDOW && *value == AxisValue::Int(WINDOW);
    for (axis, value) in block.name.axes.iter().filter(|(axis, value)| !is_default(axis, value)) {
        point.set(axis, value.clone());
    }
    let np_axis = if test.suite == "blas" { axis::THREADS } else { axis::RANKS };
    if let (Some(np), None) = (block.name.np, point.value(np_axis)) {
        point.set(np_axis, i64::from(np).into());
    }
    if test.is_of_two() {
        point.set(axis::RANKS, 2.into());
    }
    let window = point.int(axis::WINDOW).unwrap_or(WINDOW);
    let provider = block.fact("Provider").map_or_else(|| provider(devices), str::to_owned);
    Cell {
        method: METHOD.into(),
        work: test.work.work(steps * f64::from(test.element_bytes), block.name.np.unwrap_or(0), window),
        formula: test.work.text().into(),
        combine: if test.suite == "mpi" { Combine::Slowest } else { Combine::Single },
        dat: Some(Box::new(dat(block, test))),
        ..Cell::new(test.suite, test.benchmark(&block.name.test), provider, test.headline(), point)
    }
}

/// PAW names no provider: devices other than the first have their numbers after `paw`.
fn provider(devices: &str) -> String {
    if devices == "0" { "paw".to_owned() } else { format!("paw{devices}") }
}

/// Bytes of one step of the ladder in the SIZE column; 1 where the column counts steps, as that of transfers in our own files.
fn step_bytes(block: &Block, test: &PawTest) -> u32 {
    let counts = test.suite == "device" && block.origin == BlockOrigin::Ours && !block.labels.contains("SIZE(B)");
    if counts { 1 } else { test.element_bytes }
}

/// Messages in flight where the file name does not say: PAW's default.
const WINDOW: i64 = 128;
/// The method of PAW's code, which differs from its guide.
pub(super) const METHOD: &str = "paw16";

fn dat(block: &Block, test: &PawTest) -> Dat {
    let name = &block.name.test;
    let stem = match name.as_str() {
        "latency" => "latency.dat".to_owned(),
        "init" => "time_init.dat".to_owned(),
        device if device.starts_with("gpu_transfer_") => device.replacen("gpu_transfer_", "gpu_transfer_{}_", 1),
        device if device.starts_with("mic") => {
            device.rsplit_once('_').map_or(device.to_owned(), |(front, direction)| format!("{front}_{{}}_{direction}"))
        }
        device if test.suite == "device" => match device.rsplit_once("_dev") {
            Some((front, numbers)) => format!("{front}_{{}}_dev{numbers}"),
            None => format!("{device}_{{}}"),
        },
        other => other.to_owned(),
    };
    let title = block.fact("PawTest").map_or_else(|| name.to_uppercase(), str::to_owned);
    let step_bytes = step_bytes(block, test);
    let element_bytes = (step_bytes > 1).then_some(step_bytes);
    Dat { element_bytes, ..Dat::new(stem, title, test.size) }
}

fn whole(size: f64) -> AxisValue {
    if size.fract() == 0.0 && size.abs() < 9e15 { (size as i64).into() } else { size.into() }
}

/// Average of rates ÷ rate of the average from which a caveat says so; PAW's rounding is far smaller.
const MEAN_OF_RATES: f64 = 1.01;

/// The outcome of the row: measured, or failed where it has no numbers.
pub(super) fn outcome(record: &Record) -> Outcome {
    let numbers = [&record.imported_time, &record.imported_rate];
    let known = numbers.into_iter().flatten().any(|i| !i.mean.is_nan() || !i.min.is_nan());
    let mut caveats = Vec::new();
    if let (Some(time), Some(rate)) = (&record.imported_time, &record.imported_rate) {
        let of_mean = record.cell.work.value(record.cell.headline, time.mean);
        if rate.mean > MEAN_OF_RATES * of_mean {
            let percent = (rate.mean / of_mean - 1.0) * 100.0;
            let cause = format!("the file averages rates, which lies {percent:.0} % above work / mean time");
            caveats.push(Caveat::new("mean-of-rates", cause, "trust the times, or measure again with paw"));
        }
    }
    Outcome {
        cell: record.cell.id,
        status: if known { Status::Measured } else { Status::Failed },
        ending: known.then_some(Ending::Complete),
        why: (!known).then(|| "the file holds NaN where the result should be".to_owned()),
        check: None,
        caveats,
    }
}
