//! Matrix products by kernels of our own: oneMKL multiplies on devices through SYCL alone, which has no interface of C.

use std::sync::Arc;

use super::device::ZeDevice;
use super::memory::Memory;
use super::modules::{Kernel, KernelArgument};
use super::plan::Plan;
use super::queue::Queue;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::gemm::{GemmKind, GemmOperands};
use crate::device::program::Grid;
use crate::device::span::Span;

/// Rows and columns of a tile in portable.cl, and work-items of a group.
const TILE: u64 = 16;
const GROUP: u32 = 256;

impl ZeDevice {
    /// What computes a product.
    pub(super) fn multiplier(&self) -> String {
        "portable kernel of paw".to_owned()
    }

    /// A plan for matrices of order `n`, or for such a matrix and a vector.
    pub(super) fn plan(&self, kind: GemmKind, n: usize) -> DeviceResult<Plan> {
        match kind {
            GemmKind::Fp32 => {}
            GemmKind::Fp64 if self.facts.fp64 => {}
            GemmKind::Fp64 => {
                return Err(DeviceError::Unsupported(format!("{} has no double precision", self.facts.id())));
            }
            other => {
                let kind = other.name().to_uppercase();
                return Err(DeviceError::Unsupported(format!(
                    "Level Zero has no library that multiplies matrices in {kind}; choose FP32 or FP64"
                )));
            }
        }
        let plan = Plan { kind, n };
        self.portable_kernel(plan, "paw_gemm")?;
        Ok(plan)
    }

    /// Queues C = A·B.
    pub(super) fn multiply(&self, queue: &Queue, plan: &Plan, operands: GemmOperands) -> DeviceResult {
        let n = plan.n;
        let square = n.saturating_mul(n);
        let values = self.values(*plan, operands, [square; 3])?;
        let tiles = (n as u64).div_ceil(TILE);
        let grid = Grid { blocks: tiles * tiles, threads: GROUP, shared_bytes: 0 };
        self.portable_kernel(*plan, "paw_gemm")?.launch(queue, grid, &values)
    }

    /// Queues y = A·x.
    pub(super) fn multiply_vector(&self, queue: &Queue, plan: &Plan, operands: GemmOperands) -> DeviceResult {
        let n = plan.n;
        let values = self.values(*plan, operands, [n.saturating_mul(n), n, n])?;
        let grid = Grid { blocks: (n as u64).div_ceil(u64::from(GROUP)), threads: GROUP, shared_bytes: 0 };
        self.portable_kernel(*plan, "paw_gemv")?.launch(queue, grid, &values)
    }

    fn portable_kernel(&self, plan: Plan, name: &str) -> DeviceResult<Arc<Kernel>> {
        let embedded = if plan.kind == GemmKind::Fp64 { &self.portable.double } else { &self.portable.single };
        embedded.kernel(&self.context, self.handle, name)
    }

    /// Memories and places in turn, then the order.
    fn values(&self, plan: Plan, operands: GemmOperands, elements: [usize; 3]) -> DeviceResult<Vec<KernelArgument>> {
        let size = plan.kind.output().bytes();
        let number = |number: usize| KernelArgument::word64((number as i64).to_ne_bytes());
        let place = |span: Span, elements: usize| -> DeviceResult<Arc<Memory>> {
            let memory = self.memory(span.memory)?;
            memory.at(span.offset, elements.saturating_mul(size))?;
            if !span.offset.is_multiple_of(size) {
                let why =
                    format!("a matrix begins at byte {}, which is not a multiple of its elements' {size}", span.offset);
                return Err(DeviceError::Unsupported(why));
            }
            Ok(memory)
        };
        let mut values = Vec::new();
        for (span, elements) in [operands.a, operands.b, operands.c].into_iter().zip(elements) {
            values.extend([KernelArgument::Memory(place(span, elements)?, 0), number(span.offset / size)]);
        }
        values.push(number(plan.n));
        Ok(values)
    }
}
