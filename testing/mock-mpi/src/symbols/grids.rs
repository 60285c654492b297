//! Cartesian communicators.

use std::ffi::c_int;

use super::communicators::agreed_context;
use super::{WORLD, natural};
use crate::abi::{COMM_NULL, Class, Handle, PROC_NULL};
use crate::address::UserPtr;
use crate::communicator::Communicator;
use crate::engine::Engine;
use crate::neighbourhood::{Grid, balanced};
use crate::world::{call, with};

/// Ranks keep their order: there is no better one.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Cart_create(
    comm: Handle,
    directions: c_int,
    extents: UserPtr<c_int>,
    periods: UserPtr<c_int>,
    _reorder: c_int,
    new: UserPtr<Handle>,
) -> c_int {
    call("MPI_Cart_create", comm, |call| {
        let directions = natural(directions)?;
        let extents: Vec<usize> = extents.values(directions).into_iter().map(natural).collect::<Result<_, _>>()?;
        let wraps = periods.values(directions).into_iter().map(|wraps| wraps != 0).collect();
        let ranks: usize = extents.iter().product();
        if ranks == 0 || ranks > with(|engine| engine.communicator(comm).map(|comm| comm.group.len()))? {
            return Err(Class::Arg);
        }
        let context = agreed_context(call, comm)?;
        let handle = with(|engine| {
            let parent = engine.communicator(comm)?;
            if parent.rank >= ranks {
                return Ok(COMM_NULL);
            }
            let mut grid = Communicator::new(context, parent.group[..ranks].into(), parent.rank);
            (grid.errors_return, grid.grid) = (parent.errors_return, Some(Grid { extents, wraps }));
            Ok(engine.communicators.insert(grid))
        });
        new.set(handle?);
        Ok(())
    })
}

fn grid(engine: &Engine, comm: Handle) -> Result<(&Grid, usize), Class> {
    let communicator = engine.communicator(comm)?;
    Ok((communicator.grid.as_ref().ok_or(Class::Topology)?, communicator.rank))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Cart_shift(
    comm: Handle,
    direction: c_int,
    by: c_int,
    from: UserPtr<c_int>,
    to: UserPtr<c_int>,
) -> c_int {
    call("MPI_Cart_shift", comm, |_| {
        let (behind, ahead) = with(|engine| {
            let (grid, rank) = grid(engine, comm)?;
            let direction = natural(direction)?;
            if direction >= grid.extents.len() {
                return Err(Class::Arg);
            }
            Ok((grid.step(rank, direction, -i64::from(by)), grid.step(rank, direction, i64::from(by))))
        })?;
        from.set(behind.map_or(PROC_NULL, |rank| rank as c_int));
        to.set(ahead.map_or(PROC_NULL, |rank| rank as c_int));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Cart_coords(comm: Handle, rank: c_int, room: c_int, coordinates: UserPtr<c_int>) -> c_int {
    call("MPI_Cart_coords", comm, |_| {
        let rank = usize::try_from(rank).map_err(|_| Class::Rank)?;
        let all = with(|engine| Ok(grid(engine, comm)?.0.coordinates(rank)))?;
        for (nth, coordinate) in all.into_iter().take(natural(room)?).enumerate() {
            coordinates.set_nth(nth, coordinate as c_int);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Dims_create(ranks: c_int, directions: c_int, extents: UserPtr<c_int>) -> c_int {
    call("MPI_Dims_create", WORLD, |_| {
        let given: Vec<usize> =
            extents.values(natural(directions)?).into_iter().map(natural).collect::<Result<_, _>>()?;
        let all = balanced(natural(ranks)?, &given).ok_or(Class::Arg)?;
        for (nth, extent) in all.into_iter().enumerate() {
            extents.set_nth(nth, extent as c_int);
        }
        Ok(())
    })
}
