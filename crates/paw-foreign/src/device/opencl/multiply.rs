//! Matrix products: by CLBlast where it is here, else by a kernel of our own.

use super::buffer::Buffer;
use super::clblast::{Operand, clblast};
use super::device::OpenClDevice;
use super::embedded::Precision;
use super::plan::Plan;
use super::programs::KernelArgument;
use super::queues::Queue;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::gemm::{GemmKind, GemmOperands};
use crate::device::program::Grid;
use crate::device::span::Span;

use std::sync::Arc;

/// Rows and columns of a tile in portable.cl, and work-items of a group.
const TILE: u64 = 16;
const GROUP: u32 = 256;

impl OpenClDevice {
    /// A plan for matrices of order `n`, or for such a matrix and a vector.
    pub(super) fn plan(&self, kind: GemmKind, n: usize) -> DeviceResult<Plan> {
        let real = match kind {
            GemmKind::Fp64 if self.facts.fp64 => Precision::Double,
            GemmKind::Fp64 => {
                return Err(DeviceError::Unsupported(format!("{} has no double precision", self.facts.id())));
            }
            GemmKind::Fp32 => Precision::Single,
            other => {
                let kind = format!("{other:?}").to_uppercase();
                let why = format!("OpenCL has no library here that multiplies matrices in {kind}; choose FP32 or FP64");
                return Err(DeviceError::Unsupported(why));
            }
        };
        let library = clblast(self.context.api).map_err(DeviceError::Absent)?;
        let plan = Plan { real, n, library };
        if library.is_none() {
            self.portable(&plan, "paw_gemm")?;
        }
        Ok(plan)
    }

    /// Queues C = A·B.
    pub(super) fn multiply(&self, queue: &Queue, plan: &Plan, operands: GemmOperands) -> DeviceResult {
        let n = plan.n;
        let square = n.saturating_mul(n);
        let placed = self.placed(plan, operands, [square, square, square])?;
        match (plan.library, plan.real) {
            (Some(library), Precision::Double) => {
                library.dgemm(queue, n, placed.each_ref().map(PlacedOperand::operand))
            }
            (Some(library), Precision::Single) => {
                library.sgemm(queue, n, placed.each_ref().map(PlacedOperand::operand))
            }
            (None, _) => {
                let tiles = (n as u64).div_ceil(TILE);
                let grid = Grid { blocks: tiles * tiles, threads: GROUP, shared_bytes: 0 };
                self.portable(plan, "paw_gemm")?.launch(queue, grid, &values(&placed, n))
            }
        }
    }

    /// Queues y = A·x.
    pub(super) fn multiply_vector(&self, queue: &Queue, plan: &Plan, operands: GemmOperands) -> DeviceResult {
        let n = plan.n;
        let placed = self.placed(plan, operands, [n.saturating_mul(n), n, n])?;
        match (plan.library, plan.real) {
            (Some(library), Precision::Double) => {
                library.dgemv(queue, n, placed.each_ref().map(PlacedOperand::operand))
            }
            (Some(library), Precision::Single) => {
                library.sgemv(queue, n, placed.each_ref().map(PlacedOperand::operand))
            }
            (None, _) => {
                let grid = Grid { blocks: (n as u64).div_ceil(u64::from(GROUP)), threads: GROUP, shared_bytes: 0 };
                self.portable(plan, "paw_gemv")?.launch(queue, grid, &values(&placed, n))
            }
        }
    }

    fn portable(&self, plan: &Plan, name: &str) -> DeviceResult<Arc<super::programs::Kernel>> {
        let embedded = match plan.real {
            Precision::Double => &self.portable.double,
            Precision::Single => &self.portable.single,
        };
        embedded.kernel(&self.context, self.id, plan.real, name)
    }

    fn placed(&self, plan: &Plan, operands: GemmOperands, elements: [usize; 3]) -> DeviceResult<[PlacedOperand; 3]> {
        let size = match plan.real {
            Precision::Double => 8,
            Precision::Single => 4,
        };
        let place = |span: Span, elements: usize| {
            let buffer = self.memory(span.memory)?;
            buffer.holds(span.offset, elements.saturating_mul(size))?;
            if !span.offset.is_multiple_of(size) {
                let why =
                    format!("a matrix begins at byte {}, which is not a multiple of its elements' {size}", span.offset);
                return Err(DeviceError::Unsupported(why));
            }
            Ok(PlacedOperand { buffer, begin: span.offset / size })
        };
        let [a, b, c] = elements;
        Ok([place(operands.a, a)?, place(operands.b, b)?, place(operands.c, c)?])
    }
}

/// A matrix or vector in a buffer that holds all of it.
struct PlacedOperand {
    buffer: Arc<Buffer>,
    begin: usize,
}

impl PlacedOperand {
    fn operand(&self) -> Operand {
        Operand { buffer: self.buffer.raw(), begin: self.begin }
    }
}

/// Buffers and places in turn, then the order.
fn values(placed: &[PlacedOperand; 3], n: usize) -> Vec<KernelArgument> {
    let number = |number: usize| KernelArgument::word64((number as i64).to_ne_bytes());
    let mut values: Vec<KernelArgument> =
        placed.iter().flat_map(|p| [KernelArgument::Buffer(Arc::clone(&p.buffer)), number(p.begin)]).collect();
    values.push(number(n));
    values
}
