//! Cartesian grids of ranks, and exchange between neighbours.

use std::ffi::c_int;

use crate::abi::{Class, Handle, extent};
use crate::address::Address;
use crate::collective::Planned;
use crate::plan::Plan;

/// A grid; the last coordinate runs fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) extents: Vec<usize>,
    pub(crate) wraps: Vec<bool>,
}

impl Grid {
    pub(crate) fn coordinates(&self, rank: usize) -> Vec<usize> {
        let mut rest = rank;
        let mut coordinates: Vec<usize> = Vec::new();
        for extent in self.extents.iter().rev() {
            coordinates.push(rest % extent);
            rest /= extent;
        }
        coordinates.reverse();
        coordinates
    }

    /// The rank `by` steps along a direction; `None` past an edge.
    pub(crate) fn step(&self, rank: usize, direction: usize, by: i64) -> Option<usize> {
        let mut coordinates = self.coordinates(rank);
        let extent = self.extents[direction] as i64;
        let to = coordinates[direction] as i64 + by;
        let inside = (0..extent).contains(&to);
        coordinates[direction] =
            if inside || self.wraps[direction] { to.rem_euclid(extent) as usize } else { return None };
        Some(coordinates.iter().zip(&self.extents).fold(0, |rank, (at, extent)| rank * extent + at))
    }

    /// The neighbours in MPI's order: down and up along each direction.
    pub(crate) fn neighbours(&self, rank: usize) -> Vec<Option<usize>> {
        (0..self.extents.len()).flat_map(|d| [self.step(rank, d, -1), self.step(rank, d, 1)]).collect()
    }
}

/// `n` ranks as extents as equal as they come, greatest first; extents that are not 0 are given.
pub(crate) fn balanced(n: usize, given: &[usize]) -> Option<Vec<usize>> {
    let fixed: usize = given.iter().filter(|extent| **extent > 0).product();
    if !n.is_multiple_of(fixed) {
        return None;
    }
    let mut free = vec![1; given.iter().filter(|extent| **extent == 0).count()];
    let mut rest = n / fixed;
    let mut factors = Vec::new();
    while rest > 1 && !free.is_empty() {
        let factor = (2..=rest).find(|factor| rest.is_multiple_of(*factor))?;
        factors.push(factor);
        rest /= factor;
    }
    for factor in factors.into_iter().rev() {
        *free.iter_mut().min()? *= factor;
    }
    free.sort_unstable();
    if rest > 1 {
        return None;
    }
    given.iter().map(|extent| if *extent == 0 { free.pop() } else { Some(*extent) }).collect()
}

/// Every rank sends each neighbour the same.
pub(crate) fn allgather(
    plan: Plan,
    send: Address,
    send_count: c_int,
    send_type: Handle,
    receive: Address,
    receive_count: c_int,
    receive_type: Handle,
) -> Planned {
    let share = extent(send_count, send_type)?;
    exchange(plan, (|_| send, share), (receive, extent(receive_count, receive_type)?))
}

/// Every rank sends each neighbour a share; what goes down arrives from above.
pub(crate) fn alltoall(
    plan: Plan,
    send: Address,
    send_count: c_int,
    send_type: Handle,
    receive: Address,
    receive_count: c_int,
    receive_type: Handle,
) -> Planned {
    let share = extent(send_count, send_type)?;
    exchange(plan, (|slot| send.at(slot * share), share), (receive, extent(receive_count, receive_type)?))
}

/// Sends each neighbour `out` bytes from its place, and receives as many as `came` from each.
fn exchange(
    mut plan: Plan,
    (place, out): (impl Fn(usize) -> Address, usize),
    (receive, came): (Address, usize),
) -> Planned {
    let neighbours = plan.grid.as_ref().ok_or(Class::Topology)?.neighbours(plan.rank);
    for (slot, neighbour) in neighbours.iter().enumerate() {
        let Some(neighbour) = neighbour else { continue };
        let share = plan.load(place(slot), out);
        // The slot it fills there: a neighbour on both sides must tell the two apart.
        plan.send_on(slot as i32 ^ 1, *neighbour, share);
    }
    for (slot, neighbour) in neighbours.iter().enumerate() {
        let Some(neighbour) = neighbour else { continue };
        let share = plan.room(came);
        plan.receive_on(slot as i32, *neighbour, share.clone());
        plan.deliver(share, receive.at(slot * came));
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_knows_its_neighbours_and_its_edges() {
        let grid = Grid { extents: vec![2, 3], wraps: vec![false, true] };
        assert_eq!(grid.coordinates(4), [1, 1]);
        assert_eq!(grid.neighbours(3), [Some(0), None, Some(5), Some(4)]);
    }

    #[test]
    fn extents_are_balanced() {
        assert_eq!(balanced(12, &[0, 0]), Some(vec![4, 3]));
        assert_eq!(balanced(12, &[0, 2]), Some(vec![6, 2]));
        assert_eq!(balanced(12, &[5, 0]), None);
        assert_eq!(balanced(1, &[0, 0, 0]), Some(vec![1, 1, 1]));
    }
}
