//! Sustained load: `device_burn`, products upon products for as long as asked, with clock, power, temperature and throttling beside.

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_devices::operation::{IssueMode, Operation};
use paw_devices::tasks::{DeviceTasks, Task, TaskContext};
use paw_devices::watched::Watched;
use paw_foreign::device::{Device, DeviceError, FmaKind, GemmKind, Queue};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::DEVICE;
use super::fma::{BLOCK, ChainUnits, Chains};
use super::gemm::Product;
use super::gemm_check::Problem;
use super::operand::Data;
use super::transfer_spec;
use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Start, Values};
use crate::device_set::DeviceGrouping;

/// Seconds that a load lasts where nobody says: coolers take most of a minute to warm up.
pub(crate) const LASTING_S: i64 = 60;

/// Products until the time is up.
pub const BURN: Benchmark = Own {
    name: "device_burn",
    purpose: "Does a device keep its speed under load, and if not, what holds it down?",
    timed: "products C = A B of matrices on the device, queued one after the other and waited for; where no library computes them, chains of fused multiplications and additions with as many operations",
    formula: "2*n^3*devices",
    work: |point| Work { flops: transfer_spec::devices(point) * 2.0 * (order(point) as f64).powi(3), ..Work::default() },
    start,
}
.of(Common {
    headline: Quantity::Flops,
    axes: &[N, SECONDS, TYPE],
    providers: Providers::Device(DeviceGrouping::AtOnce),
    variables: &["PAW_CUDA_LIBRARY", "PAW_CUBLAS_LIBRARY", "PAW_OPENCL_LIBRARY", "PAW_CLBLAST_LIBRARY"],
    by_name: true,
    ..DEVICE
})
.precision(Precision::Double);

const SECONDS: Axis =
    Axis { name: axis::SECONDS, meaning: "seconds that samples are taken for", values: Values::Ints(&[LASTING_S]) };
const N: Axis = Axis { name: axis::N, meaning: "order of the matrices", values: Values::Ints(&[4096]) };
const TYPE: Axis = Axis {
    name: axis::TYPE,
    meaning: "type of the numbers: halves keep tensor cores busy, which draws most power",
    values: Values::Words(&["f64", "f32", "f16"]),
};

fn order(point: &Point) -> usize {
    point.int(axis::N).unwrap_or(0).max(0) as usize
}

fn kinds(point: &Point) -> (GemmKind, FmaKind) {
    match point.text(axis::TYPE) {
        Some("f32") => (GemmKind::Fp32, FmaKind::F32),
        Some("f16") => (GemmKind::Fp16, FmaKind::F16),
        _ => (GemmKind::Fp64, FmaKind::F64),
    }
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let devices = start.engine.devices()?;
    let point = start.point.clone();
    let make = move |place: &TaskContext<'_>| Load::new(place, order(&point), kinds(&point));
    Ok(Box::new(Watched::new(DeviceTasks::begin(devices, IssueMode::BackToBack, make)?, devices)))
}

/// Blocks of chains that have as many operations as a product; `None` where no whole number of them has.
fn blocks(n: usize, kind: FmaKind) -> Option<u64> {
    let (operations, of_block) = (2 * (n as u64).checked_pow(3)?, u64::from(BLOCK) * kind.operations());
    (operations > 0 && operations.is_multiple_of(of_block)).then(|| operations / of_block)
}

/// The load of one device.
enum Load {
    Product(Box<Product>),
    /// Chains, and why there is no product.
    Chains(Box<Chains>, String),
}

impl Load {
    fn new(place: &TaskContext<'_>, n: usize, (gemm, fma): (GemmKind, FmaKind)) -> Result<Self, DeviceError> {
        let problem = Problem::new(gemm, n, Data::Random);
        let why = match Product::new(place, &problem, false) {
            Ok(product) => return Ok(Load::Product(Box::new(product))),
            Err(DeviceError::Absent(why) | DeviceError::Unsupported(why)) => why,
            Err(other) => return Err(other),
        };
        let blocks = blocks(n, fma).ok_or_else(|| {
            DeviceError::Unsupported(format!(
                "no product of order {n} ({why}), and chains of multiplications have as many operations only where n is a multiple of 256"
            ))
        })?;
        Ok(Load::Chains(Box::new(Chains::new(place, ChainUnits::Vector(fma), blocks)?), why))
    }
}

impl Operation for Load {
    #[inline]
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        match self {
            Load::Product(product) => product.enqueue(queue),
            Load::Chains(chains, _) => chains.enqueue(queue),
        }
    }

    fn may_be_gated(&self) -> bool {
        false
    }

    /// One clock: a second reading would make every sample twice as long.
    fn may_be_marked(&self) -> bool {
        false
    }

    fn commands(&self) -> u64 {
        match self {
            Load::Product(product) => product.commands(),
            Load::Chains(chains, _) => chains.commands(),
        }
    }
}

impl Task for Load {
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError> {
        match self {
            Load::Product(product) => product.verify(queue),
            Load::Chains(chains, why) => {
                let check = chains.verify(queue)?;
                Ok(Check { method: format!("chains of multiplications, since {why}: {}", check.method), ..check })
            }
        }
    }

    fn computes(&self) -> bool {
        true
    }

    fn limit_per_s(&self, device: &Device, clock_hz: Option<f64>) -> Option<f64> {
        match self {
            Load::Product(product) => product.limit_per_s(device, clock_hz),
            Load::Chains(chains, _) => chains.limit_per_s(device, clock_hz),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_have_the_operations_of_the_product_that_they_stand_for() {
        for kind in [FmaKind::F64, FmaKind::F32, FmaKind::F16] {
            let operations = blocks(4096, kind).unwrap() * u64::from(BLOCK) * kind.operations();
            assert_eq!(operations as f64, 2.0 * 4096_f64.powi(3), "{kind:?}");
        }
        assert_eq!(blocks(1000, FmaKind::F64), None);
        assert_eq!(blocks(0, FmaKind::F64), None);
        assert_eq!(blocks(usize::MAX, FmaKind::F64), None);
    }
}
