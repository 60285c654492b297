//! Multiplications and additions in registers alone: `device_peak_f64`, `device_peak_f32`, `device_peak_f16`, `device_peak_int32`.

use paw_data::axis;
use paw_data::headline::Pick;
use paw_data::outcome::Check;
use paw_data::point::{AxisValue, Point};
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_foreign::device::{
    Argument, Builtin, Device, DeviceError, DeviceMemory, FmaKind, GemmKind, Grid, HostKind, Kernel, Queue,
};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::DEVICE;
use super::transfer_spec;
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Start, Telling, Values};
use crate::host::Host;

/// Doubles.
pub const PEAK_F64: Benchmark = Own {
    name: "device_peak_f64",
    purpose: "How many operations in double precision do a device's vector units make?",
    timed: TIMED,
    formula: "4194304*blocks*devices; 256 threads a block, 8 chains of 1024 steps each, 2 operations a step",
    work: |point| work(point, ChainUnits::Vector(FmaKind::F64)),
    start: |start| begin(start, ChainUnits::Vector(FmaKind::F64)),
}
.of(COMMON)
.precision(Precision::Double)
.answering(ARITHMETIC, Telling::All)
.figures(&[Figure { line: 55, preference: 0, label: "device_peak_f64", pick: Pick::Best }]);

/// Floats.
pub const PEAK_F32: Benchmark = Own {
    name: "device_peak_f32",
    purpose: "How many operations in single precision do a device's vector units make?",
    timed: TIMED,
    formula: "4194304*blocks*devices; 256 threads a block, 8 chains of 1024 steps each, 2 operations a step",
    work: |point| work(point, ChainUnits::Vector(FmaKind::F32)),
    start: |start| begin(start, ChainUnits::Vector(FmaKind::F32)),
}
.of(COMMON)
.precision(Precision::Single)
.answering(ARITHMETIC, Telling::All);

/// Halves, two at a time.
pub const PEAK_F16: Benchmark = Own {
    name: "device_peak_f16",
    purpose: "How many operations in half precision do a device's vector units make?",
    timed: TIMED,
    formula: "8388608*blocks*devices; 256 threads a block, 8 chains of 1024 steps each, 2 operations a step on 2 halves",
    work: |point| work(point, ChainUnits::Vector(FmaKind::F16)),
    start: |start| begin(start, ChainUnits::Vector(FmaKind::F16)),
}
.of(COMMON)
.precision(Precision::Reduced)
.answering(ARITHMETIC, Telling::None);

/// 32-bit integers.
pub const PEAK_INT32: Benchmark = Own {
    name: "device_peak_int32",
    purpose: "How many operations on 32-bit integers do a device's vector units make?",
    timed: TIMED,
    formula: "4194304*blocks*devices; 256 threads a block, 8 chains of 1024 steps each, 2 operations a step",
    work: |point| work(point, ChainUnits::Vector(FmaKind::I32)),
    start: |start| begin(start, ChainUnits::Vector(FmaKind::I32)),
}
.of(COMMON)
.precision(Precision::Reduced)
.answering(ARITHMETIC, Telling::None);

const TIMED: &str = "x = x a + b in registers: 8 chains of 1024 steps a thread, independent of each other, queued one kernel after the other and waited for";
/// The question of these benchmarks.
pub(super) const ARITHMETIC: &str = "arithmetic";

pub(super) const COMMON: Common = Common { headline: Quantity::Flops, axes: &[BLOCKS], ..DEVICE };
const BLOCKS: Axis = Axis { name: axis::BLOCKS, meaning: "blocks of 256 threads", values: Values::Machine(blocks) };

/// Threads of a block: a multiple of every device's vector width, and within every device's limit.
pub(super) const BLOCK: u32 = 256;
/// Blocks for each unit of the largest device: several times what a unit holds, so that units that end early get another one.
const BLOCKS_OF_A_UNIT: i64 = 32;

