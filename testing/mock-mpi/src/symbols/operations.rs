//! Operations on windows.

use std::ffi::c_int;

use crate::abi::{Class, Datatype, Handle, Op, extent};
use crate::address::{Address, UserPtr};
use crate::collective::arithmetic;
use crate::envelope::Purpose;
use crate::request::{Outcome, Work};
use crate::target::packed;
use crate::window::aimed;
use crate::world::{Call, call, with};

/// What an operation becomes: done, or a fetch under way.
type Begun = Result<Work, Class>;

const DONE: Work = Work::Done(Outcome::EMPTY);

fn put(call: Call, (from, n): (Address, usize), (rank, at): (c_int, isize), window: Handle) -> Begun {
    let Some(aim) = aimed(call.name, window, (rank, at), n)? else { return Ok(DONE) };
    with(|engine| engine.operate(call.name, Purpose::Put, aim, (0, 0), from.view(n)))?;
    Ok(DONE)
}

fn get(call: Call, (into, n): (Address, usize), (rank, at): (c_int, isize), window: Handle) -> Begun {
    let Some(aim) = aimed(call.name, window, (rank, at), n)? else { return Ok(DONE) };
    with(|engine| Ok(Work::Fetch(engine.ask(call.name, Purpose::Get, aim, n as u64, (&[], into, n))?)))
}

fn accumulate(
    call: Call,
    (from, count, datatype): (Address, c_int, Handle),
    op: Handle,
    (rank, at): (c_int, isize),
    window: Handle,
) -> Begun {
    let (kind, op) = arithmetic(datatype, op)?;
    let n = extent(count, datatype)?;
    let Some(aim) = aimed(call.name, window, (rank, at), n)? else { return Ok(DONE) };
    if with(|engine| engine.faults.is_alone(engine.options.size, "lose-updates")) {
        return Ok(DONE);
    }
    with(|engine| engine.operate(call.name, Purpose::Accumulate, aim, (packed(kind, op), 0), from.view(n)))?;
    Ok(DONE)
}

/// A request for what was begun.
fn requested(window: Handle, request: UserPtr<Handle>, work: Work) {
    request.set(with(|engine| engine.request(work, None, window)));
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Put(
    from: Address,
    count: c_int,
    datatype: Handle,
    rank: c_int,
    at: isize,
    _target_count: c_int,
    _target_type: Handle,
    window: Handle,
) -> c_int {
    call("MPI_Put", window, |call| {
        put(call, (from, extent(count, datatype)?), (rank, at), window)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Rput(
    from: Address,
    count: c_int,
    datatype: Handle,
    rank: c_int,
    at: isize,
    _target_count: c_int,
    _target_type: Handle,
    window: Handle,
    request: UserPtr<Handle>,
) -> c_int {
    call("MPI_Rput", window, |call| {
        requested(window, request, put(call, (from, extent(count, datatype)?), (rank, at), window)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Get(
    into: Address,
    count: c_int,
    datatype: Handle,
    rank: c_int,
    at: isize,
    _target_count: c_int,
    _target_type: Handle,
    window: Handle,
) -> c_int {
    call("MPI_Get", window, |call| {
        get(call, (into, extent(count, datatype)?), (rank, at), window)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Rget(
    into: Address,
    count: c_int,
    datatype: Handle,
    rank: c_int,
    at: isize,
    _target_count: c_int,
    _target_type: Handle,
    window: Handle,
    request: UserPtr<Handle>,
) -> c_int {
    call("MPI_Rget", window, |call| {
        requested(window, request, get(call, (into, extent(count, datatype)?), (rank, at), window)?);
        Ok(())
    })
}

/// What befalls a process that updates a window.
fn updates() {
    with(|engine| engine.faults.befall_alone(engine.options.size, "kill-updates"));
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Accumulate(
    from: Address,
    count: c_int,
    datatype: Handle,
    rank: c_int,
    at: isize,
    _target_count: c_int,
    _target_type: Handle,
    op: Handle,
    window: Handle,
) -> c_int {
    call("MPI_Accumulate", window, |call| {
        updates();
        accumulate(call, (from, count, datatype), op, (rank, at), window)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Raccumulate(
    from: Address,
    count: c_int,
    datatype: Handle,
    rank: c_int,
    at: isize,
    _target_count: c_int,
    _target_type: Handle,
    op: Handle,
    window: Handle,
    request: UserPtr<Handle>,
) -> c_int {
    call("MPI_Raccumulate", window, |call| {
        updates();
        requested(window, request, accumulate(call, (from, count, datatype), op, (rank, at), window)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Fetch_and_op(
    from: Address,
    into: Address,
    datatype: Handle,
    rank: c_int,
    at: isize,
    op: Handle,
    window: Handle,
) -> c_int {
    call("MPI_Fetch_and_op", window, |call| {
        updates();
        let (kind, op) = arithmetic(datatype, op)?;
        let n = kind.size_bytes();
        let Some(aim) = aimed(call.name, window, (rank, at), n)? else { return Ok(()) };
        // The origin may be absent where the operation keeps the old value.
        let operand = if from.0 == 0 { vec![0; n] } else { from.read(n) };
        with(|engine| engine.ask(call.name, Purpose::FetchAndOp, aim, packed(kind, op), (&operand, into, n)))?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Get_accumulate(
    from: Address,
    count: c_int,
    datatype: Handle,
    into: Address,
    result_count: c_int,
    result_type: Handle,
    rank: c_int,
    at: isize,
    target_count: c_int,
    target_type: Handle,
    op: Handle,
    window: Handle,
) -> c_int {
    call("MPI_Get_accumulate", window, |call| {
        updates();
        let (kind, op) = arithmetic(target_type, op)?;
        let (n, room) = (extent(target_count, target_type)?, extent(result_count, result_type)?);
        let Some(aim) = aimed(call.name, window, (rank, at), n)? else { return Ok(()) };
        // There is no operand where the old values are only read.
        let operand = if op == Op::Keep { vec![0; n] } else { from.read(extent(count, datatype)?) };
        with(|engine| engine.ask(call.name, Purpose::FetchAndOp, aim, packed(kind, op), (&operand, into, room)))?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Compare_and_swap(
    from: Address,
    compare: Address,
    into: Address,
    datatype: Handle,
    rank: c_int,
    at: isize,
    window: Handle,
) -> c_int {
    call("MPI_Compare_and_swap", window, |call| {
        updates();
        let n = Datatype::of(datatype)?.size_bytes();
        let Some(aim) = aimed(call.name, window, (rank, at), n)? else { return Ok(()) };
        let both = [compare.read(n), from.read(n)].concat();
        with(|engine| engine.ask(call.name, Purpose::CompareAndSwap, aim, 0, (&both, into, n)))?;
        Ok(())
    })
}
