//! Exercises with collectives and communicators.

use crate::mpi::*;

fn doubles(n: usize, of: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..n).map(of).collect()
}

pub fn rooted() {
    let (rank, size) = (rank_in(WORLD) as usize, size_of(WORLD) as usize);
    let step = size.div_ceil(5);
    for (root, n) in (0..size).step_by(step).flat_map(|root| [0, 1, 3, 3000].map(|n| (root, n))) {
        let (r, m) = (root as i32, n as i32);
        let mut all = doubles(n, |i| if rank == root { (i + root) as f64 } else { -1.0 });
        ok!(MPI_Bcast(got(&mut all), m, DOUBLE, r, WORLD));
        assert_eq!(all, doubles(n, |i| (i + root) as f64), "bcast from {root}");

        let own = doubles(n, |i| (i * (rank + 1)) as f64);
        let mut sum = doubles(n, |_| -1.0);
        ok!(MPI_Reduce(sent(&own), got(&mut sum), m, DOUBLE, SUM, r, WORLD));
        let whole = (size * (size + 1) / 2) as f64;
        let expected = if rank == root { doubles(n, |i| i as f64 * whole) } else { doubles(n, |_| -1.0) };
        assert_eq!(sum, expected, "reduce to {root}");

        let mut parts = if rank == root { doubles(n * size, |_| -1.0) } else { Vec::new() };
        ok!(MPI_Gather(sent(&own), m, DOUBLE, got(&mut parts), m, DOUBLE, r, WORLD));
        let expected =
            if rank == root { doubles(n * size, |i| (i % n.max(1) * (i / n.max(1) + 1)) as f64) } else { vec![] };
        assert_eq!(parts, expected, "gather to {root}");

        let mut part = doubles(n, |_| -1.0);
        ok!(MPI_Scatter(sent(&parts), m, DOUBLE, got(&mut part), m, DOUBLE, r, WORLD));
        assert_eq!(part, own, "scatter from {root} is the inverse of gather");
    }
}

pub fn everywhere() {
    let (rank, size) = (rank_in(WORLD) as usize, size_of(WORLD) as usize);
    let whole = (size * (size + 1) / 2) as f64;
    for n in [0, 1, 5, 2000] {
        let m = n as i32;
        let own = doubles(n, |i| (i * (rank + 1)) as f64);
        let mut sum = doubles(n, |_| -1.0);
        ok!(MPI_Allreduce(sent(&own), got(&mut sum), m, DOUBLE, SUM, WORLD));
        assert_eq!(sum, doubles(n, |i| i as f64 * whole), "allreduce");
        let mut sum = own.clone();
        ok!(MPI_Allreduce(IN_PLACE, got(&mut sum), m, DOUBLE, MAX, WORLD));
        assert_eq!(sum, doubles(n, |i| (i * size) as f64), "allreduce in place");

        let mut all = doubles(n * size, |_| -1.0);
        ok!(MPI_Allgather(sent(&own), m, DOUBLE, got(&mut all), m, DOUBLE, WORLD));
        assert_eq!(all, doubles(n * size, |i| (i % n * (i / n + 1)) as f64), "allgather");

        let out = doubles(n * size, |i| (rank * 10_000_000 + i) as f64);
        let mut here = doubles(n * size, |_| -1.0);
        ok!(MPI_Alltoall(sent(&out), m, DOUBLE, got(&mut here), m, DOUBLE, WORLD));
        assert_eq!(here, doubles(n * size, |i| (i / n * 10_000_000 + rank * n + i % n) as f64), "alltoall");

        let all = doubles(n * size, |i| (i * (rank + 1)) as f64);
        let mut share = doubles(n, |_| -1.0);
        ok!(MPI_Reduce_scatter_block(sent(&all), got(&mut share), m, DOUBLE, SUM, WORLD));
        assert_eq!(share, doubles(n, |i| (rank * n + i) as f64 * whole), "reduce_scatter_block");
        ok!(MPI_Barrier(WORLD));
    }
}

