//! Exercises with messages between two ranks.

use std::time::Instant;

use crate::mpi::*;

/// Every rank sends to every rank, itself among them, two messages with two tags; they are taken in the order of the tags asked for.
pub fn messages() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    for to in 0..size {
        for (tag, value) in [(7, 100), (5, 200), (7, 300)] {
            ok!(MPI_Send(sent(&[rank + value]), 1, INT, to, tag, WORLD));
        }
    }
    for from in 0..size {
        let mut status = Status::default();
        ok!(MPI_Probe(from, 7, WORLD, &mut status));
        assert_eq!((status.source, status.tag), (from, 7));
        for (tag, value) in [(5, 200), (7, 100), (7, 300)] {
            let (mut seen, mut status) = ([-1; 3], Status::default());
            ok!(MPI_Recv(got(&mut seen), 2, INT, from, tag, WORLD, &mut status));
            assert_eq!((seen, status.source, status.tag), ([from + value, -1, -1], from, tag));
            let mut count = -1;
            ok!(MPI_Get_count(&status, INT, &mut count));
            assert_eq!(count, 1);
        }
    }
    let mut flag = 1;
    ok!(MPI_Barrier(WORLD));
    ok!(MPI_Iprobe(-1, -2, WORLD, &mut flag, std::ptr::null_mut()));
    assert_eq!(flag, 0, "nothing is left");
    ok!(MPI_Barrier(WORLD));
    wildcards(rank, size);
}

fn wildcards(rank: i32, size: i32) {
    if rank != 0 {
        return ok!(MPI_Send(sent(&[rank]), 1, INT, 0, rank + 10, WORLD));
    }
    let mut sum = 0;
    for _ in 1..size {
        let (mut seen, mut status) = ([0], Status::default());
        ok!(MPI_Recv(got(&mut seen), 1, INT, -1, -2, WORLD, &mut status));
        assert_eq!((status.source, status.tag), (seen[0], seen[0] + 10));
        sum += seen[0];
    }
    assert_eq!(sum, size * (size - 1) / 2);
    let (mut seen, mut status) = ([3], Status::default());
    ok!(MPI_Recv(got(&mut seen), 1, INT, -3, 0, WORLD, &mut status));
    assert_eq!((seen, status.source, status.tag), ([3], -3, -2), "nobody sends nothing");
}

fn pattern(n: usize, seed: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 31 + seed * 17 + i / 251) as u8).collect()
}

/// Round a ring, from nothing to more than any ring of bytes holds, both as blocking sends in both directions at once.
pub fn sizes() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let (next, last) = ((rank + 1) % size, (rank + size - 1) % size);
    for n in [0, 1, 8, 1000, 16384, 16385, 100_000, 1 << 20, 8 << 20] {
        let (out, mut here) = (pattern(n, rank as usize), vec![0; n + 4]);
        ok!(MPI_Sendrecv(
            sent(&out),
            n as i32,
            BYTE,
            next,
            1,
            got(&mut here),
            n as i32 + 4,
            BYTE,
            last,
            1,
            WORLD,
            std::ptr::null_mut()
        ));
        assert!(here[..n] == pattern(n, last as usize), "{n} bytes");
        assert_eq!(here[n..], [0; 4]);
        ok!(MPI_Send(sent(&out), n as i32, BYTE, next, 2, WORLD));
        ok!(MPI_Recv(got(&mut here), n as i32, BYTE, last, 2, WORLD, std::ptr::null_mut()));
        assert!(here[..n] == pattern(n, last as usize), "{n} bytes, blocking");
    }
}

pub fn requests() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let (next, last) = ((rank + 1) % size, (rank + size - 1) % size);
    let out: Vec<i32> = (0..32).map(|i| rank * 100 + i).collect();
    let mut here = vec![-1; 32];
    let mut handles = vec![NULL_REQUEST; 64];
    for i in 0..32 {
        ok!(MPI_Irecv(got(&mut here[i..=i]), 1, INT, last, i as i32, WORLD, &mut handles[i]));
    }
    for i in 0..32 {
        ok!(MPI_Isend(sent(&out[i..=i]), 1, INT, next, i as i32, WORLD, &mut handles[32 + i]));
    }
    let mut statuses = vec![Status::default(); 64];
    ok!(MPI_Waitall(64, handles.as_mut_ptr(), statuses.as_mut_ptr()));
    assert_eq!(here, (0..32).map(|i| last * 100 + i).collect::<Vec<_>>());
    assert!(handles.iter().all(|handle| *handle == NULL_REQUEST));
    assert!((0..32).all(|i| (statuses[i].source, statuses[i].tag, statuses[i].error) == (last, i as i32, 0)));
    started_again(rank, (next, last));
}

fn started_again(rank: i32, (next, last): (i32, i32)) {
    let (mut out, mut here) = ([0.0], [0.0]);
    let mut both = [NULL_REQUEST; 2];
    ok!(MPI_Send_init(out.as_ptr().cast(), 1, DOUBLE, next, 4, WORLD, &mut both[0]));
    ok!(MPI_Recv_init(got(&mut here), 1, DOUBLE, last, 4, WORLD, &mut both[1]));
    for round in 0..5 {
        // The library reads and writes both behind the compiler's back, by the address it was given.
        std::hint::black_box(&mut out)[0] = f64::from(rank + round);
        ok!(MPI_Startall(2, both.as_mut_ptr()));
        let mut flag = 0;
        while flag == 0 {
            ok!(MPI_Testall(2, both.as_mut_ptr(), &mut flag, std::ptr::null_mut()));
        }
        assert_eq!(std::hint::black_box(&mut here)[0], f64::from(last + round));
    }
    let mut flag = 0;
    ok!(MPI_Test(&mut both[0], &mut flag, std::ptr::null_mut()));
    assert_eq!(flag, 1, "a request that is not started is done");
    for request in &mut both {
        assert_ne!(*request, NULL_REQUEST, "persistent requests stay");
        ok!(MPI_Request_free(request));
        assert_eq!(*request, NULL_REQUEST);
    }
}

