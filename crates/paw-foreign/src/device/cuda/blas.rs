//! Matrix products on a device, by cuBLAS.

use super::context::Cuda;
use super::table::{Kind, Table};
use crate::device::driver::Handle;
use crate::device::error::DeviceError;
use crate::device::gemm::{Gemm, GemmKind};

type Done<T = ()> = Result<T, DeviceError>;

/// What a device needs to multiply matrices: made with it, filled when the first product is asked for.
#[derive(Debug)]
pub(super) struct Blas {
    plans: Table<()>,
}

impl Blas {
    /// For the device of that number.
    pub(super) fn new(device: u32) -> Self {
        Self { plans: Table::new(Kind::Plan, device) }
    }

    /// [`crate::device::Driver::gemm_plan`]
    pub(super) fn plan(&self, _cuda: &Cuda, _queue: Handle, _kind: GemmKind, _n: usize) -> Done<(Handle, String)> {
        Err(absent())
    }

    /// [`crate::device::Driver::gemm`]
    pub(super) fn gemm(&self, _cuda: &Cuda, _queue: Handle, _plan: Handle, _operands: Gemm) -> Done {
        Err(absent())
    }

    /// [`crate::device::Driver::gemm_plan_free`]
    pub(super) fn plan_free(&self, _cuda: &Cuda, plan: Handle) -> Done {
        self.plans.remove(plan)
    }

    /// [`crate::device::Driver::gemv`]
    pub(super) fn gemv(
        &self,
        _cuda: &Cuda,
        _queue: Handle,
        _kind: GemmKind,
        _n: usize,
        _operands: Gemm,
    ) -> Done<String> {
        Err(absent())
    }
}

/// Operations a clock of `units` units of that compute capability together, dense; `None` where unknown.
pub(super) fn peak_per_clock(_compute: (u32, u32), _units: u32, _kind: GemmKind) -> Option<f64> {
    None
}

/// Which libraries of matrix products are here, or why not, for a driver of that version (12040 is 12.4).
pub(super) fn found(_version: i32) -> Vec<(String, Result<String, String>)> {
    Vec::new()
}

fn absent() -> DeviceError {
    DeviceError::Absent("cuBLAS is not supported yet".to_owned())
}
