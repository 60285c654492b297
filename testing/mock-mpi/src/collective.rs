//! Collectives with equal shares: binomial trees, recursive doubling, dissemination, pairwise exchange.
//!
//! Arguments are those of MPI, in its order, less the communicator.

#![allow(clippy::too_many_arguments)]

use std::ffi::c_int;
use std::ops::Range;

use crate::abi::{Class, Datatype, Handle, Op, extent};
use crate::address::Address;
use crate::plan::Plan;
use crate::reduction::check;

pub(crate) type Planned = Result<Plan, Class>;

/// The root as a rank.
pub(crate) fn root_of(plan: &Plan, root: c_int) -> Result<usize, Class> {
    usize::try_from(root).ok().filter(|root| *root < plan.size).ok_or(Class::Root)
}

/// The elements and operation of a reduction.
pub(crate) fn arithmetic(datatype: Handle, op: Handle) -> Result<(Datatype, Op), Class> {
    let (kind, op) = (Datatype::of(datatype)?, Op::of(op)?);
    check(kind, op)?;
    Ok((kind, op))
}

/// Distances 1, 2, 4, … below `size`.
pub(crate) fn doublings(size: usize) -> impl DoubleEndedIterator<Item = usize> {
    (0..usize::BITS).map(|bit| 1 << bit).take_while(move |distance| *distance < size).collect::<Vec<_>>().into_iter()
}

pub(crate) fn barrier(mut plan: Plan) -> Planned {
    for distance in doublings(plan.size) {
        plan.send(plan.ahead(distance), 0..0);
        plan.receive(plan.behind(distance), 0..0);
    }
    Ok(plan)
}

pub(crate) fn bcast(mut plan: Plan, buffer: Address, count: c_int, datatype: Handle, root: c_int) -> Planned {
    let (n, root) = (extent(count, datatype)?, root_of(&plan, root)?);
    if plan.rank == root {
        let all = plan.load(buffer, n);
        down(&mut plan, root, &all);
    } else {
        let all = plan.room(n);
        down(&mut plan, root, &all);
        plan.deliver(all, buffer);
    }
    Ok(plan)
}

/// `what` from the root to all.
fn down(plan: &mut Plan, root: usize, what: &Range<usize>) {
    let place = plan.behind(root);
    let parent = lowest_bit(place, plan.size);
    if place != 0 {
        plan.receive((place - parent + root) % plan.size, what.clone());
    }
    for distance in doublings(plan.size).rev().filter(|distance| *distance < parent) {
        if place + distance < plan.size {
            plan.send((place + distance + root) % plan.size, what.clone());
        }
    }
}

/// How far a place of a binomial tree is from its parent; past everything for the root.
fn lowest_bit(place: usize, size: usize) -> usize {
    if place == 0 { size.next_power_of_two() } else { place & place.wrapping_neg() }
}

pub(crate) fn reduce(
    mut plan: Plan,
    send: Address,
    receive: Address,
    count: c_int,
    datatype: Handle,
    op: Handle,
    root: c_int,
) -> Planned {
    let (n, root, what) = (extent(count, datatype)?, root_of(&plan, root)?, arithmetic(datatype, op)?);
    let sum = plan.load(if send == Address::IN_PLACE { receive } else { send }, n);
    up(&mut plan, root, &sum, what);
    if plan.rank == root {
        plan.deliver(sum, receive);
    }
    Ok(plan)
}

/// The sum of all at the root.
pub(crate) fn up(plan: &mut Plan, root: usize, sum: &Range<usize>, (kind, op): (Datatype, Op)) {
    let place = plan.behind(root);
    let parent = lowest_bit(place, plan.size);
    let other = plan.room(sum.len());
    for distance in doublings(plan.size).filter(|distance| *distance < parent) {
        if place + distance < plan.size {
            plan.receive((place + distance + root) % plan.size, other.clone());
            plan.fold(other.clone(), sum.start, kind, op);
        }
    }
    if place != 0 {
        plan.send((place - parent + root) % plan.size, sum.clone());
    }
}

pub(crate) fn allreduce(
    mut plan: Plan,
    send: Address,
    receive: Address,
    count: c_int,
    datatype: Handle,
    op: Handle,
) -> Planned {
    let (n, what) = (extent(count, datatype)?, arithmetic(datatype, op)?);
    let sum = plan.load(if send == Address::IN_PLACE { receive } else { send }, n);
    everywhere(&mut plan, &sum, what);
    plan.deliver(sum, receive);
    Ok(plan)
}

/// The sum of all on every rank, by recursive doubling; ranks past a power of two fold into their neighbours first.
pub(crate) fn everywhere(plan: &mut Plan, sum: &Range<usize>, (kind, op): (Datatype, Op)) {
    let (rank, size) = (plan.rank, plan.size);
    let other = plan.room(sum.len());
    let power = 1 << size.ilog2();
    let extra = size - power;
    if rank < 2 * extra && rank.is_multiple_of(2) {
        plan.send(rank + 1, sum.clone());
        plan.receive(rank + 1, sum.clone());
        return;
    }
    if rank < 2 * extra {
        plan.receive(rank - 1, other.clone());
        plan.fold(other.clone(), sum.start, kind, op);
    }
    let place = if rank < 2 * extra { rank / 2 } else { rank - extra };
    for distance in doublings(power) {
        let peer = place ^ distance;
        let peer = if peer < extra { peer * 2 + 1 } else { peer + extra };
        plan.send(peer, sum.clone());
        plan.receive(peer, other.clone());
        plan.fold(other.clone(), sum.start, kind, op);
    }
    if rank < 2 * extra {
        plan.send(rank - 1, sum.clone());
    }
}

