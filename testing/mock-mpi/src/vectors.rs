//! Collectives with unequal shares, and prefixes.

#![allow(clippy::too_many_arguments)]

use std::ffi::c_int;
use std::ops::Range;

use crate::abi::{Class, Datatype, Handle, Op, extent};
use crate::address::{Address, UserPtr};
use crate::collective::{Planned, arithmetic, doublings, root_of};
use crate::plan::Plan;

/// Where each rank's share lies in the caller's buffer, from counts and displacements.
fn shares(
    counts: UserPtr<c_int>,
    places: UserPtr<c_int>,
    datatype: Handle,
    size: usize,
) -> Result<Vec<Range<usize>>, Class> {
    let element = Datatype::of(datatype)?.size_bytes();
    (0..size)
        .map(|rank| {
            let from = usize::try_from(places.nth(rank)).map_err(|_| Class::Arg)? * element;
            Ok(from..from + extent(counts.nth(rank), datatype)?)
        })
        .collect()
}

pub(crate) fn gatherv(
    mut plan: Plan,
    send: Address,
    send_count: c_int,
    send_type: Handle,
    receive: Address,
    counts: UserPtr<c_int>,
    places: UserPtr<c_int>,
    receive_type: Handle,
    root: c_int,
) -> Planned {
    let root = root_of(&plan, root)?;
    if plan.rank != root {
        let own = plan.load(send, extent(send_count, send_type)?);
        plan.send(root, own);
        return Ok(plan);
    }
    for (rank, share) in shares(counts, places, receive_type, plan.size)?.into_iter().enumerate() {
        let to = receive.at(share.start);
        if rank != root {
            let here = plan.room(share.len());
            plan.receive(rank, here.clone());
            plan.deliver(here, to);
        } else if send != Address::IN_PLACE {
            let own = plan.load(send, share.len());
            plan.deliver(own, to);
        }
    }
    Ok(plan)
}

pub(crate) fn scatterv(
    mut plan: Plan,
    send: Address,
    counts: UserPtr<c_int>,
    places: UserPtr<c_int>,
    send_type: Handle,
    receive: Address,
    receive_count: c_int,
    receive_type: Handle,
    root: c_int,
) -> Planned {
    let root = root_of(&plan, root)?;
    if plan.rank != root {
        let own = plan.room(extent(receive_count, receive_type)?);
        plan.receive(root, own.clone());
        plan.deliver(own, receive);
        return Ok(plan);
    }
    for (rank, share) in shares(counts, places, send_type, plan.size)?.into_iter().enumerate() {
        let here = plan.load(send.at(share.start), share.len());
        if rank != root {
            plan.send(rank, here);
        } else if receive != Address::IN_PLACE {
            plan.deliver(here, receive);
        }
    }
    Ok(plan)
}

/// Round a ring: every rank hands on what it got last.
pub(crate) fn allgatherv(
    mut plan: Plan,
    send: Address,
    _send_count: c_int,
    _send_type: Handle,
    receive: Address,
    counts: UserPtr<c_int>,
    places: UserPtr<c_int>,
    receive_type: Handle,
) -> Planned {
    let places = shares(counts, places, receive_type, plan.size)?;
    let own = &places[plan.rank];
    let from = if send == Address::IN_PLACE { receive.at(own.start) } else { send };
    let mut last = plan.load(from, own.len());
    plan.deliver(last.clone(), receive.at(own.start));
    for distance in 1..plan.size {
        let share = &places[plan.behind(distance)];
        let next = plan.room(share.len());
        plan.send(plan.ahead(1), last);
        plan.receive(plan.behind(1), next.clone());
        plan.deliver(next.clone(), receive.at(share.start));
        last = next;
    }
    Ok(plan)
}

pub(crate) fn alltoallv(
    mut plan: Plan,
    send: Address,
    send_counts: UserPtr<c_int>,
    send_places: UserPtr<c_int>,
    send_type: Handle,
    receive: Address,
    receive_counts: UserPtr<c_int>,
    receive_places: UserPtr<c_int>,
    receive_type: Handle,
) -> Planned {
    let into = shares(receive_counts, receive_places, receive_type, plan.size)?;
    let in_place = send == Address::IN_PLACE;
    let from = if in_place { into.clone() } else { shares(send_counts, send_places, send_type, plan.size)? };
    let source = if in_place { receive } else { send };
    let own = plan.load(source.at(from[plan.rank].start), from[plan.rank].len());
    plan.deliver(own, receive.at(into[plan.rank].start));
    for distance in 1..plan.size {
        let (to, peer) = (plan.ahead(distance), plan.behind(distance));
        let out = plan.load(source.at(from[to].start), from[to].len());
        let here = plan.room(into[peer].len());
        plan.send(to, out);
        plan.receive(peer, here.clone());
        plan.deliver(here, receive.at(into[peer].start));
    }
    Ok(plan)
}

