//! Messages in parts.

use std::ffi::c_int;
use std::sync::Arc;

use crate::abi::{Class, Handle};
use crate::address::{Address, UserPtr};
use crate::request::{Again, Outcome, Work};
use crate::world::{call, wait, with};

/// Parts of a message at most: a bit each.
const PARTS_MAX: i64 = 64;

/// Elements of all parts together.
fn elements(parts: c_int, count: i64) -> Result<c_int, Class> {
    if !(1..=PARTS_MAX).contains(&i64::from(parts)) {
        return Err(Class::Arg);
    }
    c_int::try_from(count * i64::from(parts)).map_err(|_| Class::Count)
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Psend_init(
    from: Address,
    parts: c_int,
    count: i64,
    datatype: Handle,
    to: c_int,
    tag: c_int,
    comm: Handle,
    _info: Handle,
    request: UserPtr<Handle>,
) -> c_int {
    call("MPI_Psend_init", comm, |call| {
        let all = elements(parts, count)?;
        let from = with(|engine| engine.place(from, all, datatype))?;
        let whole: Again = Arc::new(move |engine| engine.send_to(call.name, comm, (to, tag), &from));
        request.set(with(|engine| engine.message_in_parts(whole, parts.unsigned_abs(), comm)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Precv_init(
    into: Address,
    parts: c_int,
    count: i64,
    datatype: Handle,
    from: c_int,
    tag: c_int,
    comm: Handle,
    _info: Handle,
    request: UserPtr<Handle>,
) -> c_int {
    call("MPI_Precv_init", comm, |_| {
        let all = elements(parts, count)?;
        let into = with(|engine| engine.place(into, all, datatype))?;
        let again: Again = Arc::new(move |engine| engine.receive(comm, (from, tag), into.clone()));
        request.set(with(|engine| engine.request(Work::Done(Outcome::EMPTY), Some(again), comm)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Pready(part: c_int, request: Handle) -> c_int {
    call("MPI_Pready", super::WORLD, |_| with(|engine| engine.part_is_ready(request, part)))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Parrived(request: Handle, _part: c_int, flag: UserPtr<c_int>) -> c_int {
    call("MPI_Parrived", super::WORLD, |_| {
        flag.set(wait(|engine| Some(engine.looks_ready(request)))?.into());
        Ok(())
    })
}
