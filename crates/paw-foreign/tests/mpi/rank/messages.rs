//! Messages between two ranks, communicators, and threads.

use std::rc::Rc;
use std::thread;

use paw_foreign::mpi::{
    Datatype, DerivedDatatype, Memory, Message, MpiError, MpiFault, Part, Periodic, Requests, ThreadLevel,
};

use super::{BLOCK, Rank, value};

const TAG: i32 = 3;

pub(super) fn check(rank: &Rank) -> Result<(), MpiError> {
    blocking(rank)?;
    derived(rank)?;
    requests(rank)?;
    persistent(rank)?;
    partitioned(rank)?;
    misuse(rank)?;
    communicators(rank)?;
    threads(rank)
}

fn blocking(rank: &Rank) -> Result<(), MpiError> {
    let (comm, memory) = (rank.comm, &rank.memory);
    let (out, into) = (rank.out(1), rank.room(1));
    comm.sendrecv(memory, (out, rank.right()), (into, rank.left()), TAG)?;
    rank.expect("MPI_Sendrecv", into, |index| value(rank.left(), index));
    let partner = rank.rank() ^ 1;
    if partner < rank.size() {
        let into = rank.room(1);
        if rank.rank() < partner {
            comm.send(memory, out, partner, TAG)?;
            comm.recv(memory, into, partner, TAG)?;
        } else {
            comm.probe(partner, TAG)?;
            assert!(comm.is_there(partner, TAG)? && !comm.is_there(partner, TAG + 1)?);
            comm.recv(memory, into, partner, TAG)?;
            comm.send(memory, out, partner, TAG)?;
        }
        rank.expect("MPI_Send and MPI_Recv", into, |index| value(partner, index));
    }
    Ok(())
}

/// Elements with gaps on both sides, and other gaps on the other side.
fn derived(rank: &Rank) -> Result<(), MpiError> {
    let (comm, memory, partner) = (rank.comm, &rank.memory, rank.rank() ^ 1);
    let kind = Datatype::Int64;
    assert!(DerivedDatatype::vector(comm.mpi(), 0, 2, kind).is_err(), "no element");
    assert!(DerivedDatatype::indexed(comm.mpi(), &[0, 3, 3], kind).is_err(), "two elements at one place");
    let every_second = DerivedDatatype::vector(comm.mpi(), BLOCK as i32, 2, kind)?;
    let irregular = DerivedDatatype::indexed(comm.mpi(), &[0, 4, 6, 9, 13], kind)?;
    let (out, into) = (every_second.span(0), irregular.span(super::INTO_BYTES));
    assert_eq!((out.len(), into.len()), (9, 14));
    let outside = (memory.size_bytes() - 8 * 8, &every_second);
    assert!(Message::derived(comm, memory, outside, partner, TAG).is_err(), "it lies outside");
    if partner < rank.size() {
        rank.out(2);
        memory.fill(into, 0xff);
        let sent = Message::derived(comm, memory, (0, &every_second), partner, TAG)?;
        let received = Message::derived(comm, memory, (super::INTO_BYTES, &irregular), partner, TAG)?;
        if rank.rank() < partner {
            sent.send()?;
            received.recv()?;
        } else {
            received.recv()?;
            sent.send()?;
        }
        let at = |place: usize| [0, 4, 6, 9, 13].iter().position(|begin| *begin == place);
        rank.expect("MPI_Type_indexed", into, |place| at(place).map_or(-1, |index| value(partner, 2 * index)));
    }
    Ok(())
}

fn requests(rank: &Rank) -> Result<(), MpiError> {
    let (out, into) = (rank.out(1), rank.room(1));
    let mut requests = Requests::new(rank.comm, Rc::clone(&rank.memory), 3);
    requests.irecv(1, into, rank.left(), TAG)?;
    requests.isend(2, out, rank.right(), TAG)?;
    while !requests.test(1)? {}
    requests.wait(2)?;
    requests.wait(0)?;
    rank.expect("MPI_Isend and MPI_Irecv", into, |index| value(rank.left(), index));
    let into = rank.room(1);
    requests.irecv(0, into, rank.left(), TAG)?;
    requests.isend(2, out.empty(), rank.right(), TAG + 1)?;
    let mut acknowledged = Requests::new(rank.comm, Rc::clone(&rank.memory), 2);
    acknowledged.irecv(0, into.empty(), rank.left(), TAG + 1)?;
    acknowledged.isend(1, out, rank.right(), TAG)?;
    while !requests.test_all()? {}
    acknowledged.wait_all()?;
    rank.expect("MPI_Testall", into, |index| value(rank.left(), index));
    // What is in flight when it is dropped stays without harm.
    let mut dropped = Requests::new(rank.comm, Rc::new(Memory::new(8)?), 1);
    dropped.isend(0, Part::new(0, 0, Datatype::Byte), rank.right(), TAG + 2)?;
    drop(dropped);
    rank.comm.recv(&rank.memory, into.empty(), rank.left(), TAG + 2)
}

