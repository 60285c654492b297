//! MPI_Init or MPI_Init_thread.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr;

use super::abi::{Numbers, PredefinedHandles};
use super::calls::Calls;
use super::comm_state::CommState;
use super::thread_level::ThreadLevel;

/// The call that starts MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InitCall {
    /// `MPI_Init`.
    Init,
    /// `MPI_Init_thread`, asked for this level.
    InitThread(ThreadLevel),
}

/// Starts MPI; the error is the call that failed.
pub(super) fn init(
    calls: &Calls,
    handles: &PredefinedHandles,
    numbers: &Numbers,
    by: InitCall,
) -> Result<(ThreadLevel, CommState), (&'static str, c_int)> {
    let checked = |call, code| if code == 0 { Ok(()) } else { Err((call, code)) };
    let none = ptr::null_mut();
    let mut provided: c_int = ThreadLevel::Single.number(numbers);
    match by {
        InitCall::Init => {
            // SAFETY: MPI was not started in this process; it takes null for the arguments of the program.
            let code = unsafe { (calls.init)(none, none) };
            checked("MPI_Init", code)?;
        }
        InitCall::InitThread(level) => {
            // SAFETY: as above, and it writes an integer.
            let code = unsafe { (calls.init_thread)(none, none, level.number(numbers), &raw mut provided) };
            checked("MPI_Init_thread", code)?;
        }
    }
    for comm in [handles.comm_world, handles.comm_self] {
        // SAFETY: both handles are the library's own.
        let code = unsafe { (calls.comm_set_errhandler)(comm, handles.errors_return) };
        checked("MPI_Comm_set_errhandler", code)?;
    }
    let (mut rank, mut size): (c_int, c_int) = (0, 0);
    // SAFETY: it writes an integer.
    checked("MPI_Comm_rank", unsafe { (calls.comm_rank)(handles.comm_world, &raw mut rank) })?;
    // SAFETY: it writes an integer.
    checked("MPI_Comm_size", unsafe { (calls.comm_size)(handles.comm_world, &raw mut size) })?;
    let given = ThreadLevel::ALL.into_iter().rfind(|level| level.number(numbers) <= provided);
    Ok((given.unwrap_or(ThreadLevel::Single), CommState::new(handles.comm_world, rank, size)))
}
