//! Exchange with both neighbours in a ring of ranks: `exchange`, `neighbor_alltoall`.

use std::rc::Rc;

use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::{Comm, Datatype, Part, Requests};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{self, COLLECTIVE, Extent, RankBuffers, bytes};
use super::error::broken;
use super::pair::{TAG, message_bytes};
use crate::answer;
use crate::benchmark::{Benchmark, Common, Own, Start};

/// Halo exchange in one dimension, by messages.
pub const EXCHANGE: Benchmark = Own {
    name: "exchange",
    purpose: "How long does a halo exchange take: every rank sends to both its neighbours in a ring and receives from both?",
    timed: "2 x MPI_Irecv, 2 x MPI_Isend, MPI_Waitall",
    formula: "2*8*n*ranks",
    work,
    start: exchange,
}
.of(Common {
    family: Family::Pairs,
    headline: Quantity::Time,
    memory_bytes: |point| bytes(point, Extent::Times(2), Extent::Times(2)),
    ..COLLECTIVE
})
.quick(&[]);

/// Halo exchange in one dimension, by one collective call.
pub const NEIGHBOR_ALLTOALL: Benchmark = Own {
    name: "neighbor_alltoall",
    purpose: "How long does a halo exchange take as one collective call over a ring?",
    timed: "MPI_Neighbor_alltoall on a periodic Cartesian communicator of one dimension",
    formula: "2*8*n*ranks",
    work,
    start: neighbor_alltoall,
}
.of(Common { family: Family::Collectives, ..EXCHANGE.common })
.quick(&[]);

fn work(point: &Point) -> Work {
    let messages = 2.0 * collective::ranks(point);
    Work { bytes: messages * message_bytes(point), messages, ..Work::default() }
}

/// A rank and its neighbours; in both buffers the left neighbour's part comes first.
struct Ring {
    buffers: RankBuffers,
    left: usize,
    right: usize,
}

impl Ring {
    fn new(start: &Start<'_>) -> Result<Self, Fault> {
        let buffers = RankBuffers::new(start, (Extent::Times(2), Extent::Times(2)))?;
        let (rank, size) = (buffers.comm.rank(), buffers.comm.size());
        Ok(Self { left: (rank + size - 1) % size, right: (rank + 1) % size, buffers })
    }

    fn check(&self) -> Check {
        let n = self.buffers.n;
        // From the left neighbour comes the part it sent to its right, and vice versa.
        self.buffers.check(|buffers, index| {
            Some(if index < n { buffers.value(self.left, n + index) } else { buffers.value(self.right, index - n) })
        })
    }
}

/// The first or second half of `part`.
fn half(part: Part, n: usize, second: usize) -> Part {
    Part::new(part.offset_bytes() + second * n * part.kind().bytes(), n as i32, Datatype::Double)
}

/// Tags that distinguish messages to the left from messages to the right: with two ranks both come from the same rank.
const LEFTWARD: i32 = TAG + 1;
const RIGHTWARD: i32 = TAG + 2;

struct Exchange {
    ring: Ring,
    requests: Requests,
}

fn exchange(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let ring = Ring::new(start)?;
    let requests = Requests::new(ring.buffers.comm, Rc::clone(&ring.buffers.memory), 4);
    Ok(Box::new(Exchange { ring, requests }))
}

impl Timed for Exchange {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let Self { ring: Ring { buffers, left, right }, requests } = self;
        let [out_left, out_right] = [0, 1].map(|second| half(buffers.from, buffers.n, second));
        let [in_left, in_right] = [0, 1].map(|second| half(buffers.into, buffers.n, second));
        let start = clock.start();
        for _ in 0..loops {
            requests.irecv(0, in_left, *left, RIGHTWARD).map_err(broken)?;
            requests.irecv(1, in_right, *right, LEFTWARD).map_err(broken)?;
            requests.isend(2, out_left, *left, LEFTWARD).map_err(broken)?;
            requests.isend(3, out_right, *right, RIGHTWARD).map_err(broken)?;
            requests.wait_all().map_err(broken)?;
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.ring.buffers.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.ring.check())
    }
}

struct Neighbours {
    ring: Ring,
    cartesian: Comm,
}

fn neighbor_alltoall(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let ring = Ring::new(start)?;
    let cartesian = ring.buffers.comm.ring().map_err(broken)?;
    Ok(Box::new(Neighbours { ring, cartesian }))
}

impl Timed for Neighbours {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let Self { ring: Ring { buffers, .. }, cartesian } = self;
        let start = clock.start();
        for _ in 0..loops {
            cartesian.neighbor_alltoall(&buffers.memory, buffers.from, buffers.into).map_err(broken)?;
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.ring.buffers.refill();
        self.time(1, &Clock::monotonic())?;
        if self.ring.buffers.comm.size() == 2 {
            // With two ranks both neighbours are the same rank, and the order of its messages is the library's choice.
            return Ok(self.either_order());
        }
        Ok(self.ring.check())
    }
}

impl Neighbours {
    fn either_order(&self) -> Check {
        let (buffers, n) = (&self.ring.buffers, self.ring.buffers.n);
        let crossed = self.ring.check();
        let straight = buffers.check(|buffers, index| Some(buffers.value(self.ring.left, index)));
        let is_right = [&crossed, &straight].iter().any(|check| check.error == 0.0);
        answer::exact(
            "both neighbours' patterns, every element",
            (!is_right).then(|| format!("{}, n = {n}", crossed.note)),
        )
    }
}

impl Drop for Neighbours {
    fn drop(&mut self) {
        // Freeing is collective, and all ranks end a benchmark together; an error shows in the next call.
        let _ = self.cartesian.free();
    }
}
