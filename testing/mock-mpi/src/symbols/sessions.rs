//! Sessions.

use std::ffi::c_int;

use super::WORLD;
use super::communicators::agreed_context;
use crate::abi::{Class, ERRORS_RETURN, Handle, SESSION_NULL};
use crate::address::{Address, UserPtr};
use crate::communicator::Communicator;
use crate::world::{call, with};

/// The only process set there is, with the zero that ends it.
const ALL_RANKS: &[u8] = b"mpi://WORLD\0";

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Session_init(_info: Handle, _errors: Handle, session: UserPtr<Handle>) -> c_int {
    call("MPI_Session_init", WORLD, |_| {
        session.set(with(|engine| engine.sessions.insert(())));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Session_finalize(session: UserPtr<Handle>) -> c_int {
    call("MPI_Session_finalize", WORLD, |_| {
        with(|engine| engine.sessions.remove(session.value())).ok_or(Class::Arg)?;
        session.set(SESSION_NULL);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Group_from_session_pset(session: Handle, name: Address, group: UserPtr<Handle>) -> c_int {
    call("MPI_Group_from_session_pset", WORLD, |_| {
        if name.view(ALL_RANKS.len()) != ALL_RANKS {
            return Err(Class::Arg);
        }
        let handle = with(|engine| {
            engine.sessions.get(session).ok_or(Class::Arg)?;
            let members = engine.communicator(WORLD)?.group.clone();
            Ok(engine.groups.insert(members))
        });
        group.set(handle?);
        Ok(())
    })
}

/// Of the group of all ranks only.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Comm_create_from_group(
    group: Handle,
    _tag: Address,
    _info: Handle,
    errors: Handle,
    new: UserPtr<Handle>,
) -> c_int {
    call("MPI_Comm_create_from_group", WORLD, |call| {
        let members = with(|engine| engine.groups.get(group).cloned()).ok_or(Class::Group)?;
        if with(|engine| engine.options.size) != members.len() {
            return Err(Class::Group);
        }
        let context = agreed_context(call, WORLD)?;
        new.set(with(|engine| {
            let mut made = Communicator::new(context, members, engine.options.rank);
            made.errors_return = errors == ERRORS_RETURN;
            engine.communicators.insert(made)
        }));
        Ok(())
    })
}
