//! The functions of MPI that are called, as a table of addresses.
//!
//! A function `win_create` of the table is the symbol `MPI_Win_create`: every function of MPI is named so.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_double, c_int, c_void};

use super::abi::MpiHandle;

type In = *const c_void;
type Out = *mut c_void;
type Ints = *const c_int;
/// Where a handle is written, or an array of them begins: a word, or an array whose stride is the ABI's.
type Slot = *mut c_void;
type Status = *mut c_void;
/// `MPI_Aint`: as wide as an address in every ABI.
type Aint = isize;
/// `MPI_Count` and `MPI_Offset`: 64 bits in every ABI of a 64-bit machine.
type Wide = i64;

/// The symbol of the function that the table calls `field`.
pub(crate) fn symbol(field: &str) -> String {
    let (first, rest) = field.split_at(1);
    format!("MPI_{}{rest}", first.to_uppercase())
}

macro_rules! calls {
    (
        required { $($field:ident ($($argument:ty),*) $(-> $result:ty)?;)* }
        optional { $($may:ident ($($may_argument:ty),*);)* }
    ) => {
        /// Addresses of the functions; those that not every library has are optional.
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct Calls {
            $(pub(crate) $field: unsafe extern "C" fn($($argument),*) -> calls!(@result $($result)?),)*
            $(pub(crate) $may: Option<unsafe extern "C" fn($($may_argument),*) -> c_int>,)*
        }

        impl Calls {
            /// The table of a process in which symbols have these addresses; the error is the symbol that is missing.
            ///
            /// # Safety
            /// Every address must be that of the MPI function of that name, or of a tool's replacement.
            pub(crate) unsafe fn bind(address: impl Fn(&str) -> Option<usize>) -> Result<Self, String> {
                $(let $field = {
                    let name = symbol(stringify!($field));
                    address(&name).ok_or(name)?
                };)*
                $(let $may = address(&symbol(stringify!($may))).unwrap_or(0);)*
                Ok(Self {
                    // SAFETY: an address that is not null, of a function whose signature the MPI standard gives.
                    $($field: unsafe {
                        std::mem::transmute::<usize, unsafe extern "C" fn($($argument),*) -> calls!(@result $($result)?)>($field)
                    },)*
                    // SAFETY: as above; a null address is `None`.
                    $($may: unsafe {
                        std::mem::transmute::<usize, Option<unsafe extern "C" fn($($may_argument),*) -> c_int>>($may)
                    },)*
                })
            }

            /// A table of functions that do nothing and report success.
            pub(crate) fn null() -> Self {
                $(unsafe extern "C" fn $field($(_: $argument),*) -> calls!(@result $($result)?) { Default::default() })*
                $(unsafe extern "C" fn $may($(_: $may_argument),*) -> c_int { 0 })*
                Self { $($field,)* $($may: Some($may),)* }
            }
        }
    };
    (@result) => { c_int };
    (@result $result:ty) => { $result };
}

