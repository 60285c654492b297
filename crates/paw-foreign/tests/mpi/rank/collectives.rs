//! Calls of all ranks: blocking, begun and waited for, and persistent.

use std::rc::Rc;

use paw_foreign::mpi::{Counts, Datatype, MpiError, Op, Part, Requests};

use super::{BLOCK, INTO_BYTES, Rank, value};

/// The three ways to make a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Blocking,
    Begun,
    Persistent,
}

pub(super) fn check(rank: &Rank) -> Result<(), MpiError> {
    let has_persistent = rank.comm.mpi().has_persistent_collectives();
    for way in [Way::Blocking, Way::Begun, Way::Persistent] {
        let mut calls = Calls { rank, way, requests: Requests::new(rank.comm, Rc::clone(&rank.memory), 1) };
        if way == Way::Persistent && !has_persistent {
            let absent = calls.barrier().expect_err("the library lacks it");
            assert!(absent.is_absent() && absent.to_string().contains("MPI_Barrier_init"), "{absent}");
            continue;
        }
        for root in [0, rank.size() - 1] {
            rooted(&mut calls, root)?;
        }
        unrooted(&mut calls)?;
    }
    scans(rank)?;
    in_place(rank)?;
    neighbours(rank)?;
    vectors(rank)?;
    begun_vectors(rank)?;
    uneven(rank)
}

struct Calls<'a> {
    rank: &'a Rank,
    way: Way,
    requests: Requests,
}

/// One call in the three ways: `make!(self, barrier ibarrier barrier_init ())`.
macro_rules! make {
    ($self:ident, $blocking:ident $begun:ident $persistent:ident ($($argument:expr),*)) => {{
        let (comm, memory) = ($self.rank.comm, &$self.rank.memory);
        match $self.way {
            Way::Blocking => make!(@ comm memory $blocking ($($argument),*)),
            Way::Begun => $self.requests.$begun(0, $($argument),*)?,
            Way::Persistent => {
                $self.requests.$persistent(0, $($argument),*)?;
                $self.requests.start(0)?;
            }
        }
        $self.requests.wait(0)?;
        // A slot holds a persistent request until it is dropped.
        $self.requests = Requests::new(comm, Rc::clone(memory), 1);
        Ok(())
    }};
    (@ $comm:ident $memory:ident barrier ()) => { $comm.barrier()? };
    (@ $comm:ident $memory:ident $call:ident ($($argument:expr),*)) => { $comm.$call($memory, $($argument),*)? };
}

impl Calls<'_> {
    fn barrier(&mut self) -> Result<(), MpiError> {
        make!(self, barrier ibarrier barrier_init ())
    }
    fn bcast(&mut self, part: Part, root: usize) -> Result<(), MpiError> {
        make!(self, bcast ibcast bcast_init (part, root))
    }
    fn reduce(&mut self, from: Part, into: Part, op: Op, root: usize) -> Result<(), MpiError> {
        make!(self, reduce ireduce reduce_init (from, into, op, root))
    }
    fn gather(&mut self, from: Part, into: Part, root: usize) -> Result<(), MpiError> {
        make!(self, gather igather gather_init (from, into, root))
    }
    fn scatter(&mut self, from: Part, into: Part, root: usize) -> Result<(), MpiError> {
        make!(self, scatter iscatter scatter_init (from, into, root))
    }
    fn allreduce(&mut self, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        make!(self, allreduce iallreduce allreduce_init (from, into, op))
    }
    fn allgather(&mut self, from: Part, into: Part) -> Result<(), MpiError> {
        make!(self, allgather iallgather allgather_init (from, into))
    }
    fn alltoall(&mut self, from: Part, into: Part) -> Result<(), MpiError> {
        make!(self, alltoall ialltoall alltoall_init (from, into))
    }
    fn reduce_scatter_block(&mut self, from: Part, into: Part, op: Op) -> Result<(), MpiError> {
        make!(self, reduce_scatter_block ireduce_scatter_block reduce_scatter_block_init (from, into, op))
    }
}

/// The sum of all ranks' values at `index`.
fn sum(ranks: usize, index: usize) -> i64 {
    (0..ranks).map(|rank| value(rank, index)).sum()
}