/// One number of blocks for all devices of a machine, so that they compare.
fn blocks(host: &Host) -> Vec<AxisValue> {
    let most = host.devices.devices().map(|facts| i64::from(facts.units)).max().unwrap_or(1).max(1);
    vec![AxisValue::Int(BLOCKS_OF_A_UNIT * most)]
}

fn of_point(point: &Point) -> u64 {
    point.int(axis::BLOCKS).unwrap_or(0).max(0) as u64
}

/// Operations of all threads, as the kernel has them.
pub(super) fn work(point: &Point, units: ChainUnits) -> Work {
    let threads = (of_point(point) * u64::from(BLOCK)) as f64;
    let operations = match units {
        ChainUnits::Vector(kind) => kind.operations(),
        ChainUnits::Matrix(kind) => 2 * u64::from(Builtin::matrix_multiplications(kind)),
    };
    Work { flops: transfer_spec::devices(point) * threads * operations as f64, ..Work::default() }
}

pub(super) fn begin(start: &Start<'_>, units: ChainUnits) -> Result<Box<dyn Timed>, Fault> {
    let devices = start.engine.devices()?;
    let blocks = of_point(start.point);
    Ok(Box::new(DeviceTasks::begin(devices, IssueMode::BackToBack, move |place| Chains::new(place, units, blocks))?))
}

/// Where chains of multiplications and additions run, and on what.
#[derive(Debug, Clone, Copy)]
pub(super) enum ChainUnits {
    /// Vector units.
    Vector(FmaKind),
    /// Matrix cores.
    Matrix(GemmKind),
}

/// The kernel of chains on one device, and room for every thread's sum.
pub(super) struct Chains {
    units: ChainUnits,
    kernel: Kernel,
    grid: Grid,
    sums: DeviceMemory,
    arguments: Vec<Argument>,
    device: Device,
}

/// Bytes of sums that are read at once.
const STAGE: usize = 4 << 20;
/// All bits set: no sum is that.
const POISON: u8 = 0xff;

impl Chains {
    /// So many blocks of chains on those units.
    pub(super) fn new(place: &TaskContext<'_>, units: ChainUnits, blocks: u64) -> Result<Self, DeviceError> {
        let device = place.device();
        let grid = Grid { blocks, threads: BLOCK, shared_bytes: 0 };
        let (which, factors) = match units {
            ChainUnits::Vector(kind) => (Builtin::Fma(kind), factors(kind).to_vec()),
            ChainUnits::Matrix(kind) => (Builtin::Matrix(kind), Vec::new()),
        };
        let kernel = device.builtin(which)?;
        let sums = device.memory((blocks as usize * BLOCK as usize * expected(units).len()).max(1))?;
        let arguments = [sums.argument()].into_iter().chain(factors).collect();
        Ok(Self { units, kernel, grid, sums, arguments, device: device.clone() })
    }

    /// A sentence on the first sum that is not that of chains which had all their steps.
    fn wrong(&self, queue: &Queue) -> Result<Option<String>, DeviceError> {
        let right = expected(self.units);
        let bytes = right.len();
        let all = self.grid.blocks as usize * BLOCK as usize;
        let stage = self.device.host_memory((all * bytes).clamp(1, STAGE), HostKind::Pinned)?;
        for first in (0..all).step_by(STAGE / bytes) {
            let count = (STAGE / bytes).min(all - first);
            let mut found = vec![0; count * bytes];
            queue.copy_out((&stage, 0), (&self.sums, first * bytes), found.len())?;
            queue.sync()?;
            stage.read(0, &mut found)?;
            if let Some(at) = found.chunks_exact(bytes).position(|sum| sum != right) {
                let (found, right) = (&found[at * bytes..][..bytes], &right);
                return Ok(Some(format!(
                    "the sum of thread {} has the bytes {found:x?} and should have {right:x?}",
                    first + at
                )));
            }
        }
        Ok(None)
    }
}

