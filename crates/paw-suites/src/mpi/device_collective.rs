//! Collectives between the ranks' devices, by NCCL or RCCL: `nccl_allreduce` and its like.
//!
//! A region lasts from the first call, which queues work on the device, until the queue is done, as in nccl-tests; what is counted is
//! what nccl-tests counts (PERFORMANCE.md).

use std::rc::Rc;

use paw_data::axis;
use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_foreign::mpi::Part;
use paw_foreign::nccl::{Communicator, NcclError, Transfer};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{CADENCE, CollectiveKind, N, PLACE, TOGETHER};
use super::collective_kind::{ALLGATHER as GATHERED, ALLREDUCE as SUM, ALLTOALL as BLOCKS, BROADCAST as GIVEN};
use super::collective_kind::{REDUCE as SUM_AT_ROOT, REDUCE_SCATTER as SCATTERED, SENDRECV as PASSED};
use super::device_collectives::failed;
use super::extent::Extent;
use super::rank_buffers::{ROOT, RankBuffers};
use crate::benchmark::{Axis, Benchmark, Common, Providers, Start, Values};
use crate::teamwork::{Carrier, Teamwork};

/// The ladder: from what a call costs to what links carry.
const SIZES: Axis = Axis { values: Values::Ints(&[1, 1024, 65_536, 1_048_576, 16_777_216]), ..N };
/// The ladder where n elements of every rank meet on one device.
const SIZES_OF_EACH: Axis = Axis { values: Values::Ints(&[1, 1024, 65_536, 2_097_152]), ..N };

const WITH_PLACE: &[Axis] = &[SIZES, CADENCE, PLACE];
const OF_EACH_WITH_PLACE: &[Axis] = &[SIZES_OF_EACH, CADENCE, PLACE];

const fn on_devices(kind: &CollectiveKind, axes: &'static [Axis]) -> Common {
    Common {
        family: Family::DeviceCollectives,
        providers: Providers::Mpi(Teamwork { carrier: Carrier::Devices, ..TOGETHER }),
        axes,
        variables: &["PAW_MPI_LIBRARY", "PAW_CUDA_LIBRARY", "PAW_NCCL_LIBRARY", "PAW_HIP_LIBRARY", "PAW_RCCL_LIBRARY"],
        by_name: true,
        ..kind.common()
    }
}

/// The sum on every rank's device.
pub const ALLREDUCE: Benchmark = SUM
    .own(
        "nccl_allreduce",
        "How long until every rank's device holds the sum over all devices?",
        "ncclAllReduce, ncclSum of doubles; at the end of the region, the stream's synchronisation",
        |start| {
            begin(start, &SUM, |all, buffers| all.all_reduce(&buffers.memory, buffers.contribution(), buffers.into))
        },
    )
    .of(on_devices(&SUM, WITH_PLACE))
    .alternatives(axis::PLACE, axis::SEPARATE);

/// The root's elements on every rank's device.
pub const BROADCAST: Benchmark = GIVEN
    .own(
        "nccl_broadcast",
        "How long until every rank's device holds what the root's had?",
        "ncclBroadcast from rank 0; at the end of the region, the stream's synchronisation",
        |start| {
            begin(start, &GIVEN, |all, buffers| {
                all.broadcast(&buffers.memory, buffers.contribution(), buffers.into, ROOT)
            })
        },
    )
    .of(on_devices(&GIVEN, WITH_PLACE))
    .alternatives(axis::PLACE, axis::SEPARATE);

/// The sum on the root's device.
pub const REDUCE: Benchmark = SUM_AT_ROOT
    .own(
        "nccl_reduce",
        "How long until the root's device holds the sum over all devices?",
        "ncclReduce to rank 0, ncclSum of doubles; at the end of the region, the stream's synchronisation",
        |start| {
            begin(start, &SUM_AT_ROOT, |all, buffers| {
                all.reduce(&buffers.memory, buffers.contribution(), buffers.into, ROOT)
            })
        },
    )
    .of(on_devices(&SUM_AT_ROOT, WITH_PLACE))
    .alternatives(axis::PLACE, axis::SEPARATE);

