//! The interface's library: opened and started.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::path::PathBuf;

use super::Vendor;
use super::calls::{CallTable, Calls, call};
use crate::device::error::DeviceError;
use crate::device::opened::OpenedLibrary;
use crate::object::SharedObject;

/// The names of an interface's errors, by their codes.
pub(in crate::device) type ErrorNames = Box<dyn Fn(c_int) -> String + Send + Sync>;

/// The library, started.
pub(in crate::device) struct Library<V: Vendor> {
    pub(in crate::device) calls: Calls,
    pub(in crate::device) own: V::OwnCalls,
    /// The library's file.
    pub(in crate::device) file: PathBuf,
    /// Its version, as the interface counts.
    pub(in crate::device) version: c_int,
    error_names: ErrorNames,
}

impl<V: Vendor> Library<V> {
    /// Starts a library that was opened; the error is one sentence with a way out.
    pub(in crate::device) fn start(opened: OpenedLibrary) -> Result<Self, String> {
        let OpenedLibrary { object, path } = opened;
        let file = object.file_of(V::INIT).unwrap_or(path);
        let address = |symbol: &str| object.address(symbol).map(|address| address as usize);
        let tables = {
            // SAFETY: a library that has all these symbols is the interface's; that it is sound is what choosing it means.
            unsafe { Calls::bind(V::COLUMN, &address) }.and_then(|calls| {
                // SAFETY: as above.
                Ok((calls, unsafe { V::OwnCalls::bind(V::COLUMN, &address) }?))
            })
        };
        let (calls, own) =
            tables.map_err(|missing| (V::DIAGNOSIS.incomplete)(&file, missing, version_alone::<V>(&object)))?;
        let error_names = V::error_names(&object);
        // SAFETY: the function takes flags that must be 0, and may be called by any thread at any time.
        let code = unsafe { (calls.init.function)(0) };
        if code != 0 {
            return Err((V::DIAGNOSIS.unstarted)(&file, code, &error_names(code)));
        }
        let mut version = 0;
        // SAFETY: it writes one integer, which outlives the call.
        unsafe { (calls.version.function)(&raw mut version) };
        Ok(Self { calls, own, file, version, error_names })
    }

    /// A library whose functions do nothing and report success.
    pub(in crate::device) fn null() -> Self {
        let error_names = Box::new(|_| String::new());
        Self { calls: Calls::null(), own: V::OwnCalls::null(), file: PathBuf::new(), version: 0, error_names }
    }

    /// The failure of the function of that symbol.
    pub(in crate::device) fn failed(&self, call: &'static str, code: c_int) -> DeviceError {
        DeviceError::Refused { call, code: i64::from(code), meaning: (self.error_names)(code) }
    }

    /// The error for a function that the library lacks.
    pub(in crate::device) fn absent(&self, call: &str) -> DeviceError {
        DeviceError::Unsupported((V::DIAGNOSIS.absent)(self.version, call))
    }

    /// How many devices there are.
    pub(super) fn count(&'static self) -> Result<u32, DeviceError> {
        let mut count = 0;
        call!(self, device_get_count(&raw mut count))?;
        Ok(u32::try_from(count).unwrap_or(0))
    }
}

/// The version of a library that lacks functions.
fn version_alone<V: Vendor>(object: &SharedObject) -> Option<c_int> {
    // SAFETY: the signature that every release of either interface has had for this function.
    let function = unsafe { object.function::<unsafe extern "C" fn(*mut c_int) -> c_int>(V::VERSION) }?;
    let mut version = 0;
    // SAFETY: it writes one integer, which outlives the call.
    let code = unsafe { function(&raw mut version) };
    (code == 0).then_some(version)
}