/// Four threads a rank, each with a tag of its own.
pub fn threads() {
    let peer = 1 - rank_in(WORLD);
    std::thread::scope(|scope| {
        for tag in 0..4 {
            scope.spawn(move || {
                for round in 0..200 {
                    let mut here = [-1];
                    ok!(MPI_Send(sent(&[tag * 1000 + round]), 1, INT, peer, tag, WORLD));
                    ok!(MPI_Recv(got(&mut here), 1, INT, peer, tag, WORLD, std::ptr::null_mut()));
                    assert_eq!(here, [tag * 1000 + round]);
                }
            });
        }
    });
}

/// A datatype that `make` makes, committed.
fn committed(make: impl FnOnce(*mut Handle) -> i32) -> Handle {
    let mut made = 0;
    assert_eq!(make(&mut made), 0);
    ok!(MPI_Type_commit(&mut made));
    made
}

/// Three integers with gaps go from rank 0 to other gaps of rank 1: blocking, by requests, and made once.
pub fn datatypes() {
    // SAFETY: the arrays have as many elements as their counts say, and the calls write one handle.
    let vector = || committed(|new| unsafe { MPI_Type_vector(3, 1, 2, INT, new) });
    // SAFETY: as above.
    let indexed = || committed(|new| unsafe { MPI_Type_indexed(3, [1; 3].as_ptr(), [0, 3, 5].as_ptr(), INT, new) });
    let (mut size, is_sender) = (0, rank_in(WORLD) == 0);
    let mut kind = if is_sender { vector() } else { indexed() };
    ok!(MPI_Type_size(kind, &mut size));
    assert_eq!(size, 12);
    let (out, mut here) = ([1, -2, 3, -4, 5, -6], [-1; 7]);
    let none = std::ptr::null_mut();
    let mut requests = [NULL_REQUEST; 2];
    if is_sender {
        ok!(MPI_Send(sent(&out), 1, kind, 1, 1, WORLD));
        ok!(MPI_Isend(sent(&out), 1, kind, 1, 2, WORLD, &mut requests[0]));
        ok!(MPI_Send_init(sent(&out), 1, kind, 1, 3, WORLD, &mut requests[1]));
    } else {
        ok!(MPI_Recv(got(&mut here), 1, kind, 0, 1, WORLD, none));
        assert_eq!(here, [1, -1, -1, 3, -1, 5, -1]);
        here.fill(-1);
        ok!(MPI_Irecv(got(&mut here), 1, kind, 0, 2, WORLD, &mut requests[0]));
    }
    ok!(MPI_Wait(&mut requests[0], none));
    if is_sender {
        ok!(MPI_Start(&mut requests[1]));
        ok!(MPI_Wait(&mut requests[1], none));
        ok!(MPI_Request_free(&mut requests[1]));
    } else {
        assert_eq!(here, [1, -1, -1, 3, -1, 5, -1]);
        let mut together = [-1; 3];
        ok!(MPI_Recv(got(&mut together), 3, INT, 0, 3, WORLD, none));
        assert_eq!(together, [1, 3, 5], "what was sent with gaps may be received without");
    }
    ok!(MPI_Type_free(&mut kind));
    assert_eq!(kind, 0x200);
}

/// Prints what half a round trip takes, by the least and the lower quartile of many.
pub fn ping_pong() {
    let rank = rank_in(WORLD);
    for n in [8, 65544] {
        let mut buffer = vec![0u8; n];
        let mut halves: Vec<f64> = (0..600).map(|_| round_trip_us(rank, &mut buffer) / 2.0).collect();
        halves.sort_by(f64::total_cmp);
        if rank == 0 {
            println!("\nminimum of {n}: {}\nlower quartile of {n}: {}", halves[0], halves[halves.len() / 4]);
        }
    }
}

fn round_trip_us(rank: i32, buffer: &mut [u8]) -> f64 {
    let n = buffer.len() as i32;
    let start = Instant::now();
    for turn in [rank, 1 - rank] {
        if turn == 0 {
            ok!(MPI_Send(sent(buffer), n, BYTE, 1 - rank, 1, WORLD));
        } else {
            ok!(MPI_Recv(got(buffer), n, BYTE, 1 - rank, 1, WORLD, std::ptr::null_mut()));
        }
    }
    start.elapsed().as_secs_f64() * 1e6
}

pub fn errors() {
    ok!(MPI_Comm_set_errhandler(WORLD, ERRORS_RETURN));
    let rank = rank_in(WORLD);
    // SAFETY: nothing is read of an empty buffer, and the rank does not exist.
    let code = unsafe { MPI_Send(sent::<u8>(&[]), 0, BYTE, 99, 0, WORLD) };
    let (mut text, mut length) = ([0; 512], 0);
    ok!(MPI_Error_string(code, text.as_mut_ptr(), &mut length));
    let text = String::from_utf8_lossy(&text[..length as usize]).into_owned();
    assert!(text.contains("MPI_ERR_RANK"), "{text}");
    if rank == 0 {
        ok!(MPI_Send(sent(&[1, 2, 3]), 3, INT, 1, 0, WORLD));
        return;
    }
    let mut here = [0, 0, 77];
    // SAFETY: room for two elements is there; the message is longer, which is to be an error.
    let code = unsafe { MPI_Recv(got(&mut here), 2, INT, 0, 0, WORLD, std::ptr::null_mut()) };
    assert_eq!((code, here), (15, [1, 2, 77]), "a message too long is cut, and said to be");
}