/// Rank r has r + 1 elements, with one element between the shares of a buffer.
pub fn vectors() {
    let (rank, size) = (rank_in(WORLD) as usize, size_of(WORLD) as usize);
    let counts: Vec<i32> = (1..=size as i32).collect();
    let places: Vec<i32> = (0..size).map(|r| counts[..r].iter().map(|count| count + 1).sum()).collect();
    let total = counts.iter().map(|count| *count as usize + 1).sum();
    let owner = |i: usize| (0..size).find(|r| (places[*r]..places[*r] + counts[*r]).contains(&(i as i32)));
    let full: Vec<i32> = (0..total).map(|i| owner(i).map_or(-1, |r| (r * 100 + i) as i32)).collect();
    let own: Vec<i32> = full[places[rank] as usize..][..rank + 1].to_vec();
    let m = own.len() as i32;
    for root in 0..size {
        let mut here = vec![-1; total];
        let (c, p, r) = (counts.as_ptr(), places.as_ptr(), root as i32);
        ok!(MPI_Gatherv(sent(&own), m, INT, got(&mut here), c, p, INT, r, WORLD));
        assert_eq!(here, if rank == root { full.clone() } else { vec![-1; total] }, "gatherv to {root}");
        let mut part = vec![-1; own.len()];
        ok!(MPI_Scatterv(sent(&full), c, p, INT, got(&mut part), m, INT, r, WORLD));
        assert_eq!(part, own, "scatterv from {root}");
    }
    let mut here = vec![-1; total];
    ok!(MPI_Allgatherv(sent(&own), m, INT, got(&mut here), counts.as_ptr(), places.as_ptr(), INT, WORLD));
    assert_eq!(here, full, "allgatherv");

    // Rank r gives rank s r + s + 1 elements.
    let each: Vec<i32> = (0..size).map(|other| (rank + other + 1) as i32).collect();
    let starts: Vec<i32> = (0..size).map(|r| each[..r].iter().sum()).collect();
    let n: i32 = each.iter().sum();
    let value = |from: usize, to: usize, i: i32| (from * 10_000 + to * 100) as i32 + i;
    let out: Vec<i32> = (0..size).flat_map(|to| (0..each[to]).map(move |i| value(rank, to, i))).collect();
    let mut here = vec![-1; n as usize];
    let (c, p) = (each.as_ptr(), starts.as_ptr());
    ok!(MPI_Alltoallv(sent(&out), c, p, INT, got(&mut here), c, p, INT, WORLD));
    let expected: Vec<i32> = (0..size).flat_map(|from| (0..each[from]).map(move |i| value(from, rank, i))).collect();
    assert_eq!(here, expected, "alltoallv");

    let all: Vec<i64> = (0..(size * (size + 1) / 2) as i64).map(|i| i * (rank as i64 + 1)).collect();
    let mut share = vec![-1i64; rank + 1];
    ok!(MPI_Reduce_scatter(sent(&all), got(&mut share), counts.as_ptr(), INT64, SUM, WORLD));
    let from = (rank * (rank + 1) / 2) as i64;
    let whole = (size * (size + 1) / 2) as i64;
    assert_eq!(share, (0..=rank as i64).map(|i| (from + i) * whole).collect::<Vec<_>>(), "reduce_scatter");
}

pub fn prefixes() {
    let rank = rank_in(WORLD) as usize;
    for n in [1, 3000] {
        let own = doubles(n, |i| (i + rank) as f64);
        let (mut upto, mut before) = (doubles(n, |_| -1.0), doubles(n, |_| -1.0));
        ok!(MPI_Scan(sent(&own), got(&mut upto), n as i32, DOUBLE, SUM, WORLD));
        ok!(MPI_Exscan(sent(&own), got(&mut before), n as i32, DOUBLE, SUM, WORLD));
        let sum = |ranks: usize, i: usize| (0..ranks).map(|r| (i + r) as f64).sum::<f64>();
        assert_eq!(upto, doubles(n, |i| sum(rank + 1, i)), "scan");
        assert_eq!(before, doubles(n, |i| if rank == 0 { -1.0 } else { sum(rank, i) }), "exscan");
    }
}

