//! The library: opened, asked for its version, and asked what its codes mean.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};
use std::ptr;

use super::{Calls, NcclError, Raw};
use crate::device::{self, Backend};
use crate::object::{SharedObject, text};

/// A function of HIP's run-time library, which RCCL depends on and NCCL does not.
const OF_HIP: &str = "hipGetDeviceCount";

/// `ncclUniqueId`: what a communicator's ranks must all know before they join it. One rank has it made, and sends the bytes to the others.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UniqueId(pub [u8; UniqueId::BYTES]);

impl UniqueId {
    /// `NCCL_UNIQUE_ID_BYTES`.
    pub const BYTES: usize = 128;
}

/// An open NCCL or RCCL.
#[derive(Debug)]
pub struct Nccl {
    pub(super) calls: Calls,
    backend: Backend,
    path: PathBuf,
    version: String,
    /// `ncclGetErrorString`.
    meaning: Option<unsafe extern "C" fn(c_int) -> *const c_char>,
    /// `ncclGetLastError`, from 2.13 on.
    last_error: Option<unsafe extern "C" fn(Raw) -> *const c_char>,
}

impl Nccl {
    /// Opens the library that goes with the back-end's devices, for as long as the process lives. The error is one sentence.
    pub fn open(backend: Backend) -> Result<&'static Nccl, String> {
        let opened = device::collectives(backend)?;
        let title = title(backend);
        if opened.object.has(OF_HIP) != (backend == Backend::Hip) {
            let (path, own) = (opened.path.display(), backend.title());
            let (other, made_for) = if backend == Backend::Hip { ("CUDA", "NCCL") } else { ("HIP", "RCCL") };
            return Err(format!(
                "{path} moves data between devices of {other}, as {made_for} does, and the devices here are {own}'s; name {title} in its place"
            ));
        }
        let calls = Calls::find(&opened, &format!("{title} of NCCL 2.7's interface or a later one"))?;
        let mut number = 0;
        // SAFETY: it writes one integer, which outlives the call.
        let code = unsafe { (calls.version)(&raw mut number) };
        if code != 0 {
            return Err(format!("{}: ncclGetVersion failed with {code}", opened.path.display()));
        }
        let version = format!("{title} {}", in_dots(number));
        let (meaning, last_error) = words(&opened.object);
        Ok(Box::leak(Box::new(Nccl { calls, backend, path: opened.path, version, meaning, last_error })))
    }

    /// The name among providers: `nccl`, `rccl`.
    pub fn name(&self) -> &'static str {
        if self.backend == Backend::Hip { "rccl" } else { "nccl" }
    }

    /// The back-end whose devices it serves.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The file it was opened from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Name and version: `NCCL 2.27.3`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Makes the identity of a new communicator.
    pub fn unique_id(&self) -> Result<UniqueId, NcclError> {
        let mut id = UniqueId([0; UniqueId::BYTES]);
        // SAFETY: it writes 128 bytes, which outlive the call.
        let code = unsafe { (self.calls.unique_id)(&raw mut id) };
        self.done("ncclGetUniqueId", code, ptr::null_mut())?;
        Ok(id)
    }

    /// What a call returned, in words where it failed; `communicator` is that of the call, or null.
    pub(super) fn done(&self, call: &'static str, code: c_int, communicator: Raw) -> Result<(), NcclError> {
        if code == 0 { Ok(()) } else { Err(self.refused(call, code, communicator)) }
    }

    #[cold]
    fn refused(&self, call: &'static str, code: c_int, communicator: Raw) -> NcclError {
        // SAFETY: it takes any code.
        let meaning = self.meaning.map(|meaning| unsafe { meaning(code) });
        // SAFETY: a C string of the library's own that lives as long as it, or null.
        let meaning = meaning.map_or_else(String::new, |words| unsafe { text(words) });
        // SAFETY: the communicator lives or is null, which stands for all.
        let detail = self.last_error.map(|last| unsafe { last(communicator) });
        // SAFETY: a C string of the library's own, which its next error of this thread may change, or null.
        let detail = detail.map_or_else(String::new, |words| unsafe { text(words) });
        NcclError::Refused { call, library: self.version.clone(), code, meaning, detail }
    }
}

/// The library's name as its vendor writes it.
fn title(backend: Backend) -> &'static str {
    if backend == Backend::Hip { "RCCL" } else { "NCCL" }
}

type Meaning = unsafe extern "C" fn(c_int) -> *const c_char;
type LastError = unsafe extern "C" fn(Raw) -> *const c_char;

/// The functions that say what went wrong.
fn words(object: &SharedObject) -> (Option<Meaning>, Option<LastError>) {
    // SAFETY: the signature of nccl.h, the same in all versions.
    let meaning = unsafe { object.function::<Meaning>("ncclGetErrorString") };
    // SAFETY: as above.
    let last_error = unsafe { object.function::<LastError>("ncclGetLastError") };
    (meaning, last_error)
}

/// A version as the vendor writes it: 22703 is 2.27.3, and before 2.9, 2708 was 2.7.8 (`NCCL_VERSION` in nccl.h).
fn in_dots(number: c_int) -> String {
    let unit = if number < 10_000 { 1000 } else { 10_000 };
    format!("{}.{}.{}", number / unit, number % unit / 100, number % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_before_and_after_the_tenth_minor_are_read() {
        assert_eq!([2708, 2804, 20_903, 22_703, 23_203].map(in_dots), ["2.7.8", "2.8.4", "2.9.3", "2.27.3", "2.32.3"]);
    }
}
