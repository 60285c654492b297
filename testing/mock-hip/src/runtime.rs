//! The run time itself: its start, its devices, what they are.
#![allow(unsafe_code)]
// The names are HIP's.
#![allow(non_snake_case)]

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_uint};

use mock_device::{Config, Refusal, peers, wait_until, world};

/// What calls answer: `hipError_t`.
pub(crate) const SUCCESS: c_int = 0;
pub(crate) const INVALID_VALUE: c_int = 1;
pub(crate) const OUT_OF_MEMORY: c_int = 2;
pub(crate) const INVALID_CONFIGURATION: c_int = 9;
pub(crate) const INVALID_DEVICE: c_int = 101;
pub(crate) const INVALID_HANDLE: c_int = 400;
pub(crate) const NOT_FOUND: c_int = 500;
pub(crate) const NOT_READY: c_int = 600;
const ILLEGAL_ADDRESS: c_int = 700;
pub(crate) const ALREADY_REGISTERED: c_int = 712;
pub(crate) const NOT_REGISTERED: c_int = 713;
const NO_DEVICE: c_int = 100;
const PEER_ACCESS_UNSUPPORTED: c_int = 217;
const PEER_ACCESS_ALREADY_ENABLED: c_int = 704;
const NOT_SUPPORTED: c_int = 801;

const NAMES: &[(c_int, &CStr)] = &[
    (SUCCESS, c"hipSuccess"),
    (INVALID_VALUE, c"hipErrorInvalidValue"),
    (OUT_OF_MEMORY, c"hipErrorOutOfMemory"),
    (INVALID_CONFIGURATION, c"hipErrorInvalidConfiguration"),
    (35, c"hipErrorInsufficientDriver"),
    (NO_DEVICE, c"hipErrorNoDevice"),
    (INVALID_DEVICE, c"hipErrorInvalidDevice"),
    (PEER_ACCESS_UNSUPPORTED, c"hipErrorPeerAccessUnsupported"),
    (INVALID_HANDLE, c"hipErrorInvalidHandle"),
    (NOT_FOUND, c"hipErrorNotFound"),
    (NOT_READY, c"hipErrorNotReady"),
    (ILLEGAL_ADDRESS, c"hipErrorIllegalAddress"),
    (PEER_ACCESS_ALREADY_ENABLED, c"hipErrorPeerAccessAlreadyEnabled"),
    (ALREADY_REGISTERED, c"hipErrorHostMemoryAlreadyRegistered"),
    (NOT_REGISTERED, c"hipErrorHostMemoryNotRegistered"),
    (NOT_SUPPORTED, c"hipErrorNotSupported"),
    (999, c"hipErrorUnknown"),
];

/// Bytes of shared memory that a block may have, and threads that a unit holds.
pub(crate) const SHARED_MAX: c_int = 64 << 10;
pub(crate) const THREADS_OF_A_UNIT: c_int = 2048;
pub(crate) const THREADS_OF_A_BLOCK: c_int = 1024;

/// Numbers of `hipDeviceAttribute_t` and their values; what is not here is unknown. A die of an MI250X, with 4 units.
const ATTRIBUTES: &[(c_int, c_int)] = &[
    (3, 1),         // maps memory of the host
    (5, 1_700_000), // clock in kHz
    (16, 0),        // integrated
    (19, 8 << 20),  // cache
    (56, THREADS_OF_A_BLOCK),
    (57, THREADS_OF_A_UNIT),
    (63, 4), // units
    (65, 0), // reads pageable memory
    (74, SHARED_MAX),
    (87, 64),            // threads of a warp
    (88, 1),             // pools
    (10_017, 1_000_000), // the steady clock in kHz: a tick is a nanosecond
];

thread_local! {
    /// The device that calls of this thread are for: the first, until another is chosen.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// What the library costs and what goes wrong with it.
pub(crate) fn config() -> &'static Config {
    Config::of("MOCK_HIP_")
}

/// The version, as `hipRuntimeGetVersion` counts: 6.3.42134.
fn version() -> c_int {
    Some(config().version).filter(|version| *version != 0).unwrap_or(60_342_134)
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
    // SAFETY: callers of the library hand over a place for its answer.
    unsafe { to.write(value) };
    SUCCESS
}

/// The device that calls of this thread are for, or what a call answers where there is none.
pub(crate) fn current() -> Result<usize, c_int> {
    if CURRENT.get() < config().devices { Ok(CURRENT.get()) } else { Err(NO_DEVICE) }
}

/// A device of that number.
pub(crate) fn known(device: c_int) -> Option<usize> {
    usize::try_from(device).ok().filter(|device| *device < config().devices)
}

