//! One-sided communication under each way to synchronise it.

use std::rc::Rc;

use paw_foreign::mpi::{Datatype, LockKind, Memory, MpiError, MpiFault, Op, Part, Requests, Window};

use super::{BLOCK, Rank, value};

/// Bytes that each rank shows.
const SHOWN_BYTES: usize = 1024;

/// Where what all ranks change stands.
const AT: usize = 512;

pub(super) fn check(rank: &Rank) -> Result<(), MpiError> {
    let shown = Rc::new(Memory::new(SHOWN_BYTES)?);
    // All ranks of these jobs are on one node.
    let shared = Window::allocate_shared(rank.comm, SHOWN_BYTES)?;
    let mut windows = vec![Window::allocate(rank.comm, SHOWN_BYTES)?, shared];
    // Open MPI 4 refuses to create a window for one rank.
    if rank.size() > 1 {
        let created = Window::create(rank.comm, Rc::clone(&shown))?;
        // In an allocated window Open MPI 4 crashes in this call.
        swap(rank, &created)?;
        rank.comm.barrier()?;
        shown.fill(Part::new(0, SHOWN_BYTES as i32, Datatype::Byte), 0);
        windows.push(created);
        windows.push(Window::attach(rank.comm, Rc::new(Memory::new(SHOWN_BYTES)?))?);
        // One that is left is given back at the end.
        drop(Window::create(rank.comm, shown)?);
    }
    for window in windows {
        assert_eq!(window.size_bytes(), SHOWN_BYTES);
        assert_eq!(window.memory().read(block()), vec![0; block().bytes()], "a window begins with zeros");
        fences(rank, &window)?;
        epochs(rank, &window)?;
        locks(rank, &window)?;
        atomics(rank, &window)?;
        requests(rank, &window)?;
        outside(rank, &window);
        window.free()?;
    }
    Ok(())
}

fn block() -> Part {
    Part::new(0, BLOCK as i32, Datatype::Int64)
}

/// Panics where the window of this rank does not hold what `from` put there.
fn expect_shown(rank: &Rank, window: &Window, from: usize) {
    let expected: Vec<i64> = (0..BLOCK).map(|index| value(from, index)).collect();
    assert_eq!(window.memory().read_integers(block()), expected, "the window of rank {}", rank.rank());
}

fn fences(rank: &Rank, window: &Window) -> Result<(), MpiError> {
    let (out, into) = (rank.out(1), rank.room(1));
    window.fence()?;
    window.put(&rank.memory, out, rank.right(), 0)?;
    window.fence()?;
    expect_shown(rank, window, rank.left());
    window.get(&rank.memory, into, rank.right(), 0)?;
    window.fence()?;
    rank.expect("MPI_Get between fences", into, |index| value(rank.rank(), index));
    window.accumulate(&rank.memory, out, rank.left(), 0, Op::Sum)?;
    window.fence()?;
    let found = window.memory().read_integers(block());
    let expected: Vec<i64> = (0..BLOCK).map(|index| value(rank.left(), index) + value(rank.right(), index)).collect();
    assert_eq!(found, expected, "MPI_Accumulate on rank {}", rank.rank());
    window.fence()
}

fn epochs(rank: &Rank, window: &Window) -> Result<(), MpiError> {
    let partner = rank.rank() ^ 1;
    if partner < rank.size() {
        let (group, out) = (rank.comm.group(&[partner])?, rank.out(1));
        if rank.rank() < partner {
            window.start(&group)?;
            window.put(&rank.memory, out, partner, 0)?;
            window.complete()?;
        } else {
            window.post(&group)?;
            window.wait()?;
            expect_shown(rank, window, partner);
        }
    }
    rank.comm.barrier()
}

