//! Level Zero's loader: searched, opened and started.
#![allow(unsafe_code)]

use std::env;
use std::ffi::{CStr, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

use super::calls::{Calls, call, call_if_there};
use super::diagnosis;
use super::structures::{InitDriverTypeDesc, Opaque, Structure};
use crate::blas::discovery::{Search, python_packages};
use crate::device::error::DeviceResult;
use crate::device::opened::is_absent;
use crate::object::{Scope, SharedObject};

/// The variable that names the loader; no other file is tried then.
pub(super) const VARIABLE: &str = "PAW_LEVEL_ZERO_LIBRARY";
/// The loader's file.
pub(super) const FILE: &str = "libze_loader.so.1";

/// Directories that the dynamic linker may not search.
const DIRECTORIES: &[&str] =
    &["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64", "/run/opengl-driver/lib"];

/// `ZE_INIT_FLAG_GPU_ONLY`, and `ZE_INIT_DRIVER_TYPE_FLAG_GPU` of v1.10: a neural processor runs no kernels of this kind.
const GPU: u32 = 1;

/// The loader, opened and started.
pub(super) struct Api {
    pub(super) calls: Calls,
    /// Its file.
    pub(super) file: PathBuf,
    /// `ze_driver_handle_t` of every driver, in the loader's order.
    pub(super) drivers: Vec<Opaque>,
}

// SAFETY: drivers live as long as the process, and may be named by any thread (specification, "Thread Safety").
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

/// The loader of this process, opened and started once. The error is one sentence with a way out.
pub(super) fn api() -> Result<&'static Api, String> {
    static API: OnceLock<Result<Api, String>> = OnceLock::new();
    API.get_or_init(|| start(open()?)).as_ref().map_err(Clone::clone)
}

fn open() -> Result<(SharedObject, PathBuf), String> {
    if let Some(named) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(named);
        let object = SharedObject::open(&path, Scope::Local);
        return object
            .map(|object| (object, path.clone()))
            .map_err(|said| diagnosis::unopened(&path, &said, &format!("which {VARIABLE} names")));
    }
    let mut broken = None;
    for candidate in candidates(&Search::here()) {
        match SharedObject::open(&candidate, Scope::Local) {
            Ok(object) => return Ok((object, candidate)),
            // The first error other than a missing file is the most informative.
            Err(said) if !is_absent(&said) && broken.is_none() => {
                broken = Some(diagnosis::unopened(&candidate, &said, "where Level Zero's loader was looked for"));
            }
            Err(_) => {}
        }
    }
    Err(broken.unwrap_or_else(|| {
        format!(
            "{FILE}, the loader of Level Zero, was not found; install it (libze1 or level-zero), or name it in {VARIABLE}"
        )
    }))
}

/// By the dynamic linker, in usual directories, then where wheels and conda put libraries.
fn candidates(search: &Search) -> Vec<PathBuf> {
    let usual = DIRECTORIES.iter().map(|directory| search.below_root(directory).join(FILE));
    // A wheel's libraries lie beside `lib/python3.x`.
    let wheels =
        python_packages(search).into_iter().filter_map(|packages| Some(packages.ancestors().nth(2)?.join(FILE)));
    let others = usual.chain(wheels).filter(|file| file.exists());
    std::iter::once(PathBuf::from(FILE)).chain(others).collect()
}

fn start((object, path): (SharedObject, PathBuf)) -> Result<Api, String> {
    let file = object.file_of("zeInit").unwrap_or(path);
    let calls = Calls::of(&object).map_err(|missing| diagnosis::incomplete(&file, missing))?;
    let mut api = Api { calls, file, drivers: Vec::new() };
    api.drivers = api.begin().map_err(|error| diagnosis::unstarted(&api.file, &error))?;
    if api.drivers.is_empty() { Err(diagnosis::without_driver(&api.file)) } else { Ok(api) }
}

/// A list of the library's by `fetch`, which counts where no list is given.
pub(super) fn all<T: Clone>(empty: T, fetch: impl Fn(*mut u32, *mut T) -> DeviceResult) -> DeviceResult<Vec<T>> {
    let mut count = 0;
    fetch(&raw mut count, std::ptr::null_mut())?;
    let mut found = vec![empty; count as usize];
    if count > 0 {
        fetch(&raw mut count, found.as_mut_ptr())?;
    }
    found.truncate(count as usize);
    Ok(found)
}

impl Api {
    /// Starts the drivers and lists them.
    fn begin(&self) -> DeviceResult<Vec<Opaque>> {
        let none = std::ptr::null_mut();
        if self.calls.init_drivers.function.is_none() {
            call!(self, init(GPU))?;
            return all(none, |count, drivers| call!(self, driver_get(count, drivers)));
        }
        let desc = InitDriverTypeDesc { flags: GPU, ..InitDriverTypeDesc::new() };
        all(none, |count, drivers| call_if_there!(self, init_drivers(count, drivers, &raw const desc)))
    }

    /// The address of a driver's function beyond the interface, where it has it.
    pub(super) fn extension(&self, driver: Opaque, name: &CStr) -> Option<*mut c_void> {
        let mut address = std::ptr::null_mut();
        call!(self, driver_extension(driver, name.as_ptr(), &raw mut address)).ok()?;
        Some(address).filter(|address| !address.is_null())
    }

    /// The version of the interface that a driver implements, as major and minor.
    pub(super) fn version(&self, driver: Opaque) -> DeviceResult<(u32, u32)> {
        let mut version = 0;
        call!(self, driver_api_version(driver, &raw mut version))?;
        Ok((version >> 16, version & 0xffff))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_linker_comes_first_and_wheels_last() {
        let root = tempfile::tempdir().unwrap();
        let make = |below: &str| {
            let directory = root.path().join(below);
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join(FILE), "").unwrap();
            directory.join(FILE)
        };
        let (usual, wheel) = (make("usr/lib64"), make("venv/lib"));
        fs::create_dir_all(root.path().join("venv/lib/python3.11/site-packages")).unwrap();
        let variables = vec![("VIRTUAL_ENV".to_owned(), root.path().join("venv").into())];
        let search = Search { root: root.path().to_owned(), variables };
        assert_eq!(candidates(&search), [PathBuf::from(FILE), usual, wheel]);
    }
}
