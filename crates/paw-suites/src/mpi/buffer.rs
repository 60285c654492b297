//! The axis of the memory that messages lie in.

use paw_data::axis;

use super::residence::MANAGED;
use crate::benchmark::{Axis, Values};

/// The axis of memories: the host's, or a device's.
pub const BUFFER: Axis = Axis {
    name: axis::BUFFER,
    meaning: "where the messages lie: in the host's memory (host), in that of the rank's device (device), or in memory that moves to who uses it (managed)",
    values: Values::Words(&[axis::HOST, "device", MANAGED]),
};