calls! {
    required {
        init(Out, Out);
        init_thread(Out, Out, c_int, *mut c_int);
        finalize();
        abort(MpiHandle, c_int);
        get_version(*mut c_int, *mut c_int);
        get_library_version(*mut c_char, *mut c_int);
        get_processor_name(*mut c_char, *mut c_int);
        error_string(c_int, *mut c_char, *mut c_int);
        wtick() -> c_double;
        type_size(MpiHandle, *mut c_int);
        comm_rank(MpiHandle, *mut c_int);
        comm_size(MpiHandle, *mut c_int);
        comm_dup(MpiHandle, Slot);
        comm_split(MpiHandle, c_int, c_int, Slot);
        comm_split_type(MpiHandle, c_int, c_int, MpiHandle, Slot);
        comm_free(Slot);
        comm_group(MpiHandle, Slot);
        comm_get_attr(MpiHandle, c_int, Out, *mut c_int);
        comm_set_errhandler(MpiHandle, MpiHandle);
        cart_create(MpiHandle, c_int, Ints, Ints, c_int, Slot);
        group_incl(MpiHandle, c_int, Ints, Slot);
        group_free(Slot);
        send(In, c_int, MpiHandle, c_int, c_int, MpiHandle);
        recv(Out, c_int, MpiHandle, c_int, c_int, MpiHandle, Status);
        sendrecv(In, c_int, MpiHandle, c_int, c_int, Out, c_int, MpiHandle, c_int, c_int, MpiHandle, Status);
        probe(c_int, c_int, MpiHandle, Status);
        iprobe(c_int, c_int, MpiHandle, *mut c_int, Status);
        get_count(Status, MpiHandle, *mut c_int);
        isend(In, c_int, MpiHandle, c_int, c_int, MpiHandle, Slot);
        irecv(Out, c_int, MpiHandle, c_int, c_int, MpiHandle, Slot);
        wait(Slot, Status);
        waitall(c_int, Slot, Status);
        test(Slot, *mut c_int, Status);
        testall(c_int, Slot, *mut c_int, Status);
        send_init(In, c_int, MpiHandle, c_int, c_int, MpiHandle, Slot);
        recv_init(Out, c_int, MpiHandle, c_int, c_int, MpiHandle, Slot);
        start(Slot);
        startall(c_int, Slot);
        request_free(Slot);
        barrier(MpiHandle);
        bcast(Out, c_int, MpiHandle, c_int, MpiHandle);
        reduce(In, Out, c_int, MpiHandle, MpiHandle, c_int, MpiHandle);
        allreduce(In, Out, c_int, MpiHandle, MpiHandle, MpiHandle);
        gather(In, c_int, MpiHandle, Out, c_int, MpiHandle, c_int, MpiHandle);
        scatter(In, c_int, MpiHandle, Out, c_int, MpiHandle, c_int, MpiHandle);
        allgather(In, c_int, MpiHandle, Out, c_int, MpiHandle, MpiHandle);
        alltoall(In, c_int, MpiHandle, Out, c_int, MpiHandle, MpiHandle);
        reduce_scatter(In, Out, Ints, MpiHandle, MpiHandle, MpiHandle);
        reduce_scatter_block(In, Out, c_int, MpiHandle, MpiHandle, MpiHandle);
        scan(In, Out, c_int, MpiHandle, MpiHandle, MpiHandle);
        exscan(In, Out, c_int, MpiHandle, MpiHandle, MpiHandle);
        gatherv(In, c_int, MpiHandle, Out, Ints, Ints, MpiHandle, c_int, MpiHandle);
        scatterv(In, Ints, Ints, MpiHandle, Out, c_int, MpiHandle, c_int, MpiHandle);
        allgatherv(In, c_int, MpiHandle, Out, Ints, Ints, MpiHandle, MpiHandle);
        alltoallv(In, Ints, Ints, MpiHandle, Out, Ints, Ints, MpiHandle, MpiHandle);
    }
    optional {
        type_vector(c_int, c_int, c_int, MpiHandle, Slot);
        type_indexed(c_int, Ints, Ints, MpiHandle, Slot);
        type_commit(Slot);
        type_free(Slot);
        neighbor_alltoall(In, c_int, MpiHandle, Out, c_int, MpiHandle, MpiHandle);
        neighbor_allgather(In, c_int, MpiHandle, Out, c_int, MpiHandle, MpiHandle);
        ibarrier(MpiHandle, Slot);
        ibcast(Out, c_int, MpiHandle, c_int, MpiHandle, Slot);
        ireduce(In, Out, c_int, MpiHandle, MpiHandle, c_int, MpiHandle, Slot);
        iallreduce(In, Out, c_int, MpiHandle, MpiHandle, MpiHandle, Slot);
        igather(In, c_int, MpiHandle, Out, c_int, MpiHandle, c_int, MpiHandle, Slot);
        iscatter(In, c_int, MpiHandle, Out, c_int, MpiHandle, c_int, MpiHandle, Slot);
        iallgather(In, c_int, MpiHandle, Out, c_int, MpiHandle, MpiHandle, Slot);
        ialltoall(In, c_int, MpiHandle, Out, c_int, MpiHandle, MpiHandle, Slot);
        igatherv(In, c_int, MpiHandle, Out, Ints, Ints, MpiHandle, c_int, MpiHandle, Slot);
        iscatterv(In, Ints, Ints, MpiHandle, Out, c_int, MpiHandle, c_int, MpiHandle, Slot);
        iallgatherv(In, c_int, MpiHandle, Out, Ints, Ints, MpiHandle, MpiHandle, Slot);
        ialltoallv(In, Ints, Ints, MpiHandle, Out, Ints, Ints, MpiHandle, MpiHandle, Slot);
        ireduce_scatter_block(In, Out, c_int, MpiHandle, MpiHandle, MpiHandle, Slot);
        iscan(In, Out, c_int, MpiHandle, MpiHandle, MpiHandle, Slot);
        iexscan(In, Out, c_int, MpiHandle, MpiHandle, MpiHandle, Slot);
        ineighbor_alltoall(In, c_int, MpiHandle, Out, c_int, MpiHandle, MpiHandle, Slot);
        barrier_init(MpiHandle, MpiHandle, Slot);
        bcast_init(Out, c_int, MpiHandle, c_int, MpiHandle, MpiHandle, Slot);
        reduce_init(In, Out, c_int, MpiHandle, MpiHandle, c_int, MpiHandle, MpiHandle, Slot);
        allreduce_init(In, Out, c_int, MpiHandle, MpiHandle, MpiHandle, MpiHandle, Slot);
        gather_init(In, c_int, MpiHandle, Out, c_int, MpiHandle, c_int, MpiHandle, MpiHandle, Slot);
        scatter_init(In, c_int, MpiHandle, Out, c_int, MpiHandle, c_int, MpiHandle, MpiHandle, Slot);
        allgather_init(In, c_int, MpiHandle, Out, c_int, MpiHandle, MpiHandle, MpiHandle, Slot);
        alltoall_init(In, c_int, MpiHandle, Out, c_int, MpiHandle, MpiHandle, MpiHandle, Slot);
        reduce_scatter_block_init(In, Out, c_int, MpiHandle, MpiHandle, MpiHandle, MpiHandle, Slot);
        psend_init(In, c_int, Wide, MpiHandle, c_int, c_int, MpiHandle, MpiHandle, Slot);
        precv_init(Out, c_int, Wide, MpiHandle, c_int, c_int, MpiHandle, MpiHandle, Slot);
        pready(c_int, MpiHandle);
        parrived(MpiHandle, c_int, *mut c_int);
        session_init(MpiHandle, MpiHandle, Slot);
        session_finalize(Slot);
        group_from_session_pset(MpiHandle, *const c_char, Slot);
        comm_create_from_group(MpiHandle, *const c_char, MpiHandle, MpiHandle, Slot);
        file_open(MpiHandle, *const c_char, c_int, MpiHandle, Slot);
        file_close(Slot);
        file_set_errhandler(MpiHandle, MpiHandle);
        file_sync(MpiHandle);
        file_read_at(MpiHandle, Wide, Out, c_int, MpiHandle, Status);
        file_read_at_all(MpiHandle, Wide, Out, c_int, MpiHandle, Status);
        file_write_at(MpiHandle, Wide, In, c_int, MpiHandle, Status);
        file_write_at_all(MpiHandle, Wide, In, c_int, MpiHandle, Status);
        win_create(Out, Aint, c_int, MpiHandle, MpiHandle, Slot);
        win_allocate(Aint, c_int, MpiHandle, MpiHandle, Out, Slot);
        win_allocate_shared(Aint, c_int, MpiHandle, MpiHandle, Out, Slot);
        win_create_dynamic(MpiHandle, MpiHandle, Slot);
        win_attach(MpiHandle, Out, Aint);
        win_detach(MpiHandle, In);
        get_address(In, *mut Aint);
        win_free(Slot);
        win_set_errhandler(MpiHandle, MpiHandle);
        win_fence(c_int, MpiHandle);
        win_start(MpiHandle, c_int, MpiHandle);
        win_complete(MpiHandle);
        win_post(MpiHandle, c_int, MpiHandle);
        win_wait(MpiHandle);
        win_lock(c_int, c_int, c_int, MpiHandle);
        win_unlock(c_int, MpiHandle);
        win_lock_all(c_int, MpiHandle);
        win_unlock_all(MpiHandle);
        win_flush(c_int, MpiHandle);
        win_flush_all(MpiHandle);
        win_flush_local(c_int, MpiHandle);
        win_sync(MpiHandle);
        put(In, c_int, MpiHandle, c_int, Aint, c_int, MpiHandle, MpiHandle);
        get(Out, c_int, MpiHandle, c_int, Aint, c_int, MpiHandle, MpiHandle);
        accumulate(In, c_int, MpiHandle, c_int, Aint, c_int, MpiHandle, MpiHandle, MpiHandle);
        get_accumulate(In, c_int, MpiHandle, Out, c_int, MpiHandle, c_int, Aint, c_int, MpiHandle, MpiHandle, MpiHandle);
        fetch_and_op(In, Out, MpiHandle, c_int, Aint, MpiHandle, MpiHandle);
        compare_and_swap(In, In, Out, MpiHandle, c_int, Aint, MpiHandle);
        rput(In, c_int, MpiHandle, c_int, Aint, c_int, MpiHandle, MpiHandle, Slot);
        rget(Out, c_int, MpiHandle, c_int, Aint, c_int, MpiHandle, MpiHandle, Slot);
        raccumulate(In, c_int, MpiHandle, c_int, Aint, c_int, MpiHandle, MpiHandle, MpiHandle, Slot);
    }
}