fn persistent(rank: &Rank) -> Result<(), MpiError> {
    let (out, into) = (rank.out(1), rank.room(1));
    let mut requests = Requests::new(rank.comm, Rc::clone(&rank.memory), 2);
    requests.send_init(0, out, rank.right(), TAG)?;
    requests.recv_init(1, into, rank.left(), TAG)?;
    for _ in 0..3 {
        rank.memory.fill(into, 0xff);
        requests.start(1)?;
        requests.start(0)?;
        requests.wait(0)?;
        requests.wait(1)?;
        rank.expect("MPI_Start", into, |index| value(rank.left(), index));
    }
    rank.memory.fill(into, 0xff);
    requests.start_all()?;
    requests.wait_all()?;
    rank.expect("MPI_Startall", into, |index| value(rank.left(), index));
    Ok(())
}

/// What would harm the memory never reaches the library.
/// A message whose parts become ready from the last to the first.
fn partitioned(rank: &Rank) -> Result<(), MpiError> {
    let (out, into) = (rank.out(2), rank.room(2));
    let mut requests = Requests::new(rank.comm, Rc::clone(&rank.memory), 2);
    let uneven = requests.psend_init(0, (out, 3), rank.right(), TAG).expect_err("ten elements have no third");
    assert_eq!(uneven.to_string(), "10 elements do not divide into 3 equal parts");
    assert!(requests.pready(0, 0).is_err(), "no message is there");
    match requests.psend_init(0, (out, 5), rank.right(), TAG) {
        Err(error) if error.is_absent() => return Ok(()),
        made => made?,
    }
    requests.precv_init(1, (into, 2), rank.left(), TAG)?;
    for _ in 0..2 {
        rank.room(2);
        requests.start_all()?;
        for part in (0..5).rev() {
            assert!(!requests.test(0)?, "a part is not ready yet");
            requests.pready(0, part)?;
        }
        while !(requests.has_arrived(1, 0)? && requests.has_arrived(1, 1)?) {}
        requests.wait_all()?;
        rank.expect("MPI_Psend_init and MPI_Precv_init", into, |index| value(rank.left(), index));
    }
    Ok(())
}

fn misuse(rank: &Rank) -> Result<(), MpiError> {
    let (comm, memory) = (rank.comm, &rank.memory);
    let outside = Part::new(memory.size_bytes() - 8, 2, Datatype::Double);
    let refused = comm.send(memory, outside, rank.right(), TAG).expect_err("it lies outside");
    assert!(matches!(refused.fault(), MpiFault::Outside { .. }), "{refused}");
    let mut requests = Requests::new(comm, Rc::clone(memory), 1);
    requests.irecv(0, rank.room(1), rank.left(), TAG)?;
    assert!(requests.irecv(0, rank.room(1), rank.left(), TAG).is_err(), "a slot in use is refused");
    assert!(requests.irecv(1, rank.room(1), rank.left(), TAG).is_err(), "a slot that is not there is refused");
    comm.send(memory, rank.out(1), rank.right(), TAG)?;
    requests.wait_all()?;
    let refused = comm.send(memory, rank.out(1), rank.size(), TAG).expect_err("there is no such rank");
    assert!(refused.to_string().starts_with("MPI_Send of ") && !refused.is_absent(), "{refused}");
    // More comes in than there is room for.
    let mut sent = Requests::new(comm, Rc::clone(memory), 1);
    sent.isend(0, rank.out(1), rank.right(), TAG)?;
    let small = Part::new(super::INTO_BYTES, 1, Datatype::Int64);
    assert!(comm.recv(memory, small, rank.left(), TAG).is_err(), "a message cut off is an error");
    sent.wait_all()
}

fn communicators(rank: &Rank) -> Result<(), MpiError> {
    let (comm, me, size) = (rank.comm, rank.rank(), rank.size());
    let half = comm.split((me % 2) as i32, -(me as i32))?;
    assert_eq!((half.size(), half.rank()), ((size + 1 - me % 2) / 2, (size - 1 - me) / 2), "{me} of {size}");
    let node = comm.split_shared()?;
    assert_eq!((node.size(), node.rank()), (size, me), "all ranks are on this machine");
    let grid = comm.cartesian(&[size, 1], &[Periodic::Closed, Periodic::Open])?;
    assert_eq!(grid.size(), size);
    assert!(comm.cartesian(&[size + 1], &[Periodic::Open]).is_err(), "a grid has a place for each rank");
    assert!(comm.group(&[size]).is_err(), "a group has ranks that are there");
    [half, node, grid].iter().try_for_each(|comm| comm.free())
}

/// Two threads of each rank send to the next one at the same time, each with a tag of its own.
fn threads(rank: &Rank) -> Result<(), MpiError> {
    if rank.comm.mpi().level() < ThreadLevel::Multiple {
        assert!(rank.comm.across_threads().is_err());
        return Ok(());
    }
    let (comm, left, right) = (rank.comm.across_threads()?, rank.left(), rank.right());
    let run = |tag: i32| {
        let (comm, memory) = (comm.here(), Memory::new(4096)?);
        let parts = [0, 1024].map(|offset| Part::new(offset, BLOCK as i32, Datatype::Int64));
        for round in 0..20 {
            memory.write_integers(0, &[i64::from(tag) * 100 + round; BLOCK]);
            comm.sendrecv(&memory, (parts[0], right), (parts[1], left), tag)?;
            assert_eq!(memory.read_integers(parts[1]), [i64::from(tag) * 100 + round; BLOCK]);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| run(TAG + 1));
        let own = run(TAG);
        other.join().expect("the thread does not panic").and(own)
    })
}
