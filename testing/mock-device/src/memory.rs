//! Memory: of devices, which is the host's, and of the host, page-locked or not.
#![allow(unsafe_code)]

use std::alloc::{self, Layout};
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::Refusal;
use crate::config::Config;
use crate::managed::Place;
use crate::time::{wait_until, wait_us};
use crate::written::{Written, count_unwritten};

/// What memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryKind {
    Device(usize),
    /// Allocated page-locked.
    Locked,
    /// Locked later; its owner frees it.
    Registered,
    /// Managed, and where it is.
    Managed(Place),
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
pub fn device_at(address: usize, bytes: usize) -> Option<usize> {
    match piece(address, bytes, |piece| piece.kind)? {
        MemoryKind::Device(device) => Some(device),
        _ => None,
    }
}

/// Whether these bytes of the host are page-locked.
pub fn is_locked(address: usize, bytes: usize) -> bool {
    let kind = piece(address, bytes, |piece| piece.kind);
    kind.is_some_and(|kind| matches!(kind, MemoryKind::Locked | MemoryKind::Registered))
}

/// What `act` makes of the place of managed memory; nothing where these bytes are not managed.
pub(crate) fn managed<T>(address: usize, bytes: usize, act: impl FnOnce(&mut Place) -> T) -> Option<T> {
    piece(address, bytes, |piece| match &mut piece.kind {
        MemoryKind::Managed(place) => Some(act(place)),
        _ => None,
    })?
}

/// Allocates managed memory; it is the host's at first.
///
/// # Errors
/// There is none left.
pub fn managed_allocate(bytes: usize) -> Result<usize, Refusal> {
    made(bytes, MemoryKind::Managed(Place::Elsewhere))
}

/// A device's memory is not aligned to pages: the system then grants it without touching it.
fn layout(bytes: usize, kind: MemoryKind) -> Option<Layout> {
    let align = if matches!(kind, MemoryKind::Device(_)) { 16 } else { 4096 };
    Layout::from_size_align(bytes.max(1), align).ok()
}

fn made(bytes: usize, kind: MemoryKind) -> Result<usize, Refusal> {
    // SAFETY: the layout is not empty.
    let at = unsafe { alloc::alloc_zeroed(layout(bytes, kind).ok_or(Refusal::Memory)?) };
    let address = (!at.is_null()).then_some(at as usize).ok_or(Refusal::Memory)?;
    pieces().insert(address, Piece::new(bytes, kind));
    Ok(address)
}

/// Gives a piece back that begins there and that is of such a kind.
fn release(address: usize, is_such: impl Fn(MemoryKind) -> bool) -> Result<(), Refusal> {
    let mut pieces = pieces();
    if !pieces.get(&address).is_some_and(|piece| is_such(piece.kind)) {
        return Err(Refusal::Value);
    }
    if let Some(piece) = pieces.remove(&address)
        && piece.kind != MemoryKind::Registered
        && let Some(layout) = layout(piece.bytes, piece.kind)
    {
        // SAFETY: `made` made it with this layout, and it is no longer known.
        unsafe { alloc::dealloc(address as *mut u8, layout) };
    }
    Ok(())
}

/// Bytes of a device's memory that nobody has.
pub fn memory_left(device: usize) -> usize {
    let pieces = pieces();
    let used = pieces.values().filter(|piece| piece.kind == MemoryKind::Device(device)).map(|piece| piece.bytes);
    Config::chosen().memory_bytes.saturating_sub(used.sum())
}

/// Allocates memory of a device, which takes its time.
///
/// # Errors
/// No bytes are asked for, or more than are left.
pub fn allocate(device: usize, bytes: usize) -> Result<usize, Refusal> {
    wait_us(Config::chosen().alloc_us);
    pool_allocate(device, bytes)
}

/// Allocates memory of a device from its pool, which takes none.
///
/// # Errors
/// As [`allocate`].
pub fn pool_allocate(device: usize, bytes: usize) -> Result<usize, Refusal> {
    if bytes == 0 {
        return Err(Refusal::Value);
    }
    if bytes > memory_left(device) {
        return Err(Refusal::Memory);
    }
    made(bytes, MemoryKind::Device(device))
}

/// Frees memory of a device. Everything that is queued on `current` ends first.
///
/// # Errors
/// Nothing begins there.
pub fn free(current: usize, address: usize) -> Result<(), Refusal> {
    wait_until(|world| world.is_idle(current));
    wait_us(Config::chosen().free_us);
    pool_free(address)
}

/// Gives memory back to a pool.
///
/// # Errors
/// Nothing begins there.
pub fn pool_free(address: usize) -> Result<(), Refusal> {
    release(address, |kind| matches!(kind, MemoryKind::Device(_) | MemoryKind::Managed(_)))
}

/// Allocates page-locked memory of the host.
///
/// # Errors
/// The host has none left.
pub fn host_allocate(bytes: usize) -> Result<usize, Refusal> {
    made(bytes, MemoryKind::Locked)
}

/// Frees page-locked memory of the host.
///
/// # Errors
/// Nothing begins there.
pub fn host_free(address: usize) -> Result<(), Refusal> {
    release(address, |kind| kind == MemoryKind::Locked)
}

/// Locks memory of the caller's.
///
/// # Errors
/// It is none, or it is locked.
pub fn register(address: usize, bytes: usize) -> Result<(), Refusal> {
    if address == 0 || bytes == 0 || is_locked(address, bytes) {
        return Err(Refusal::Value);
    }
    pieces().insert(address, Piece::new(bytes, MemoryKind::Registered));
    Ok(())
}

/// Unlocks memory that was registered.
///
/// # Errors
/// Nothing was registered there.
pub fn unregister(address: usize) -> Result<(), Refusal> {
    release(address, |kind| kind == MemoryKind::Registered)
}
