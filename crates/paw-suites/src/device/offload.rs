//! The size from which a device outweighs its transfers: `offload_threshold`.
//!
//! A problem is several products of the same operands, which are transferred once around all products or around each. The same
//! product is measured on the host in the same rounds. The question is that of GPU-BLOB (F. Wilkinson et al., PMBS 2024).

use paw_data::axis;
use paw_data::cell::Role;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_foreign::blas::dimensions::{GemvDimensions, Transpose};
use paw_foreign::device::{Device, DeviceError, GemmKind, GemmPlan, HostKind, Queue};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Reference, ReferenceProvider, Start, Values};
use crate::blas::verify;
use crate::device::DEVICE;
use crate::device::gemm_check::{Checker, Problem};
use crate::device::operand::{Data, Operand, decode};
use crate::device::operands::Operands;
use crate::device_set::DeviceGrouping;
use crate::host::Host;

/// A device against the host's BLAS.
pub const OFFLOAD: Benchmark = Own {
    name: "offload_threshold",
    purpose: "From which size on is a product faster on the device than on the host, transfers included?",
    timed: "A and B (or x) copied in, products of them, C (or y) copied out: once around all products, or around each; pinned",
    formula: "2*n^order*iterations; order: 3 for a product of matrices, 2 for a matrix times a vector",
    work,
    start: begin,
}
.of(Common {
    headline: Quantity::Flops,
    providers: Providers::Device(DeviceGrouping::Alone),
    axes: &[N, KERNEL, TRANSFERS, ITERATIONS],
    references: &[
        host_product("dgemm", |point, _| on_host(point, "dgemm")),
        host_product("sgemm", |point, _| on_host(point, "sgemm")),
        host_product("dgemv", |point, _| on_host(point, "dgemv")),
        host_product("sgemv", |point, _| on_host(point, "sgemv")),
    ],
    variables: &[
    "PAW_CUDA_LIBRARY",
    "PAW_CUBLAS_LIBRARY",
    "PAW_HIP_LIBRARY",
    "PAW_ROCBLAS_LIBRARY",
    "PAW_OPENCL_LIBRARY",
    "PAW_CLBLAST_LIBRARY",
    "PAW_BLAS_LIBRARY",
],
    by_name: true,
    memory_bytes: |point| bytes(point),
    ..DEVICE
});

const N: Axis = Axis { name: axis::N, meaning: "order of the matrices", values: Values::Doubling(64, 4096) };
const KERNEL: Axis =
    Axis { name: axis::KERNEL, meaning: "the product", values: Values::Each(&["dgemm", "sgemm", "dgemv", "sgemv"]) };
const TRANSFERS: Axis = Axis {
    name: axis::TRANSFERS,
    meaning: "operands copied in and the result out once around all iterations, or around each (always)",
    values: Values::Each(&["once", "always"]),
};
const ITERATIONS: Axis = Axis {
    name: axis::ITERATIONS,
    meaning: "products of the same operands",
    values: Values::Ints(&[ITERATIONS_USUAL]),
};
const ITERATIONS_USUAL: i64 = 8;

/// The products and transfers of a point.
#[derive(Debug, Clone, Copy)]
struct OffloadSize {
    kind: GemmKind,
    is_matrix: bool,
    n: usize,
    iterations: u64,
    is_copied_always: bool,
}

impl OffloadSize {
    fn of(point: &Point) -> Option<Self> {
        let (kind, is_matrix) = match point.text(axis::KERNEL).unwrap_or("dgemm") {
            "dgemm" => (GemmKind::Fp64, true),
            "sgemm" => (GemmKind::Fp32, true),
            "dgemv" => (GemmKind::Fp64, false),
            "sgemv" => (GemmKind::Fp32, false),
            _ => return None,
        };
        let whole = |axis, usual: i64| point.int(axis).unwrap_or(usual).max(1) as u64;
        let (n, iterations) = (whole(axis::N, 1) as usize, whole(axis::ITERATIONS, ITERATIONS_USUAL));
        Some(Self { kind, is_matrix, n, iterations, is_copied_always: point.text(axis::TRANSFERS) == Some("always") })
    }

    /// Elements of A, of B or x, and of C or y.
    fn elements(self) -> [usize; 3] {
        let square = self.n * self.n;
        if self.is_matrix { [square; 3] } else { [square, self.n, self.n] }
    }
}

fn work(point: &Point) -> Work {
    let Some(size) = OffloadSize::of(point) else { return Work::default() };
    let (n, iterations) = (size.n as f64, size.iterations as f64);
    let flops = if size.is_matrix { 2.0 * n * n * n } else { 2.0 * n * n };
    Work { flops: iterations * flops, ..Work::default() }
}

/// Bytes of host memory.
fn bytes(point: &Point) -> f64 {
    let size = OffloadSize::of(point);
    size.map_or(0.0, |size| (size.kind.input().bytes() * size.elements().iter().sum::<usize>()) as f64)
}

/// The product of that name by the host's best BLAS, as base.
const fn host_product(benchmark: &'static str, point: fn(&Point, &Host) -> Option<Point>) -> Reference {
    Reference { role: Role::Base, benchmark, by: ReferenceProvider::BestBlas, point }
}

