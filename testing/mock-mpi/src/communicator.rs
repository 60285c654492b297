//! Communicators and groups.

use std::sync::Arc;

use crate::abi::{COMM_SELF, COMM_WORLD, Class, Handle};
use crate::engine::Engine;
use crate::mailbox::Wanted;
use crate::neighbourhood::Grid;
use crate::plan::Plan;
use crate::slots::Slots;

/// Ranks of the world, in order.
pub(crate) type Group = Arc<[usize]>;

/// Ranks that talk among themselves.
#[derive(Debug, Clone)]
pub(crate) struct Communicator {
    /// Messages of the caller's and of the library's collectives do not meet: twice this, and one more.
    pub(crate) context: u32,
    pub(crate) group: Group,
    pub(crate) rank: usize,
    /// Collectives begun so far.
    collectives: i32,
    /// Whether errors come back; else they end the job.
    pub(crate) errors_return: bool,
    pub(crate) grid: Option<Grid>,
}

impl Communicator {
    pub(crate) fn new(context: u32, group: Group, rank: usize) -> Self {
        Communicator { context, group, rank, collectives: 0, errors_return: false, grid: None }
    }

    /// The world, and the rank alone.
    pub(crate) fn predefined(rank: usize, size: usize) -> Slots<Communicator> {
        let mut both = Slots::from(COMM_WORLD);
        both.insert(Communicator::new(0, (0..size).collect(), rank));
        both.insert(Communicator::new(1, Arc::new([rank]), 0));
        debug_assert!(both.get(COMM_SELF).is_some());
        // Further handles lie outside the range of predefined ones.
        both.skip_to(0x20_0000);
        both
    }

    /// The rank in the communicator of a rank of the world.
    pub(crate) fn rank_of(&self, world: usize) -> i32 {
        if self.group.get(world) == Some(&world) {
            return world as i32;
        }
        self.group.iter().position(|member| *member == world).map_or(-1, |rank| rank as i32)
    }

    /// The rank of the world behind a rank of the communicator.
    pub(crate) fn member(&self, rank: i32) -> Result<usize, Class> {
        let index = usize::try_from(rank).map_err(|_| Class::Rank)?;
        self.group.get(index).copied().ok_or(Class::Rank)
    }

    /// What a receive from `source` with `tag` takes; wildcards are negative.
    pub(crate) fn wanted(&self, source: i32, tag: i32) -> Result<Wanted, Class> {
        let source = if source == crate::abi::ANY_SOURCE { None } else { Some(self.member(source)?) };
        let tag = match tag {
            crate::abi::ANY_TAG => None,
            tag if tag < 0 => return Err(Class::Tag),
            tag => Some(tag),
        };
        Ok(Wanted { context: self.context * 2, source, tag })
    }
}

impl Engine {
    pub(crate) fn communicator(&self, comm: Handle) -> Result<&Communicator, Class> {
        self.communicators.get(comm).ok_or(Class::Comm)
    }

    /// An empty plan of the next collective of a communicator.
    pub(crate) fn plan(&mut self, call: &'static str, comm: Handle) -> Result<Plan, Class> {
        let comm = self.communicators.get_mut(comm).ok_or(Class::Comm)?;
        comm.collectives = comm.collectives.wrapping_add(1) & i32::MAX;
        let mut plan = Plan::new(call, (comm.context * 2 + 1, comm.collectives), comm.rank, comm.group.clone());
        plan.grid.clone_from(&comm.grid);
        Ok(plan)
    }
}

/// The members of `entries` (colour, key, by rank) that share the colour of `rank`, by key and then by rank.
pub(crate) fn partition(entries: &[(i32, i32)], rank: usize) -> Vec<usize> {
    let colour = entries[rank].0;
    let mut members: Vec<usize> = (0..entries.len()).filter(|other| entries[*other].0 == colour).collect();
    members.sort_by_key(|member| entries[*member].1);
    members
}

#[cfg(test)]
mod tests {
    use super::partition;

    #[test]
    fn a_part_is_ordered_by_key_and_then_by_rank() {
        let entries = [(0, 3), (1, 0), (0, 1), (0, 1)];
        assert_eq!(partition(&entries, 0), [2, 3, 0]);
        assert_eq!(partition(&entries, 1), [1]);
    }
}
