//! Collectives, each in three forms: at once, later, again and again.

use std::ffi::c_int;
use std::sync::Arc;

use crate::abi::{Class, Handle};
use crate::address::{Address, UserPtr};
use crate::plan::Plan;
use crate::request::{Again, Outcome, Work};
use crate::world::{call, done, with};
use crate::{collective, neighbourhood, vectors};

/// The blocking form.
fn at_once(name: &'static str, comm: Handle, fill: impl FnOnce(Plan) -> Result<Plan, Class>) -> c_int {
    call(name, comm, |call| {
        done(fill(with(|engine| engine.plan(call.name, comm))?)?);
        Ok(())
    })
}

/// The non-blocking form.
fn later(
    name: &'static str,
    comm: Handle,
    request: UserPtr<Handle>,
    fill: impl FnOnce(Plan) -> Result<Plan, Class>,
) -> c_int {
    call(name, comm, |call| {
        let handle = with(|engine| {
            let plan = fill(engine.plan(call.name, comm)?)?;
            let work = Work::Plan(engine.begin_plan(plan));
            Ok(engine.request(work, None, comm))
        });
        request.set(handle?);
        Ok(())
    })
}

/// The persistent form.
fn again(
    name: &'static str,
    comm: Handle,
    request: UserPtr<Handle>,
    fill: impl Fn(Plan) -> Result<Plan, Class> + Send + Sync + 'static,
) -> c_int {
    call(name, comm, |call| {
        let again: Again = Arc::new(move |engine| {
            let plan = fill(engine.plan(call.name, comm)?)?;
            Ok(Work::Plan(engine.begin_plan(plan)))
        });
        request.set(with(|engine| engine.request(Work::Done(Outcome::EMPTY), Some(again), comm)));
        Ok(())
    })
}

/// Three symbols of one plan, which takes MPI's arguments less the communicator.
macro_rules! collectives {
    ($($blocking:ident $immediate:ident $persistent:ident ($($argument:ident: $type:ty),*) => $plan:path;)*) => {
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $blocking($($argument: $type,)* comm: Handle) -> c_int {
                at_once(stringify!($blocking), comm, move |plan| $plan(plan, $($argument),*))
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn $immediate($($argument: $type,)* comm: Handle, request: UserPtr<Handle>) -> c_int {
                later(stringify!($immediate), comm, request, move |plan| $plan(plan, $($argument),*))
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn $persistent(
                $($argument: $type,)*
                comm: Handle,
                _info: Handle,
                request: UserPtr<Handle>,
            ) -> c_int {
                again(stringify!($persistent), comm, request, move |plan| $plan(plan, $($argument),*))
            }
        )*
    };
}

type Ints = UserPtr<c_int>;

collectives! {
    MPI_Barrier MPI_Ibarrier MPI_Barrier_init () => collective::barrier;
    MPI_Bcast MPI_Ibcast MPI_Bcast_init (buffer: Address, n: c_int, t: Handle, root: c_int) => collective::bcast;
    MPI_Reduce MPI_Ireduce MPI_Reduce_init
        (a: Address, b: Address, n: c_int, t: Handle, op: Handle, root: c_int) => collective::reduce;
    MPI_Allreduce MPI_Iallreduce MPI_Allreduce_init
        (a: Address, b: Address, n: c_int, t: Handle, op: Handle) => collective::allreduce;
    MPI_Gather MPI_Igather MPI_Gather_init
        (a: Address, n: c_int, t: Handle, b: Address, m: c_int, u: Handle, root: c_int) => collective::gather;
    MPI_Scatter MPI_Iscatter MPI_Scatter_init
        (a: Address, n: c_int, t: Handle, b: Address, m: c_int, u: Handle, root: c_int) => collective::scatter;
    MPI_Allgather MPI_Iallgather MPI_Allgather_init
        (a: Address, n: c_int, t: Handle, b: Address, m: c_int, u: Handle) => collective::allgather;
    MPI_Alltoall MPI_Ialltoall MPI_Alltoall_init
        (a: Address, n: c_int, t: Handle, b: Address, m: c_int, u: Handle) => collective::alltoall;
    MPI_Neighbor_allgather MPI_Ineighbor_allgather MPI_Neighbor_allgather_init
        (a: Address, n: c_int, t: Handle, b: Address, m: c_int, u: Handle) => neighbourhood::allgather;
    MPI_Neighbor_alltoall MPI_Ineighbor_alltoall MPI_Neighbor_alltoall_init
        (a: Address, n: c_int, t: Handle, b: Address, m: c_int, u: Handle) => neighbourhood::alltoall;
    MPI_Gatherv MPI_Igatherv MPI_Gatherv_init
        (a: Address, n: c_int, t: Handle, b: Address, ms: Ints, at: Ints, u: Handle, root: c_int) => vectors::gatherv;
    MPI_Scatterv MPI_Iscatterv MPI_Scatterv_init
        (a: Address, ns: Ints, at: Ints, t: Handle, b: Address, m: c_int, u: Handle, root: c_int) => vectors::scatterv;
    MPI_Allgatherv MPI_Iallgatherv MPI_Allgatherv_init
        (a: Address, n: c_int, t: Handle, b: Address, ms: Ints, at: Ints, u: Handle) => vectors::allgatherv;
    MPI_Alltoallv MPI_Ialltoallv MPI_Alltoallv_init
        (a: Address, ns: Ints, x: Ints, t: Handle, b: Address, ms: Ints, y: Ints, u: Handle) => vectors::alltoallv;
    MPI_Reduce_scatter MPI_Ireduce_scatter MPI_Reduce_scatter_init
        (a: Address, b: Address, ns: Ints, t: Handle, op: Handle) => vectors::reduce_scatter;
    MPI_Reduce_scatter_block MPI_Ireduce_scatter_block MPI_Reduce_scatter_block_init
        (a: Address, b: Address, n: c_int, t: Handle, op: Handle) => vectors::reduce_scatter_block;
    MPI_Scan MPI_Iscan MPI_Scan_init (a: Address, b: Address, n: c_int, t: Handle, op: Handle) => vectors::scan;
    MPI_Exscan MPI_Iexscan MPI_Exscan_init (a: Address, b: Address, n: c_int, t: Handle, op: Handle) => vectors::exscan;
}
