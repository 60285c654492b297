//! The driver itself: its start, its devices, their contexts.
#![allow(unsafe_code)]
// The names are CUDA's.
#![allow(non_snake_case)]

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_uint};

use mock_device::{Config, Refusal, wait_until, world};

use crate::modules::SHARED_MAX;

/// What calls answer.
pub(crate) const SUCCESS: c_int = 0;
pub(crate) const INVALID_VALUE: c_int = 1;
pub(crate) const OUT_OF_MEMORY: c_int = 2;
pub(crate) const INVALID_DEVICE: c_int = 101;
pub(crate) const INVALID_CONTEXT: c_int = 201;
pub(crate) const INVALID_HANDLE: c_int = 400;
pub(crate) const NOT_FOUND: c_int = 500;
pub(crate) const NOT_READY: c_int = 600;
pub(crate) const ILLEGAL_ADDRESS: c_int = 700;

const NAMES: &[(c_int, &CStr)] = &[
    (0, c"CUDA_SUCCESS"),
    (INVALID_VALUE, c"CUDA_ERROR_INVALID_VALUE"),
    (OUT_OF_MEMORY, c"CUDA_ERROR_OUT_OF_MEMORY"),
    (34, c"CUDA_ERROR_STUB_LIBRARY"),
    (100, c"CUDA_ERROR_NO_DEVICE"),
    (INVALID_DEVICE, c"CUDA_ERROR_INVALID_DEVICE"),
    (INVALID_CONTEXT, c"CUDA_ERROR_INVALID_CONTEXT"),
    (INVALID_HANDLE, c"CUDA_ERROR_INVALID_HANDLE"),
    (NOT_FOUND, c"CUDA_ERROR_NOT_FOUND"),
    (NOT_READY, c"CUDA_ERROR_NOT_READY"),
    (217, c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"),
    (ILLEGAL_ADDRESS, c"CUDA_ERROR_ILLEGAL_ADDRESS"),
    (704, c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"),
    (802, c"CUDA_ERROR_SYSTEM_NOT_READY"),
    (803, c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    (999, c"CUDA_ERROR_UNKNOWN"),
];

/// Numbers of attributes and their values; what is not here is 0. A device like those of 2022, with 4 units.
const ATTRIBUTES: &[(c_int, c_int)] = &[
    (1, 1024),       // threads of a block
    (10, 32),        // threads of a warp
    (13, 1_500_000), // clock in kHz
    (16, 4),         // units
    (19, 1),         // maps memory of the host
    (38, 4 << 20),   // cache
    (39, 2048),      // threads of a unit
    (41, 1),         // one address space
    (83, 1),         // managed memory
    (97, SHARED_MAX),
    (115, 1), // pools
];

thread_local! {
    /// The device whose context is current in this thread.
    static CURRENT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// What the driver costs and what goes wrong with it.
pub(crate) fn config() -> &'static Config {
    Config::of("MOCK_CUDA_")
}

/// The version of CUDA: 12040 is 12.4.
pub(crate) fn version() -> c_int {
    Some(config().version).filter(|version| *version != 0).unwrap_or(12_040)
}

/// What a call answers that the device refuses.
pub(crate) fn told(refusal: Refusal) -> c_int {
    match refusal {
        Refusal::Value => INVALID_VALUE,
        Refusal::Queue => INVALID_HANDLE,
        Refusal::Memory => OUT_OF_MEMORY,
        Refusal::Address => ILLEGAL_ADDRESS,
    }
}

/// Writes an answer to where the caller wants it.
pub(crate) fn answer<T>(to: *mut T, value: T) -> c_int {
    if to.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: callers of the driver hand over a place for its answer.
    unsafe { to.write(value) };
    SUCCESS
}

/// The device whose context is current, or what a call without one answers.
pub(crate) fn current() -> Result<usize, c_int> {
    CURRENT.get().ok_or(INVALID_CONTEXT)
}

/// A context is the number of its device, from 1.
fn context(device: usize) -> usize {
    device + 1
}

/// The device of that context.
pub(crate) fn device_of(context: usize) -> Option<usize> {
    context.checked_sub(1).filter(|device| *device < config().devices)
}

/// A device by the number that the driver calls it.
pub(crate) fn known(device: c_int) -> Option<usize> {
    usize::try_from(device).ok().filter(|device| *device < config().devices)
}

/// Copies text with a zero behind it into room for `room` bytes.
fn tell(to: *mut c_char, room: c_int, text: &str) -> c_int {
    let room = usize::try_from(room).unwrap_or(0);
    if to.is_null() || room <= text.len() {
        return INVALID_VALUE;
    }
    let bytes = to.cast::<u8>();
    // SAFETY: the caller has room for `room` bytes, which are more than the text's.
    unsafe { bytes.copy_from_nonoverlapping(text.as_ptr(), text.len()) };
    // SAFETY: as above: there is room for one more.
    unsafe { bytes.add(text.len()).write(0) };
    SUCCESS
}

/// The bus of a device.
pub(crate) fn bus_of(device: usize) -> c_uint {
    0x3b + device as c_uint
}

/// Where a device is on the bus.
pub(crate) fn bus_id(device: usize) -> String {
    format!("0000:{:02X}:00.0", bus_of(device))
}

#[unsafe(no_mangle)]
extern "C" fn cuInit(_flags: c_uint) -> c_int {
    let config = config();
    // The clock starts.
    world(|_| ());
    config.init_error
}

#[unsafe(no_mangle)]
extern "C" fn cuDriverGetVersion(version: *mut c_int) -> c_int {
    answer(version, self::version())
}

#[unsafe(no_mangle)]
extern "C" fn cuGetErrorName(code: c_int, name: *mut *const c_char) -> c_int {
    let found = NAMES.iter().find(|(known, _)| *known == code);
    match found {
        Some((_, text)) => answer(name, text.as_ptr()),
        None => answer(name, std::ptr::null()).max(INVALID_VALUE),
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetCount(count: *mut c_int) -> c_int {
    answer(count, config().devices as c_int)
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> c_int {
    known(ordinal).map_or(INVALID_DEVICE, |_| answer(device, ordinal))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetName(name: *mut c_char, room: c_int, device: c_int) -> c_int {
    known(device).map_or(INVALID_DEVICE, |_| tell(name, room, "Mock GPU"))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) -> c_int {
    known(device).map_or(INVALID_DEVICE, |_| answer(bytes, config().memory_bytes))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetAttribute(value: *mut c_int, which: c_int, device: c_int) -> c_int {
    let known_of_all = ATTRIBUTES.iter().find(|(known, _)| *known == which).map_or(0, |(_, value)| *value);
    let found = match which {
        // Compute capability.
        75 => config().compute / 10,
        76 => config().compute % 10,
        // Managed memory whose pages move one by one; the host's page tables.
        89 => c_int::from(config().managed),
        100 => c_int::from(config().shares_tables),
        _ => known_of_all,
    };
    known(device).map_or(INVALID_DEVICE, |_| answer(value, found))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetPCIBusId(text: *mut c_char, room: c_int, device: c_int) -> c_int {
    known(device).map_or(INVALID_DEVICE, |device| tell(text, room, &bus_id(device)))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) -> c_int {
    known(device).map_or(INVALID_DEVICE, |device| answer(uuid, [0xa0 + device as u8; 16]))
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRetain(to: *mut usize, device: c_int) -> c_int {
    known(device).map_or(INVALID_DEVICE, |device| answer(to, context(device)))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(context: usize) -> c_int {
    let device = device_of(context);
    CURRENT.set(device);
    if device.is_some() || context == 0 { SUCCESS } else { INVALID_CONTEXT }
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxGetDevice(device: *mut c_int) -> c_int {
    current().map_or_else(|code| code, |current| answer(device, current as c_int))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSynchronize() -> c_int {
    current().map_or_else(
        |code| code,
        |device| {
            wait_until(|world| world.is_idle(device));
            SUCCESS
        },
    )
}
