//! Communicators and groups.

use std::ffi::c_int;
use std::sync::Arc;

use super::{WORLD, natural};
use crate::abi::{
    COMM_NULL, COMM_TYPE_SHARED, Class, Datatype, ERRORS_RETURN, GROUP_NULL, Handle, Op, TAG_UB, TAG_UB_KEY, UNDEFINED,
};
use crate::address::{Address, UserPtr};
use crate::collective::{collect, everywhere};
use crate::communicator::{Communicator, partition};
use crate::world::{Call, call, done, with};

/// The next number that is free for a context on every rank of a communicator.
pub(super) fn agreed_context(call: Call, comm: Handle) -> Result<u32, Class> {
    let (mut plan, own) = with(|engine| Ok((engine.plan(call.name, comm)?, u64::from(engine.next_context))))?;
    let greatest = plan.load_bytes(&own.to_ne_bytes());
    everywhere(&mut plan, &greatest, (Datatype::U64, Op::Max));
    let plan = done(plan.for_the_library_itself());
    let context = plan.memory.as_chunks::<8>().0.first().map_or(own, |bytes| u64::from_ne_bytes(*bytes)) as u32;
    with(|engine| engine.next_context = context + 1);
    Ok(context)
}

/// Two numbers of every rank, by rank.
fn all_of(call: Call, comm: Handle, own: (c_int, c_int)) -> Result<Vec<(c_int, c_int)>, Class> {
    let mut plan = with(|engine| engine.plan(call.name, comm))?;
    let (rank, size) = (plan.rank, plan.size);
    plan.load_bytes(&own.0.to_ne_bytes());
    plan.load_bytes(&own.1.to_ne_bytes());
    plan.room((size - 1) * 8);
    collect(&mut plan, 0, 8);
    let plan = done(plan.for_the_library_itself());
    let mut numbers = vec![(0, 0); size];
    for (place, pair) in plan.memory.as_chunks::<8>().0.iter().enumerate() {
        let [a, b] = [0, 4].map(|at| c_int::from_ne_bytes([pair[at], pair[at + 1], pair[at + 2], pair[at + 3]]));
        numbers[(rank + place) % size] = (a, b);
    }
    Ok(numbers)
}

/// The parts of a communicator: by colour, ordered by key.
fn split(call: Call, comm: Handle, (colour, key): (c_int, c_int), new: UserPtr<Handle>) -> Result<(), Class> {
    let context = agreed_context(call, comm)?;
    let entries = all_of(call, comm, (colour, key))?;
    let handle = with(|engine| {
        let parent = engine.communicator(comm)?.clone();
        if colour == UNDEFINED {
            return Ok(COMM_NULL);
        }
        let members = partition(&entries, parent.rank);
        let rank = members.iter().position(|member| *member == parent.rank).unwrap_or_default();
        let group = members.iter().map(|member| parent.group[*member]).collect();
        let mut part = Communicator::new(context, group, rank);
        part.errors_return = parent.errors_return;
        Ok(engine.communicators.insert(part))
    });
    new.set(handle?);
    Ok(())
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Comm_rank(comm: Handle, rank: UserPtr<c_int>) -> c_int {
    call("MPI_Comm_rank", comm, |_| {
        rank.set(with(|engine| Ok(engine.communicator(comm)?.rank as c_int))?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Comm_size(comm: Handle, size: UserPtr<c_int>) -> c_int {
    call("MPI_Comm_size", comm, |_| {
        size.set(with(|engine| Ok(engine.communicator(comm)?.group.len() as c_int))?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Comm_dup(comm: Handle, new: UserPtr<Handle>) -> c_int {
    call("MPI_Comm_dup", comm, |call| {
        let context = agreed_context(call, comm)?;
        let handle = with(|engine| {
            let parent = engine.communicator(comm)?;
            let mut copy = Communicator::new(context, parent.group.clone(), parent.rank);
            (copy.errors_return, copy.grid) = (parent.errors_return, parent.grid.clone());
            Ok(engine.communicators.insert(copy))
        });
        new.set(handle?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Comm_split(comm: Handle, colour: c_int, key: c_int, new: UserPtr<Handle>) -> c_int {
    call("MPI_Comm_split", comm, |call| {
        if colour < 0 && colour != UNDEFINED {
            return Err(Class::Arg);
        }
        split(call, comm, (colour, key), new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Comm_split_type(
    comm: Handle,
    kind: c_int,
    key: c_int,
    _info: Handle,
    new: UserPtr<Handle>,
) -> c_int {
    call("MPI_Comm_split_type", comm, |call| {
        let colour = match kind {
            COMM_TYPE_SHARED => with(|engine| engine.options.node_of(engine.options.rank) as c_int),
            UNDEFINED => UNDEFINED,
            _ => return Err(Class::Arg),
        };
        split(call, comm, (colour, key), new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Comm_free(comm: UserPtr<Handle>) -> c_int {
    call("MPI_Comm_free", comm.value(), |_| {
        if comm.value() < WORLD + 2 {
            return Err(Class::Comm);
        }
        with(|engine| engine.communicators.remove(comm.value())).ok_or(Class::Comm)?;
        comm.set(COMM_NULL);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Comm_group(comm: Handle, group: UserPtr<Handle>) -> c_int {
    call("MPI_Comm_group", comm, |_| {
        let handle = with(|engine| {
            let members = engine.communicator(comm)?.group.clone();
            Ok(engine.groups.insert(members))
        });
        group.set(handle?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Group_incl(group: Handle, n: c_int, ranks: UserPtr<c_int>, new: UserPtr<Handle>) -> c_int {
    call("MPI_Group_incl", WORLD, |_| {
        let ranks = ranks.values(natural(n)?);
        let handle = with(|engine| {
            let members = engine.groups.get(group).ok_or(Class::Group)?;
            let chosen = ranks.iter().map(|rank| usize::try_from(*rank).ok().and_then(|rank| members.get(rank)));
            let chosen: Arc<[usize]> = chosen.map(|m| m.copied().ok_or(Class::Rank)).collect::<Result<_, _>>()?;
            Ok(engine.groups.insert(chosen))
        });
        new.set(handle?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Group_free(group: UserPtr<Handle>) -> c_int {
    call("MPI_Group_free", WORLD, |_| {
        with(|engine| engine.groups.remove(group.value())).ok_or(Class::Group)?;
        group.set(GROUP_NULL);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Comm_set_errhandler(comm: Handle, handler: Handle) -> c_int {
    call("MPI_Comm_set_errhandler", comm, |_| {
        with(|engine| {
            let communicator = engine.communicators.get_mut(comm).ok_or(Class::Comm)?;
            communicator.errors_return = handler == ERRORS_RETURN;
            Ok(())
        })
    })
}

/// The greatest tag, as a pointer to it.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Comm_get_attr(
    comm: Handle,
    key: c_int,
    value: UserPtr<&'static usize>,
    flag: UserPtr<c_int>,
) -> c_int {
    call("MPI_Comm_get_attr", comm, |_| {
        with(|engine| engine.communicator(comm).map(|_| ()))?;
        flag.set((key == TAG_UB_KEY).into());
        if key == TAG_UB_KEY {
            value.set(&TAG_UB);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Get_address(location: Address, address: UserPtr<usize>) -> c_int {
    address.set(location.0);
    0
}
