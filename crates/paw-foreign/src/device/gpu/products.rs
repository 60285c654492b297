//! Matrix products on a device: plans and operands by handle.
#![allow(unsafe_code)]

use std::sync::Arc;

use super::calls::call;
use super::memory::scarce;
use super::services::{Addresses, DeviceServices, ProductPlan, Stream};
use super::{Gpu, Vendor};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::gemm::{GemmKind, GemmMath, GemmOperands};
use crate::device::span::ObjectHandle;

impl<V: Vendor> Gpu<V> {
    /// [`crate::device::Driver::gemm_plan`]
    pub(super) fn plan_new(
        &self,
        queue: ObjectHandle,
        kind: GemmKind,
        math: GemmMath,
        n: usize,
    ) -> DeviceResult<(ObjectHandle, String)> {
        self.current()?;
        let (plan, by) = V::plan(self, self.stream(queue)?, kind, math, n)?;
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
        plan.run(self.addresses(kind, operands, [square, square, square])?)
    }

    /// [`crate::device::Driver::gemm_plan_free`]
    pub(super) fn plan_drop(&self, plan: ObjectHandle) -> DeviceResult {
        let plan = self.plans.remove(plan)?;
        self.current()?;
        // A plan that another thread still uses keeps its memory.
        if let Some(plan) = Arc::into_inner(plan) {
            plan.give_up(self);
        }
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
        let at = self.addresses(kind, operands, [n * n, n, n])?;
        V::gemv(self, self.stream(queue)?, kind, n, at)
    }

    /// Addresses of operands that have `elements` each.
    fn addresses(&self, kind: GemmKind, operands: GemmOperands, elements: [usize; 3]) -> DeviceResult<Addresses> {
        let [a, b, c] = elements;
        let (input, output) = (kind.input().bytes(), kind.output().bytes());
        Ok(Addresses {
            a: self.address(operands.a, a * input)?,
            b: self.address(operands.b, b * input)?,
            c: self.address(operands.c, c * output)?,
        })
    }
}

/// The device is current in every caller.
impl<V: Vendor> DeviceServices for Gpu<V> {
    fn alloc(&self, bytes: usize) -> DeviceResult<u64> {
        let mut address = 0;
        call!(self.library, mem_alloc(&raw mut address, bytes)).map_err(|e| scarce(e, bytes, "the device"))?;
        Ok(address)
    }

    fn free(&self, address: u64) {
        // A failure shows in the next call.
        let _ = call!(self.library, mem_free(address));
    }

    fn write(&self, stream: Stream, address: u64, bytes: &[u8]) -> DeviceResult {
        call!(self.library, memcpy_in(address, bytes.as_ptr().cast(), bytes.len(), stream))?;
        call!(self.library, stream_synchronize(stream))
    }

    fn time(&self, stream: Stream, work: &mut dyn FnMut() -> DeviceResult) -> DeviceResult<f64> {
        let (from, to) = (self.event()?, self.event()?);
        call!(self.library, event_record(from, stream))?;
        work()?;
        call!(self.library, event_record(to, stream))?;
        call!(self.library, stream_synchronize(stream))?;
        let mut milliseconds = 0.0;
        call!(self.library, event_elapsed_time(&raw mut milliseconds, from, to))?;
        self.marks.keep(from);
        self.marks.keep(to);
        Ok(f64::from(milliseconds) * 1e-3)
    }
}
