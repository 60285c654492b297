//! Where the memory of messages lies: on the host, or on a device.

use paw_data::axis;
use paw_data::point::Point;
use paw_foreign::mpi::Residence;

use crate::benchmark::{Axis, Values};

/// The axis of memories.
pub const BUFFER: Axis = Axis {
    name: axis::BUFFER,
    meaning: "where the messages lie: in the host's memory (host), in that of the rank's device (device), or in memory that moves to who uses it (managed)",
    values: Values::Words(&[axis::HOST, "device", MANAGED]),
};

const MANAGED: &str = "managed";

/// Where the messages of a point lie on a device; nothing for the host's memory.
pub fn residence(point: &Point) -> Option<Residence> {
    match point.text(axis::BUFFER)? {
        MANAGED => Some(Residence::Managed),
        axis::HOST => None,
        _ => Some(Residence::Device),
    }
}
