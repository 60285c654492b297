//! Streams and events.
// The names are HIP's.
#![allow(non_snake_case)]
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use mock_device::{Command, wait_until, world};

use crate::runtime::{INVALID_HANDLE, NOT_READY, SUCCESS, answer, config, current};

fn known(is_known: bool) -> c_int {
    if is_known { SUCCESS } else { INVALID_HANDLE }
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamCreateWithFlags(to: *mut usize, _flags: c_uint) -> c_int {
    current().map_or_else(|code| code, |device| answer(to, world(|world| world.queue(device))))
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamSynchronize(stream: usize) -> c_int {
    wait_until(|world| world.is_done(stream) != Some(false));
    known(world(|world| world.is_done(stream).is_some()))
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamDestroy(stream: usize) -> c_int {
    known(world(|world| world.forget_queue(stream)))
}

#[unsafe(no_mangle)]
extern "C" fn hipEventCreateWithFlags(to: *mut usize, _flags: c_uint) -> c_int {
    current().map_or_else(|code| code, |_| answer(to, world(|world| world.mark())))
}

#[unsafe(no_mangle)]
extern "C" fn hipEventRecord(event: usize, stream: usize) -> c_int {
    known(world(|world| world.push(stream, Command::Mark(event))))
}

#[unsafe(no_mangle)]
extern "C" fn hipEventElapsedTime(milliseconds: *mut f32, from: usize, to: usize) -> c_int {
    let (Some(from), Some(to)) = world(|world| (world.stamp_ns(from), world.stamp_ns(to))) else {
        return INVALID_HANDLE;
    };
    let (Some(from), Some(to)) = (from, to) else { return NOT_READY };
    let between = if config().bogus_events { 0.0 } else { to - from };
    answer(milliseconds, (between * 1e-6) as f32)
}
