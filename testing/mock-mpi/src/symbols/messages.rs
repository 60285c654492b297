//! Messages between two ranks.

use std::ffi::c_int;

use super::{judged, tell};
use crate::abi::{Class, Handle, PROC_NULL, Status};
use crate::address::{Address, UserPtr};
use crate::clock::now_ns;
use crate::request::{Again, Outcome, Work};
use crate::world::{Call, call, wait, with};

/// Waits for work.
fn finished(work: Work) -> Outcome {
    wait(|engine| engine.is_ready(work).then(|| engine.finish(work)))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Send(
    from: Address,
    count: c_int,
    datatype: Handle,
    to: c_int,
    tag: c_int,
    comm: Handle,
) -> c_int {
    call("MPI_Send", comm, |call| {
        let work = with(|engine| {
            let from = engine.place(from, count, datatype)?;
            let work = engine.send_to(call.name, comm, (to, tag), &from)?;
            Ok((work, engine.is_ready(work)))
        });
        match work? {
            (_, true) => Ok(()),
            (work, false) => judged(finished(work)),
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Recv(
    into: Address,
    count: c_int,
    datatype: Handle,
    from: c_int,
    tag: c_int,
    comm: Handle,
    status: UserPtr<Status>,
) -> c_int {
    call("MPI_Recv", comm, |_| {
        let work = with(|engine| {
            let into = engine.place(into, count, datatype)?;
            engine.receive(comm, (from, tag), into)
        })?;
        let outcome = finished(work);
        tell(status, 0, outcome);
        judged(outcome)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Sendrecv(
    send: Address,
    send_count: c_int,
    send_type: Handle,
    to: c_int,
    send_tag: c_int,
    into: Address,
    count: c_int,
    datatype: Handle,
    from: c_int,
    tag: c_int,
    comm: Handle,
    status: UserPtr<Status>,
) -> c_int {
    call("MPI_Sendrecv", comm, |call| {
        with(|engine| engine.faults.befall_alone(engine.options.size, "kill"));
        let (sent, receive) = with(|engine| {
            let (send, into) = (engine.place(send, send_count, send_type)?, engine.place(into, count, datatype)?);
            let receive = engine.receive(comm, (from, tag), into)?;
            Ok((engine.send_to(call.name, comm, (to, send_tag), &send)?, receive))
        })?;
        let outcome = finished(receive);
        finished(sent);
        tell(status, 0, outcome);
        judged(outcome)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Isend(
    from: Address,
    count: c_int,
    datatype: Handle,
    to: c_int,
    tag: c_int,
    comm: Handle,
    request: UserPtr<Handle>,
) -> c_int {
    call("MPI_Isend", comm, |call| {
        let handle = with(|engine| {
            let from = engine.place(from, count, datatype)?;
            let work = engine.send_to(call.name, comm, (to, tag), &from)?;
            Ok(engine.request(work, None, comm))
        });
        request.set(handle?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Irecv(
    into: Address,
    count: c_int,
    datatype: Handle,
    from: c_int,
    tag: c_int,
    comm: Handle,
    request: UserPtr<Handle>,
) -> c_int {
    call("MPI_Irecv", comm, |_| {
        let handle = with(|engine| {
            let into = engine.place(into, count, datatype)?;
            let work = engine.receive(comm, (from, tag), into)?;
            Ok(engine.request(work, None, comm))
        });
        request.set(handle?);
        Ok(())
    })
}

/// A handle for what is started later.
fn persistent(comm: Handle, request: UserPtr<Handle>, again: Again) {
    request.set(with(|engine| engine.request(Work::Done(Outcome::EMPTY), Some(again), comm)));
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Send_init(
    from: Address,
    count: c_int,
    datatype: Handle,
    to: c_int,
    tag: c_int,
    comm: Handle,
    request: UserPtr<Handle>,
) -> c_int {
    call("MPI_Send_init", comm, |call: Call| {
        let from = with(|engine| engine.place(from, count, datatype))?;
        let again: Again = std::sync::Arc::new(move |engine| engine.send_to(call.name, comm, (to, tag), &from));
        persistent(comm, request, again);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Recv_init(
    into: Address,
    count: c_int,
    datatype: Handle,
    from: c_int,
    tag: c_int,
    comm: Handle,
    request: UserPtr<Handle>,
) -> c_int {
    call("MPI_Recv_init", comm, |_| {
        let into = with(|engine| engine.place(into, count, datatype))?;
        let again: Again = std::sync::Arc::new(move |engine| engine.receive(comm, (from, tag), into.clone()));
        persistent(comm, request, again);
        Ok(())
    })
}

/// What a probe sees now.
fn seen(
    comm: Handle,
    from: c_int,
    tag: c_int,
) -> impl FnMut(&mut crate::engine::Engine) -> Result<Option<Outcome>, Class> {
    move |engine| {
        if from == PROC_NULL {
            return Ok(Some(Outcome::NOBODY));
        }
        let communicator = engine.communicator(comm)?;
        let first = engine.mailbox.probe(&communicator.wanted(from, tag)?, now_ns());
        Ok(first.map(|(source, tag, bytes)| Outcome { source: communicator.rank_of(source), tag, bytes, error: None }))
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Probe(from: c_int, tag: c_int, comm: Handle, status: UserPtr<Status>) -> c_int {
    call("MPI_Probe", comm, |_| {
        let mut look = seen(comm, from, tag);
        let outcome = wait(|engine| look(engine).transpose())?;
        tell(status, 0, outcome);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Iprobe(
    from: c_int,
    tag: c_int,
    comm: Handle,
    flag: UserPtr<c_int>,
    status: UserPtr<Status>,
) -> c_int {
    call("MPI_Iprobe", comm, |_| {
        let mut look = seen(comm, from, tag);
        let outcome = wait(|engine| Some(look(engine)))?;
        flag.set(outcome.is_some().into());
        if let Some(outcome) = outcome {
            tell(status, 0, outcome);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Get_count(status: UserPtr<Status>, datatype: Handle, count: UserPtr<c_int>) -> c_int {
    call("MPI_Get_count", super::WORLD, |_| {
        let own = status.value().own;
        let bytes = u64::from(own[0].cast_unsigned()) | u64::from(own[1].cast_unsigned()) << 32;
        let size = crate::abi::Datatype::of(datatype)?.size_bytes() as u64;
        let whole = bytes.is_multiple_of(size).then(|| c_int::try_from(bytes / size).ok()).flatten();
        count.set(whole.unwrap_or(crate::abi::UNDEFINED));
        Ok(())
    })
}
