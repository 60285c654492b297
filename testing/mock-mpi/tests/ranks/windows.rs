//! Exercises with windows.

use std::hint::black_box;

use crate::mpi::*;

const INFO_NULL: Handle = 0x130;
const EXCLUSIVE: i32 = 301;
const SHARED: i32 = 302;
const NO_OP: Handle = 0x3d;
const REPLACE: Handle = 0x3c;

/// A window over `memory`.
fn over(memory: &mut [i64]) -> Handle {
    let mut window = 0;
    ok!(MPI_Win_create(got(memory), size_of_val(memory) as isize, 8, INFO_NULL, WORLD, &mut window));
    window
}

fn free(mut window: Handle) {
    ok!(MPI_Win_free(&mut window));
    assert_eq!(window, 0x110);
}

pub fn fences() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let mut memory = vec![0i64; size as usize * 2 + 40_000];
    let window = over(&mut memory);
    let own = i64::from(rank) + 1;
    let long: Vec<i64> = (0..40_000).map(|i| i * own).collect();
    let (next, last) = ((rank + 1) % size, (rank + size - 1) % size);
    for _ in 0..3 {
        ok!(MPI_Win_fence(0, window));
        for to in 0..size {
            ok!(MPI_Put(sent(&[own]), 1, INT64, to, rank as isize, 1, INT64, window));
            ok!(MPI_Accumulate(sent(&[own]), 1, INT64, to, (size + rank) as isize, 1, INT64, SUM, window));
        }
        ok!(MPI_Put(sent(&long), 40_000, INT64, next, size as isize * 2, 40_000, INT64, window));
        ok!(MPI_Win_fence(0, window));
        let mut far = vec![0i64; 2];
        ok!(MPI_Get(got(&mut far), 2, INT64, last, rank as isize, 1, INT64, window));
        ok!(MPI_Win_fence(0, window));
        assert_eq!(far[0], own);
    }
    let (size, memory) = (size as usize, black_box(&mut memory));
    assert!((0..size).all(|r| memory[r] == r as i64 + 1 && memory[size + r] == 3 * (r as i64 + 1)));
    assert!((0..40_000).all(|i| memory[2 * size + i] == i as i64 * (i64::from(last) + 1)));
    free(window);
}

/// The even ranks reach the odd ones; then a pair the other way.
pub fn epochs() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let mut memory = vec![0i64; size as usize];
    let window = over(&mut memory);
    let mut world = 0;
    ok!(MPI_Comm_group(WORLD, &mut world));
    let of = |parity: i32| {
        let members: Vec<i32> = (0..size).filter(|r| r % 2 == parity).collect();
        let mut group = 0;
        ok!(MPI_Group_incl(world, members.len() as i32, members.as_ptr(), &mut group));
        (members, group)
    };
    for round in 0..4 {
        let (targets, target_group) = of(1 - round % 2);
        let (_, origin_group) = of(round % 2);
        let value = i64::from(rank * 10 + round);
        if targets.contains(&rank) {
            ok!(MPI_Win_post(origin_group, 0, window));
            ok!(MPI_Win_wait(window));
            let memory = black_box(&mut memory);
            for origin in (0..size).filter(|r| r % 2 == round % 2) {
                assert_eq!(memory[origin as usize], i64::from(origin * 10 + round));
            }
        } else {
            ok!(MPI_Win_start(target_group, 0, window));
            let mut before = vec![[-1i64]; targets.len()];
            for (target, before) in targets.iter().zip(&mut before) {
                ok!(MPI_Get(got(before), 1, INT64, *target, rank as isize, 1, INT64, window));
                ok!(MPI_Put(sent(&[value]), 1, INT64, *target, rank as isize, 1, INT64, window));
            }
            ok!(MPI_Win_complete(window));
            let expected = if round < 2 { 0 } else { value - 2 };
            assert!(before.iter().all(|seen| *seen == [expected]), "{before:?} in round {round}");
        }
    }
    ok!(MPI_Group_free(&mut world));
    free(window);
}

