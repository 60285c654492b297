//! The result of a call of Level Zero: an error has its name in `ze_api.h`.

use std::ffi::c_int;

use crate::device::error::{DeviceError, DeviceResult};

/// `ze_result_t` of `ze_api.h` v1.4-r1.4.8, without the prefix.
const NAMES: &[(c_int, &str)] = &[
    (NOT_READY, "NOT_READY"),
    (0x7000_0001, "ERROR_DEVICE_LOST"),
    (OUT_OF_HOST_MEMORY, "ERROR_OUT_OF_HOST_MEMORY"),
    (OUT_OF_DEVICE_MEMORY, "ERROR_OUT_OF_DEVICE_MEMORY"),
    (MODULE_BUILD_FAILURE, "ERROR_MODULE_BUILD_FAILURE"),
    (0x7000_0005, "ERROR_MODULE_LINK_FAILURE"),
    (0x7000_0006, "ERROR_DEVICE_REQUIRES_RESET"),
    (0x7000_0007, "ERROR_DEVICE_IN_LOW_POWER_STATE"),
    (0x7001_0000, "ERROR_INSUFFICIENT_PERMISSIONS"),
    (0x7001_0001, "ERROR_NOT_AVAILABLE"),
    (0x7002_0000, "ERROR_DEPENDENCY_UNAVAILABLE"),
    (0x7002_0001, "WARNING_DROPPED_DATA"),
    (UNINITIALIZED, "ERROR_UNINITIALIZED"),
    (0x7800_0002, "ERROR_UNSUPPORTED_VERSION"),
    (UNSUPPORTED_FEATURE, "ERROR_UNSUPPORTED_FEATURE"),
    (0x7800_0004, "ERROR_INVALID_ARGUMENT"),
    (0x7800_0005, "ERROR_INVALID_NULL_HANDLE"),
    (0x7800_0006, "ERROR_HANDLE_OBJECT_IN_USE"),
    (0x7800_0007, "ERROR_INVALID_NULL_POINTER"),
    (0x7800_0008, "ERROR_INVALID_SIZE"),
    (UNSUPPORTED_SIZE, "ERROR_UNSUPPORTED_SIZE"),
    (0x7800_000a, "ERROR_UNSUPPORTED_ALIGNMENT"),
    (0x7800_000b, "ERROR_INVALID_SYNCHRONIZATION_OBJECT"),
    (INVALID_ENUMERATION, "ERROR_INVALID_ENUMERATION"),
    (0x7800_000d, "ERROR_UNSUPPORTED_ENUMERATION"),
    (0x7800_000e, "ERROR_UNSUPPORTED_IMAGE_FORMAT"),
    (INVALID_NATIVE_BINARY, "ERROR_INVALID_NATIVE_BINARY"),
    (0x7800_0010, "ERROR_INVALID_GLOBAL_NAME"),
    (INVALID_KERNEL_NAME, "ERROR_INVALID_KERNEL_NAME"),
    (0x7800_0012, "ERROR_INVALID_FUNCTION_NAME"),
    (INVALID_GROUP_SIZE, "ERROR_INVALID_GROUP_SIZE_DIMENSION"),
    (0x7800_0014, "ERROR_INVALID_GLOBAL_WIDTH_DIMENSION"),
    (0x7800_0015, "ERROR_INVALID_KERNEL_ARGUMENT_INDEX"),
    (INVALID_ARGUMENT_SIZE, "ERROR_INVALID_KERNEL_ARGUMENT_SIZE"),
    (0x7800_0017, "ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE"),
    (0x7800_0018, "ERROR_INVALID_MODULE_UNLINKED"),
    (0x7800_0019, "ERROR_INVALID_COMMAND_LIST_TYPE"),
    (0x7800_001a, "ERROR_OVERLAPPING_REGIONS"),
    (0x7800_001b, "WARNING_ACTION_REQUIRED"),
    (0x7fff_fffe, "ERROR_UNKNOWN"),
];

pub(super) const NOT_READY: c_int = 1;
pub(super) const OUT_OF_HOST_MEMORY: c_int = 0x7000_0002;
pub(super) const OUT_OF_DEVICE_MEMORY: c_int = 0x7000_0003;
pub(super) const MODULE_BUILD_FAILURE: c_int = 0x7000_0004;
pub(super) const UNINITIALIZED: c_int = 0x7800_0001;
pub(super) const UNSUPPORTED_FEATURE: c_int = 0x7800_0003;
pub(super) const UNSUPPORTED_SIZE: c_int = 0x7800_0009;
pub(super) const INVALID_ENUMERATION: c_int = 0x7800_000c;
pub(super) const INVALID_NATIVE_BINARY: c_int = 0x7800_000f;
pub(super) const INVALID_KERNEL_NAME: c_int = 0x7800_0011;
pub(super) const INVALID_GROUP_SIZE: c_int = 0x7800_0013;
pub(super) const INVALID_ARGUMENT_SIZE: c_int = 0x7800_0016;

/// The name of a result; empty for those that the header does not know.
pub(super) fn name(code: c_int) -> String {
    let found = NAMES.iter().find(|(known, _)| *known == code);
    found.map(|(_, name)| format!("ZE_RESULT_{name}")).unwrap_or_default()
}

/// The error that a result means, if it is one.
pub(super) fn done(call: &'static str, code: c_int) -> DeviceResult {
    if code == 0 { Ok(()) } else { Err(refused(call, code)) }
}

fn refused(call: &'static str, code: c_int) -> DeviceError {
    DeviceError::Refused { call, code: i64::from(code), meaning: name(code) }
}

/// The error for a function that the loader lacks.
pub(super) fn absent(call: &str) -> DeviceError {
    DeviceError::Unsupported(format!("this loader of Level Zero has no {call}; a newer one has it"))
}

/// Whether a call failed with that result.
pub(super) fn is(error: &DeviceError, code: c_int) -> bool {
    matches!(error, DeviceError::Refused { code: found, .. } if *found == i64::from(code))
}

/// The error of an allocation: too much is no fault of the library.
pub(super) fn scarce(error: DeviceError, bytes: usize, what: &'static str) -> DeviceError {
    let too_much = [OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, UNSUPPORTED_SIZE];
    if too_much.iter().any(|code| is(&error, *code)) { DeviceError::NoMemory { bytes, what } } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_has_its_name_in_the_header() {
        assert_eq!(name(UNINITIALIZED), "ZE_RESULT_ERROR_UNINITIALIZED");
        assert_eq!(name(0x7800_0019), "ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE");
        assert_eq!((name(2).as_str(), done("zeInit", 0)), ("", Ok(())));
    }

    #[test]
    fn an_allocation_beyond_the_limit_is_a_matter_of_size() {
        let failed = |code| done("zeMemAllocDevice", code).unwrap_err();
        let short = DeviceError::NoMemory { bytes: 7, what: "the device" };
        assert_eq!(scarce(failed(UNSUPPORTED_SIZE), 7, "the device"), short);
        assert_eq!(scarce(failed(0x7000_0001), 7, "the device"), failed(0x7000_0001));
    }
}
