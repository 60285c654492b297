//! Matrix-matrix multiplication on a device: `gpu_dgemm`, `gpu_sgemm`, and in the types of its tensor cores.

use std::time::Duration;

use paw_data::axis;
use paw_data::headline::Pick;
use paw_data::outcome::{Caveat, Check};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_foreign::device::{Device, DeviceError, GemmKind, GemmPlan, HostKind, Queue};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Start, Values};
use crate::device::DEVICE;
use crate::device::gemm_check::{Checker, Problem};
use crate::device::operand::Data;
use crate::device::operands::Operands;
use crate::device::transfer_spec;

/// Double precision.
pub const DGEMM: Benchmark = Own {
    name: "gpu_dgemm",
    purpose: "How fast are matrix products in double precision on the device?",
    timed: "cublasGemmEx or clblast's Dgemm: C = A B, operands on the device (transfers=each: copied in and out, pinned)",
    formula: "2*n^3*devices",
    work: |point| work(point, GemmKind::Fp64),
    start: |start| begin(start, GemmKind::Fp64),
}
.of(Common {
    headline: Quantity::Flops,
    axes: AXES,
    variables: &[
    "MIN_GPU_BLAS_SIZE",
    "MED_GPU_BLAS_SIZE",
    "MAX_GPU_BLAS_SIZE",
    "PAW_CUDA_LIBRARY",
    "PAW_CUBLAS_LIBRARY",
    "PAW_OPENCL_LIBRARY",
    "PAW_CLBLAST_LIBRARY",
],
    memory_bytes: |point| host_bytes(point, GemmKind::Fp64),
    ..DEVICE
})
.aliases(&["gpu_dgemm"])
.dat("gpu_dgemm_{}", "GPU_DGEMM")
.quick(&[(axis::N, Values::Ints(&[1024, 4096]))])
.figures(&[Figure { line: 53, preference: 0, label: "gpu_dgemm", pick: Pick::Best }]);

/// Single precision.
pub const SGEMM: Benchmark = Own {
    name: "gpu_sgemm",
    purpose: "How fast are matrix products in single precision on the device?",
    timed: "cublasGemmEx or clblast's Sgemm: C = A B, operands on the device (transfers=each: copied in and out, pinned)",
    formula: "2*n^3*devices",
    work: |point| work(point, GemmKind::Fp32),
    start: |start| begin(start, GemmKind::Fp32),
}
.of(Common {
    memory_bytes: |point| host_bytes(point, GemmKind::Fp32),
    ..DGEMM.common
})
.aliases(&["gpu_sgemm"])
.dat("gpu_sgemm_{}", "GPU_SGEMM")
.quick(&[(axis::N, Values::Ints(&[1024, 4096]))]);

/// TF32.
pub const TF32: Benchmark = Own {
    name: "gpu_tf32gemm",
    purpose: "How fast are matrix products of singles rounded to TF32?",
    timed: "cublasGemmEx: C = A B, A transposed, operands on the device (transfers=each: copied in and out, pinned)",
    formula: "2*n^3*devices",
    work: |point| work(point, GemmKind::Tf32),
    start: |start| begin(start, GemmKind::Tf32),
}
.of(Common { memory_bytes: |point| host_bytes(point, GemmKind::Tf32), ..TENSOR });

/// bfloat16.
pub const BF16: Benchmark = Own {
    name: "gpu_bf16gemm",
    purpose: "How fast are matrix products in bfloat16, summed in single precision?",
    timed: "cublasGemmEx: C = A B, A transposed, operands on the device (transfers=each: copied in and out, pinned)",
    formula: "2*n^3*devices",
    work: |point| work(point, GemmKind::Bf16),
    start: |start| begin(start, GemmKind::Bf16),
}
.of(Common { memory_bytes: |point| host_bytes(point, GemmKind::Bf16), ..TENSOR })
.figures(&[Figure { line: 54, preference: 0, label: "gpu_bf16gemm", pick: Pick::Best }]);

/// Half precision.
pub const FP16: Benchmark = Own {
    name: "gpu_fp16gemm",
    purpose: "How fast are matrix products in half precision, summed in single precision?",
    timed: "cublasGemmEx: C = A B, A transposed, operands on the device (transfers=each: copied in and out, pinned)",
    formula: "2*n^3*devices",
    work: |point| work(point, GemmKind::Fp16),
    start: |start| begin(start, GemmKind::Fp16),
}
.of(Common { memory_bytes: |point| host_bytes(point, GemmKind::Fp16), ..TENSOR });

/// Bytes.
pub const INT8: Benchmark = Own {
    name: "gpu_int8gemm",
    purpose: "How fast are matrix products of bytes, summed in 32-bit integers?",
    timed: "cublasGemmEx: C = A B, A transposed, operands on the device (transfers=each: copied in and out, pinned)",
    formula: "2*n^3*devices",
    work: |point| work(point, GemmKind::Int8),
    start: |start| begin(start, GemmKind::Int8),
}
.of(Common { memory_bytes: |point| host_bytes(point, GemmKind::Int8), ..TENSOR });

/// 8-bit floats.
pub const FP8: Benchmark = Own {
    name: "gpu_fp8gemm",
    purpose: "How fast are matrix products of 8-bit floats (e4m3)?",
    timed: "cublasLtMatmul, the fastest of 8 algorithms: C = A B, A transposed, operands on the device",
    formula: "2*n^3*devices",
    work: |point| work(point, GemmKind::Fp8),
    start: |start| begin(start, GemmKind::Fp8),
}
.of(Common {
    variables: &["PAW_CUDA_LIBRARY", "PAW_CUBLASLT_LIBRARY"],
    memory_bytes: |point| host_bytes(point, GemmKind::Fp8),
    ..TENSOR
});

