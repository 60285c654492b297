//! The run-time library: searched, opened and started.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::path::PathBuf;
use std::sync::OnceLock;

use super::calls::{Calls, call};
use super::diagnosis;
use super::rocm::{self, HIP};
use crate::device::error::DeviceError;
use crate::device::opened::OpenedLibrary;
use crate::object::{SharedObject, text};

/// The run-time library, started.
#[derive(Debug)]
pub(super) struct Library {
    pub(super) calls: Calls,
    /// The library's file.
    pub(super) file: PathBuf,
    /// Its version: 50221153 is 5.2.21153.
    pub(super) version: c_int,
    pub(super) object: SharedObject,
    error_name: Option<ErrorName>,
}

/// `hipGetErrorName`, which returns a text and no status.
type ErrorName = unsafe extern "C" fn(c_int) -> *const c_char;

/// The library of this process, opened and started once. The error is one sentence with a way out.
pub(super) fn library() -> Result<&'static Library, String> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(|| start(rocm::open(&HIP, &rocm::here(&HIP), None)?)).as_ref().map_err(Clone::clone)
}

fn start(opened: OpenedLibrary) -> Result<Library, String> {
    let OpenedLibrary { object, path } = opened;
    let file = object.file_of("hipInit").unwrap_or(path);
    let address = |symbol: &str| object.address(symbol).map(|address| address as usize);
    let calls = {
        // SAFETY: a library that has all these symbols is the HIP run time; that it is sound is what choosing it means.
        unsafe { Calls::bind(address) }
    };
    let calls = calls.map_err(|missing| diagnosis::incomplete(&file, missing, version_alone(&object)))?;
    // SAFETY: the signature that every release of HIP has had for this function.
    let error_name = unsafe { object.function::<ErrorName>("hipGetErrorName") };
    // SAFETY: hipInit takes flags that must be 0, and may be called by any thread at any time.
    let code = unsafe { (calls.init.function)(0) };
    if code != 0 {
        return Err(diagnosis::unstarted(&file, code, &name_of(error_name, code)));
    }
    let mut version = 0;
    // SAFETY: it writes one integer, which outlives the call.
    unsafe { (calls.runtime_get_version.function)(&raw mut version) };
    Ok(Library { calls, file, version, object, error_name })
}

/// The version of a library that lacks functions.
fn version_alone(object: &SharedObject) -> Option<c_int> {
    // SAFETY: the signature that every release of HIP has had for this function.
    let function = unsafe { object.function::<unsafe extern "C" fn(*mut c_int) -> c_int>("hipRuntimeGetVersion") }?;
    let mut version = 0;
    // SAFETY: it writes one integer, which outlives the call.
    let code = unsafe { function(&raw mut version) };
    (code == 0).then_some(version)
}

fn name_of(error_name: Option<ErrorName>, code: c_int) -> String {
    let Some(error_name) = error_name else { return String::new() };
    // SAFETY: it takes any number.
    let name = unsafe { error_name(code) };
    // SAFETY: null, or a C string that lives as long as the library, which is never closed.
    unsafe { text(name) }
}

impl Library {
    /// The failure of the function of that symbol.
    pub(super) fn failed(&self, call: &'static str, code: c_int) -> DeviceError {
        DeviceError::Refused { call, code: i64::from(code), meaning: name_of(self.error_name, code) }
    }

    /// The error for a function that the library lacks.
    pub(super) fn absent(&self, call: &str) -> DeviceError {
        let version = diagnosis::release(self.version);
        DeviceError::Unsupported(format!("HIP {version} has no {call}; a newer ROCm has it"))
    }

    /// How many devices there are.
    pub(super) fn count(&'static self) -> Result<u32, DeviceError> {
        let mut count = 0;
        call!(self, device_get_count(&raw mut count))?;
        Ok(u32::try_from(count).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Debian's libamdhip64-5 is one, and answers without a device.
    #[test]
    fn the_library_that_is_installed_has_every_function() {
        let Ok(opened) = rocm::open(&HIP, &rocm::here(&HIP), None) else { return };
        let refused = start(opened).err();
        assert!(refused.as_ref().is_none_or(|why| why.contains("does not start (hipInit: 10")), "{refused:?}");
    }
}
