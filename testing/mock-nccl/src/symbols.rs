//! The symbols of `libnccl.so.2`, as nccl.h declares them.
// The names are NCCL's.
#![allow(non_snake_case)]
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int};

use crate::channel::Channel;
use crate::communicator::{
    self, Act, Answer, INTERNAL_ERROR, INVALID_ARGUMENT, INVALID_USAGE, REMOTE_ERROR, Request, SUCCESS, SYSTEM_ERROR,
    UNHANDLED_CUDA_ERROR,
};
use crate::options;

/// `ncclUniqueId`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct UniqueId([u8; 128]);

/// Operations that the library knows: sum, product, maximum, minimum, mean.
const OPERATIONS: c_int = 5;
/// `ncclSum`.
const SUM: c_int = 0;

thread_local! {
    /// How many groups are open, and what was called in them.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static QUEUED: RefCell<Vec<Request>> = const { RefCell::new(Vec::new()) };
    /// What is said of the last error.
    static SAID: RefCell<CString> = RefCell::default();
}

/// Keeps a sentence on an error, and returns its code.
pub(crate) fn told(code: c_int, sentence: &str) -> c_int {
    SAID.set(CString::new(sentence).unwrap_or_default());
    code
}

fn code(answer: Answer) -> c_int {
    answer.map_or_else(|code| code, |()| SUCCESS)
}

/// What goes wrong with a call on request, before it does anything.
fn befall(call: &str) -> Answer {
    if options::kills(call) {
        std::process::abort();
    }
    if options::fails(call) { Err(told(SYSTEM_ERROR, &format!("{call} was asked to fail"))) } else { Ok(()) }
}

/// Does a call now, or when the group ends.
fn called(call: &str, request: Request) -> c_int {
    let answer = befall(call).and_then(|()| communicator::check(&request)).and_then(|()| {
        if DEPTH.get() == 0 {
            return communicator::carry_out(&[request]);
        }
        QUEUED.with_borrow_mut(|queued| queued.push(request));
        Ok(())
    });
    code(answer)
}

/// A number of a rank: one that is none is larger than all.
fn rank(number: c_int) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// As [`called`], with an operation.
fn reduced(call: &str, operation: c_int, request: Request) -> c_int {
    match operation {
        SUM => called(call, request),
        1..OPERATIONS => told(INTERNAL_ERROR, "the mock adds, and knows no other operation"),
        _ => told(INVALID_ARGUMENT, &format!("invalid reduction operation {operation}")),
    }
}

