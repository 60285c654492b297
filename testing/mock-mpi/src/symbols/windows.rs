//! Windows: their beginning and end, and synchronisation.

use std::ffi::c_int;

use super::communicators::agreed_context;
use crate::abi::{Class, ERRORS_RETURN, Handle, LOCK_EXCLUSIVE, WIN_MODEL_KEY, WIN_NULL, WIN_UNIFIED};
use crate::address::{Address, UserPtr};
use crate::collective::barrier;
use crate::communicator::Communicator;
use crate::envelope::Purpose;
use crate::window::{Lock, Mode, Peer, Window, fetched, flush, flush_all, lock, take_one, unlock};
use crate::world::{Call, call, done, with};

fn bytes(size: isize) -> Result<usize, Class> {
    usize::try_from(size).map_err(|_| Class::Arg)
}

/// The memory of a new window.
enum Holding {
    /// The caller's: its address, its bytes, and the unit of displacements.
    Given(Address, usize, c_int),
    /// As many bytes of the library's own.
    Own(Vec<u64>, usize, c_int),
    /// What will be attached.
    Attached,
}

fn create(call: Call, comm: Handle, holding: Holding) -> Result<Handle, Class> {
    let (base, bytes, unit, attached, owned) = match holding {
        Holding::Given(base, bytes, unit) => (base, bytes, unit, None, Vec::new()),
        Holding::Own(mut owned, bytes, unit) => {
            (Address(owned.as_mut_ptr().expose_provenance()), bytes, unit, None, owned)
        }
        Holding::Attached => (Address(0), 0, 1, Some(Vec::new()), Vec::new()),
    };
    let unit = usize::try_from(unit).map_err(|_| Class::Arg)?;
    let context = agreed_context(call, comm)?;
    let (window, own) = with(|engine| {
        let parent = engine.communicator(comm)?.clone();
        let peers = vec![Peer::default(); parent.group.len()];
        let own = Communicator::new(context, parent.group.clone(), parent.rank);
        let own = engine.communicators.insert(own);
        let window = Window {
            context,
            comm: own,
            group: parent.group,
            base,
            bytes,
            unit,
            attached,
            _owned: owned,
            errors_return: parent.errors_return,
            locks_all: false,
            access: Vec::new(),
            exposure: Vec::new(),
            lock: Lock::default(),
            peers,
        };
        Ok((engine.windows.insert(window), own))
    })?;
    // An operation must not come before its window is there.
    done(barrier(with(|engine| engine.plan(call.name, own))?)?);
    Ok(window)
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_create(
    base: Address,
    size: isize,
    unit: c_int,
    _info: Handle,
    comm: Handle,
    window: UserPtr<Handle>,
) -> c_int {
    call("MPI_Win_create", comm, |call| {
        window.set(create(call, comm, Holding::Given(base, bytes(size)?, unit))?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_allocate(
    size: isize,
    unit: c_int,
    _info: Handle,
    comm: Handle,
    base: UserPtr<Address>,
    window: UserPtr<Handle>,
) -> c_int {
    call("MPI_Win_allocate", comm, |call| allocate(call, comm, (size, unit), (base, window)))
}

/// A window over memory that the library gives.
fn allocate(
    call: Call,
    comm: Handle,
    (size, unit): (isize, c_int),
    (base, window): (UserPtr<Address>, UserPtr<Handle>),
) -> Result<(), Class> {
    let n = bytes(size)?;
    let handle = create(call, comm, Holding::Own(vec![0u64; n.div_ceil(8)], n, unit))?;
    base.set(with(|engine| engine.window(handle).map(|window| window.base))?);
    window.set(handle);
    Ok(())
}

/// As MPI_Win_allocate, among ranks that pretend to live on one node. The ranks are processes without memory in common: accesses are
/// messages as in every window.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_allocate_shared(
    size: isize,
    unit: c_int,
    _info: Handle,
    comm: Handle,
    base: UserPtr<Address>,
    window: UserPtr<Handle>,
) -> c_int {
    call("MPI_Win_allocate_shared", comm, |call| {
        let is_one_node = with(|engine| {
            let group = engine.communicator(comm)?.group.clone();
            let mut nodes = group.iter().map(|member| engine.options.node_of(*member));
            let first = nodes.next();
            Ok(nodes.all(|node| Some(node) == first))
        })?;
        if is_one_node { allocate(call, comm, (size, unit), (base, window)) } else { Err(Class::RmaShared) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_create_dynamic(_info: Handle, comm: Handle, window: UserPtr<Handle>) -> c_int {
    call("MPI_Win_create_dynamic", comm, |call| {
        window.set(create(call, comm, Holding::Attached)?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_attach(window: Handle, base: Address, size: isize) -> c_int {
    call("MPI_Win_attach", window, |_| {
        let region = base.0..base.0 + bytes(size)?;
        with(|engine| {
            let attached = engine.window(window)?.attached.as_mut().ok_or(Class::RmaFlavor)?;
            if attached.iter().any(|other| other.start < region.end && region.start < other.end) {
                return Err(Class::RmaAttach);
            }
            attached.push(region);
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_detach(window: Handle, base: Address) -> c_int {
    call("MPI_Win_detach", window, |_| {
        with(|engine| {
            let attached = engine.window(window)?.attached.as_mut().ok_or(Class::RmaFlavor)?;
            let nth = attached.iter().position(|region| region.start == base.0).ok_or(Class::RmaAttach)?;
            attached.remove(nth);
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_free(window: UserPtr<Handle>) -> c_int {
    call("MPI_Win_free", window.value(), |call| {
        let comm = with(|engine| engine.window(window.value()).map(|w| w.comm))?;
        done(barrier(with(|engine| engine.plan(call.name, comm))?)?);
        with(|engine| {
            engine.communicators.remove(comm);
            engine.windows.remove(window.value());
        });
        window.set(WIN_NULL);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_set_errhandler(window: Handle, handler: Handle) -> c_int {
    call("MPI_Win_set_errhandler", window, |_| {
        with(|engine| engine.window(window).map(|w| w.errors_return = handler == ERRORS_RETURN))
    })
}

/// The memory model, as a pointer to it: operations change the very memory the target reads.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_get_attr(
    window: Handle,
    key: c_int,
    value: UserPtr<&'static c_int>,
    flag: UserPtr<c_int>,
) -> c_int {
    call("MPI_Win_get_attr", window, |_| {
        with(|engine| engine.window(window).map(|_| ()))?;
        flag.set((key == WIN_MODEL_KEY).into());
        if key == WIN_MODEL_KEY {
            value.set(&WIN_UNIFIED);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_fence(_assertion: c_int, window: Handle) -> c_int {
    call("MPI_Win_fence", window, |call| {
        flush_all(call.name, window)?;
        let plan = with(|engine| {
            let comm = engine.window(window)?.comm;
            engine.plan(call.name, comm)
        })?;
        done(barrier(plan)?);
        Ok(())
    })
}

/// The members of a group as ranks of a window.
fn ranks_of(group: Handle, window: Handle) -> Result<Vec<usize>, Class> {
    with(|engine| {
        let members = engine.groups.get(group).ok_or(Class::Group)?.clone();
        let window = engine.window(window)?;
        Ok(members.iter().map(|member| window.rank_of(*member)).collect())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_post(group: Handle, _assertion: c_int, window: Handle) -> c_int {
    call("MPI_Win_post", window, |call| {
        let origins = ranks_of(group, window)?;
        with(|engine| {
            engine.window(window)?.exposure.clone_from(&origins);
            origins.iter().try_for_each(|rank| engine.notify(call.name, Purpose::Post, (window, *rank), 0))
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_start(group: Handle, _assertion: c_int, window: Handle) -> c_int {
    call("MPI_Win_start", window, |_| {
        let targets = ranks_of(group, window)?;
        with(|engine| engine.window(window).map(|w| w.access.clone_from(&targets)))?;
        targets.iter().try_for_each(|rank| take_one((window, *rank), |peer| &mut peer.posts))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_complete(window: Handle) -> c_int {
    call("MPI_Win_complete", window, |call| {
        let targets = with(|engine| engine.window(window).map(|w| std::mem::take(&mut w.access)))?;
        for rank in targets {
            fetched((window, rank))?;
            with(|engine| engine.notify(call.name, Purpose::Complete, (window, rank), 0))?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_wait(window: Handle) -> c_int {
    call("MPI_Win_wait", window, |_| {
        let origins = with(|engine| engine.window(window).map(|w| std::mem::take(&mut w.exposure)))?;
        origins.iter().try_for_each(|rank| take_one((window, *rank), |peer| &mut peer.completes))
    })
}

/// A rank of a window.
fn rank(rank: c_int) -> Result<usize, Class> {
    usize::try_from(rank).map_err(|_| Class::Rank)
}

fn everyone(window: Handle) -> Result<std::ops::Range<usize>, Class> {
    with(|engine| engine.window(window).map(|w| 0..w.peers.len()))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_lock(kind: c_int, target: c_int, _assertion: c_int, window: Handle) -> c_int {
    call("MPI_Win_lock", window, |call| {
        let mode = if kind == LOCK_EXCLUSIVE { Mode::Exclusive } else { Mode::Shared };
        lock(call.name, (window, rank(target)?), mode)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_unlock(target: c_int, window: Handle) -> c_int {
    call("MPI_Win_unlock", window, |call| unlock(call.name, (window, rank(target)?)))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_lock_all(_assertion: c_int, window: Handle) -> c_int {
    call("MPI_Win_lock_all", window, |_| with(|engine| engine.window(window).map(|w| w.locks_all = true)))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_unlock_all(window: Handle) -> c_int {
    call("MPI_Win_unlock_all", window, |call| {
        with(|engine| engine.window(window).map(|w| w.locks_all = false))?;
        for rank in everyone(window)? {
            if with(|engine| engine.peer(window, rank).map(|peer| peer.granted))? {
                unlock(call.name, (window, rank))?;
            }
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_flush(target: c_int, window: Handle) -> c_int {
    call("MPI_Win_flush", window, |call| {
        let at = (window, rank(target)?);
        if with(|engine| engine.peer(at.0, at.1).map(|peer| peer.dirty))? { flush(call.name, at) } else { Ok(()) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_flush_all(window: Handle) -> c_int {
    call("MPI_Win_flush_all", window, |call| flush_all(call.name, window))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_flush_local(target: c_int, window: Handle) -> c_int {
    call("MPI_Win_flush_local", window, |_| fetched((window, rank(target)?)))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_flush_local_all(window: Handle) -> c_int {
    call("MPI_Win_flush_local_all", window, |_| everyone(window)?.try_for_each(|rank| fetched((window, rank))))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Win_sync(window: Handle) -> c_int {
    call("MPI_Win_sync", window, |_| with(|engine| engine.window(window).map(|_| ())))
}
