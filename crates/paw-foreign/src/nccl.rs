//! Collectives between devices: NCCL for CUDA's and RCCL for HIP's, which exports the same functions, opened at run time.
//!
//! Only calls that NCCL has had since 2.7 are required (nccl.h and the NCCL documentation, "NCCL API"). A call queues its work in the
//! communicator's own queue and returns; [`Communicator::wait`] waits for it. Memory is named by parts, as MPI's calls have it, and must
//! lie on the communicator's device. The wall was never run on several devices of hardware: `testing/mock-nccl` holds what the header says.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use crate::device::opened::library_calls;

mod communicator;
mod error;
mod library;

pub use communicator::{Communicator, Transfer};
pub use error::NcclError;
pub use library::{Nccl, UniqueId};

/// `ncclComm_t` and streams, which the library alone follows, and addresses on a device.
type Raw = *mut c_void;
/// Addresses on a device that are only read.
type In = *const c_void;

// Types of elements and operations are C enumerations, which travel as `int`.
library_calls! {
    version = "ncclGetVersion"(*mut c_int);
    unique_id = "ncclGetUniqueId"(*mut library::UniqueId);
    init = "ncclCommInitRank"(*mut Raw, c_int, library::UniqueId, c_int);
    destroy = "ncclCommDestroy"(Raw);
    abort = "ncclCommAbort"(Raw);
    async_error = "ncclCommGetAsyncError"(Raw, *mut c_int);
    all_reduce = "ncclAllReduce"(In, Raw, usize, c_int, c_int, Raw, Raw);
    broadcast = "ncclBroadcast"(In, Raw, usize, c_int, c_int, Raw, Raw);
    reduce = "ncclReduce"(In, Raw, usize, c_int, c_int, c_int, Raw, Raw);
    all_gather = "ncclAllGather"(In, Raw, usize, c_int, Raw, Raw);
    reduce_scatter = "ncclReduceScatter"(In, Raw, usize, c_int, c_int, Raw, Raw);
    send = "ncclSend"(In, usize, c_int, c_int, Raw, Raw);
    recv = "ncclRecv"(Raw, usize, c_int, c_int, Raw, Raw);
    group_start = "ncclGroupStart"();
    group_end = "ncclGroupEnd"();
}
