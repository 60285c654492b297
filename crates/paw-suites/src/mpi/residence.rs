//! Where the messages of a point lie on a device.

use paw_data::axis;
use paw_data::point::Point;
use paw_foreign::mpi::Residence;

/// Value of the axis of buffers: memory that moves to who uses it.
pub const MANAGED: &str = "managed";

/// Where the messages of a point lie on a device; nothing for the host's memory.
pub fn residence(point: &Point) -> Option<Residence> {
    match point.text(axis::BUFFER)? {
        MANAGED => Some(Residence::Managed),
        axis::HOST => None,
        _ => Some(Residence::Device),
    }
}
