//! What every call shares: results, handles, and answers written to where the caller wants them.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use mock_device::{Config, Refusal, peers};

use crate::events::{Event, Pool};
use crate::lists::List;
use crate::modules::{Kernel, Log, Module};

/// `ze_result_t`
pub(crate) const SUCCESS: c_int = 0;
pub(crate) const NOT_READY: c_int = 1;
pub(crate) const OUT_OF_DEVICE_MEMORY: c_int = 0x7000_0003;
pub(crate) const MODULE_BUILD_FAILURE: c_int = 0x7000_0004;
pub(crate) const UNINITIALIZED: c_int = 0x7800_0001;
pub(crate) const UNSUPPORTED_FEATURE: c_int = 0x7800_0003;
pub(crate) const INVALID_ARGUMENT: c_int = 0x7800_0004;
pub(crate) const INVALID_NULL_HANDLE: c_int = 0x7800_0005;
pub(crate) const OBJECT_IN_USE: c_int = 0x7800_0006;
pub(crate) const INVALID_NULL_POINTER: c_int = 0x7800_0007;
pub(crate) const INVALID_SIZE: c_int = 0x7800_0008;
pub(crate) const UNSUPPORTED_SIZE: c_int = 0x7800_0009;
pub(crate) const INVALID_SYNCHRONIZATION_OBJECT: c_int = 0x7800_000b;
pub(crate) const INVALID_ENUMERATION: c_int = 0x7800_000c;
pub(crate) const INVALID_KERNEL_NAME: c_int = 0x7800_0011;
pub(crate) const INVALID_GROUP_SIZE: c_int = 0x7800_0013;
pub(crate) const INVALID_ARGUMENT_INDEX: c_int = 0x7800_0015;
pub(crate) const INVALID_ARGUMENT_SIZE: c_int = 0x7800_0016;

/// What a call answers: its error is a result.
pub(crate) type Answer<T = ()> = Result<T, c_int>;

/// The result of a call's answer.
pub(crate) fn result(answer: Answer) -> c_int {
    answer.err().unwrap_or(SUCCESS)
}

/// What the device costs and what goes wrong with it.
pub(crate) fn config() -> &'static Config {
    Config::of("MOCK_LEVEL_ZERO_")
}

/// The version of the interface that the driver implements: 1.9, or what the environment says.
pub(crate) fn version() -> (u32, u32) {
    let text = std::env::var("MOCK_LEVEL_ZERO_API").unwrap_or_default();
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("MOCK_LEVEL_ZERO_API={text} is no version"));
    text.split_once('.').map_or((1, 9), |(major, minor)| (number(major), number(minor)))
}

/// What a call answers that the device refuses.
pub(crate) fn told(refusal: Refusal) -> c_int {
    match refusal {
        Refusal::Value | Refusal::Address => INVALID_ARGUMENT,
        Refusal::Queue => INVALID_NULL_HANDLE,
        Refusal::Memory => OUT_OF_DEVICE_MEMORY,
    }
}

static STARTED: AtomicBool = AtomicBool::new(false);

/// Notes that the driver was started. Its devices need no leave to use each other's memory.
pub(crate) fn start() {
    let devices = || 0..config().devices;
    for (device, peer) in devices().flat_map(|device| devices().map(move |peer| (device, peer))) {
        if peers::reaches(device, peer) {
            peers::enable(device, peer);
        }
    }
    STARTED.store(true, Ordering::Release);
}

/// Refuses a call before the start.
pub(crate) fn started() -> Answer {
    if STARTED.load(Ordering::Acquire) { Ok(()) } else { Err(UNINITIALIZED) }
}

/// The driver's handle, and the devices', from this number on.
pub(crate) const DRIVER: usize = 0x10;
const DEVICES: usize = 0x100;

/// The device of a handle.
pub(crate) fn device(handle: usize) -> Answer<usize> {
    started()?;
    let device = handle.checked_sub(DEVICES).filter(|device| *device < config().devices);
    device.ok_or(if handle == 0 { INVALID_NULL_HANDLE } else { INVALID_ARGUMENT })
}