/// a and b of a type. Ones let a float count its steps exactly, and three takes every bit of an integer along.
fn factors(kind: FmaKind) -> [Argument; 2] {
    /// 1 as a half, twice.
    const ONES: i32 = 0x3c00_3c00;
    match kind {
        FmaKind::F64 => [Argument::F64(1.0); 2],
        FmaKind::F32 => [Argument::F32(1.0); 2],
        FmaKind::F16 => [Argument::I32(ONES); 2],
        FmaKind::I32 => [Argument::I32(3), Argument::I32(1)],
    }
}

/// The sum of a thread's chains, as the device stores it.
fn expected(units: ChainUnits) -> Vec<u8> {
    let kind = match units {
        ChainUnits::Vector(kind) => kind,
        ChainUnits::Matrix(kind) => {
            let counted = Builtin::matrix_multiplications(kind);
            return match kind {
                GemmKind::Fp64 => f64::from(counted).to_ne_bytes().to_vec(),
                GemmKind::Int8 => counted.to_ne_bytes().to_vec(),
                _ => (counted as f32).to_ne_bytes().to_vec(),
            };
        }
    };
    let chains = 0..FmaKind::CHAINS;
    let counted: u32 = chains.clone().map(|chain| chain + FmaKind::STEPS).sum();
    match kind {
        FmaKind::F64 => f64::from(counted).to_ne_bytes().to_vec(),
        FmaKind::F32 => (counted as f32).to_ne_bytes().to_vec(),
        FmaKind::F16 => (2.0 * counted as f32).to_ne_bytes().to_vec(),
        FmaKind::I32 => {
            let stepped = |chain: u32| (0..FmaKind::STEPS).fold(chain, |x, _| x.wrapping_mul(3).wrapping_add(1));
            chains.fold(0_u32, |sum, chain| sum.wrapping_add(stepped(chain))).to_ne_bytes().to_vec()
        }
    }
}

impl Operation for Chains {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        queue.launch(&self.kernel, self.grid, &self.arguments)
    }

    fn may_be_gated(&self) -> bool {
        true
    }
}

impl Task for Chains {
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        queue.fill(&self.sums, POISON)?;
        self.enqueue(queue)?;
        queue.sync()?;
        Ok(answer::exact("the sum of every thread's chains, which counts their steps", self.wrong(queue)?))
    }

    fn computes(&self) -> bool {
        true
    }

    fn limit_per_s(&self, device: &Device, clock_hz: Option<f64>) -> Option<f64> {
        let per_clock = match self.units {
            ChainUnits::Vector(kind) => device.vector_peak_per_clock(kind),
            ChainUnits::Matrix(kind) => device.matrix_peak_per_clock(kind),
        };
        Some(per_clock? * clock_hz?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_those_that_a_kernel_makes() {
        let point = Point::new().with(axis::BLOCKS, 2_i64).with(axis::DEVICES, 3_i64);
        // Threads, chains, steps, a multiplication and an addition.
        let scalar = 3.0 * (2 * 256) as f64 * 8.0 * 1024.0 * 2.0;
        let flops = |kind| work(&point, ChainUnits::Vector(kind)).flops;
        assert_eq!(flops(FmaKind::F64), scalar);
        assert_eq!(flops(FmaKind::F16), 2.0 * scalar);
    }

    #[test]
    fn a_chain_without_its_last_step_has_another_sum() {
        assert_eq!(expected(ChainUnits::Vector(FmaKind::F64)), 8220_f64.to_ne_bytes());
        assert_eq!(expected(ChainUnits::Vector(FmaKind::F16)), 16440_f32.to_ne_bytes());
        let one_less = (0..8_u32).map(|c| (0..1023).fold(c, |x: u32, _| x.wrapping_mul(3).wrapping_add(1)));
        assert_ne!(expected(ChainUnits::Vector(FmaKind::I32)), one_less.fold(0_u32, u32::wrapping_add).to_ne_bytes());
    }
}
