//! The status of an OpenCL call: an error has its name in `cl.h`.

use std::ffi::c_void;

use opencl_sys::cl_int;

use crate::device::error::DeviceError;

/// Names of the codes 0, −1, −2 … of the run-time and the compiler.
const RUN_TIME: &str = "\
    CL_SUCCESS CL_DEVICE_NOT_FOUND CL_DEVICE_NOT_AVAILABLE CL_COMPILER_NOT_AVAILABLE CL_MEM_OBJECT_ALLOCATION_FAILURE \
    CL_OUT_OF_RESOURCES CL_OUT_OF_HOST_MEMORY CL_PROFILING_INFO_NOT_AVAILABLE CL_MEM_COPY_OVERLAP CL_IMAGE_FORMAT_MISMATCH \
    CL_IMAGE_FORMAT_NOT_SUPPORTED CL_BUILD_PROGRAM_FAILURE CL_MAP_FAILURE CL_MISALIGNED_SUB_BUFFER_OFFSET \
    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST CL_COMPILE_PROGRAM_FAILURE CL_LINKER_NOT_AVAILABLE \
    CL_LINK_PROGRAM_FAILURE CL_DEVICE_PARTITION_FAILED CL_KERNEL_ARG_INFO_NOT_AVAILABLE";

/// Names of the codes −30, −31 … of invalid calls.
const INVALID: &str = "\
    CL_INVALID_VALUE CL_INVALID_DEVICE_TYPE CL_INVALID_PLATFORM CL_INVALID_DEVICE CL_INVALID_CONTEXT \
    CL_INVALID_QUEUE_PROPERTIES CL_INVALID_COMMAND_QUEUE CL_INVALID_HOST_PTR CL_INVALID_MEM_OBJECT \
    CL_INVALID_IMAGE_FORMAT_DESCRIPTOR CL_INVALID_IMAGE_SIZE CL_INVALID_SAMPLER CL_INVALID_BINARY CL_INVALID_BUILD_OPTIONS \
    CL_INVALID_PROGRAM CL_INVALID_PROGRAM_EXECUTABLE CL_INVALID_KERNEL_NAME CL_INVALID_KERNEL_DEFINITION CL_INVALID_KERNEL \
    CL_INVALID_ARG_INDEX CL_INVALID_ARG_VALUE CL_INVALID_ARG_SIZE CL_INVALID_KERNEL_ARGS CL_INVALID_WORK_DIMENSION \
    CL_INVALID_WORK_GROUP_SIZE CL_INVALID_WORK_ITEM_SIZE CL_INVALID_GLOBAL_OFFSET CL_INVALID_EVENT_WAIT_LIST \
    CL_INVALID_EVENT CL_INVALID_OPERATION CL_INVALID_GL_OBJECT CL_INVALID_BUFFER_SIZE CL_INVALID_MIP_LEVEL \
    CL_INVALID_GLOBAL_WORK_SIZE CL_INVALID_PROPERTY CL_INVALID_IMAGE_DESCRIPTOR CL_INVALID_COMPILER_OPTIONS \
    CL_INVALID_LINKER_OPTIONS CL_INVALID_DEVICE_PARTITION_COUNT CL_INVALID_PIPE_SIZE CL_INVALID_DEVICE_QUEUE \
    CL_INVALID_SPEC_ID CL_MAX_SIZE_RESTRICTION_EXCEEDED";
const INVALID_FROM: cl_int = -30;

/// The name of a status; empty for those of extensions.
pub(super) fn name(status: cl_int) -> &'static str {
    let (names, from) = if status > INVALID_FROM { (RUN_TIME, 0) } else { (INVALID, INVALID_FROM) };
    usize::try_from(from - status).ok().and_then(|at| names.split(' ').nth(at)).unwrap_or_default()
}

/// The error that `status` means, if it is one.
pub(super) fn done(call: &'static str, status: cl_int) -> Result<(), DeviceError> {
    if status == 0 { Ok(()) } else { Err(refused(call, status)) }
}

/// The object that a call made, or the error that `status` means.
pub(super) fn made(call: &'static str, status: cl_int, object: *mut c_void) -> Result<*mut c_void, DeviceError> {
    match status {
        0 if !object.is_null() => Ok(object),
        0 => Err(DeviceError::Refused { call, code: 0, meaning: "it made nothing".to_owned() }),
        _ => Err(refused(call, status)),
    }
}

fn refused(call: &'static str, status: cl_int) -> DeviceError {
    DeviceError::Refused { call, code: i64::from(status), meaning: name(status).to_owned() }
}

#[cfg(test)]
mod tests {
    use opencl_sys::{
        CL_INVALID_EVENT, CL_KERNEL_ARG_INFO_NOT_AVAILABLE, CL_MAX_SIZE_RESTRICTION_EXCEEDED, CL_SUCCESS,
    };

    use super::name;

    #[test]
    fn a_status_has_its_name_in_the_header() {
        assert_eq!(name(CL_SUCCESS), "CL_SUCCESS");
        assert_eq!(name(CL_KERNEL_ARG_INFO_NOT_AVAILABLE), "CL_KERNEL_ARG_INFO_NOT_AVAILABLE");
        assert_eq!(name(CL_INVALID_EVENT), "CL_INVALID_EVENT");
        assert_eq!(name(CL_MAX_SIZE_RESTRICTION_EXCEEDED), "CL_MAX_SIZE_RESTRICTION_EXCEEDED");
        assert_eq!([name(1), name(-20), name(-73), name(-1001)], [""; 4]);
    }
}