/// The point of the same product on the host, with β = 0; `None` for another kernel.
fn on_host(point: &Point, kernel: &str) -> Option<Point> {
    let is_asked = point.text(axis::KERNEL).unwrap_or("dgemm") == kernel;
    is_asked.then(|| Point::new().with(axis::N, point.int(axis::N).unwrap_or(1)).with(axis::BETA, 0.0))
}

fn begin(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let known = || {
        let asked = start.point.text(axis::KERNEL).unwrap_or_default();
        Fault::Missing(format!("there is no kernel {asked}; --set kernel=dgemm, sgemm, dgemv or sgemv"))
    };
    let size = OffloadSize::of(start.point).ok_or_else(known)?;
    let make = move |place: &TaskContext<'_>| Offload::new(place, size);
    // A program that offloads a problem waits for its result.
    Ok(Box::new(DeviceTasks::begin(start.engine.devices()?, IssueMode::Isolated, make)?))
}

/// The products of one device, with their transfers.
struct Offload {
    size: OffloadSize,
    /// `None` for a matrix-vector product.
    plan: Option<GemmPlan>,
    operands: Operands,
    problem: Problem,
}

impl Offload {
    fn new(place: &TaskContext<'_>, size: OffloadSize) -> Result<Self, DeviceError> {
        let (device, queue) = (place.device(), place.queue);
        let problem = Problem::new(size.kind, size.n, Data::Random);
        let plan = size.is_matrix.then(|| device.gemm_plan(queue, size.kind, size.n)).transpose()?;
        let operands = mirrored(device, queue, size, [&problem.a, &problem.b])?;
        Ok(Self { size, plan, operands, problem })
    }

    #[inline]
    fn product(&self, queue: &Queue) -> Result<(), DeviceError> {
        match &self.plan {
            Some(plan) => queue.gemm(plan, self.operands.places()),
            None => queue.gemv(self.size.kind, self.size.n, self.operands.places()).map(drop),
        }
    }
}

fn mirrored(device: &Device, queue: &Queue, size: OffloadSize, values: [&Operand; 2]) -> Result<Operands, DeviceError> {
    let bytes = size.elements().map(|elements| elements * size.kind.input().bytes());
    let mut operands = Operands::new(device, queue, bytes, values)?;
    operands.mirror(HostKind::Pinned)?;
    Ok(operands)
}

impl Operation for Offload {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        let (iterations, rounds) = match self.size.is_copied_always {
            true => (1, self.size.iterations),
            false => (self.size.iterations, 1),
        };
        for _ in 0..rounds {
            self.operands.copy_in(queue)?;
            for _ in 0..iterations {
                self.product(queue)?;
            }
            self.operands.copy_out(queue)?;
        }
        Ok(())
    }

    fn may_be_gated(&self) -> bool {
        // The first matrix-vector product opens a library.
        self.size.is_matrix
    }

    fn commands(&self) -> u64 {
        8 * self.size.iterations
    }
}

impl Task for Offload {
    /// Runs all transfers and products onto a result of NaN, and checks it.
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        self.operands.poison(queue)?;
        self.enqueue(queue)?;
        queue.sync()?;
        if self.size.is_matrix {
            let mut checker = Checker::new(&self.problem);
            self.operands.read(queue, |bytes| checker.take(bytes))?;
            return Ok(checker.finish());
        }
        let mut y = Vec::new();
        let element = self.size.kind.output();
        self.operands
            .read(queue, |bytes| y.extend(bytes.chunks_exact(element.bytes()).map(|slot| decode(element, slot))))?;
        Ok(match self.size.kind {
            GemmKind::Fp32 => check_vector(&self.problem, &y, |value| value as f32),
            _ => check_vector(&self.problem, &y, |value| value),
        })
    }

    fn crosses_link(&self) -> bool {
        true
    }
}

/// Checks every entry of y = A·x. A is stored column by column, so it is passed as the transpose of a row-major matrix.
fn check_vector<T: paw_foreign::blas::Real>(problem: &Problem, y: &[f64], narrowed: impl Fn(f64) -> T) -> Check {
    let n = problem.n;
    let a: Vec<T> = (0..n * n).map(|place| narrowed(problem.a.value(place))).collect();
    let x: Vec<T> = (0..n).map(|place| narrowed(problem.b.value(place))).collect();
    let y: Vec<T> = y.iter().map(|value| narrowed(*value)).collect();
    let before = vec![narrowed(f64::NAN); n];
    let size = GemvDimensions { trans: Transpose::Yes, ..GemvDimensions::dense(n, n) };
    verify::check_gemv(&size, narrowed(1.0), &a, &x, narrowed(0.0), &before, &y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_held_against_the_same_product_on_the_host() {
        let point = Point::new().with(axis::N, 128).with(axis::KERNEL, "sgemv").with(axis::TRANSFERS, "once");
        let expected = Point::new().with(axis::N, 128).with(axis::BETA, 0.0);
        assert_eq!((on_host(&point, "sgemv"), on_host(&point, "dgemv")), (Some(expected), None));
    }

    #[test]
    fn the_work_of_a_problem_is_that_of_all_its_products() {
        let point = |kernel: &str| Point::new().with(axis::N, 10).with(axis::KERNEL, kernel).with(axis::ITERATIONS, 3);
        assert_eq!(["dgemm", "sgemv"].map(|kernel| work(&point(kernel)).flops), [6000.0, 600.0]);
    }
}
