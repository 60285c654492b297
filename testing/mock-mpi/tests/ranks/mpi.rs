//! MPI as a program sees it: prototypes, and the little the exercises need around them.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::ffi::{c_int, c_void};

pub type Handle = usize;
pub type In = *const c_void;
pub type Out = *mut c_void;

pub const WORLD: Handle = 0x101;
pub const NULL_REQUEST: Handle = 0x180;
pub const BYTE: Handle = 0x247;
pub const INT: Handle = 0x209;
pub const DOUBLE: Handle = 0x214;
pub const INT64: Handle = 0x258;
pub const SUM: Handle = 0x21;
pub const MAX: Handle = 0x23;
pub const ERRORS_RETURN: Handle = 0x143;
pub const IN_PLACE: In = std::ptr::without_provenance(1);

#[repr(C)]
#[derive(Debug, Default, Clone, Copy)]
pub struct Status {
    pub source: c_int,
    pub tag: c_int,
    pub error: c_int,
    own: [c_int; 5],
}

unsafe extern "C" {
    pub fn MPI_Init_thread(argc: In, argv: In, required: c_int, provided: *mut c_int) -> c_int;
    pub fn MPI_Finalize() -> c_int;
    pub fn MPI_Comm_rank(comm: Handle, rank: *mut c_int) -> c_int;
    pub fn MPI_Comm_size(comm: Handle, size: *mut c_int) -> c_int;
    pub fn MPI_Comm_dup(comm: Handle, new: *mut Handle) -> c_int;
    pub fn MPI_Comm_split(comm: Handle, colour: c_int, key: c_int, new: *mut Handle) -> c_int;
    pub fn MPI_Comm_split_type(comm: Handle, kind: c_int, key: c_int, info: Handle, new: *mut Handle) -> c_int;
    pub fn MPI_Comm_free(comm: *mut Handle) -> c_int;
    pub fn MPI_Comm_set_errhandler(comm: Handle, handler: Handle) -> c_int;
    pub fn MPI_Comm_get_attr(comm: Handle, key: c_int, value: *mut *const c_int, flag: *mut c_int) -> c_int;
    pub fn MPI_Get_processor_name(text: *mut u8, length: *mut c_int) -> c_int;
    pub fn MPI_Error_string(code: c_int, text: *mut u8, length: *mut c_int) -> c_int;
    pub fn MPI_Type_vector(count: c_int, length: c_int, stride: c_int, t: Handle, new: *mut Handle) -> c_int;
    pub fn MPI_Type_indexed(n: c_int, lengths: *const c_int, at: *const c_int, t: Handle, new: *mut Handle) -> c_int;
    pub fn MPI_Type_commit(t: *mut Handle) -> c_int;
    pub fn MPI_Type_free(t: *mut Handle) -> c_int;
    pub fn MPI_Type_size(t: Handle, size: *mut c_int) -> c_int;
    pub fn MPI_Send(b: In, n: c_int, t: Handle, to: c_int, tag: c_int, comm: Handle) -> c_int;
    pub fn MPI_Recv(b: Out, n: c_int, t: Handle, from: c_int, tag: c_int, comm: Handle, status: *mut Status) -> c_int;
    pub fn MPI_Sendrecv(
        a: In,
        n: c_int,
        t: Handle,
        to: c_int,
        tag: c_int,
        b: Out,
        m: c_int,
        u: Handle,
        from: c_int,
        tag_in: c_int,
        comm: Handle,
        status: *mut Status,
    ) -> c_int;
    pub fn MPI_Isend(b: In, n: c_int, t: Handle, to: c_int, tag: c_int, comm: Handle, request: *mut Handle) -> c_int;
    pub fn MPI_Irecv(b: Out, n: c_int, t: Handle, from: c_int, tag: c_int, comm: Handle, request: *mut Handle)
    -> c_int;
    pub fn MPI_Send_init(b: In, n: c_int, t: Handle, to: c_int, tag: c_int, comm: Handle, r: *mut Handle) -> c_int;
    pub fn MPI_Recv_init(b: Out, n: c_int, t: Handle, from: c_int, tag: c_int, comm: Handle, r: *mut Handle) -> c_int;
    pub fn MPI_Startall(n: c_int, requests: *mut Handle) -> c_int;
    pub fn MPI_Start(request: *mut Handle) -> c_int;
    pub fn MPI_Request_free(request: *mut Handle) -> c_int;
    pub fn MPI_Wait(request: *mut Handle, status: *mut Status) -> c_int;
    pub fn MPI_Waitall(n: c_int, requests: *mut Handle, statuses: *mut Status) -> c_int;
    pub fn MPI_Test(request: *mut Handle, flag: *mut c_int, status: *mut Status) -> c_int;
    pub fn MPI_Testall(n: c_int, requests: *mut Handle, flag: *mut c_int, statuses: *mut Status) -> c_int;
    pub fn MPI_Probe(from: c_int, tag: c_int, comm: Handle, status: *mut Status) -> c_int;
    pub fn MPI_Iprobe(from: c_int, tag: c_int, comm: Handle, flag: *mut c_int, status: *mut Status) -> c_int;
    pub fn MPI_Get_count(status: *const Status, t: Handle, n: *mut c_int) -> c_int;
    pub fn MPI_Barrier(comm: Handle) -> c_int;
    pub fn MPI_Bcast(b: Out, n: c_int, t: Handle, root: c_int, comm: Handle) -> c_int;
    pub fn MPI_Ibcast(b: Out, n: c_int, t: Handle, root: c_int, comm: Handle, request: *mut Handle) -> c_int;
    pub fn MPI_Reduce(a: In, b: Out, n: c_int, t: Handle, op: Handle, root: c_int, comm: Handle) -> c_int;
    pub fn MPI_Allreduce(a: In, b: Out, n: c_int, t: Handle, op: Handle, comm: Handle) -> c_int;
    pub fn MPI_Iallreduce(a: In, b: Out, n: c_int, t: Handle, op: Handle, comm: Handle, r: *mut Handle) -> c_int;
    pub fn MPI_Allreduce_init(
        a: In,
        b: Out,
        n: c_int,
        t: Handle,
        op: Handle,
        comm: Handle,
        info: Handle,
        r: *mut Handle,
    ) -> c_int;
    pub fn MPI_Gather(a: In, n: c_int, t: Handle, b: Out, m: c_int, u: Handle, root: c_int, comm: Handle) -> c_int;
    pub fn MPI_Scatter(a: In, n: c_int, t: Handle, b: Out, m: c_int, u: Handle, root: c_int, comm: Handle) -> c_int;
    pub fn MPI_Allgather(a: In, n: c_int, t: Handle, b: Out, m: c_int, u: Handle, comm: Handle) -> c_int;
    pub fn MPI_Alltoall(a: In, n: c_int, t: Handle, b: Out, m: c_int, u: Handle, comm: Handle) -> c_int;
    pub fn MPI_Ialltoall(
        a: In,
        n: c_int,
        t: Handle,
        b: Out,
        m: c_int,
        u: Handle,
        comm: Handle,
        r: *mut Handle,
    ) -> c_int;
    pub fn MPI_Gatherv(
        a: In,
        n: c_int,
        t: Handle,
        b: Out,
        counts: *const c_int,
        places: *const c_int,
        u: Handle,
        root: c_int,
        comm: Handle,
    ) -> c_int;
    pub fn MPI_Scatterv(
        a: In,
        counts: *const c_int,
        places: *const c_int,
        t: Handle,
        b: Out,
        m: c_int,
        u: Handle,
        root: c_int,
        comm: Handle,
    ) -> c_int;
    pub fn MPI_Allgatherv(
        a: In,
        n: c_int,
        t: Handle,
        b: Out,
        counts: *const c_int,
        places: *const c_int,
        u: Handle,
        comm: Handle,
    ) -> c_int;
    pub fn MPI_Alltoallv(
        a: In,
        counts: *const c_int,
        places: *const c_int,
        t: Handle,
        b: Out,
        counts_in: *const c_int,
        places_in: *const c_int,
        u: Handle,
        comm: Handle,
    ) -> c_int;
    pub fn MPI_Reduce_scatter(a: In, b: Out, counts: *const c_int, t: Handle, op: Handle, comm: Handle) -> c_int;
    pub fn MPI_Reduce_scatter_block(a: In, b: Out, n: c_int, t: Handle, op: Handle, comm: Handle) -> c_int;
    pub fn MPI_Scan(a: In, b: Out, n: c_int, t: Handle, op: Handle, comm: Handle) -> c_int;
    pub fn MPI_Exscan(a: In, b: Out, n: c_int, t: Handle, op: Handle, comm: Handle) -> c_int;
}

