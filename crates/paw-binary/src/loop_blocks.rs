//! The blocks of an innermost loop, and the way through them that most runs take.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::dataflow::{Effects, Place};

/// Instructions of a loop that are run one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoopBlock {
    /// Its instructions, by their numbers in the loop.
    pub instructions: Range<usize>,
    /// Where it goes within the loop, by the numbers of blocks; the head is 0.
    pub successors: Vec<usize>,
}

/// One way through a loop, from its head back to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// Its instructions, by their numbers in the loop, in the order in which they are run.
    pub instructions: Vec<usize>,
    /// At least this share of the runs through the loop take it.
    pub share: f64,
}

/// How many ways lead from the head back to it; `None` where blocks form a cycle of their own.
pub(crate) fn ways(blocks: &[LoopBlock]) -> Option<u64> {
    let mut known = vec![None; blocks.len()];
    ways_from(blocks, 0, &mut known, 0)
}

fn ways_from(blocks: &[LoopBlock], block: usize, known: &mut [Option<u64>], depth: usize) -> Option<u64> {
    if depth > blocks.len() {
        return None;
    }
    if let Some(count) = known[block] {
        return Some(count);
    }
    let mut count = 0_u64;
    for next in &blocks[block].successors {
        let further = if *next == 0 { Some(1) } else { ways_from(blocks, *next, known, depth + 1) };
        count = count.saturating_add(further?);
    }
    known[block] = Some(count);
    Some(count)
}

/// The way on which each block is followed by the one that was run most, by `runs` of the blocks; `None` if it does not come back.
pub(crate) fn common_way(blocks: &[LoopBlock], runs: &[f64]) -> Option<Way> {
    let of = |block: usize| runs.get(block).copied().unwrap_or(0.0);
    let (mut instructions, mut missed, mut block) = (Vec::new(), 0.0, 0);
    for _ in 0..blocks.len() {
        instructions.extend(blocks[block].instructions.clone());
        // Runs that pass by this block take another way.
        missed += (1.0 - of(block) / of(0)).max(0.0);
        let next = blocks[block].successors.iter().copied().max_by(|a, b| of(*a).total_cmp(&of(*b)));
        block = next?;
        if block == 0 {
            return Some(Way { instructions, share: (1.0 - missed).max(0.0) });
        }
    }
    None
}

/// Registers that a run through the loop may read before it writes them, and that the loop writes: they carry a value from one run to the next.
pub(crate) fn carried(blocks: &[LoopBlock], effects: &[Effects]) -> BTreeSet<Place> {
    let parts: Vec<(BTreeSet<Place>, BTreeSet<Place>)> = blocks.iter().map(|block| used(block, effects)).collect();
    let mut live: Vec<BTreeSet<Place>> = parts.iter().map(|(reads, _)| reads.clone()).collect();
    loop {
        let before: usize = live.iter().map(BTreeSet::len).sum();
        for block in (0..blocks.len()).rev() {
            let after: BTreeSet<Place> =
                blocks[block].successors.iter().flat_map(|next| live[*next].iter().copied()).collect();
            let through = after.difference(&parts[block].1).copied().collect::<Vec<_>>();
            live[block].extend(through);
        }
        if live.iter().map(BTreeSet::len).sum::<usize>() == before {
            break;
        }
    }
    let written: BTreeSet<Place> = effects.iter().flat_map(|effects| effects.writes.iter().copied()).collect();
    let Some(head) = live.first() else { return BTreeSet::new() };
    head.intersection(&written).filter(|place| **place != Place::Flags).copied().collect()
}

/// What a block reads before it writes it, and what it writes.
fn used(block: &LoopBlock, effects: &[Effects]) -> (BTreeSet<Place>, BTreeSet<Place>) {
    let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
    for effects in &effects[block.instructions.clone()] {
        reads.extend(effects.reads.difference(&writes).copied());
        writes.extend(effects.writes.iter().copied());
    }
    (reads, writes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of one instruction each, by their successors.
    fn blocks(successors: &[&[usize]]) -> Vec<LoopBlock> {
        let block = |(number, next): (usize, &&[usize])| LoopBlock {
            instructions: number..number + 1,
            successors: next.to_vec(),
        };
        successors.iter().enumerate().map(block).collect()
    }

    #[test]
    fn ways_are_counted_and_the_common_one_is_followed() {
        let diamond = blocks(&[&[1, 2], &[3], &[3], &[0]]);
        assert_eq!(ways(&diamond), Some(2));
        let way = common_way(&diamond, &[100.0, 30.0, 70.0, 100.0]).expect("it comes back");
        assert_eq!(way.instructions, [0, 2, 3]);
        assert!((way.share - 0.7).abs() < 1e-12, "{way:?}");
        let straight = blocks(&[&[0]]);
        assert_eq!((ways(&straight), common_way(&straight, &[9.0]).map(|way| way.share)), (Some(1), Some(1.0)));
    }

    #[test]
    fn a_cycle_within_has_no_ways() {
        let tangled = blocks(&[&[1], &[2], &[1, 0]]);
        assert_eq!(ways(&tangled), None);
        assert!(common_way(&blocks(&[&[1], &[1]]), &[1.0, 5.0]).is_none());
    }

    #[test]
    fn what_one_branch_writes_and_the_other_reads_is_carried() {
        let register = |number: u32| Place::Register(iced_x86::Register::XMM0 + number);
        let writes = Effects { writes: [register(1)].into(), ..Effects::default() };
        let reads = Effects { reads: [register(1), register(2)].into(), ..Effects::default() };
        let none = Effects::default();
        let diamond = blocks(&[&[1, 2], &[3], &[3], &[0]]);
        let found = carried(&diamond, &[none.clone(), writes.clone(), reads.clone(), none.clone()]);
        assert_eq!(found, [register(1)].into());
        let straight = blocks(&[&[1], &[2], &[3], &[0]]);
        assert_eq!(carried(&straight, &[none.clone(), writes, reads, none]), BTreeSet::new());
    }
}