fn locks(rank: &Rank, window: &Window) -> Result<(), MpiError> {
    let (out, into) = (rank.out(1), rank.room(1));
    for kind in [LockKind::Exclusive, LockKind::Shared] {
        rank.comm.barrier()?;
        window.lock(rank.right(), kind)?;
        window.put(&rank.memory, out, rank.right(), 0)?;
        window.flush(rank.right())?;
        window.get(&rank.memory, into, rank.right(), 0)?;
        window.unlock(rank.right())?;
        rank.expect("MPI_Get under a lock", into, |index| value(rank.rank(), index));
    }
    rank.comm.barrier()?;
    window.lock_all()?;
    window.get(&rank.memory, into, rank.rank(), 0)?;
    window.flush_local(rank.rank())?;
    window.sync()?;
    window.flush_all()?;
    window.unlock_all()?;
    rank.expect("MPI_Get of one's own", into, |index| value(rank.left(), index));
    rank.comm.barrier()
}

/// All ranks add one to a counter of rank 0, each seeing another value.
fn atomics(rank: &Rank, window: &Window) -> Result<(), MpiError> {
    let (memory, size) = (&rank.memory, rank.size() as i64);
    let [one, fetched] = [0, 64].map(|offset| Part::new(offset, 1, Datatype::Int64));
    window.memory().write_integers(AT, &[0]);
    memory.write_integers(0, &[1]);
    window.lock_all()?;
    rank.comm.barrier()?;
    window.fetch_and_op(memory, one, fetched, 0, AT, Op::Sum)?;
    window.flush(0)?;
    let seen = memory.read_integers(fetched)[0];
    assert!((0..2 * size).contains(&seen), "MPI_Fetch_and_op gave {seen}");
    window.get_accumulate(memory, (one, fetched), 0, AT, Op::Sum)?;
    window.flush(0)?;
    rank.comm.barrier()?;
    window.fetch_and_op(memory, one, fetched, 0, AT, Op::NoOp)?;
    window.flush(0)?;
    assert_eq!(memory.read_integers(fetched), [2 * size], "MPI_Fetch_and_op and MPI_Get_accumulate");
    window.unlock_all()?;
    rank.comm.barrier()
}

/// All other ranks ask to swap a zero of rank 0, and one of them does.
fn swap(rank: &Rank, window: &Window) -> Result<(), MpiError> {
    let memory = &rank.memory;
    let [own, compared, fetched] = [0, 64, 128].map(|offset| Part::new(offset, 1, Datatype::Int64));
    window.memory().write_integers(AT, &[0]);
    memory.write_integers(0, &[1000 + rank.rank() as i64]);
    memory.write_integers(64, &[0]);
    window.lock_all()?;
    rank.comm.barrier()?;
    // Open MPI 4 crashes where a rank asks itself.
    memory.write_integers(128, &[-1]);
    if rank.rank() > 0 {
        window.compare_and_swap(memory, own, compared, fetched, 0, AT)?;
        window.flush(0)?;
    }
    window.unlock_all()?;
    let won = i64::from(memory.read_integers(fetched) == [0]);
    memory.write_integers(0, &[won]);
    rank.comm.allreduce_in_place(memory, own, Op::Sum)?;
    assert_eq!(memory.read_integers(own), [1], "one rank wins MPI_Compare_and_swap");
    Ok(())
}

fn requests(rank: &Rank, window: &Window) -> Result<(), MpiError> {
    let (out, into) = (rank.out(1), rank.room(1));
    let mut requests = Requests::new(rank.comm, Rc::clone(&rank.memory), 3);
    rank.comm.barrier()?;
    window.lock_all()?;
    window.rput(&mut requests, 0, out, rank.right(), 0)?;
    requests.wait(0)?;
    window.flush(rank.right())?;
    window.rget(&mut requests, 1, into, rank.right(), 0)?;
    requests.wait(1)?;
    rank.expect("MPI_Rput and MPI_Rget", into, |index| value(rank.rank(), index));
    window.raccumulate(&mut requests, 2, out, rank.right(), 0, Op::Replace)?;
    requests.wait_all()?;
    window.unlock_all()?;
    rank.comm.barrier()?;
    expect_shown(rank, window, rank.left());
    rank.comm.barrier()
}

/// What lies outside of the window never reaches the library.
fn outside(rank: &Rank, window: &Window) {
    let refused = window.put(&rank.memory, rank.out(1), rank.right(), SHOWN_BYTES - 8).expect_err("it lies outside");
    assert!(matches!(refused.fault(), MpiFault::Outside { .. }), "{refused}");
}