/// Every rank's elements on every rank's device.
pub const ALLGATHER: Benchmark = GATHERED
    .own(
        "nccl_allgather",
        "How long until every rank's device holds what all devices contribute?",
        "ncclAllGather; at the end of the region, the stream's synchronisation",
        |start| {
            begin(start, &GATHERED, |all, buffers| {
                all.all_gather(&buffers.memory, buffers.contribution(), buffers.into)
            })
        },
    )
    .of(on_devices(&GATHERED, OF_EACH_WITH_PLACE))
    .alternatives(axis::PLACE, axis::SEPARATE);

/// A block of the sum on each rank's device.
pub const REDUCE_SCATTER: Benchmark = SCATTERED
    .own(
        "nccl_reduce_scatter",
        "How long until every rank's device holds its block of the sum over all devices?",
        "ncclReduceScatter, ncclSum of doubles; at the end of the region, the stream's synchronisation",
        |start| {
            begin_with(start, RankBuffers::scattering_on_device, &SCATTERED, |all, buffers| {
                all.reduce_scatter(&buffers.memory, buffers.contribution(), buffers.result())
            })
        },
    )
    .of(on_devices(&SCATTERED, OF_EACH_WITH_PLACE))
    .alternatives(axis::PLACE, axis::SEPARATE);

/// A different block from every rank's device to every rank's device, which NCCL has as messages.
pub const ALLTOALL: Benchmark = BLOCKS
    .own(
        "nccl_alltoall",
        "How long until every rank's device has sent every other something else?",
        "ncclGroupStart, ncclSend and ncclRecv of each rank, ncclGroupEnd; at the end of the region, the stream's synchronisation",
        |start| {
            begin(start, &BLOCKS, |all, buffers| {
                let blocks = |of: Part| (0..all.size()).map(move |rank| (block(of, buffers.n, rank), rank));
                all.exchange(&buffers.memory, blocks(buffers.from), blocks(buffers.into))
            })
        },
    )
    .of(on_devices(&BLOCKS, &[SIZES_OF_EACH, CADENCE]));

/// Every rank's elements on the device of the rank after it.
pub const SENDRECV: Benchmark = PASSED
    .own(
        "nccl_sendrecv",
        "How long until every rank's device has sent its elements to the next rank's, in a ring?",
        "ncclGroupStart, ncclSend to the next rank, ncclRecv from the one before, ncclGroupEnd; at the end of the region, the stream's synchronisation",
        |start| {
            begin(start, &PASSED, |all, buffers| {
                let (before, next) = buffers.neighbours();
                let only = |transfer: Transfer| std::iter::once(transfer);
                all.exchange(&buffers.memory, only((buffers.from, next)), only((buffers.into, before)))
            })
        },
    )
    .of(on_devices(&PASSED, &[SIZES, CADENCE]));

/// The block of `rank` in a part that has n elements for each.
fn block(part: Part, n: usize, rank: usize) -> Part {
    Part::new(part.offset_bytes() + rank * n * part.kind().bytes(), n as i32, part.kind())
}

/// A call, which queues its work.
type Call = fn(&Communicator, &RankBuffers) -> Result<(), NcclError>;

/// A timed collective: its call, and the kind that knows its result.
struct DeviceCollective {
    communicator: Rc<Communicator>,
    buffers: RankBuffers,
    call: Call,
    kind: &'static CollectiveKind,
}

/// Allocates and fills a rank's buffers for contributions and results of these lengths.
type Allocate = fn(&Start<'_>, (Extent, Extent)) -> Result<RankBuffers, Fault>;

fn begin(start: &Start<'_>, kind: &'static CollectiveKind, call: Call) -> Result<Box<dyn Timed>, Fault> {
    begin_with(start, RankBuffers::on_device, kind, call)
}

fn begin_with(
    start: &Start<'_>,
    allocate: Allocate,
    kind: &'static CollectiveKind,
    call: Call,
) -> Result<Box<dyn Timed>, Fault> {
    // All ranks join before any of them may find that it has no memory.
    let communicator = start.engine.world()?.device_communicator()?;
    let buffers = allocate(start, kind.extents)?;
    Ok(Box::new(DeviceCollective { communicator, buffers, call, kind }))
}

impl Timed for DeviceCollective {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        for _ in 0..loops {
            (self.call)(&self.communicator, &self.buffers).map_err(failed)?;
        }
        self.communicator.wait().map_err(failed)?;
        let stop = clock.stop();
        self.communicator.late_error().map_err(failed)?;
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.buffers.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.kind.check(&self.buffers))
    }
}
