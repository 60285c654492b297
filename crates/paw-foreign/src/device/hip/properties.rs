//! The architecture of a device, out of the structure of its properties, whose layout changed with ROCm 6.
#![allow(unsafe_code)]

use std::ffi::CStr;

use super::context::Amd;
use crate::device::error::DeviceResult;
use crate::device::gpu::calls::{Ordinal, call_if_there};
use crate::device::gpu::library::Library;

/// Where `gcnArchName`, 256 bytes, lies in `hipDeviceProp_t` of ROCm 6 and later (1472 bytes), and in that of ROCm 5 (792 bytes, now
/// hipDeviceProp_tR0000 of hip_deprecated.h): offsets that a C compiler makes of the headers.
const NAME_AT_6: usize = 1160;
const NAME_AT_5: usize = 396;
const NAME_BYTES: usize = 256;
/// More than either structure has: a later release may append.
const ROOM: usize = 4096;

/// The structure, of either layout.
#[repr(C, align(16))]
struct Properties([u8; ROOM]);

/// The name of a device's architecture as compilers take it: `gfx90a:sramecc+:xnack-`; `None` where the library does not tell it.
pub(super) fn architecture(library: &'static Library<Amd>, ordinal: Ordinal) -> Option<String> {
    let mut properties = Properties([0; ROOM]);
    let place = (&raw mut properties).cast();
    // A library of ROCm 6 has both functions, the older one for programs that were built before.
    let at: DeviceResult<usize> = match call_if_there!(library, own.properties_6(place, ordinal)) {
        Ok(()) => Ok(NAME_AT_6),
        Err(_) => call_if_there!(library, own.properties_5(place, ordinal)).map(|()| NAME_AT_5),
    };
    let text = &properties.0[at.ok()?..][..NAME_BYTES];
    let name = CStr::from_bytes_until_nul(text).ok()?.to_str().ok()?.trim();
    name.starts_with("gfx").then(|| name.to_owned())
}