/// The handle of a device.
pub(crate) fn handle_of(device: usize) -> usize {
    DEVICES + device
}

/// Refuses another handle than the driver's.
pub(crate) fn driver(handle: usize) -> Answer {
    started()?;
    match handle {
        DRIVER => Ok(()),
        0 => Err(INVALID_NULL_HANDLE),
        _ => Err(INVALID_ARGUMENT),
    }
}

/// An object that a caller made.
#[derive(Clone)]
pub(crate) enum Object {
    Context,
    List(Arc<List>),
    Pool(Arc<Pool>),
    Event(Arc<Event>),
    Module(Arc<Module>),
    Log(Arc<Log>),
    Kernel(Arc<Kernel>),
}

fn objects() -> MutexGuard<'static, BTreeMap<usize, Object>> {
    static OBJECTS: LazyLock<Mutex<BTreeMap<usize, Object>>> = LazyLock::new(Mutex::default);
    OBJECTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps an object and returns its handle, which no other ever had.
pub(crate) fn keep(object: Object) -> usize {
    static NEXT: Mutex<usize> = Mutex::new(0x1000);
    let mut next = NEXT.lock().unwrap_or_else(PoisonError::into_inner);
    *next += 8;
    objects().insert(*next, object);
    *next
}

/// What `pick` finds in the object of a handle.
pub(crate) fn object<T>(handle: usize, pick: impl FnOnce(&Object) -> Option<T>) -> Answer<T> {
    started()?;
    if handle == 0 {
        return Err(INVALID_NULL_HANDLE);
    }
    objects().get(&handle).and_then(pick).ok_or(INVALID_ARGUMENT)
}

/// Gives an object up, of which `pick` finds that it is of the kind.
pub(crate) fn forget<T>(handle: usize, pick: impl FnOnce(&Object) -> Option<T>) -> Answer<T> {
    let found = object(handle, pick)?;
    objects().remove(&handle);
    Ok(found)
}

/// Whether any object is as `is_such` says.
pub(crate) fn any(is_such: impl Fn(&Object) -> bool) -> bool {
    objects().values().any(is_such)
}

/// Refuses a handle that is no context's.
pub(crate) fn context(handle: usize) -> Answer {
    object(handle, |object| matches!(object, Object::Context).then_some(()))
}

/// Writes an answer to where the caller wants it.
pub(crate) fn write<T>(to: *mut T, value: T) -> Answer {
    if to.is_null() {
        return Err(INVALID_NULL_POINTER);
    }
    // SAFETY: callers hand over a place for the answer.
    unsafe { to.write(value) };
    Ok(())
}

/// What lies where a caller says.
pub(crate) fn read<T: Copy>(from: *const T) -> Answer<T> {
    if from.is_null() {
        return Err(INVALID_NULL_POINTER);
    }
    // SAFETY: callers hand over the address of one.
    Ok(unsafe { from.read() })
}

/// A structure that a caller hands over: its first word says what it is.
pub(crate) fn described<T: Copy>(from: *const T, structure_type: u32) -> Answer<T> {
    let found = read(from.cast::<u32>())?;
    if found == structure_type { read(from) } else { Err(INVALID_ARGUMENT) }
}

/// Changes a structure that a caller wants filled in.
pub(crate) fn fill<T: Copy>(at: *mut T, structure_type: u32, change: impl FnOnce(&mut T)) -> Answer {
    let mut structure = described(at.cast_const(), structure_type)?;
    change(&mut structure);
    write(at, structure)
}

/// Counts, or hands over as many of `all` as there is room for.
pub(crate) fn list<T: Clone>(count: *mut u32, to: *mut T, all: &[T]) -> Answer {
    let room = read(count.cast_const())?;
    if to.is_null() || room == 0 {
        return write(count, all.len() as u32);
    }
    for (at, one) in all.iter().take(room as usize).enumerate() {
        write(to.wrapping_add(at), one.clone())?;
    }
    write(count, room.min(all.len() as u32))
}
