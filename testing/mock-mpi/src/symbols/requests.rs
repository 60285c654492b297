//! Waiting for requests, testing, starting, freeing.

use std::ffi::c_int;

use super::{WORLD, judged, natural, tell};
use crate::abi::{Class, Handle, REQUEST_NULL, Status, UNDEFINED};
use crate::address::UserPtr;
use crate::request::{Outcome, Work};
use crate::world::{call, wait, with};

/// Whose error handler answers for a request.
fn comm_of(request: Handle) -> Handle {
    with(|engine| engine.requests.get(request).map_or(WORLD, |request| request.comm))
}

/// Waits for the n-th request and takes note of what its handle becomes.
fn finished(requests: UserPtr<Handle>, nth: usize) -> Result<Outcome, Class> {
    let handle = requests.nth(nth);
    let (outcome, next) = wait(|engine| engine.try_request(handle).transpose())?;
    requests.set_nth(nth, next);
    Ok(outcome)
}

/// All that are waited for in turn; the first error counts, after the last request.
fn all_finished(requests: UserPtr<Handle>, count: usize, statuses: UserPtr<Status>) -> Result<(), Class> {
    let mut first_error = Ok(());
    for nth in 0..count {
        let outcome = finished(requests, nth)?;
        tell(statuses, nth, outcome);
        first_error = first_error.and(judged(outcome));
    }
    first_error
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Wait(request: UserPtr<Handle>, status: UserPtr<Status>) -> c_int {
    call("MPI_Wait", comm_of(request.value()), |_| all_finished(request, 1, status))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Waitall(count: c_int, requests: UserPtr<Handle>, statuses: UserPtr<Status>) -> c_int {
    call("MPI_Waitall", WORLD, |_| all_finished(requests, natural(count)?, statuses))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Waitany(
    count: c_int,
    requests: UserPtr<Handle>,
    index: UserPtr<c_int>,
    status: UserPtr<Status>,
) -> c_int {
    call("MPI_Waitany", WORLD, |_| {
        let handles = requests.values(natural(count)?);
        let open: Vec<usize> = (0..handles.len()).filter(|nth| handles[*nth] != REQUEST_NULL).collect();
        if open.is_empty() {
            index.set(UNDEFINED);
            return Ok(());
        }
        let ready = wait(|engine| open.iter().copied().find(|nth| engine.looks_ready(handles[*nth]) != Ok(false)));
        let outcome = finished(requests, ready)?;
        index.set(ready as c_int);
        tell(status, 0, outcome);
        judged(outcome)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Test(request: UserPtr<Handle>, flag: UserPtr<c_int>, status: UserPtr<Status>) -> c_int {
    call("MPI_Test", comm_of(request.value()), |_| tested(request, 1, flag, status))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Testall(
    count: c_int,
    requests: UserPtr<Handle>,
    flag: UserPtr<c_int>,
    statuses: UserPtr<Status>,
) -> c_int {
    call("MPI_Testall", WORLD, |_| tested(requests, natural(count)?, flag, statuses))
}

fn tested(
    requests: UserPtr<Handle>,
    count: usize,
    flag: UserPtr<c_int>,
    statuses: UserPtr<Status>,
) -> Result<(), Class> {
    let handles = requests.values(count);
    // One look: a wait whose first answer counts.
    let ready = wait(|engine| {
        let each: Result<Vec<bool>, Class> = handles.iter().map(|handle| engine.looks_ready(*handle)).collect();
        Some(each.map(|each| each.into_iter().all(|ready| ready)))
    })?;
    flag.set(ready.into());
    if ready { all_finished(requests, count, statuses) } else { Ok(()) }
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Start(request: UserPtr<Handle>) -> c_int {
    call("MPI_Start", comm_of(request.value()), |_| with(|engine| engine.start(request.value())))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Startall(count: c_int, requests: UserPtr<Handle>) -> c_int {
    call("MPI_Startall", WORLD, |_| {
        let handles = requests.values(natural(count)?);
        handles.into_iter().try_for_each(|handle| with(|engine| engine.start(handle)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Request_free(request: UserPtr<Handle>) -> c_int {
    call("MPI_Request_free", comm_of(request.value()), |_| {
        let freed = with(|engine| {
            let freed = engine.requests.remove(request.value()).ok_or(Class::Request)?;
            if let Work::Receive { receive, .. } = freed.work {
                engine.mailbox.forget(receive);
            }
            Ok(())
        });
        request.set(REQUEST_NULL);
        freed
    })
}