fn rooted(calls: &mut Calls<'_>, root: usize) -> Result<(), MpiError> {
    let (rank, size) = (calls.rank, calls.rank.size());
    let is_root = rank.rank() == root;
    let part = if is_root { rank.out(1) } else { Part::new(0, BLOCK as i32, Datatype::Int64) };
    calls.bcast(part, root)?;
    rank.expect("MPI_Bcast", part, |index| value(root, index));
    let (out, into) = (rank.out(1), rank.room(1));
    calls.reduce(out, into, Op::Sum, root)?;
    rank.expect("MPI_Reduce", into, |index| if is_root { sum(size, index) } else { -1 });
    let into = rank.room(size);
    calls.gather(out, into, root)?;
    rank.expect("MPI_Gather", into, |index| if is_root { value(index / BLOCK, index % BLOCK) } else { -1 });
    let (out, into) = (rank.out(size), rank.room(1));
    calls.scatter(out, into, root)?;
    rank.expect("MPI_Scatter", into, |index| value(root, rank.rank() * BLOCK + index));
    Ok(())
}

fn unrooted(calls: &mut Calls<'_>) -> Result<(), MpiError> {
    let (rank, size) = (calls.rank, calls.rank.size());
    calls.barrier()?;
    let (out, into) = (rank.out(1), rank.room(1));
    calls.allreduce(out, into, Op::Sum)?;
    rank.expect("MPI_Allreduce", into, |index| sum(size, index));
    calls.allreduce(out, into, Op::Max)?;
    rank.expect("MPI_Allreduce", into, |index| value(size - 1, index));
    let into = rank.room(size);
    calls.allgather(out, into)?;
    rank.expect("MPI_Allgather", into, |index| value(index / BLOCK, index % BLOCK));
    let (out, into) = (rank.out(size), rank.room(size));
    calls.alltoall(out, into)?;
    rank.expect("MPI_Alltoall", into, |index| value(index / BLOCK, rank.rank() * BLOCK + index % BLOCK));
    let into = rank.room(1);
    calls.reduce_scatter_block(out, into, Op::Sum)?;
    rank.expect("MPI_Reduce_scatter_block", into, |index| sum(size, rank.rank() * BLOCK + index));
    Ok(())
}

fn scans(rank: &Rank) -> Result<(), MpiError> {
    let (out, into, me) = (rank.out(1), rank.room(1), rank.rank());
    rank.comm.scan(&rank.memory, out, into, Op::Sum)?;
    rank.expect("MPI_Scan", into, |index| sum(me + 1, index));
    let mut requests = Requests::new(rank.comm, Rc::clone(&rank.memory), 1);
    requests.iscan(0, out, rank.room(1), Op::Sum)?;
    requests.wait(0)?;
    rank.expect("MPI_Iscan", into, |index| sum(me + 1, index));
    rank.comm.exscan(&rank.memory, out, rank.room(1), Op::Sum)?;
    requests.iexscan(0, out, Part::new(2 * BLOCK * 8, BLOCK as i32, Datatype::Int64), Op::Sum)?;
    requests.wait(0)?;
    if me > 0 {
        rank.expect("MPI_Exscan", into, |index| sum(me, index));
        rank.expect("MPI_Iexscan", Part::new(2 * BLOCK * 8, BLOCK as i32, Datatype::Int64), |index| sum(me, index));
    }
    Ok(())
}

