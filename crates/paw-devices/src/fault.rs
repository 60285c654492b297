//! What a device's refusal means for a measurement.

use paw_foreign::device::DeviceError;
use paw_measure::fault::Fault;

/// A refusal as the loop understands it: what is not here or does not fit is missing, everything else is broken.
pub fn broken(error: DeviceError) -> Fault {
    match error {
        DeviceError::NoMemory { .. } | DeviceError::Unsupported(_) | DeviceError::Absent(_) => {
            Fault::Missing(error.to_string())
        }
        other => Fault::Broken(other.to_string()),
    }
}
