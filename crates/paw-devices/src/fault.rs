//! Device errors as faults of a measurement.

use paw_foreign::device::DeviceError;
use paw_measure::fault::Fault;

/// An error as a fault: what is absent or too large is `Missing`, everything else `Broken`.
pub fn broken(error: DeviceError) -> Fault {
    match error {
        DeviceError::NoMemory { .. } | DeviceError::Unsupported(_) | DeviceError::Absent(_) => {
            Fault::Missing(error.to_string())
        }
        other => Fault::Broken(other.to_string()),
    }
}
