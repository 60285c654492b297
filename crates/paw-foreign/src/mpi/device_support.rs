//! Whether a library takes addresses of devices.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::library::{Mpi, address};
use crate::device::Backend;

/// What a library says of memory of devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceSupport {
    /// It takes their addresses.
    Yes,
    /// It does not.
    No,
    /// It has no call that says so.
    Unsaid,
}

/// The extensions that say whether a library takes addresses of a back-end's devices: Open MPI's and MPICH's.
const QUERIES: [(Backend, &[&str]); 3] = [
    (Backend::Cuda, &["MPIX_Query_cuda_support"]),
    (Backend::Hip, &["MPIX_Query_rocm_support", "MPIX_Query_hip_support"]),
    (Backend::LevelZero, &["MPIX_Query_ze_support"]),
];

impl Mpi {
    /// Whether the library says that it takes addresses of devices of `backend` (`MPIX_Query_cuda_support` and its like).
    pub fn device_support(&self, backend: Backend) -> DeviceSupport {
        let symbols = QUERIES.iter().find(|(of, _)| *of == backend).map_or(&[][..], |(_, symbols)| symbols);
        let known = symbols.iter().find_map(|symbol| address(symbol));
        let Some(known) = known else { return DeviceSupport::Unsaid };
        // SAFETY: the extension of that name has no arguments and returns an integer in every library that has it.
        let query = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn() -> c_int>(known) };
        // SAFETY: as above; the library is started.
        if unsafe { query() } == 0 { DeviceSupport::No } else { DeviceSupport::Yes }
    }
}