/// Results that replace contributions.
fn in_place(rank: &Rank) -> Result<(), MpiError> {
    let (comm, memory, size, me) = (rank.comm, &rank.memory, rank.size(), rank.rank());
    let out = rank.out(1);
    comm.allreduce_in_place(memory, out, Op::Min)?;
    rank.expect("MPI_Allreduce in place", out, |index| value(0, index));
    let block = |at: usize| Part::new(INTO_BYTES + at * BLOCK * 8, BLOCK as i32, Datatype::Int64);
    let own: Vec<i64> = (0..BLOCK).map(|index| value(me, index)).collect();
    for root in [0, size - 1] {
        let out = rank.out(1);
        comm.reduce_in_place(memory, out, Op::Sum, root)?;
        rank.expect("MPI_Reduce in place", out, |index| if me == root { sum(size, index) } else { value(me, index) });
        let (out, into) = (rank.out(1), rank.room(size));
        memory.write_integers(block(me).offset_bytes(), &own);
        comm.gather_in_place(memory, out, into, root)?;
        let is_there = |from: usize| me == root || from == me;
        let gathered = |at: usize| if is_there(at / BLOCK) { value(at / BLOCK, at % BLOCK) } else { -1 };
        rank.expect("MPI_Gather in place", into, gathered);
        let (out, into) = (rank.out(size), rank.room(1));
        comm.scatter_in_place(memory, out, into, root)?;
        let scattered = |at: usize| if me == root { -1 } else { value(root, me * BLOCK + at) };
        rank.expect("MPI_Scatter in place", into, scattered);
    }
    let into = rank.room(size);
    memory.write_integers(block(me).offset_bytes(), &own);
    comm.allgather_in_place(memory, into)?;
    rank.expect("MPI_Allgather in place", into, |at| value(at / BLOCK, at % BLOCK));
    let out = rank.out(size);
    comm.alltoall_in_place(memory, out)?;
    rank.expect("MPI_Alltoall in place", out, |at| value(at / BLOCK, me * BLOCK + at % BLOCK));
    let out = rank.out(size);
    comm.reduce_scatter_block_in_place(memory, out, Op::Sum)?;
    let first = Part::new(out.offset_bytes(), BLOCK as i32, Datatype::Int64);
    rank.expect("MPI_Reduce_scatter_block in place", first, |at| sum(size, me * BLOCK + at));
    let out = rank.out(1);
    comm.scan_in_place(memory, out, Op::Sum)?;
    rank.expect("MPI_Scan in place", out, |at| sum(me + 1, at));
    let out = rank.out(1);
    comm.exscan_in_place(memory, out, Op::Sum)?;
    if me > 0 {
        rank.expect("MPI_Exscan in place", out, |at| sum(me, at));
    }
    Ok(())
}

fn neighbours(rank: &Rank) -> Result<(), MpiError> {
    let ring = Rank { comm: rank.comm.ring()?, memory: Rc::clone(&rank.memory) };
    let (out, into) = (ring.out(2), ring.room(2));
    let expected = |index: usize| {
        // With two ranks both neighbours are the other one, and which of its blocks comes first is the library's choice
        // of order between equals.
        let from = if index < BLOCK { ring.left() } else { ring.right() };
        value(from, (index + BLOCK) % (2 * BLOCK))
    };
    ring.comm.neighbor_alltoall(&ring.memory, out, into)?;
    let mut requests = Requests::new(ring.comm, Rc::clone(&ring.memory), 1);
    if ring.size() > 2 {
        ring.expect("MPI_Neighbor_alltoall", into, expected);
    }
    let into = ring.room(2);
    let (one, other) = (Part::new(0, BLOCK as i32, Datatype::Int64), Part::new(0, BLOCK as i32 + 1, Datatype::Int64));
    ring.comm.neighbor_allgather(&ring.memory, one, into)?;
    let told = |index: usize| value(if index < BLOCK { ring.left() } else { ring.right() }, index % BLOCK);
    ring.expect("MPI_Neighbor_allgather", into, told);
    assert!(ring.comm.neighbor_allgather(&ring.memory, other, into).is_err(), "not two blocks of this size");
    requests.ineighbor_alltoall(0, out, ring.room(2))?;
    requests.wait_all()?;
    if ring.size() > 2 {
        ring.expect("MPI_Ineighbor_alltoall", into, expected);
    }
    drop(requests);
    ring.comm.free()
}

