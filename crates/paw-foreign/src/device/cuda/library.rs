//! The driver's library: searched, opened and started.
#![allow(unsafe_code)]

use std::env;
use std::ffi::{OsString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::calls::{Calls, call};
use super::diagnosis;
use crate::device::error::DeviceError;
use crate::object::{Scope, SharedObject, text};

/// The variable that names the driver's library; no other is tried then.
const VARIABLE: &str = "PAW_CUDA_LIBRARY";

/// Files of the driver's library: by the loader, then where containers, WSL and NixOS mount it. Never `libcuda.so`, a toolkit's stub.
const CANDIDATES: &[&str] = &[
    "libcuda.so.1",
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
];

/// The driver, started.
#[derive(Debug)]
pub(super) struct Library {
    pub(super) calls: Calls,
    /// The library's file.
    pub(super) file: PathBuf,
    /// The highest version of CUDA that the driver serves: 12040 is 12.4.
    pub(super) version: c_int,
}

/// The driver of this process, opened and started once. The error is one sentence with a way out.
pub(super) fn library() -> Result<&'static Library, String> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(|| start(open()?)).as_ref().map_err(Clone::clone)
}

/// The path that `variable` names; an empty one names nothing.
pub(super) fn named_by(variable: &str) -> Option<OsString> {
    env::var_os(variable).filter(|path| !path.is_empty())
}

fn open() -> Result<(SharedObject, PathBuf), String> {
    if let Some(path) = named_by(VARIABLE) {
        let path = PathBuf::from(path);
        let object = SharedObject::open(&path, Scope::Local);
        return object
            .map(|object| (object, path.clone()))
            .map_err(|said| diagnosis::unopened(&path, &said, "which PAW_CUDA_LIBRARY names"));
    }
    let mut broken = None;
    for candidate in CANDIDATES.iter().map(Path::new) {
        match SharedObject::open(candidate, Scope::Local) {
            Ok(object) => return Ok((object, candidate.to_owned())),
            // The first error other than a missing file is the most informative.
            Err(said) if !diagnosis::is_absent(&said) && broken.is_none() => {
                broken = Some(diagnosis::unopened(candidate, &said, "where NVIDIA's driver was looked for"));
            }
            Err(_) => {}
        }
    }
    Err(broken.unwrap_or_else(|| {
        "libcuda.so.1, the library of NVIDIA's driver, was not found; install the driver, or name the library in \
         PAW_CUDA_LIBRARY"
            .to_owned()
    }))
}

fn start((object, path): (SharedObject, PathBuf)) -> Result<Library, String> {
    let file = object.file_of("cuInit").unwrap_or(path);
    let address = |symbol: &str| object.address(symbol).map(|address| address as usize);
    let calls = {
        // SAFETY: a library that has all these symbols is the driver interface; that it is sound is what choosing it means.
        unsafe { Calls::bind(address) }
    };
    let calls = calls.map_err(|missing| diagnosis::incomplete(&file, missing, version_alone(&object)))?;
    // SAFETY: cuInit takes flags that must be 0, and may be called by any thread at any time.
    let code = unsafe { (calls.init.function)(0) };
    if code != 0 {
        return Err(diagnosis::unstarted(&file, code, &name_of(&calls, code)));
    }
    let mut version = 0;
    // SAFETY: it writes one integer, which outlives the call.
    unsafe { (calls.driver_get_version.function)(&raw mut version) };
    Ok(Library { calls, file, version })
}

/// The version of a library that lacks functions.
fn version_alone(object: &SharedObject) -> Option<c_int> {
    // SAFETY: the signature that every CUDA driver has had for this function.
    let function = unsafe { object.function::<unsafe extern "C" fn(*mut c_int) -> c_int>("cuDriverGetVersion") }?;
    let mut version = 0;
    // SAFETY: it writes one integer, which outlives the call.
    let code = unsafe { function(&raw mut version) };
    (code == 0).then_some(version)
}

fn name_of(calls: &Calls, code: c_int) -> String {
    let mut name: *const c_char = std::ptr::null();
    // SAFETY: it writes one pointer, null or to a string of the library's own.
    unsafe { (calls.get_error_name.function)(code, &raw mut name) };
    // SAFETY: null, or a C string that lives as long as the library, which is never closed.
    unsafe { text(name) }
}

impl Library {
    /// The failure of the function of that symbol.
    pub(super) fn failed(&self, call: &'static str, code: c_int) -> DeviceError {
        DeviceError::Refused { call, code: i64::from(code), meaning: name_of(&self.calls, code) }
    }

    /// The error for a function that the driver lacks.
    pub(super) fn absent(&self, call: &str) -> DeviceError {
        let version = diagnosis::release(self.version);
        DeviceError::Unsupported(format!("the driver (CUDA {version}) has no {call}; a newer driver has it"))
    }

    /// How many devices there are.
    pub(super) fn count(&'static self) -> Result<u32, DeviceError> {
        let mut count = 0;
        call!(self, device_get_count(&raw mut count))?;
        Ok(u32::try_from(count).unwrap_or(0))
    }
}
