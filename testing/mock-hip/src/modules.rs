//! Modules, and the functions in them.
#![allow(unsafe_code)]
// The names and signatures are HIP's.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use mock_device::modules::{self, NoFunction};
use mock_device::world;

use crate::runtime::{
    INVALID_CONFIGURATION, INVALID_HANDLE, INVALID_VALUE, NOT_FOUND, SHARED_MAX, SUCCESS, THREADS_OF_A_BLOCK,
    THREADS_OF_A_UNIT, answer, current, told,
};

/// A code object that hiprtc of the tests made: text with a zero behind it.
#[unsafe(no_mangle)]
extern "C" fn hipModuleLoadData(module: *mut usize, image: *const c_char) -> c_int {
    if image.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: the image is a C string, as `hiprtcGetCode` wrote it.
    let image = unsafe { CStr::from_ptr(image) }.to_string_lossy().into_owned();
    answer(module, modules::load(image))
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleUnload(module: usize) -> c_int {
    if modules::unload(module) { SUCCESS } else { INVALID_HANDLE }
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleGetFunction(function: *mut usize, module: usize, name: *const c_char) -> c_int {
    // SAFETY: callers hand over a C string.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    match modules::function(module, &name) {
        Ok(number) => answer(function, number),
        Err(NoFunction::Module) => INVALID_HANDLE,
        Err(NoFunction::Name) => NOT_FOUND,
    }
}

/// Threads of a block, shared bytes, constant bytes, local bytes, registers.
#[unsafe(no_mangle)]
extern "C" fn hipFuncGetAttribute(value: *mut c_int, which: c_int, function: usize) -> c_int {
    if modules::name(function).is_none() {
        return INVALID_HANDLE;
    }
    let values = [THREADS_OF_A_BLOCK, 0, 0, 0, 32];
    usize::try_from(which).ok().and_then(|which| values.get(which)).map_or(INVALID_VALUE, |found| answer(value, *found))
}

/// As many as the threads and the shared memory of a unit hold.
#[unsafe(no_mangle)]
extern "C" fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    function: usize,
    threads: c_int,
    shared: usize,
) -> c_int {
    if modules::name(function).is_none() || threads < 1 {
        return INVALID_VALUE;
    }
    let by_shared = SHARED_MAX.checked_div(c_int::try_from(shared).unwrap_or(c_int::MAX)).unwrap_or(c_int::MAX);
    answer(blocks, (THREADS_OF_A_UNIT / threads).min(by_shared))
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleLaunchKernel(
    function: usize,
    blocks: c_uint,
    blocks_y: c_uint,
    blocks_z: c_uint,
    threads: c_uint,
    threads_y: c_uint,
    threads_z: c_uint,
    shared: c_uint,
    stream: usize,
    arguments: *const *const c_void,
    _extra: *const *const c_void,
) -> c_int {
    let device = match current() {
        Ok(device) => device,
        Err(code) => return code,
    };
    if [blocks, blocks_y, blocks_z, threads, threads_y, threads_z].contains(&0)
        || threads > THREADS_OF_A_BLOCK as c_uint
    {
        return INVALID_CONFIGURATION;
    }
    if shared > SHARED_MAX as c_uint {
        return INVALID_VALUE;
    }
    // A stream of another device, or none.
    if world(|world| world.device(stream)) != Some(device) {
        return INVALID_HANDLE;
    }
    let Some(name) = modules::name(function) else { return INVALID_HANDLE };
    let threads = blocks as usize * threads as usize;
    mock_device::start(&name, (device, stream), threads, arguments).map_or_else(told, |()| SUCCESS)
}