/// Rank `i` has `i + 1` elements.
fn vectors(rank: &Rank) -> Result<(), MpiError> {
    let (comm, memory, size, me) = (rank.comm, &rank.memory, rank.size(), rank.rank());
    let lengths: Vec<i32> = (1..=size as i32).collect();
    let counts = Counts::packed(&lengths)?;
    let blocks: Vec<(usize, usize)> = (0..size).flat_map(|from| (0..=from).map(move |index| (from, index))).collect();
    let whole = |offset| Part::new(offset, blocks.len() as i32, Datatype::Int64);
    rank.out(size);
    let (own, into) = (Part::new(0, lengths[me], Datatype::Int64), whole(INTO_BYTES));
    comm.allgatherv(memory, own, into, &counts)?;
    rank.expect("MPI_Allgatherv", into, |at| value(blocks[at].0, blocks[at].1));
    memory.fill(into, 0xff);
    comm.gatherv(memory, own, into, &counts, 0)?;
    rank.expect("MPI_Gatherv", into, |at| if me == 0 { value(blocks[at].0, blocks[at].1) } else { -1 });
    let got = Part::new(INTO_BYTES, lengths[me], Datatype::Int64);
    let begin = me * (me + 1) / 2;
    comm.scatterv(memory, whole(0), &counts, got, 0)?;
    rank.expect("MPI_Scatterv", got, |index| value(0, begin + index));
    comm.reduce_scatter(memory, whole(0), got, &counts, Op::Sum)?;
    rank.expect("MPI_Reduce_scatter", got, |index| sum(size, begin + index));
    let equal = Counts::equal(BLOCK as i32, size);
    let (out, into) = (rank.out(size), rank.room(size));
    comm.alltoallv(memory, out, &equal, into, &equal)?;
    rank.expect("MPI_Alltoallv", into, |index| value(index / BLOCK, me * BLOCK + index % BLOCK));
    assert!(comm.allgatherv(memory, own, into, &Counts::equal(1, size + 1)).is_err(), "one block too many");
    Ok(())
}

/// The same, begun and waited for; rank `i` has `i + 1` elements.
fn begun_vectors(rank: &Rank) -> Result<(), MpiError> {
    let (size, me) = (rank.size(), rank.rank());
    let lengths: Vec<i32> = (1..=size as i32).collect();
    let counts = Rc::new(Counts::packed(&lengths)?);
    let blocks: Vec<(usize, usize)> = (0..size).flat_map(|from| (0..=from).map(move |index| (from, index))).collect();
    let whole = |offset| Part::new(offset, blocks.len() as i32, Datatype::Int64);
    rank.out(size);
    let (own, into) = (Part::new(0, lengths[me], Datatype::Int64), whole(INTO_BYTES));
    let mut requests = Requests::new(rank.comm, Rc::clone(&rank.memory), 1);
    requests.iallgatherv(0, own, into, &counts)?;
    requests.wait(0)?;
    rank.expect("MPI_Iallgatherv", into, |at| value(blocks[at].0, blocks[at].1));
    rank.memory.fill(into, 0xff);
    requests.igatherv(0, own, into, &counts, size - 1)?;
    requests.wait(0)?;
    rank.expect("MPI_Igatherv", into, |at| if me == size - 1 { value(blocks[at].0, blocks[at].1) } else { -1 });
    let got = Part::new(INTO_BYTES, lengths[me], Datatype::Int64);
    requests.iscatterv(0, whole(0), &counts, got, size - 1)?;
    requests.wait(0)?;
    rank.expect("MPI_Iscatterv", got, |index| value(size - 1, me * (me + 1) / 2 + index));
    let (out, into) = (rank.out(size), rank.room(size));
    // Nobody else keeps these counts while the call is in flight.
    let equal = || Rc::new(Counts::equal(BLOCK as i32, size));
    requests.ialltoallv(0, out, &equal(), into, &equal())?;
    requests.wait(0)?;
    rank.expect("MPI_Ialltoallv", into, |index| value(index / BLOCK, me * BLOCK + index % BLOCK));
    assert!(requests.iallgatherv(0, own, into, &Rc::new(Counts::equal(1, size + 1))).is_err(), "one block too many");
    Ok(())
}

/// Parts that are not so many blocks never reach the library.
fn uneven(rank: &Rank) -> Result<(), MpiError> {
    let (comm, memory) = (rank.comm, &rank.memory);
    let one = Part::new(0, 3, Datatype::Int64);
    let odd = Part::new(INTO_BYTES, 3 * rank.size() as i32 + 1, Datatype::Int64);
    assert!(comm.gather(memory, one, odd, 0).is_err());
    assert!(comm.scatter(memory, odd, one, 0).is_err());
    assert!(comm.allgather(memory, one, odd).is_err());
    assert!(rank.size() == 1 || comm.alltoall(memory, odd, one).is_err());
    assert!(comm.allreduce(memory, one, Part::new(memory.size_bytes(), 3, Datatype::Int64), Op::Sum).is_err());
    comm.barrier()
}
