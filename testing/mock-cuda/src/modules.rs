//! Modules, and the functions in them: known by name alone.
#![allow(unsafe_code)]
// The names and signatures are CUDA's.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::driver::{INVALID_HANDLE, INVALID_VALUE, NOT_FOUND, SUCCESS, answer, current};
use crate::kernels;

/// Images and functions that are loaded, by number.
#[derive(Debug, Default)]
struct Loaded {
    next: usize,
    images: BTreeMap<usize, String>,
    functions: BTreeMap<usize, String>,
}

fn loaded() -> MutexGuard<'static, Loaded> {
    static LOADED: LazyLock<Mutex<Loaded>> = LazyLock::new(Mutex::default);
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Loaded {
    fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }
}

/// Whether a text has that word.
fn names(image: &str, name: &str) -> bool {
    image.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
}

/// The image is text with a zero behind it, in which the names of its kernels stand.
#[unsafe(no_mangle)]
extern "C" fn cuModuleLoadData(module: *mut usize, image: *const c_char) -> c_int {
    if image.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: not null, and a C string: PTX, or what this library's own compiler made.
    let image = unsafe { CStr::from_ptr(image) }.to_string_lossy().into_owned();
    let mut loaded = loaded();
    let number = loaded.number();
    loaded.images.insert(number, image);
    answer(module, number)
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleUnload(module: usize) -> c_int {
    loaded().images.remove(&module).map_or(INVALID_HANDLE, |_| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleGetFunction(function: *mut usize, module: usize, name: *const c_char) -> c_int {
    // SAFETY: callers hand over a C string.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    let mut loaded = loaded();
    let Some(image) = loaded.images.get(&module) else { return INVALID_HANDLE };
    if !names(image, &name) {
        return NOT_FOUND;
    }
    let number = loaded.number();
    loaded.functions.insert(number, name);
    answer(function, number)
}

/// Threads of a block, shared bytes, constant bytes, local bytes, registers.
#[unsafe(no_mangle)]
extern "C" fn cuFuncGetAttribute(value: *mut c_int, which: c_int, function: usize) -> c_int {
    if !loaded().functions.contains_key(&function) {
        return INVALID_HANDLE;
    }
    let values = [1024, 0, 0, 0, 32];
    usize::try_from(which).ok().and_then(|which| values.get(which)).map_or(INVALID_VALUE, |found| answer(value, *found))
}

/// As many as its 2048 threads hold.
#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    _function: usize,
    threads: c_int,
    _shared: usize,
) -> c_int {
    if threads < 1 { INVALID_VALUE } else { answer(blocks, 2048 / threads) }
}

#[unsafe(no_mangle)]
extern "C" fn cuLaunchKernel(
    function: usize,
    blocks: c_uint,
    _blocks_y: c_uint,
    _blocks_z: c_uint,
    threads: c_uint,
    _threads_y: c_uint,
    _threads_z: c_uint,
    _shared: c_uint,
    stream: usize,
    arguments: *const *const c_void,
    _extra: *const *const c_void,
) -> c_int {
    let device = match current() {
        Ok(device) => device,
        Err(code) => return code,
    };
    if blocks == 0 || threads == 0 || threads > 1024 {
        return INVALID_VALUE;
    }
    let Some(name) = loaded().functions.get(&function).cloned() else { return INVALID_HANDLE };
    kernels::run(&name, device, stream, arguments)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_name_is_a_whole_word() {
        assert!(names(".visible .entry paw_copy(.param .u64 c", "paw_copy"));
        assert!(!names(".visible .entry paw_copy(.param .u64 c", "paw"));
    }
}