pub fn locks() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let (mut base, mut window) = (std::ptr::null_mut(), 0);
    ok!(MPI_Win_allocate(size as isize * 8, 8, INFO_NULL, WORLD, &mut base, &mut window));
    for target in 0..size {
        ok!(MPI_Win_lock(EXCLUSIVE, target, 0, window));
        ok!(MPI_Put(sent(&[i64::from(rank + 1)]), 1, INT64, target, rank as isize, 1, INT64, window));
        ok!(MPI_Win_flush(target, window));
        let mut seen = [0i64];
        ok!(MPI_Get(got(&mut seen), 1, INT64, target, rank as isize, 1, INT64, window));
        ok!(MPI_Win_unlock(target, window));
        assert_eq!(seen, [i64::from(rank + 1)]);
    }
    ok!(MPI_Barrier(WORLD));
    ok!(MPI_Win_lock_all(0, window));
    let mut requests = [NULL_REQUEST; 2];
    let (next, mut all) = ((rank + 1) % size, vec![0i64; size as usize]);
    ok!(MPI_Rget(got(&mut all), size, INT64, next, 0, size, INT64, window, &mut requests[0]));
    ok!(MPI_Wait(&mut requests[0], std::ptr::null_mut()));
    assert_eq!(all, (1..=i64::from(size)).collect::<Vec<_>>());
    ok!(MPI_Barrier(WORLD));
    ok!(MPI_Rput(sent(&[-7i64]), 1, INT64, next, 0, 1, INT64, window, &mut requests[1]));
    ok!(MPI_Waitall(2, requests.as_mut_ptr(), std::ptr::null_mut()));
    ok!(MPI_Win_unlock_all(window));
    ok!(MPI_Barrier(WORLD));
    // SAFETY: the library gave the memory, of `size` elements, for as long as the window is there.
    assert_eq!(unsafe { *black_box(base) }, -7);
    free(window);
}

/// Every rank takes numbers from a counter on rank 0, and a lock that is passed on by swapping.
pub fn atomics() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let mut memory = vec![0i64, -1, 0];
    let window = over(&mut memory);
    let mut sum = 0;
    for _ in 0..5 {
        let mut ticket = [-1i64];
        ok!(MPI_Win_lock(SHARED, 0, 0, window));
        ok!(MPI_Fetch_and_op(sent(&[1i64]), got(&mut ticket), INT64, 0, 0, SUM, window));
        ok!(MPI_Win_unlock(0, window));
        sum += ticket[0];
    }
    let mut total = [0i64];
    ok!(MPI_Allreduce(sent(&[sum]), got(&mut total), 1, INT64, SUM, WORLD));
    let n = i64::from(size) * 5;
    assert_eq!(total, [n * (n - 1) / 2], "every ticket was given once");

    let mut winner = [0i64];
    ok!(MPI_Win_lock(SHARED, 0, 0, window));
    ok!(MPI_Compare_and_swap(sent(&[i64::from(rank)]), sent(&[-1i64]), got(&mut winner), INT64, 0, 1, window));
    ok!(MPI_Win_flush(0, window));
    let (mut holder, wins) = ([0i64], [i64::from(winner[0] == -1)]);
    ok!(MPI_Fetch_and_op(std::ptr::null(), got(&mut holder), INT64, 0, 1, NO_OP, window));
    ok!(MPI_Accumulate(sent(&[5i64]), 1, INT64, 0, 2, 1, INT64, REPLACE, window));
    let mut old = [-1i64; 2];
    let (add, into) = (sent(&[0i64, 0]), got(&mut old));
    ok!(MPI_Get_accumulate(add, 2, INT64, into, 2, INT64, 0, 1, 2, INT64, SUM, window));
    ok!(MPI_Win_unlock(0, window));
    assert_eq!(old, [holder[0], 5]);
    assert_eq!(holder[0] == i64::from(rank), wins == [1]);
    let mut winners = [0i64];
    ok!(MPI_Allreduce(sent(&wins), got(&mut winners), 1, INT64, SUM, WORLD));
    assert_eq!(winners, [1], "one rank swapped");
    ok!(MPI_Barrier(WORLD));
    assert!(rank != 0 || black_box(&mut memory)[2] == 5);
    free(window);
}