/// Copies text with a zero behind it into room for `room` bytes.
pub(crate) fn tell(to: *mut c_char, room: usize, text: &str) -> c_int {
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

#[unsafe(no_mangle)]
extern "C" fn hipInit(_flags: c_uint) -> c_int {
    let config = config();
    // The clock starts.
    world(|_| ());
    config.init_error
}

#[unsafe(no_mangle)]
extern "C" fn hipRuntimeGetVersion(to: *mut c_int) -> c_int {
    answer(to, version())
}

#[unsafe(no_mangle)]
extern "C" fn hipGetErrorName(code: c_int) -> *const c_char {
    NAMES.iter().find(|(known, _)| *known == code).map_or(c"hipErrorUnknown".as_ptr(), |(_, text)| text.as_ptr())
}

#[unsafe(no_mangle)]
extern "C" fn hipGetDeviceCount(count: *mut c_int) -> c_int {
    let code = if config().devices == 0 { NO_DEVICE } else { SUCCESS };
    answer(count, config().devices as c_int).max(code)
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetName(name: *mut c_char, room: c_int, device: c_int) -> c_int {
    known(device).map_or(INVALID_DEVICE, |_| tell(name, usize::try_from(room).unwrap_or(0), "Mock Instinct"))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceTotalMem(bytes: *mut usize, device: c_int) -> c_int {
    known(device).map_or(INVALID_DEVICE, |_| answer(bytes, config().memory_bytes))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetAttribute(value: *mut c_int, which: c_int, device: c_int) -> c_int {
    if known(device).is_none() {
        return INVALID_DEVICE;
    }
    let found = ATTRIBUTES.iter().find(|(known, _)| *known == which);
    found.map_or(INVALID_VALUE, |(_, found)| answer(value, *found))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetPCIBusId(text: *mut c_char, room: c_int, device: c_int) -> c_int {
    let id = |device: usize| format!("0000:{:02X}:00.0", 0xc1 + device);
    known(device).map_or(INVALID_DEVICE, |device| tell(text, usize::try_from(room).unwrap_or(0), &id(device)))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) -> c_int {
    known(device).map_or(INVALID_DEVICE, |device| answer(uuid, [b'a' + device as u8; 16]))
}

/// Writes the architecture's name into a structure of `bytes` at `at`, all else zeros.
fn properties(to: *mut u8, bytes: usize, at: usize) -> c_int {
    // SAFETY: callers hand over a structure of that size.
    unsafe { to.write_bytes(0, bytes) };
    tell(to.wrapping_add(at).cast(), 256, &config().architecture)
}

/// `hipDeviceProp_t` as it was up to ROCm 5.
#[unsafe(no_mangle)]
extern "C" fn hipGetDeviceProperties(to: *mut u8, device: c_int) -> c_int {
    known(device).map_or(INVALID_DEVICE, |_| properties(to, 792, 396))
}

/// `hipDeviceProp_t` as it is from ROCm 6 on.
#[unsafe(no_mangle)]
extern "C" fn hipGetDevicePropertiesR0600(to: *mut u8, device: c_int) -> c_int {
    if version() < 60_000_000 {
        // A library before does not have the function: the nearest that one which is built once can do.
        return NOT_SUPPORTED;
    }
    known(device).map_or(INVALID_DEVICE, |_| properties(to, 1472, 1160))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) -> c_int {
    match (known(device), known(peer)) {
        (Some(device), Some(peer)) => answer(can, c_int::from(peers::reaches(device, peer))),
        _ => INVALID_DEVICE,
    }
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceEnablePeerAccess(peer: c_int, flags: c_uint) -> c_int {
    match (current(), known(peer)) {
        (Err(code), _) => code,
        (Ok(device), Some(peer)) if device == peer || flags != 0 => INVALID_VALUE,
        (Ok(device), Some(peer)) if !peers::reaches(device, peer) => PEER_ACCESS_UNSUPPORTED,
        (Ok(device), Some(peer)) if peers::enable(device, peer) => SUCCESS,
        (Ok(_), Some(_)) => PEER_ACCESS_ALREADY_ENABLED,
        (Ok(_), None) => INVALID_DEVICE,
    }
}

#[unsafe(no_mangle)]
extern "C" fn hipSetDevice(device: c_int) -> c_int {
    let Some(device) = known(device) else { return INVALID_DEVICE };
    CURRENT.set(device);
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn hipGetDevice(device: *mut c_int) -> c_int {
    current().map_or_else(|code| code, |current| answer(device, current as c_int))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceSynchronize() -> c_int {
    match current() {
        Ok(device) => {
            wait_until(|world| world.is_idle(device));
            SUCCESS
        }
        Err(code) => code,
    }
}