/// Calls a required function: `call!(mpi, send(buffer, …))`. After MPI_Finalize it is an error: most libraries would end the process.
///
/// The caller vouches for the arguments: addresses come from [`Memory::address`](super::memory::Memory::address), handles from
/// the library, and memory of what a call leaves in flight is kept.
macro_rules! call {
    ($mpi:expr, $field:ident ($($argument:expr),* $(,)?)) => {{
        let mpi: &'static $crate::mpi::Mpi = $mpi;
        if mpi.is_finalized() {
            Err(mpi.over(stringify!($field)))
        } else {
            // SAFETY: the address is that of the function of this name, which has this signature; arguments as required above.
            let code = unsafe { (mpi.calls.$field)($($argument),*) };
            if code == 0 { Ok(()) } else { Err(mpi.failed(stringify!($field), code)) }
        }
    }};
}

/// Calls a function that not every library has: `call_if_there!(mpi, put(buffer, …))`.
macro_rules! call_if_there {
    ($mpi:expr, $field:ident ($($argument:expr),* $(,)?)) => {{
        let mpi: &'static $crate::mpi::Mpi = $mpi;
        match mpi.calls.$field {
            Some(_) if mpi.is_finalized() => Err(mpi.over(stringify!($field))),
            Some(function) => {
                // SAFETY: as in `call!`.
                let code = unsafe { function($($argument),*) };
                if code == 0 { Ok(()) } else { Err(mpi.failed(stringify!($field), code)) }
            }
            None => Err(mpi.absent(stringify!($field))),
        }
    }};
}

pub(crate) use {call, call_if_there};
