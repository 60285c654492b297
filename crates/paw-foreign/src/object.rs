//! A shared object, opened for good.
#![allow(unsafe_code)]

use std::env;
use std::error::Error;
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use libloading::os::unix::Library;

use crate::elf;

/// Why no library can be opened at all: a static program has no loader.
pub const NO_LOADER: Option<&str> = if cfg!(all(target_env = "musl", target_feature = "crt-static")) {
    Some("this paw is a static program, which opens no libraries; the paw built with glibc does")
} else {
    None
};

/// A shared object that stays mapped until the process ends.
///
/// It is never closed: unloading an OpenMP build of OpenBLAS crashes at exit, because its threads outlive its code.
#[derive(Debug)]
pub(crate) struct SharedObject {
    library: ManuallyDrop<Library>,
}

/// Which objects can use the symbols of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// No other object.
    Local,
    /// Objects opened later: for a run-time library that another one expects to find.
    Global,
}

impl SharedObject {
    /// Opens `path`, resolving every symbol now; the error holds every sentence of the loader.
    pub(crate) fn open(path: &Path, scope: Scope) -> Result<Self, String> {
        if let Some(why) = NO_LOADER {
            return Err(why.to_owned());
        }
        if let Some(why) = found(path).and_then(|file| elf::objection(&file)) {
            return Err(why);
        }
        let visible = match scope {
            Scope::Local => libc::RTLD_LOCAL,
            Scope::Global => libc::RTLD_GLOBAL,
        };
        let flags = libc::RTLD_NOW | libc::RTLD_NODELETE | visible;
        // SAFETY: the object's initialisers run here; whoever chose the library vouches for them, and the process may be lost.
        let library = unsafe { Library::open(Some(path), flags) }.map_err(|error| chain(&error))?;
        Ok(Self { library: ManuallyDrop::new(library) })
    }

    /// This program itself.
    pub(crate) fn program() -> Self {
        Self { library: ManuallyDrop::new(Library::this()) }
    }

    /// The function called `name` here or in what this object depends on.
    ///
    /// # Safety
    /// `F` must be the function pointer type of that symbol.
    pub(crate) unsafe fn function<F: Copy>(&self, name: &str) -> Option<F> {
        let name = format!("{name}\0");
        // SAFETY: the caller vouches for F; `Option` of a function pointer reads a null address as `None`.
        let symbol = unsafe { self.library.get::<Option<F>>(name.as_bytes()) };
        symbol.ok().and_then(|found| *found)
    }

    /// Whether there is a symbol called `name` here or in what this object depends on.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.address(name).is_some()
    }

    /// The file that holds the symbol `name`, with links resolved.
    pub(crate) fn file_of(&self, name: &str) -> Option<PathBuf> {
        let address = self.address(name)?;
        // SAFETY: Dl_info is a plain C structure of pointers, for which zeros are a value.
        let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
        // SAFETY: any address may be asked for, and `info` outlives the call.
        let found = unsafe { libc::dladdr(address, &raw mut info) };
        if found == 0 || info.dli_fname.is_null() {
            return None;
        }
        // SAFETY: dladdr filled in a string of the loader's that lives as long as the object, which is never closed.
        let file = unsafe { CStr::from_ptr(info.dli_fname) };
        let file = PathBuf::from(OsStr::from_bytes(file.to_bytes()));
        Some(file.canonicalize().unwrap_or(file))
    }

    /// Where the symbol `name` lies, here or in what this object depends on.
    pub(crate) fn address(&self, name: &str) -> Option<*const c_void> {
        let name = format!("{name}\0");
        // SAFETY: the symbol is read as an address and never followed.
        let symbol = unsafe { self.library.get::<*const c_void>(name.as_bytes()) };
        symbol.ok().map(|found| *found).filter(|address| !address.is_null())
    }
}

/// The file that the loader would open for `path`, if that can be known: a bare name is searched in LD_LIBRARY_PATH only.
fn found(path: &Path) -> Option<PathBuf> {
    if path.components().count() > 1 || path.is_absolute() {
        return Some(path.to_owned());
    }
    let folders = env::var_os("LD_LIBRARY_PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(path)).find(|file| file.exists())
}

/// The text at `text`; empty where it is null.
///
/// # Safety
/// `text` must be null or a C string that nobody changes meanwhile.
pub(crate) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and a C string as the caller vouches.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().trim().to_owned()
}

/// An error with all its causes; the loader's own words come last.
fn chain(error: &dyn Error) -> String {
    let mut sentence = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let words = next.to_string();
        if !sentence.contains(&words) {
            sentence = format!("{sentence}: {words}");
        }
        cause = next.source();
    }
    sentence
}