pub(crate) fn gather(
    mut plan: Plan,
    send: Address,
    send_count: c_int,
    send_type: Handle,
    receive: Address,
    receive_count: c_int,
    receive_type: Handle,
    root: c_int,
) -> Planned {
    let root = root_of(&plan, root)?;
    let is_root = plan.rank == root;
    let share = if is_root { extent(receive_count, receive_type)? } else { extent(send_count, send_type)? };
    let own = if send == Address::IN_PLACE { receive.at(root * share) } else { send };
    let place = plan.behind(root);
    let parent = lowest_bit(place, plan.size);
    let base = plan.load(own, share).start;
    plan.room((parent.min(plan.size - place) - 1) * share);
    for distance in doublings(plan.size).filter(|distance| *distance < parent) {
        if place + distance < plan.size {
            let shares = distance.min(plan.size - place - distance);
            let from = base + distance * share;
            plan.receive((place + distance + root) % plan.size, from..from + shares * share);
        }
    }
    if !is_root {
        let shares = parent.min(plan.size - place);
        plan.send((place - parent + root) % plan.size, base..base + shares * share);
        return Ok(plan);
    }
    for place in 0..plan.size {
        let from = base + place * share;
        plan.deliver(from..from + share, receive.at((place + root) % plan.size * share));
    }
    Ok(plan)
}

pub(crate) fn scatter(
    mut plan: Plan,
    send: Address,
    send_count: c_int,
    send_type: Handle,
    receive: Address,
    receive_count: c_int,
    receive_type: Handle,
    root: c_int,
) -> Planned {
    let root = root_of(&plan, root)?;
    let is_root = plan.rank == root;
    let share = if is_root { extent(send_count, send_type)? } else { extent(receive_count, receive_type)? };
    let place = plan.behind(root);
    let parent = lowest_bit(place, plan.size);
    let base = plan.memory.len();
    if is_root {
        for place in 0..plan.size {
            plan.load(send.at((place + root) % plan.size * share), share);
        }
    } else {
        let shares = plan.room(parent.min(plan.size - place) * share);
        plan.receive((place - parent + root) % plan.size, shares);
    }
    for distance in doublings(plan.size).rev().filter(|distance| *distance < parent) {
        if place + distance < plan.size {
            let shares = distance.min(plan.size - place - distance);
            let from = base + distance * share;
            plan.send((place + distance + root) % plan.size, from..from + shares * share);
        }
    }
    if receive != Address::IN_PLACE {
        plan.deliver(base..base + share, receive);
    }
    Ok(plan)
}

pub(crate) fn allgather(
    mut plan: Plan,
    send: Address,
    send_count: c_int,
    send_type: Handle,
    receive: Address,
    receive_count: c_int,
    receive_type: Handle,
) -> Planned {
    let in_place = send == Address::IN_PLACE;
    let share = if in_place { extent(receive_count, receive_type)? } else { extent(send_count, send_type)? };
    let own = if in_place { receive.at(plan.rank * share) } else { send };
    let base = plan.load(own, share).start;
    plan.room((plan.size - 1) * share);
    collect(&mut plan, base, share);
    for place in 0..plan.size {
        let from = base + place * share;
        plan.deliver(from..from + share, receive.at(plan.ahead(place) * share));
    }
    Ok(plan)
}

/// All shares on every rank, its own first, after J. Bruck et al., "Efficient algorithms for all-to-all communications" (1997).
pub(crate) fn collect(plan: &mut Plan, base: usize, share: usize) {
    for distance in doublings(plan.size) {
        let shares = distance.min(plan.size - distance);
        let from = base + distance * share;
        plan.send(plan.behind(distance), base..base + shares * share);
        plan.receive(plan.ahead(distance), from..from + shares * share);
    }
}

pub(crate) fn alltoall(
    mut plan: Plan,
    send: Address,
    send_count: c_int,
    send_type: Handle,
    receive: Address,
    receive_count: c_int,
    receive_type: Handle,
) -> Planned {
    let in_place = send == Address::IN_PLACE;
    let share = if in_place { extent(receive_count, receive_type)? } else { extent(send_count, send_type)? };
    let shares = plan.load(if in_place { receive } else { send }, share * plan.size);
    let came = plan.room(share * plan.size);
    let part = |whole: &Range<usize>, rank: usize| whole.start + rank * share..whole.start + (rank + 1) * share;
    plan.copy(part(&shares, plan.rank), came.start + plan.rank * share);
    for distance in 1..plan.size {
        let (to, from) = (plan.ahead(distance), plan.behind(distance));
        plan.send(to, part(&shares, to));
        plan.receive(from, part(&came, from));
    }
    plan.deliver(came, receive);
    Ok(plan)
}