pub(crate) fn reduce_scatter(
    mut plan: Plan,
    send: Address,
    receive: Address,
    counts: UserPtr<c_int>,
    datatype: Handle,
    op: Handle,
) -> Planned {
    let what = arithmetic(datatype, op)?;
    let mut ends = vec![0];
    for count in counts.values(plan.size) {
        ends.push(ends.last().copied().unwrap_or_default() + extent(count, datatype)?);
    }
    let all = plan.load(if send == Address::IN_PLACE { receive } else { send }, ends[plan.size]);
    let share = |rank: usize| all.start + ends[rank]..all.start + ends[rank + 1];
    exchange(&mut plan, share, what);
    plan.deliver(share(plan.rank), receive);
    Ok(plan)
}

/// Every rank sends every other its share, and sums its own.
fn exchange(plan: &mut Plan, share: impl Fn(usize) -> Range<usize>, (kind, op): (Datatype, Op)) {
    let own = share(plan.rank);
    let other = plan.room(own.len());
    for distance in 1..plan.size {
        let to = plan.ahead(distance);
        plan.send(to, share(to));
        plan.receive(plan.behind(distance), other.clone());
        plan.fold(other.clone(), own.start, kind, op);
    }
}

/// By recursive halving where the ranks are a power of two, else by pairwise exchange.
pub(crate) fn reduce_scatter_block(
    mut plan: Plan,
    send: Address,
    receive: Address,
    count: c_int,
    datatype: Handle,
    op: Handle,
) -> Planned {
    let (share, (kind, op)) = (extent(count, datatype)?, arithmetic(datatype, op)?);
    let all = plan.load(if send == Address::IN_PLACE { receive } else { send }, share * plan.size);
    let part = |ranks: Range<usize>| all.start + ranks.start * share..all.start + ranks.end * share;
    let rank = plan.rank;
    if !plan.size.is_power_of_two() {
        exchange(&mut plan, |rank| part(rank..rank + 1), (kind, op));
    }
    let halvings = if plan.size.is_power_of_two() { doublings(plan.size).rev().collect() } else { Vec::new() };
    let other = plan.room(share * plan.size / 2);
    for half in halvings {
        let low = rank / (2 * half) * (2 * half);
        let (keep, give) = if rank & half == 0 { (low, low + half) } else { (low + half, low) };
        let (keep, give) = (part(keep..keep + half), part(give..give + half));
        let came = other.start..other.start + half * share;
        plan.send(rank ^ half, give);
        plan.receive(rank ^ half, came.clone());
        plan.fold(came, keep.start, kind, op);
    }
    plan.deliver(part(rank..rank + 1), receive);
    Ok(plan)
}

pub(crate) fn scan(
    mut plan: Plan,
    send: Address,
    receive: Address,
    count: c_int,
    datatype: Handle,
    op: Handle,
) -> Planned {
    let (n, what) = (extent(count, datatype)?, arithmetic(datatype, op)?);
    let sum = plan.load(if send == Address::IN_PLACE { receive } else { send }, n);
    prefix(&mut plan, 0, &sum, what);
    plan.deliver(sum, receive);
    Ok(plan)
}

/// The scan of what the rank before gave; the first rank's result is undefined and left alone.
pub(crate) fn exscan(
    mut plan: Plan,
    send: Address,
    receive: Address,
    count: c_int,
    datatype: Handle,
    op: Handle,
) -> Planned {
    let (n, what) = (extent(count, datatype)?, arithmetic(datatype, op)?);
    let own = plan.load(if send == Address::IN_PLACE { receive } else { send }, n);
    let sum = plan.room(n);
    if plan.rank + 1 < plan.size {
        plan.send(plan.rank + 1, own);
    }
    if plan.rank > 0 {
        plan.receive(plan.rank - 1, sum.clone());
        prefix(&mut plan, 1, &sum, what);
        plan.deliver(sum, receive);
    }
    Ok(plan)
}

/// Sums over the ranks from `first` up to each, by doubling distances.
fn prefix(plan: &mut Plan, first: usize, sum: &Range<usize>, (kind, op): (Datatype, Op)) {
    let other = plan.room(sum.len());
    for distance in doublings(plan.size - first) {
        if plan.rank + distance < plan.size {
            plan.send(plan.rank + distance, sum.clone());
        }
        if plan.rank >= first + distance {
            plan.receive(plan.rank - distance, other.clone());
            plan.fold(other.clone(), sum.start, kind, op);
        }
    }
}