unsafe extern "C" {
    pub fn MPI_Comm_group(comm: Handle, group: *mut Handle) -> c_int;
    pub fn MPI_Group_incl(group: Handle, n: c_int, ranks: *const c_int, new: *mut Handle) -> c_int;
    pub fn MPI_Group_free(group: *mut Handle) -> c_int;
    pub fn MPI_Win_create(b: Out, n: isize, unit: c_int, info: Handle, comm: Handle, window: *mut Handle) -> c_int;
    pub fn MPI_Win_allocate(
        n: isize,
        unit: c_int,
        info: Handle,
        comm: Handle,
        base: *mut *mut i64,
        window: *mut Handle,
    ) -> c_int;
    pub fn MPI_Win_allocate_shared(
        n: isize,
        unit: c_int,
        info: Handle,
        comm: Handle,
        base: *mut *mut i64,
        window: *mut Handle,
    ) -> c_int;
    pub fn MPI_Win_create_dynamic(info: Handle, comm: Handle, window: *mut Handle) -> c_int;
    pub fn MPI_Win_attach(window: Handle, base: Out, n: isize) -> c_int;
    pub fn MPI_Win_detach(window: Handle, base: In) -> c_int;
    pub fn MPI_Win_set_errhandler(window: Handle, handler: Handle) -> c_int;
    pub fn MPI_Get_address(location: In, address: *mut isize) -> c_int;
    pub fn MPI_Win_free(window: *mut Handle) -> c_int;
    pub fn MPI_Win_fence(assertion: c_int, window: Handle) -> c_int;
    pub fn MPI_Win_post(group: Handle, assertion: c_int, window: Handle) -> c_int;
    pub fn MPI_Win_start(group: Handle, assertion: c_int, window: Handle) -> c_int;
    pub fn MPI_Win_complete(window: Handle) -> c_int;
    pub fn MPI_Win_wait(window: Handle) -> c_int;
    pub fn MPI_Win_lock(kind: c_int, target: c_int, assertion: c_int, window: Handle) -> c_int;
    pub fn MPI_Win_unlock(target: c_int, window: Handle) -> c_int;
    pub fn MPI_Win_lock_all(assertion: c_int, window: Handle) -> c_int;
    pub fn MPI_Win_unlock_all(window: Handle) -> c_int;
    pub fn MPI_Win_flush(target: c_int, window: Handle) -> c_int;
    pub fn MPI_Put(a: In, n: c_int, t: Handle, to: c_int, at: isize, m: c_int, u: Handle, w: Handle) -> c_int;
    pub fn MPI_Get(b: Out, n: c_int, t: Handle, from: c_int, at: isize, m: c_int, u: Handle, w: Handle) -> c_int;
    pub fn MPI_Accumulate(
        a: In,
        n: c_int,
        t: Handle,
        to: c_int,
        at: isize,
        m: c_int,
        u: Handle,
        op: Handle,
        w: Handle,
    ) -> c_int;
    pub fn MPI_Get_accumulate(
        a: In,
        n: c_int,
        t: Handle,
        b: Out,
        m: c_int,
        u: Handle,
        to: c_int,
        at: isize,
        k: c_int,
        v: Handle,
        op: Handle,
        w: Handle,
    ) -> c_int;
    pub fn MPI_Rput(
        a: In,
        n: c_int,
        t: Handle,
        to: c_int,
        at: isize,
        m: c_int,
        u: Handle,
        w: Handle,
        request: *mut Handle,
    ) -> c_int;
    pub fn MPI_Rget(
        b: Out,
        n: c_int,
        t: Handle,
        from: c_int,
        at: isize,
        m: c_int,
        u: Handle,
        w: Handle,
        request: *mut Handle,
    ) -> c_int;
    pub fn MPI_Fetch_and_op(a: In, b: Out, t: Handle, to: c_int, at: isize, op: Handle, w: Handle) -> c_int;
    pub fn MPI_Compare_and_swap(a: In, c: In, b: Out, t: Handle, to: c_int, at: isize, w: Handle) -> c_int;
    pub fn MPI_Cart_create(
        comm: Handle,
        n: c_int,
        extents: *const c_int,
        periods: *const c_int,
        reorder: c_int,
        new: *mut Handle,
    ) -> c_int;
    pub fn MPI_Cart_shift(comm: Handle, d: c_int, by: c_int, from: *mut c_int, to: *mut c_int) -> c_int;
    pub fn MPI_Dims_create(ranks: c_int, n: c_int, extents: *mut c_int) -> c_int;
    pub fn MPI_Neighbor_alltoall(a: In, n: c_int, t: Handle, b: Out, m: c_int, u: Handle, comm: Handle) -> c_int;
    pub fn MPI_Neighbor_allgather(a: In, n: c_int, t: Handle, b: Out, m: c_int, u: Handle, comm: Handle) -> c_int;
}

/// The call succeeds.
macro_rules! ok {
    ($call:expr) => {
        // SAFETY: the buffers are the exercise's own, live through the call and hold what the counts say.
        assert_eq!(unsafe { $call }, 0, stringify!($call))
    };
}
pub(crate) use ok;

pub fn sent<T>(buffer: &[T]) -> In {
    buffer.as_ptr().cast()
}

pub fn got<T>(buffer: &mut [T]) -> Out {
    buffer.as_mut_ptr().cast()
}

pub fn rank_in(comm: Handle) -> c_int {
    let mut rank = -1;
    ok!(MPI_Comm_rank(comm, &mut rank));
    rank
}

pub fn size_of(comm: Handle) -> c_int {
    let mut size = -1;
    ok!(MPI_Comm_size(comm, &mut size));
    size
}