/// What products by tensor cores have in common: PAW has none of them, and they want larger matrices.
const TENSOR: Common =
    Common { axes: TENSOR_AXES, variables: &["PAW_CUDA_LIBRARY", "PAW_CUBLAS_LIBRARY"], ..DGEMM.common };

const N: Axis = Axis { name: axis::N, meaning: "order of the matrices", values: Values::Ints(&[64, 256, 1024, 4096]) };
const N_TENSOR: Axis = Axis { values: Values::Ints(&[256, 1024, 4096, 8192]), ..N };
const TRANSFERS: Axis = Axis {
    name: axis::TRANSFERS,
    meaning: "the product alone (none), or with A and B copied in and C out around each",
    values: Values::Words(&["none", "each"]),
};
const DATA: Axis = Axis {
    name: axis::DATA,
    meaning: "what A and B hold: what is easier to multiply than random numbers lets the device clock higher",
    values: Values::Words(Data::NAMES),
};
const LOAD: Axis = Axis {
    name: axis::LOAD,
    meaning: "sample upon sample (sustained), or each after a pause in which the device cools (burst)",
    values: Values::Words(&["sustained", "burst"]),
};
const AXES: &[Axis] = &[N, TRANSFERS, DATA, LOAD];
const TENSOR_AXES: &[Axis] = &[N_TENSOR, TRANSFERS, DATA, LOAD];

/// How long a device idles before a burst: clocks and power are back within tenths of a second.
const PAUSE: Duration = Duration::from_millis(500);

fn order(point: &Point) -> usize {
    point.int(axis::N).unwrap_or(0).max(0) as usize
}

/// The product alone, one on every device, without a scaling or an addition of C; PAW counts both. The bytes are the least that must move.
fn work(point: &Point, kind: GemmKind) -> Work {
    let (n, devices) = (order(point) as f64, transfer_spec::devices(point));
    let bytes = devices * n * n * (2 * kind.input().bytes() + kind.output().bytes()) as f64;
    let (flops, flops_paw) = (devices * 2.0 * n * n * n, devices * 2.0 * n * n * (n + 1.0));
    Work { flops, flops_paw, bytes, operations: devices, ..Work::default() }
}

/// What the host keeps: copies of all three where they are transferred, else pieces of a fixed size.
fn host_bytes(point: &Point, kind: GemmKind) -> f64 {
    if is_copied(point) { work(point, kind).bytes } else { 0.0 }
}

fn is_copied(point: &Point) -> bool {
    point.text(axis::TRANSFERS) == Some("each")
}

fn begin(start: &Start<'_>, kind: GemmKind) -> Result<Box<dyn Timed>, Fault> {
    let point = start.point;
    let problem = Problem::new(kind, order(point), Data::named(point.text(axis::DATA)));
    let is_copied = is_copied(point);
    // A program that copies a product out needs it before it goes on.
    let mode = if is_copied { IssueMode::Isolated } else { IssueMode::BackToBack };
    let make = move |place: &TaskContext<'_>| Product::new(place, &problem, is_copied);
    let drive = DeviceTasks::begin(start.engine.devices()?, mode, make)?;
    Ok(match point.text(axis::LOAD) {
        Some("burst") => Box::new(Burst(drive)),
        _ => Box::new(drive),
    })
}

/// C = A·B on one device.
struct Product {
    plan: GemmPlan,
    operands: Operands,
    is_copied: bool,
    problem: Problem,
}

impl Product {
    fn new(place: &TaskContext<'_>, problem: &Problem, is_copied: bool) -> Result<Self, DeviceError> {
        let (device, queue) = (place.device(), place.queue);
        // PlannedBenchmark first: what the device lacks costs no filling.
        let plan = device.gemm_plan(queue, problem.kind, problem.n)?;
        let mut operands = Operands::of_product(device, queue, problem)?;
        if is_copied {
            operands.mirror(HostKind::Pinned)?;
        }
        Ok(Self { plan, operands, is_copied, problem: problem.clone() })
    }
}

impl Operation for Product {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        if !self.is_copied {
            return queue.gemm(&self.plan, self.operands.places());
        }
        self.operands.copy_in(queue)?;
        queue.gemm(&self.plan, self.operands.places())?;
        self.operands.copy_out(queue)
    }

    fn may_be_gated(&self) -> bool {
        true
    }

    fn commands(&self) -> u64 {
        // A product may be made of several kernels.
        if self.is_copied { 8 } else { 5 }
    }
}

impl Task for Product {
    /// One product onto a C of NaN, all of which is shown to the check.
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        self.operands.poison(queue)?;
        self.enqueue(queue)?;
        queue.sync()?;
        let mut checker = Checker::new(&self.problem);
        self.operands.read(queue, |bytes| checker.take(bytes))?;
        let check = checker.finish();
        Ok(Check { method: format!("{}: {}", self.plan.by(), check.method), ..check })
    }

    fn crosses_link(&self) -> bool {
        self.is_copied
    }

    /// The dense peak at the clock that was read; copies are no part of it.
    fn limit_per_s(&self, device: &Device, clock_hz: Option<f64>) -> Option<f64> {
        let per_clock = device.peak_per_clock(self.problem.kind).filter(|_| !self.is_copied)?;
        Some(per_clock * clock_hz?)
    }
}

/// A workload whose every sample comes after a pause.
struct Burst<T>(T);

impl<T: Timed> Timed for Burst<T> {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        std::thread::sleep(PAUSE);
        self.0.time(loops, clock)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.0.verify()
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.0.renew()
    }

    fn threads(&self) -> Vec<i32> {
        self.0.threads()
    }

    fn extra(&self) -> Vec<(String, f64)> {
        self.0.extra()
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.0.caveats()
    }
}
