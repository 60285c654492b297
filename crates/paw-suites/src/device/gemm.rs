//! Matrix-matrix multiplication on a device: `gpu_dgemm`, `gpu_sgemm`, and in the types of its tensor cores.

use std::time::Duration;

use paw_data::axis;
use paw_data::headline::Pick;
use paw_data::outcome::{Caveat, Check, CheckVerdict};
use paw_data::point::Point;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::secondary::MetricName;
use paw_data::work::Work;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_foreign::device::{Device, DeviceError, GemmKind, GemmMath, GemmPlan, HostKind, Queue};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Start, Telling, Values};
use crate::device::DEVICE;
use crate::device::gemm_check::{Checker, Problem};
use crate::device::operand::Data;
use crate::device::operands::Operands;
use crate::device::transfer_spec;

/// Defines a benchmark for each kind of product: its question, its timed calls and what it shares.
macro_rules! products {
    ($($(#[$doc:meta])* $constant:ident: $name:literal, $kind:ident, $common:expr, $timed:expr, $purpose:literal $(, $with:ident($($value:expr),*))*;)*) => {
        $(
            $(#[$doc])*
            pub const $constant: Benchmark = Own {
                name: $name,
                purpose: $purpose,
                timed: $timed,
                formula: "2*n^3*devices",
                work: |point| work(point, GemmKind::$kind),
                start: |start| begin(start, GemmKind::$kind),
            }
            .of(Common { memory_bytes: |point| host_bytes(point, GemmKind::$kind), ..$common })
            .precision(precision(GemmKind::$kind))
            $(.$with($($value),*))*;
        )*
    };
}

products! {
    /// Double precision.
    DGEMM: "gpu_dgemm", Fp64, PLAIN,
        "cublasGemmEx or clblast's Dgemm: C = A B, operands on the device (transfers=each: copied in and out, pinned)",
        "How fast are matrix products in double precision on the device?",
        aliases(&["gpu_dgemm"]), dat("gpu_dgemm_{}", "GPU_DGEMM"), quick(QUICK), answering(DOUBLE, TELLING),
        figures(&[Figure { line: 53, preference: 0, label: "gpu_dgemm", pick: Pick::Best }]);
    /// Single precision.
    SGEMM: "gpu_sgemm", Fp32, PLAIN,
        "cublasGemmEx or clblast's Sgemm: C = A B, operands on the device (transfers=each: copied in and out, pinned)",
        "How fast are matrix products in single precision on the device?",
        aliases(&["gpu_sgemm"]), dat("gpu_sgemm_{}", "GPU_SGEMM"), quick(QUICK), answering(DOUBLE, Telling::None);
    /// TF32.
    TF32: "gpu_tf32gemm", Tf32, TENSOR, GEMM_EX, "How fast are matrix products of singles rounded to TF32?",
        answering(REDUCED, Telling::None);
    /// bfloat16.
    BF16: "gpu_bf16gemm", Bf16, TENSOR, GEMM_EX,
        "How fast are matrix products in bfloat16, summed in single precision?",
        answering(REDUCED, TELLING),
        figures(&[Figure { line: 54, preference: 0, label: "gpu_bf16gemm", pick: Pick::Best }]);
    /// Half precision.
    FP16: "gpu_fp16gemm", Fp16, TENSOR, GEMM_EX,
        "How fast are matrix products in half precision, summed in single precision?",
        answering(REDUCED, Telling::None);
    /// Signed bytes.
    INT8: "gpu_int8gemm", Int8, TENSOR, GEMM_EX, "How fast are matrix products of bytes, summed in 32-bit integers?",
        answering(REDUCED, Telling::None);
    /// 8-bit floats.
    FP8: "gpu_fp8gemm", Fp8, Common { variables: &["PAW_CUDA_LIBRARY", "PAW_CUBLASLT_LIBRARY"], ..TENSOR },
        "cublasLtMatmul, the fastest of 8 algorithms: C = A B, A transposed, operands on the device",
        "How fast are matrix products of 8-bit floats (e4m3)?",
        answering(REDUCED, Telling::None);
}

const fn precision(kind: GemmKind) -> Precision {
    match kind {
        GemmKind::Fp64 => Precision::Double,
        GemmKind::Fp32 => Precision::Single,
        GemmKind::Tf32 | GemmKind::Bf16 | GemmKind::Fp16 | GemmKind::Int8 | GemmKind::Fp8 => Precision::Reduced,
    }
}

/// The questions of these benchmarks, and the sizes that answer them: the first is safe, and shows whether the second takes too long.
const DOUBLE: &str = "products in double and single precision";
const REDUCED: &str = "products in reduced precision";
const TELLING: Telling = Telling::At(&[256, 4096]);
const QUICK: &[(&str, Values)] = &[(axis::N, Values::Ints(&[1024, 4096]))];
const GEMM_EX: &str = "cublasGemmEx, rocblas_gemm_ex: C = A B, A transposed, operands on the device (transfers=each: copied in and out, pinned)";

/// Facts that products in double and single precision share.
const PLAIN: Common = Common {
    headline: Quantity::Flops,
    axes: AXES,
    variables: &[
        "MIN_GPU_BLAS_SIZE",
        "MED_GPU_BLAS_SIZE",
        "MAX_GPU_BLAS_SIZE",
        "PAW_CUDA_LIBRARY",
        "PAW_CUBLAS_LIBRARY",
        "PAW_HIP_LIBRARY",
        "PAW_ROCBLAS_LIBRARY",
        "PAW_OPENCL_LIBRARY",
        "PAW_CLBLAST_LIBRARY",
    ],
    ..DEVICE
};

/// Facts that products by tensor cores share: PAW has none of them, and they need larger matrices.
const TENSOR: Common = Common {
    axes: TENSOR_AXES,
    variables: &["PAW_CUDA_LIBRARY", "PAW_CUBLAS_LIBRARY", "PAW_HIP_LIBRARY", "PAW_ROCBLAS_LIBRARY"],
    ..PLAIN
};

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
const MATH: Axis = Axis {
    name: axis::MATH,
    meaning: "how freely a library may compute: as where nobody asks (default), in the prescribed precision throughout (pedantic), or by tensor cores, which round single factors to TF32 (tensor)",
    values: Values::Words(GemmMath::NAMES),
};
const AXES: &[Axis] = &[N, TRANSFERS, DATA, LOAD, MATH];
const TENSOR_AXES: &[Axis] = &[N_TENSOR, TRANSFERS, DATA, LOAD];

/// Idle time before a burst: a device's clocks and power recover within tenths of a second.
const PAUSE: Duration = Duration::from_millis(500);

fn order(point: &Point) -> usize {
    point.int(axis::N).unwrap_or(0).max(0) as usize
}

/// Work of one product on every device, without a scaling or an addition of C, which PAW counts. The bytes are the least that must move.
fn work(point: &Point, kind: GemmKind) -> Work {
    let (n, devices) = (order(point) as f64, transfer_spec::devices(point));
    let bytes = devices * n * n * (2 * kind.input().bytes() + kind.output().bytes()) as f64;
    let (flops, flops_paw) = (devices * 2.0 * n * n * n, devices * 2.0 * n * n * (n + 1.0));
    Work { flops, flops_paw, bytes, operations: devices, ..Work::default() }
}

/// Bytes of host memory: copies of A, B and C if they are transferred, else 0.
fn host_bytes(point: &Point, kind: GemmKind) -> f64 {
    if is_copied(point) { work(point, kind).bytes } else { 0.0 }
}

fn is_copied(point: &Point) -> bool {
    point.text(axis::TRANSFERS) == Some("each")
}

fn begin(start: &Start<'_>, kind: GemmKind) -> Result<Box<dyn Timed>, Fault> {
    let point = start.point;
    let math = GemmMath::named(point.text(axis::MATH));
    let problem = Problem::new(kind, order(point), Data::named(point.text(axis::DATA))).computed(math);
    let is_copied = is_copied(point);
    // A program that copies a product out waits for it.
    let mode = if is_copied { IssueMode::Isolated } else { IssueMode::BackToBack };
    let make = move |place: &TaskContext<'_>| Product::new(place, &problem, is_copied);
    let drive = DeviceTasks::begin(start.engine.devices()?, mode, make)?;
    Ok(match point.text(axis::LOAD) {
        Some("burst") => Box::new(Burst(drive)),
        _ => Box::new(drive),
    })
}

/// C = A·B on one device.
pub(super) struct Product {
    plan: GemmPlan,
    operands: Operands,
    is_copied: bool,
    problem: Problem,
}

impl Product {
    /// The product of `problem`, with copies around it if `is_copied`.
    pub(super) fn new(place: &TaskContext<'_>, problem: &Problem, is_copied: bool) -> Result<Self, DeviceError> {
        let (device, queue) = (place.device(), place.queue);
        // The plan comes first: if the device lacks the product, nothing needs to be filled.
        let plan = device.gemm_plan_by(queue, problem.kind, problem.math, problem.n)?;
        let mut operands = Operands::of_product(device, queue, problem)?;
        if is_copied {
            operands.mirror(HostKind::Pinned)?;
        }
        Ok(Self { plan, operands, is_copied, problem: problem.clone() })
    }
}

impl Product {
    /// Checks all of the product that is there.
    fn check(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        let mut checker = Checker::new(&self.problem);
        self.operands.read(queue, |bytes| checker.take(bytes))?;
        let check = checker.finish();
        Ok(Check { method: format!("{}: {}", self.plan.by(), check.method), ..check })
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
        // Up to five kernels for the product, and three copies.
        if self.is_copied { 8 } else { 5 }
    }
}

impl Task for Product {
    /// Computes one product onto a C of NaN and checks all of it.
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        self.operands.poison(queue)?;
        self.enqueue(queue)?;
        queue.sync()?;
        self.check(queue)
    }

    /// Checks all of the product that the sample left, and poisons it: one that comes late shows.
    fn inspect(&mut self, queue: &Queue) -> Result<Option<Check>, DeviceError> {
        let check = self.check(queue)?;
        self.operands.poison(queue)?;
        Ok((check.verdict == CheckVerdict::Fail).then_some(check))
    }

    /// Checking all of C costs the host as much as several samples of large matrices.
    fn inspected_every(&self) -> u64 {
        8
    }

    fn crosses_link(&self) -> bool {
        self.is_copied
    }

    fn computes(&self) -> bool {
        !self.is_copied
    }

    /// The dense peak at that clock; `None` if copies are timed too.
    fn limit_per_s(&self, device: &Device, clock_hz: Option<f64>) -> Option<f64> {
        let per_clock = device.peak_per_clock(self.problem.units()).filter(|_| !self.is_copied)?;
        Some(per_clock * clock_hz?)
    }
}

/// A workload that pauses before every sample.
struct Burst<T>(T);

impl<T: Timed> Timed for Burst<T> {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        std::thread::sleep(PAUSE);
        self.0.time(loops, clock)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.0.verify()
    }

    fn inspect(&mut self) -> Result<(), Fault> {
        self.0.inspect()
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.0.renew()
    }

    fn threads(&self) -> Vec<i32> {
        self.0.threads()
    }

    fn extra(&self) -> Vec<(MetricName, f64)> {
        self.0.extra()
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.0.caveats()
    }
}