#[unsafe(no_mangle)]
extern "C" fn ncclGetVersion(version: *mut c_int) -> c_int {
    if version.is_null() {
        return INVALID_ARGUMENT;
    }
    // SAFETY: callers hand over a place for one integer.
    unsafe { version.write(options::version()) };
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn ncclGetErrorString(code: c_int) -> *const c_char {
    let words: &CStr = match code {
        SUCCESS => c"no error",
        UNHANDLED_CUDA_ERROR => c"unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        SYSTEM_ERROR => c"unhandled system error (run with NCCL_DEBUG=INFO for details)",
        INTERNAL_ERROR => c"internal error - please report this issue to the NCCL developers",
        INVALID_ARGUMENT => c"invalid argument (run with NCCL_DEBUG=WARN for details)",
        INVALID_USAGE => c"invalid usage (run with NCCL_DEBUG=WARN for details)",
        REMOTE_ERROR => c"remote process exited or there was a network error",
        _ => c"unknown result code",
    };
    words.as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn ncclGetLastError(_comm: usize) -> *const c_char {
    SAID.with_borrow(|said| said.as_ptr())
}

#[unsafe(no_mangle)]
extern "C" fn ncclGetUniqueId(id: *mut UniqueId) -> c_int {
    if let Err(code) = befall("ncclGetUniqueId") {
        return code;
    }
    let mut bytes = [0; 128];
    match Channel::create() {
        Some(channel) if channel.name().len() < bytes.len() && !id.is_null() => {
            bytes[..channel.name().len()].copy_from_slice(channel.name());
            // SAFETY: callers hand over a place for 128 bytes.
            unsafe { id.write(UniqueId(bytes)) };
            SUCCESS
        }
        _ => told(SYSTEM_ERROR, "no directory for messages can be made"),
    }
}

#[unsafe(no_mangle)]
extern "C" fn ncclCommInitRank(comm: *mut usize, size: c_int, id: UniqueId, number: c_int) -> c_int {
    let joined = befall("ncclCommInitRank").and_then(|()| {
        let size = usize::try_from(size).unwrap_or(0);
        communicator::join(&id.0, rank(number), size)
    });
    match joined {
        Ok(handle) => {
            // SAFETY: callers hand over a place for the handle.
            unsafe { comm.write(handle) };
            SUCCESS
        }
        Err(code) => {
            // What was left there is of no use to anybody.
            if let (Some(channel), Ok(size)) = (Channel::named(&id.0), usize::try_from(size)) {
                channel.leave(rank(number), size);
            }
            code
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn ncclCommDestroy(comm: usize) -> c_int {
    code(communicator::leave(comm, false))
}

#[unsafe(no_mangle)]
extern "C" fn ncclCommAbort(comm: usize) -> c_int {
    code(communicator::leave(comm, true))
}

#[unsafe(no_mangle)]
extern "C" fn ncclCommGetAsyncError(comm: usize, late: *mut c_int) -> c_int {
    let answer = communicator::known(comm);
    if answer.is_ok() && !late.is_null() {
        // SAFETY: callers hand over a place for one integer.
        unsafe { late.write(SUCCESS) };
    }
    code(answer)
}

#[unsafe(no_mangle)]
extern "C" fn ncclGroupStart() -> c_int {
    DEPTH.set(DEPTH.get() + 1);
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn ncclGroupEnd() -> c_int {
    let Some(depth) = DEPTH.get().checked_sub(1) else {
        return told(INVALID_USAGE, "ncclGroupEnd: not in a group call.");
    };
    DEPTH.set(depth);
    if depth > 0 {
        return SUCCESS;
    }
    code(communicator::carry_out(&QUEUED.take()))
}

#[unsafe(no_mangle)]
extern "C" fn ncclAllReduce(
    send: usize,
    recv: usize,
    count: usize,
    kind: c_int,
    operation: c_int,
    comm: usize,
    stream: usize,
) -> c_int {
    reduced("ncclAllReduce", operation, Request { act: Act::AllReduce, send, recv, count, kind, comm, stream })
}

#[unsafe(no_mangle)]
extern "C" fn ncclBroadcast(
    send: usize,
    recv: usize,
    count: usize,
    kind: c_int,
    root: c_int,
    comm: usize,
    stream: usize,
) -> c_int {
    called("ncclBroadcast", Request { act: Act::Broadcast(rank(root)), send, recv, count, kind, comm, stream })
}

// The signature is NCCL's.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
extern "C" fn ncclReduce(
    send: usize,
    recv: usize,
    count: usize,
    kind: c_int,
    operation: c_int,
    root: c_int,
    comm: usize,
    stream: usize,
) -> c_int {
    let act = Act::Reduce(rank(root));
    reduced("ncclReduce", operation, Request { act, send, recv, count, kind, comm, stream })
}

#[unsafe(no_mangle)]
extern "C" fn ncclAllGather(send: usize, recv: usize, count: usize, kind: c_int, comm: usize, stream: usize) -> c_int {
    called("ncclAllGather", Request { act: Act::AllGather, send, recv, count, kind, comm, stream })
}

#[unsafe(no_mangle)]
extern "C" fn ncclReduceScatter(
    send: usize,
    recv: usize,
    count: usize,
    kind: c_int,
    operation: c_int,
    comm: usize,
    stream: usize,
) -> c_int {
    let act = Act::ReduceScatter;
    reduced("ncclReduceScatter", operation, Request { act, send, recv, count, kind, comm, stream })
}

#[unsafe(no_mangle)]
extern "C" fn ncclSend(send: usize, count: usize, kind: c_int, peer: c_int, comm: usize, stream: usize) -> c_int {
    called("ncclSend", Request { act: Act::Send(rank(peer)), send, recv: 0, count, kind, comm, stream })
}

#[unsafe(no_mangle)]
extern "C" fn ncclRecv(recv: usize, count: usize, kind: c_int, peer: c_int, comm: usize, stream: usize) -> c_int {
    called("ncclRecv", Request { act: Act::Recv(rank(peer)), send: 0, recv, count, kind, comm, stream })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said() -> String {
        SAID.with_borrow(|said| said.to_string_lossy().into_owned())
    }

    #[test]
    fn what_is_wrong_by_itself_is_refused_in_words() {
        assert_eq!(ncclGroupEnd(), INVALID_USAGE);
        assert_eq!(ncclAllReduce(0, 0, 1, 8, OPERATIONS, 1, 0), INVALID_ARGUMENT);
        assert_eq!(said(), "invalid reduction operation 5");
        assert_eq!(ncclAllReduce(0, 0, 1, 8, SUM, 77, 0), INVALID_ARGUMENT);
        assert_eq!([ncclCommDestroy(77), ncclCommAbort(77)], [INVALID_ARGUMENT; 2]);
        assert!(said().contains("is no communicator"), "{}", said());
        let mut comm = 0;
        assert_eq!(ncclCommInitRank(&raw mut comm, 2, UniqueId([0; 128]), 2), INVALID_ARGUMENT);
        assert_eq!(said(), "Invalid rank requested : 2/2");
        assert_eq!(ncclCommInitRank(&raw mut comm, 2, UniqueId([b'x'; 128]), 0), INVALID_ARGUMENT);
        assert_eq!(said(), "the identity is of no communicator");
    }
}