pub fn forms() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let mut requests = [NULL_REQUEST; 3];
    let (own, mut sum) = ([f64::from(rank)], [0.0]);
    let mut word = [if rank == 0 { 42 } else { 0 }];
    let (out, mut here) = (vec![rank; size as usize], vec![-1; size as usize]);
    ok!(MPI_Iallreduce(sent(&own), got(&mut sum), 1, DOUBLE, SUM, WORLD, &mut requests[0]));
    ok!(MPI_Ibcast(got(&mut word), 1, INT, 0, WORLD, &mut requests[1]));
    ok!(MPI_Ialltoall(sent(&out), 1, INT, got(&mut here), 1, INT, WORLD, &mut requests[2]));
    // Waited for in an order of their own: what is not waited for goes on too.
    for nth in [2, 0, 1] {
        ok!(MPI_Wait(&mut requests[nth], std::ptr::null_mut()));
    }
    assert_eq!((sum, word), ([f64::from(size * (size - 1) / 2)], [42]));
    assert_eq!(here, (0..size).collect::<Vec<_>>());

    let (mut own, mut sum, mut request) = ([0.0], [0.0], NULL_REQUEST);
    ok!(MPI_Allreduce_init(own.as_ptr().cast(), got(&mut sum), 1, DOUBLE, SUM, WORLD, 0x130, &mut request));
    for round in 0..4 {
        std::hint::black_box(&mut own)[0] = f64::from(rank * round);
        ok!(MPI_Start(&mut request));
        ok!(MPI_Wait(&mut request, std::ptr::null_mut()));
        assert_eq!(std::hint::black_box(&mut sum)[0], f64::from(round * size * (size - 1) / 2));
    }
    ok!(MPI_Request_free(&mut request));
}

/// Five ranks on two nodes are three and two.
pub fn nodes() {
    let rank = rank_in(WORLD);
    let (mut node, mut name, mut length) = (0, [0u8; 256], 0);
    ok!(MPI_Comm_split_type(WORLD, 221, 0, 0x130, &mut node));
    ok!(MPI_Get_processor_name(name.as_mut_ptr(), &mut length));
    let (size, expected) = if rank < 3 { (3, "mock-node-0") } else { (2, "mock-node-1") };
    assert_eq!((size_of(node), rank_in(node)), (size, rank % 3));
    assert_eq!(&name[..length as usize], expected.as_bytes());
}

pub fn communicators() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let (mut part, mut copy, mut node) = (0, 0, 0);
    ok!(MPI_Comm_split(WORLD, rank % 2, -rank, &mut part));
    ok!(MPI_Comm_dup(WORLD, &mut copy));
    ok!(MPI_Comm_split_type(WORLD, 221, 0, 0x130, &mut node));
    assert_eq!((rank_in(copy), size_of(copy)), (rank, size));
    assert_eq!(size_of(node), size, "all ranks live on one node");
    let members = (size - rank % 2 + 1) / 2;
    assert_eq!((size_of(part), rank_in(part)), (members, members - 1 - rank / 2), "keys turn the order round");
    let (own, mut sum) = ([i64::from(rank)], [0i64]);
    ok!(MPI_Allreduce(sent(&own), got(&mut sum), 1, INT64, SUM, part));
    assert_eq!(sum[0], (0..size).filter(|r| r % 2 == rank % 2).map(i64::from).sum::<i64>());

    let (next, last) = ((rank + 1) % size, (rank + size - 1) % size);
    ok!(MPI_Send(sent(&[1]), 1, INT, next, 0, copy));
    ok!(MPI_Send(sent(&[2]), 1, INT, next, 0, WORLD));
    for (comm, expected) in [(WORLD, 2), (copy, 1)] {
        let mut here = [0];
        ok!(MPI_Recv(got(&mut here), 1, INT, last, 0, comm, std::ptr::null_mut()));
        assert_eq!(here, [expected], "communicators do not hear each other");
    }
    let (mut bound, mut flag) = (std::ptr::null(), 0);
    ok!(MPI_Comm_get_attr(WORLD, 501, &mut bound, &mut flag));
    // SAFETY: the library says that the pointer is there, to a number it keeps.
    assert_eq!((flag, unsafe { *bound }), (1, i32::MAX));
    for comm in [&mut part, &mut copy, &mut node] {
        ok!(MPI_Comm_free(comm));
        assert_eq!(*comm, 0x100);
    }
}
