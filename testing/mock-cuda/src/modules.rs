//! Modules, and the functions in them: known by name alone.
#![allow(unsafe_code)]
// The names and signatures are CUDA's.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::slice;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use mock_device::modules::{self, NoFunction};

use crate::driver::{INVALID_HANDLE, INVALID_VALUE, NOT_FOUND, SUCCESS, answer, config, current, told};

/// Bytes of shared memory that a function's blocks may have, where a caller asked for more than usual.
fn asked_for() -> MutexGuard<'static, BTreeMap<usize, c_int>> {
    static ASKED: LazyLock<Mutex<BTreeMap<usize, c_int>>> = LazyLock::new(Mutex::default);
    ASKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What an image says: PTX is text with a zero behind it, and a cubin an ELF file, whose names end its words like any other sign.
fn text(image: *const c_char) -> String {
    // SAFETY: not null, and a C string, or an ELF file, which has a zero in its header.
    let text = unsafe { CStr::from_ptr(image) };
    if !text.to_bytes().starts_with(b"\x7fELF") {
        return text.to_string_lossy().into_owned();
    }
    // SAFETY: an ELF file of 64 bits begins with a header of 64 bytes.
    let header = unsafe { slice::from_raw_parts(image.cast::<u8>(), 64) };
    let number =
        |at: usize, width: usize| header[at..at + width].iter().rfold(0, |n, byte| n << 8 | usize::from(*byte));
    // Its two tables, by place, size of an entry and number of entries; a cubin ends with one of them.
    let tables = [(0x20, 0x36, 0x38), (0x28, 0x3a, 0x3c)];
    let ends = tables.map(|(place, size, count)| number(place, 8) + number(size, 2) * number(count, 2));
    let len = ends.into_iter().fold(64, usize::max);
    // SAFETY: the file is that long, by its own header.
    let bytes = unsafe { slice::from_raw_parts(image.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// What the driver's translator refuses of PTX: a target above the device's compute capability, and pairs of halves below 5.3 (PTX ISA,
/// fma). Machine code is taken as it is.
fn translated(image: &str) -> Result<(), c_int> {
    let target = |line: &str| line.trim().strip_prefix(".target sm_").map(|rest| rest.trim().parse::<i32>());
    let Some(target) = image.lines().find_map(target) else { return Ok(()) };
    match target {
        Err(_) => Err(INVALID_PTX),
        Ok(target) if target > config().compute => Err(NO_BINARY),
        Ok(target) if target < 53 && image.contains("f16x2") => Err(INVALID_PTX),
        Ok(_) => Ok(()),
    }
}

/// `CUDA_ERROR_NO_BINARY_FOR_GPU` and `CUDA_ERROR_INVALID_PTX`.
const NO_BINARY: c_int = 209;
const INVALID_PTX: c_int = 218;

#[unsafe(no_mangle)]
extern "C" fn cuModuleLoadData(module: *mut usize, image: *const c_char) -> c_int {
    if image.is_null() {
        return INVALID_VALUE;
    }
    let image = text(image);
    match translated(&image) {
        Ok(()) => answer(module, modules::load(image)),
        Err(refusal) => refusal,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleUnload(module: usize) -> c_int {
    if modules::unload(module) { SUCCESS } else { INVALID_HANDLE }
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleGetFunction(function: *mut usize, module: usize, name: *const c_char) -> c_int {
    // SAFETY: callers hand over a C string.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    match modules::function(module, &name) {
        Ok(number) => answer(function, number),
        Err(NoFunction::Module) => INVALID_HANDLE,
        Err(NoFunction::Name) => NOT_FOUND,
    }
}

/// Threads of a block, shared bytes, constant bytes, local bytes, registers.
#[unsafe(no_mangle)]
extern "C" fn cuFuncGetAttribute(value: *mut c_int, which: c_int, function: usize) -> c_int {
    if modules::name(function).is_none() {
        return INVALID_HANDLE;
    }
    let values = [1024, 0, 0, 0, 32];
    usize::try_from(which).ok().and_then(|which| values.get(which)).map_or(INVALID_VALUE, |found| answer(value, *found))
}

/// The most shared memory that a block may have, unasked and asked for, and that a unit has, in bytes.
pub(crate) const SHARED_UNASKED: c_int = 48 << 10;
pub(crate) const SHARED_MAX: c_int = 227 << 10;
const SHARED_OF_A_UNIT: c_int = 228 << 10;
/// What the system takes of it for each block.
const SHARED_OF_THE_SYSTEM: c_int = 1 << 10;

/// Whether blocks of a function may have that much.
fn may_have(function: usize, shared: usize) -> bool {
    let allowed = asked_for().get(&function).copied().unwrap_or(SHARED_UNASKED);
    c_int::try_from(shared).is_ok_and(|shared| shared <= allowed)
}

/// Shared memory alone can be asked for.
#[unsafe(no_mangle)]
extern "C" fn cuFuncSetAttribute(function: usize, which: c_int, value: c_int) -> c_int {
    if modules::name(function).is_none() {
        return INVALID_HANDLE;
    }
    if which != 8 || !(0..=SHARED_MAX).contains(&value) {
        return INVALID_VALUE;
    }
    asked_for().insert(function, value);
    SUCCESS
}

/// `CU_MODULE_EAGER_LOADING` or `CU_MODULE_LAZY_LOADING`, which is the default since CUDA 12.2.
#[unsafe(no_mangle)]
extern "C" fn cuModuleGetLoadingMode(mode: *mut c_int) -> c_int {
    let is_eager = env::var_os("CUDA_MODULE_LOADING").is_some_and(|value| value == "EAGER");
    answer(mode, if is_eager { 1 } else { 2 })
}

/// As many as its 2048 threads and its shared memory hold.
#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    function: usize,
    threads: c_int,
    shared: usize,
) -> c_int {
    if threads < 1 {
        return INVALID_VALUE;
    }
    let by_shared =
        if may_have(function, shared) { SHARED_OF_A_UNIT / (shared as c_int + SHARED_OF_THE_SYSTEM) } else { 0 };
    answer(blocks, (2048 / threads).min(by_shared))
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
    shared: c_uint,
    stream: usize,
    arguments: *const *const c_void,
    _extra: *const *const c_void,
) -> c_int {
    let device = match current() {
        Ok(device) => device,
        Err(code) => return code,
    };
    if blocks == 0 || threads == 0 || threads > 1024 || !may_have(function, shared as usize) {
        return INVALID_VALUE;
    }
    let Some(name) = modules::name(function) else { return INVALID_HANDLE };
    let threads = blocks as usize * threads as usize;
    mock_device::start(&name, (device, stream), threads, arguments).map_or_else(told, |()| SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn names_are_read_from_text_and_from_machine_code() {
        assert_eq!(text(c".visible .entry paw_copy(".as_ptr()), ".visible .entry paw_copy(");
        let mut elf = [0u8; 200];
        elf[..4].copy_from_slice(b"\x7fELF");
        elf[100..107].copy_from_slice(b"\0kernel");
        // One table of 64 bytes, at 136.
        (elf[0x28], elf[0x3a], elf[0x3c]) = (136, 64, 1);
        let text = text(elf.as_ptr().cast());
        assert!(text.len() >= 200 && text.contains("\0kernel\0"), "{text}");
    }
}
