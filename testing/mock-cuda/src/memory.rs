//! Memory: of devices, which is the host's, and of the host, page-locked or not.
#![allow(unsafe_code)]
// The names are CUDA's.
#![allow(non_snake_case)]

use std::alloc::{self, Layout};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::config::Config;
use crate::driver::{INVALID_VALUE, OUT_OF_MEMORY, SUCCESS, answer, current};
use crate::time::{wait_until, wait_us};
use crate::written::{Written, count_unwritten};

/// What memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryKind {
    Device(usize),
    /// Allocated page-locked.
    Locked,
    /// Locked by cuMemHostRegister; its owner frees it.
    Registered,
}

#[derive(Debug)]
struct Piece {
    bytes: usize,
    kind: MemoryKind,
    written: Written,
}

type Pieces = BTreeMap<usize, Piece>;

fn pieces() -> MutexGuard<'static, Pieces> {
    static PIECES: LazyLock<Mutex<Pieces>> = LazyLock::new(Mutex::default);
    PIECES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Piece {
    fn new(bytes: usize, kind: MemoryKind) -> Self {
        Self { bytes, kind, written: Written::default() }
    }
}

/// What `look` finds in the piece that all of these bytes lie in.
fn piece<T>(address: usize, bytes: usize, look: impl FnOnce(&mut Piece) -> T) -> Option<T> {
    let mut pieces = pieces();
    let (begin, piece) = pieces.range_mut(..=address).next_back()?;
    (address.checked_add(bytes)? <= begin + piece.bytes).then(|| look(piece))
}

/// Notes that these bytes are written now, where they are a device's.
pub(crate) fn note_write(address: usize, bytes: usize) {
    piece(address, bytes, |piece| piece.written.add(address..address + bytes));
}

/// Counts a read of these bytes, where they are a device's and not all of them were ever written.
pub(crate) fn note_read(address: usize, bytes: usize) {
    let is_unwritten = |piece: &mut Piece| {
        matches!(piece.kind, MemoryKind::Device(_)) && !piece.written.holds(address..address + bytes)
    };
    if piece(address, bytes, is_unwritten) == Some(true) {
        count_unwritten();
    }
}

/// The device that these bytes lie on.
pub(crate) fn device_at(address: usize, bytes: usize) -> Option<usize> {
    match piece(address, bytes, |piece| piece.kind)? {
        MemoryKind::Device(device) => Some(device),
        _ => None,
    }
}

/// Whether these bytes of the host are page-locked.
pub(crate) fn is_locked(address: usize, bytes: usize) -> bool {
    piece(address, bytes, |piece| piece.kind).is_some_and(|kind| !matches!(kind, MemoryKind::Device(_)))
}

/// A device's memory is not aligned to pages: the system then grants it without touching it.
fn layout(bytes: usize, kind: MemoryKind) -> Option<Layout> {
    let align = if matches!(kind, MemoryKind::Device(_)) { 16 } else { 4096 };
    Layout::from_size_align(bytes.max(1), align).ok()
}

fn allocate(bytes: usize, kind: MemoryKind) -> Option<usize> {
    // SAFETY: the layout is not empty.
    let at = unsafe { alloc::alloc_zeroed(layout(bytes, kind)?) };
    let address = (!at.is_null()).then_some(at as usize)?;
    pieces().insert(address, Piece::new(bytes, kind));
    Some(address)
}

/// Gives a piece back that begins there and that is of such a kind.
fn release(address: usize, is_such: impl Fn(MemoryKind) -> bool) -> c_int {
    let mut pieces = pieces();
    if !pieces.get(&address).is_some_and(|piece| is_such(piece.kind)) {
        return INVALID_VALUE;
    }
    if let Some(piece) = pieces.remove(&address)
        && piece.kind != MemoryKind::Registered
        && let Some(layout) = layout(piece.bytes, piece.kind)
    {
        // SAFETY: `allocate` made it with this layout, and it is no longer known.
        unsafe { alloc::dealloc(address as *mut u8, layout) };
    }
    SUCCESS
}

fn device_alloc(to: *mut u64, bytes: usize) -> c_int {
    let device = match current() {
        Ok(device) => device,
        Err(code) => return code,
    };
    let used: usize =
        pieces().values().filter(|piece| piece.kind == MemoryKind::Device(device)).map(|piece| piece.bytes).sum();
    if bytes == 0 {
        return INVALID_VALUE;
    }
    if used.saturating_add(bytes) > Config::chosen().memory_bytes {
        return OUT_OF_MEMORY;
    }
    allocate(bytes, MemoryKind::Device(device)).map_or(OUT_OF_MEMORY, |address| answer(to, address as u64))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemAlloc_v2(to: *mut u64, bytes: usize) -> c_int {
    wait_us(Config::chosen().alloc_us);
    device_alloc(to, bytes)
}

/// Everything queued on the device ends first.
#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(address: u64) -> c_int {
    match current() {
        Ok(device) => wait_until(|world| world.is_idle(device)),
        Err(code) => return code,
    }
    wait_us(Config::chosen().free_us);
    release(address as usize, |kind| matches!(kind, MemoryKind::Device(_)))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemAllocAsync(to: *mut u64, bytes: usize, _stream: usize) -> c_int {
    device_alloc(to, bytes)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeAsync(address: u64, _stream: usize) -> c_int {
    release(address as usize, |kind| matches!(kind, MemoryKind::Device(_)))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetDefaultMemPool(pool: *mut usize, device: c_int) -> c_int {
    answer(pool, device as usize + 1)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolSetAttribute(pool: usize, _which: c_int, value: *mut c_void) -> c_int {
    if pool == 0 || value.is_null() { INVALID_VALUE } else { SUCCESS }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> c_int {
    let Ok(device) = current() else { return INVALID_VALUE };
    let all = Config::chosen().memory_bytes;
    let used: usize =
        pieces().values().filter(|piece| piece.kind == MemoryKind::Device(device)).map(|piece| piece.bytes).sum();
    answer(free, all.saturating_sub(used)).max(answer(total, all))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostAlloc(to: *mut *mut c_void, bytes: usize, _flags: c_uint) -> c_int {
    if let Err(code) = current() {
        return code;
    }
    allocate(bytes, MemoryKind::Locked).map_or(OUT_OF_MEMORY, |address| answer(to, address as *mut c_void))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeHost(at: *mut c_void) -> c_int {
    release(at as usize, |kind| kind == MemoryKind::Locked)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostRegister_v2(at: *mut c_void, bytes: usize, _flags: c_uint) -> c_int {
    if at.is_null() || bytes == 0 || is_locked(at as usize, bytes) {
        return INVALID_VALUE;
    }
    pieces().insert(at as usize, Piece::new(bytes, MemoryKind::Registered));
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostUnregister(at: *mut c_void) -> c_int {
    release(at as usize, |kind| kind == MemoryKind::Registered)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostGetDevicePointer_v2(to: *mut u64, at: *mut c_void, _flags: c_uint) -> c_int {
    if is_locked(at as usize, 1) { answer(to, at as u64) } else { INVALID_VALUE }
}
