//! The vendor's driver, which this process has open already: the mock that `PAW_CUDA_LIBRARY` or `PAW_HIP_LIBRARY` names.
#![allow(unsafe_code)]

use std::env;
use std::ffi::{CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

/// `CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL`, `HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL`.
const DEVICE_ORDINAL: c_int = 9;

/// The functions, by their names in CUDA's driver and in HIP.
const NAMES: [(&str, [&str; 4]); 2] = [
    ("PAW_CUDA_LIBRARY", ["cuCtxGetDevice", "cuPointerGetAttribute", "cuDeviceGetPCIBusId", "cuMemcpyDtoDAsync_v2"]),
    ("PAW_HIP_LIBRARY", ["hipGetDevice", "hipPointerGetAttribute", "hipDeviceGetPCIBusId", "hipMemcpyDtoDAsync"]),
];

type GetDevice = unsafe extern "C" fn(*mut c_int) -> c_int;
type GetAttribute = unsafe extern "C" fn(*mut c_int, c_int, u64) -> c_int;
type GetBusId = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int;
type Copy = unsafe extern "C" fn(u64, u64, usize, usize) -> c_int;

/// The driver's functions.
#[derive(Debug)]
pub(crate) struct Driver {
    device: GetDevice,
    attribute: GetAttribute,
    bus_id: GetBusId,
    copy: Copy,
}

/// The driver; nothing where none is open.
pub(crate) fn driver() -> Option<&'static Driver> {
    static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();
    DRIVER.get_or_init(|| NAMES.iter().find_map(|(variable, names)| open(variable, names))).as_ref()
}

fn open(variable: &str, names: &[&str; 4]) -> Option<Driver> {
    let path = CString::new(env::var_os(variable)?.as_bytes()).ok()?;
    // SAFETY: a C string; the library is not opened unless it is open.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return None;
    }
    let found = names.map(|name| {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: an open library, and a C string.
        unsafe { libc::dlsym(handle, name.as_ptr()) }
    });
    let [device, attribute, bus_id, copy] = found;
    if found.iter().any(|address| address.is_null()) {
        return None;
    }
    Some(Driver {
        // SAFETY: the function of that name has that signature.
        device: unsafe { std::mem::transmute::<*mut c_void, GetDevice>(device) },
        // SAFETY: as above.
        attribute: unsafe { std::mem::transmute::<*mut c_void, GetAttribute>(attribute) },
        // SAFETY: as above.
        bus_id: unsafe { std::mem::transmute::<*mut c_void, GetBusId>(bus_id) },
        // SAFETY: as above.
        copy: unsafe { std::mem::transmute::<*mut c_void, Copy>(copy) },
    })
}

impl Driver {
    /// The device that calls of this thread are for.
    pub(crate) fn current(&self) -> Option<c_int> {
        let mut device = 0;
        // SAFETY: it writes one integer.
        (unsafe { (self.device)(&raw mut device) } == 0).then_some(device)
    }

    /// The device whose memory is at that address.
    pub(crate) fn device_at(&self, address: usize) -> Option<c_int> {
        let mut device = 0;
        // SAFETY: it writes one integer for this attribute.
        (unsafe { (self.attribute)(&raw mut device, DEVICE_ORDINAL, address as u64) } == 0).then_some(device)
    }

    /// Where a device is on the bus.
    pub(crate) fn bus_id(&self, device: c_int) -> Option<String> {
        let mut text = [0_u8; 32];
        // SAFETY: there is room for 32 characters.
        let code = unsafe { (self.bus_id)(text.as_mut_ptr().cast(), 32, device) };
        let length = text.iter().position(|byte| *byte == 0).filter(|_| code == 0)?;
        Some(String::from_utf8_lossy(&text[..length]).into_owned())
    }

    /// Queues a copy of these bytes onto themselves: as much as a kernel that uses them would take. False where they are no memory of a
    /// device, or the stream is none.
    pub(crate) fn uses(&self, address: usize, bytes: usize, stream: usize) -> bool {
        // SAFETY: the mock looks all of them up before it uses them.
        bytes == 0 || unsafe { (self.copy)(address as u64, address as u64, bytes, stream) } == 0
    }
}

/// The bytes at an address of a device of the mock, which is memory of this process.
pub(crate) fn read(address: usize, bytes: usize) -> Vec<u8> {
    if bytes == 0 {
        return Vec::new();
    }
    // SAFETY: the driver has looked the bytes up: all of them are one allocation's.
    unsafe { std::slice::from_raw_parts(address as *const u8, bytes) }.to_vec()
}

/// Writes bytes there.
pub(crate) fn write(address: usize, bytes: &[u8]) {
    // SAFETY: as in `read`; the bytes are a copy, which does not overlap them.
    unsafe { (address as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
}
