//! Matrix products on a device: plans and operands by handle.

use std::sync::Arc;

use super::context::Hip;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::gemm::{GemmKind, GemmOperands};
use crate::device::services::Addresses;
use crate::device::span::ObjectHandle;

impl Hip {
    /// [`crate::device::Driver::gemm_plan`]
    pub(super) fn plan_new(
        &self,
        queue: ObjectHandle,
        kind: GemmKind,
        n: usize,
    ) -> DeviceResult<(ObjectHandle, String)> {
        self.current()?;
        let (plan, by) = self.products.plan(self.stream(queue)?, kind, n)?;
        Ok((self.plans.insert(Arc::new(plan)), by))
    }

    /// [`crate::device::Driver::gemm`]
    pub(super) fn multiply(&self, queue: ObjectHandle, plan: ObjectHandle, operands: GemmOperands) -> DeviceResult {
        self.current()?;
        let plan = self.plans.at(plan)?;
        if self.stream(queue)? != plan.stream() {
            return Err(DeviceError::Unsupported("a product runs in the queue that it was planned for".to_owned()));
        }
        let (kind, n) = plan.shape();
        let square = n * n;
        plan.run(self.operands(kind, operands, [square, square, square])?)
    }

    /// [`crate::device::Driver::gemm_plan_free`]
    pub(super) fn plan_drop(&self, plan: ObjectHandle) -> DeviceResult {
        let plan = self.plans.remove(plan)?;
        self.current()?;
        // One that another thread still uses goes when that is done.
        drop(plan);
        Ok(())
    }

    /// [`crate::device::Driver::gemv`]
    pub(super) fn multiply_vector(
        &self,
        queue: ObjectHandle,
        kind: GemmKind,
        n: usize,
        operands: GemmOperands,
    ) -> DeviceResult<String> {
        self.current()?;
        let at = self.operands(kind, operands, [n * n, n, n])?;
        self.products.gemv(self.stream(queue)?, kind, n, at)
    }

    /// Addresses of operands that have `elements` each.
    fn operands(&self, kind: GemmKind, operands: GemmOperands, elements: [usize; 3]) -> DeviceResult<Addresses> {
        let [a, b, c] = elements;
        let (input, output) = (kind.input().bytes(), kind.output().bytes());
        Ok(Addresses {
            a: self.address(operands.a, a * input)?,
            b: self.address(operands.b, b * input)?,
            c: self.address(operands.c, c * output)?,
        })
    }
}
