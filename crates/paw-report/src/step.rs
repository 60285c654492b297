//! Values on an axis as text: sizes with their unit, counts of doubles as sizes.

use paw_data::axis;
use paw_data::cell::Cell;
use paw_data::headline::Family;
use paw_data::point::AxisValue;

use crate::number;

/// Bytes of an element of MPI benchmarks, which count their messages in doubles as PAW does.
const DOUBLE: f64 = 8.0;

/// Whether an axis counts bytes, by the unit at the end of its name.
pub fn in_bytes(axis: &str) -> bool {
    axis == axis::BYTES || axis.ends_with("_bytes")
}

/// Bytes of one unit of `axis` in `cell`, if the axis counts bytes or elements of known size.
pub fn bytes(cell: &Cell, axis: &str) -> Option<f64> {
    let stated = cell.dat.as_ref().filter(|dat| dat.size == axis).and_then(|dat| dat.element_bytes);
    match stated {
        Some(bytes) => Some(f64::from(bytes)),
        None if in_bytes(axis) => Some(1.0),
        None => (axis == axis::N && cell.family().is_some_and(Family::is_of_ranks)).then_some(DOUBLE),
    }
}

/// The title of a column of [`text`]: `size` where elements are shown as bytes.
pub fn name<'a>(cell: &Cell, axis: &'a str) -> &'a str {
    if !in_bytes(axis) && bytes(cell, axis).is_some() { "size" } else { axis }
}

/// The value of `cell` on `axis`, in bytes if the axis counts bytes or elements of known size.
pub fn position(cell: &Cell, axis: &str) -> Option<f64> {
    cell.point.float(axis).map(|value| value * bytes(cell, axis).unwrap_or(1.0))
}

/// The value of `cell` on `axis` as text, sizes with their unit; empty if it has none.
pub fn text(cell: &Cell, axis: &str) -> String {
    match cell.point.value(axis) {
        None => String::new(),
        Some(AxisValue::Text(word)) => word.to_string(),
        Some(value) => match (bytes(cell, axis), position(cell, axis)) {
            (Some(_), Some(bytes)) => number::size(bytes),
            _ => value.to_string(),
        },
    }
}