/// Every rank attaches memory, tells where it is, and is written to; what is not attached is refused where it is asked for.
pub fn dynamic() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let (mut memory, mut window, mut address) = (vec![0i64; 8], 0, 0isize);
    ok!(MPI_Win_create_dynamic(INFO_NULL, WORLD, &mut window));
    ok!(MPI_Win_attach(window, got(&mut memory[..4]), 32));
    ok!(MPI_Win_set_errhandler(window, ERRORS_RETURN));
    ok!(MPI_Get_address(sent(&memory), &mut address));
    let mut all = vec![0isize; size as usize];
    ok!(MPI_Allgather(sent(&[address]), 1, INT64, got(&mut all), 1, INT64, WORLD));
    let (next, own) = ((rank + 1) % size, [i64::from(rank) + 1; 2]);
    let there = all[next as usize];
    // SAFETY: `own` lives as long as the call.
    let put = |at: isize| unsafe { MPI_Put(sent(&own), 2, INT64, next, at, 2, INT64, window) };
    ok!(MPI_Win_lock_all(0, window));
    assert_eq!(put(there + 16), 0);
    // Half of it, all of it, and one byte before.
    assert_eq!([put(there + 24), put(there + 32), put(there - 1)], [55; 3], "MPI_ERR_RMA_RANGE");
    let mut seen = [0i64; 2];
    ok!(MPI_Get(got(&mut seen), 2, INT64, next, there + 16, 2, INT64, window));
    ok!(MPI_Win_unlock_all(window));
    assert_eq!(seen, own);
    ok!(MPI_Barrier(WORLD));
    assert_eq!(black_box(&mut memory)[2], i64::from((rank + size - 1) % size) + 1);
    // SAFETY: addresses of memory that lives, which the library holds against what is attached.
    let [again, wrong] =
        unsafe { [MPI_Win_attach(window, got(&mut memory), 64), MPI_Win_detach(window, sent(&memory[1..]))] };
    assert_eq!([again, wrong], [56; 2], "MPI_ERR_RMA_ATTACH");
    ok!(MPI_Barrier(WORLD));
    ok!(MPI_Win_detach(window, sent(&memory)));
    ok!(MPI_Barrier(WORLD));
    ok!(MPI_Win_lock(SHARED, next, 0, window));
    assert_eq!(put(there + 16), 55, "it was detached");
    ok!(MPI_Win_unlock(next, window));
    free(window);
}

/// Ranks of one node get a window of shared memory; those of several are refused.
pub fn shared() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let (mut base, mut window, mut node) = (std::ptr::null_mut(), 0, 0);
    ok!(MPI_Comm_split_type(WORLD, 221, 0, INFO_NULL, &mut node));
    ok!(MPI_Comm_set_errhandler(WORLD, ERRORS_RETURN));
    // SAFETY: the library writes both where they are.
    let code = unsafe { MPI_Win_allocate_shared(8, 8, INFO_NULL, WORLD, &mut base, &mut window) };
    if size_of(node) < size {
        assert_eq!(code, 57, "MPI_ERR_RMA_SHARED");
        ok!(MPI_Win_allocate_shared(8, 8, INFO_NULL, node, &mut base, &mut window));
        return free(window);
    }
    assert_eq!(code, 0);
    ok!(MPI_Win_fence(0, window));
    ok!(MPI_Put(sent(&[i64::from(rank)]), 1, INT64, (rank + 1) % size, 0, 1, INT64, window));
    ok!(MPI_Win_fence(0, window));
    // SAFETY: the library gave the memory, of one element, for as long as the window is there.
    assert_eq!(unsafe { *black_box(base) }, i64::from((rank + size - 1) % size));
    free(window);
}
